//! The row of CustomResourceDefinition in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, decode};
use super::{columns, rules};
use crate::api::meta_rules::MetaRule;

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::CUSTOM_RESOURCE_DEFINITION,
    group: "apiextensions.k8s.io",
    api_version: "apiextensions.k8s.io/v1",
    name: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    singular: "customresourcedefinition",
    short_names: &["crd", "crds"],
    category: "api-extensions",
    namespaced: false,
    schema: "apiextensions.v1.CustomResourceDefinition",
    has_status: true,
    generation: Generation::Spec,
    unconditional_update: false,
    meta_rule: MetaRule { known_finalizers: false, ..MetaRule::BASE },
    default: rules::default,
    prepare_create: rules::prepare_create,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::CustomResourceDefinition)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    legacy_versions: &["apiextensions.k8s.io/v1beta1"],
    ..KindRow::BASE
};
