//! The row of ClusterRole in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{columns, rules};
use crate::api::meta_rules::{MetaRule, NameRule};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::CLUSTER_ROLE,
    group: "rbac.authorization.k8s.io",
    api_version: "rbac.authorization.k8s.io/v1",
    name: "ClusterRole",
    plural: "clusterroles",
    singular: "clusterrole",
    namespaced: false,
    schema: "rbac.v1.ClusterRole",
    legacy_versions: &["rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1alpha1"],
    meta_rule: MetaRule { name: NameRule::PathSegment, ..MetaRule::BASE },
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::ClusterRole)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    ..KindRow::BASE
};
