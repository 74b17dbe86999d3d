//! ConfigMap. Counterpart: `core/v1.ConfigMap`.

mod columns;
mod rules;

pub(super) use rules::{MAX_SIZE, decoded_length, validate_immutable};

use super::plain::Plain;
use super::{Body, Generation, Kind, KindRow};
use crate::api::value::Map;

/// Configuration that pods read.
pub type ConfigMap = Plain;

fn decode(m: &Map) -> Body {
    Body::ConfigMap(Plain::decode(m))
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::CONFIG_MAP,
    group: "",
    version: "v1",
    api_version: "v1",
    name: "ConfigMap",
    plural: "configmaps",
    singular: "configmap",
    short_names: &["cm"],
    namespaced: true,
    in_all: false,
    schema: "core.v1.ConfigMap",
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
    fields: &[],
};
