//! The row of LimitRange in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{columns, rules};
use crate::api::meta_rules::MetaRule;

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::LIMIT_RANGE,
    name: "LimitRange",
    plural: "limitranges",
    singular: "limitrange",
    short_names: &["limits"],
    schema: "core.v1.LimitRange",
    default: rules::default,
    prepare_create: rules::prepare_create,
    validate: rules::validate,
    validate_update: rules::validate_update,
    meta_rule: MetaRule { validates_meta_again_on_update: false, ..MetaRule::BASE },
    decode: Some(|object| decode(object).map(Body::LimitRange)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    ..KindRow::BASE
};
