//! The row of IngressClass in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, decode};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::INGRESS_CLASS,
    group: "networking.k8s.io",
    api_version: "networking.k8s.io/v1",
    name: "IngressClass",
    plural: "ingressclasses",
    singular: "ingressclass",
    namespaced: false,
    schema: "networking.v1.IngressClass",
    legacy_versions: &["networking.k8s.io/v1beta1"],
    generation: Generation::Spec,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::IngressClass)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    ..KindRow::BASE
};
