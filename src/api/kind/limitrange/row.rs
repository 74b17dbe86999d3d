//! The row of LimitRange in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::LIMIT_RANGE,
    name: "LimitRange",
    plural: "limitranges",
    singular: "limitrange",
    short_names: &["limits"],
    schema: "core.v1.LimitRange",
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::LimitRange)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    ..KindRow::BASE
};
