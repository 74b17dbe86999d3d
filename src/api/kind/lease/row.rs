//! The row of Lease in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Kind, KindRow, decode};
use super::{columns, rules};
use crate::api::meta_rules::MetaRule;

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::LEASE,
    group: "coordination.k8s.io",
    api_version: "coordination.k8s.io/v1",
    name: "Lease",
    plural: "leases",
    singular: "lease",
    schema: "coordination.v1.Lease",
    unconditional_update: false,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Some(|object| decode(object).map(Body::Lease)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    legacy_versions: &["coordination.k8s.io/v1beta1"],
    create_on_update: true,
    meta_rule: MetaRule { known_finalizers: false, ..MetaRule::BASE },
    is_event_or_lease: true,
    is_heartbeat: true,
    in_owner_tree: |_| false,
    ..KindRow::BASE
};
