//! Secret. Counterpart: `core/v1.Secret`.

mod columns;
mod rules;

pub use rules::{decode_base64, encode_base64};

use super::plain::Plain;
use super::{Body, Generation, Kind, KindRow};
use crate::api::value::Map;

/// Configuration that is kept from view.
pub type Secret = Plain;

fn decode(m: &Map) -> Body {
    Body::Secret(Plain::decode(m))
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::SECRET,
    group: "",
    version: "v1",
    api_version: "v1",
    name: "Secret",
    plural: "secrets",
    singular: "secret",
    short_names: &[],
    namespaced: true,
    in_all: false,
    schema: "core.v1.Secret",
    has_status: false,
    has_scale: false,
    generation: Generation::Absent,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("type", |o| match &o.body {
        Body::Secret(s) => s.content.str("type").to_owned(),
        _ => String::new(),
    })],
};
