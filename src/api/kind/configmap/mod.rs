//! ConfigMap. Counterpart: `core/v1.ConfigMap`.

mod columns;
mod rules;

pub(super) use rules::{MAX_SIZE, decoded_length, validate_immutable};

use super::{Body, Generation, Kind, KindRow};
use crate::api::value::Map;

/// Configuration that pods read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfigMap {
    /// Everything but the metadata, as written.
    pub content: Map,
}

impl ConfigMap {
    fn decode(m: &Map) -> Body {
        let mut content = m.clone();
        content.retain(|k, _| !matches!(k, "apiVersion" | "kind" | "metadata"));
        Body::ConfigMap(ConfigMap { content })
    }
    pub(super) fn encode(&self, out: &mut Map) {
        *out = self.content.clone();
    }
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
    decode: ConfigMap::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[],
};
