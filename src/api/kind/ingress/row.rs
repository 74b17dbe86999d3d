//! The row of Ingress in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, decode, warnings};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::INGRESS,
    group: "networking.k8s.io",
    api_version: "networking.k8s.io/v1",
    name: "Ingress",
    plural: "ingresses",
    singular: "ingress",
    short_names: &["ing"],
    schema: "networking.v1.Ingress",
    legacy_versions: &["extensions/v1beta1", "networking.k8s.io/v1beta1"],
    has_status: true,
    generation: Generation::Spec,
    prepare_create: rules::prepare_create,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::ingress,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::Ingress)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    ..KindRow::BASE
};
