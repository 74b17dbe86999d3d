//! The row of Role in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{columns, rules};
use crate::api::meta_rules::{MetaRule, NameRule};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::ROLE,
    group: "rbac.authorization.k8s.io",
    api_version: "rbac.authorization.k8s.io/v1",
    name: "Role",
    plural: "roles",
    singular: "role",
    schema: "rbac.v1.Role",
    legacy_versions: &["rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1alpha1"],
    meta_rule: MetaRule { name: NameRule::PathSegment, ..MetaRule::BASE },
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::Role)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    ..KindRow::BASE
};
