//! The row of NetworkPolicy in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, decode, warnings};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::NETWORK_POLICY,
    group: "networking.k8s.io",
    api_version: "networking.k8s.io/v1",
    name: "NetworkPolicy",
    plural: "networkpolicies",
    singular: "networkpolicy",
    short_names: &["netpol"],
    schema: "networking.v1.NetworkPolicy",
    legacy_versions: &["extensions/v1beta1"],
    generation: Generation::Spec,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::network_policy,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::NetworkPolicy)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    ..KindRow::BASE
};
