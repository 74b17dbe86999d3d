//! The row of Secret in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::SECRET,
    name: "Secret",
    plural: "secrets",
    singular: "secret",
    schema: "core.v1.Secret",
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::Secret)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("type", |o| match &o.body {
        Body::Secret(s) => s.content.str("type").to_owned(),
        _ => String::new(),
    })],
    ..KindRow::BASE
};
