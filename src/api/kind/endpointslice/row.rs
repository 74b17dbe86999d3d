//! The row of EndpointSlice in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, decode, warnings};
use super::{columns, rules};
use crate::api::meta_rules::MetaRule;

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::ENDPOINT_SLICE,
    group: "discovery.k8s.io",
    api_version: "discovery.k8s.io/v1",
    name: "EndpointSlice",
    plural: "endpointslices",
    singular: "endpointslice",
    schema: "discovery.v1.EndpointSlice",
    generation: Generation::Spec,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::endpoint_slice,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::EndpointSlice)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    legacy_versions: &["discovery.k8s.io/v1beta1"],
    meta_rule: MetaRule { validates_meta_again_on_update: false, ..MetaRule::BASE },
    ..KindRow::BASE
};
