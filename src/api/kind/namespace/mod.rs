//! Namespace. Counterpart: `core/v1.Namespace`.

mod columns;
mod rules;

use super::condition::{self, Condition};
use super::{Body, Generation, Kind, KindRow};
use crate::api::value::{Map, Value};
use crate::map;
use crate::text::Str;

/// A room for objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Namespace {
    /// Who must clean up before it goes (`kubernetes`).
    pub finalizers: Vec<Str>,
    /// Whether it is being emptied.
    pub terminating: bool,
    /// What stands in the way.
    pub conditions: Vec<Condition>,
}

impl Namespace {
    fn decode(m: &Map) -> Body {
        let empty = Map::new();
        let finalizers = m.map("spec").unwrap_or(&empty).list("finalizers").iter().filter_map(|v| v.as_str().map(Into::into)).collect();
        let status = m.map("status");
        let terminating = status.is_some_and(|s| s.str("phase") == "Terminating");
        Body::Namespace(Box::new(Namespace { finalizers, terminating, conditions: condition::decode_all(status) }))
    }
    pub(super) fn encode(&self, out: &mut Map) {
        let mut spec = Map::new();
        if !self.finalizers.is_empty() {
            spec.insert("finalizers", self.finalizers.iter().map(Value::from).collect::<Vec<_>>());
        }
        let mut status = map! { "phase" => if self.terminating { "Terminating" } else { "Active" } };
        condition::encode_all(&self.conditions, &mut status);
        out.insert("spec", spec);
        out.insert("status", status);
    }
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::NAMESPACE,
    group: "",
    version: "v1",
    api_version: "v1",
    name: "Namespace",
    plural: "namespaces",
    singular: "namespace",
    short_names: &["ns"],
    namespaced: false,
    in_all: false,
    schema: "core.v1.Namespace",
    has_status: true,
    has_scale: false,
    generation: Generation::Absent,
    unconditional_update: true,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Namespace::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("status.phase", |o| o.namespace().map_or("", |n| if n.terminating { "Terminating" } else { "Active" }).to_owned())],
};
