//! The row of ReplicationController in the table of kinds (`api/kind/mod.rs`).

use super::super::replicaset::{ReplicaSet, ReplicaSetStatus};
use super::super::{Body, Generation, Kind, KindRow, PodSelector, Replicas, Scale, decode, warnings};
use super::{columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::REPLICATION_CONTROLLER,
    name: "ReplicationController",
    plural: "replicationcontrollers",
    singular: "replicationcontroller",
    short_names: &["rc"],
    category: "all",
    schema: "core.v1.ReplicationController",
    has_status: true,
    generation: Generation::Spec,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::replication_controller,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::ReplicationController)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("status.replicas", |o| o.replication_controller().map_or(0, |rc| rc.0.status.replicas).to_string())],
    scale: Some(Scale {
        read: |o| {
            let read = |set: &ReplicaSet| Replicas {
                wanted: set.spec.replicas,
                current: set.status.replicas,
                selector: set.spec.selector.selector.to_string(),
            };
            o.replication_controller().map(|rc| read(&rc.0)).unwrap_or_default()
        },
        write: |o, replicas| {
            if let Some(rc) = o.replication_controller_mut() {
                rc.0.spec.replicas = replicas;
            }
        },
    }),
    set_server_fields: |o| {
        if let Some(rc) = o.replication_controller_mut() {
            rc.0.status = ReplicaSetStatus::default();
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.replication_controller_mut(), old.replication_controller()) {
            new.0.status = old.0.status.clone();
        }
    },
    owns_others: true,
    resynced: true,
    pod_spec: &["spec", "template", "spec"],
    pod_selector: PodSelector::Labels,
    observed_generation: |o| o.replication_controller().map(|rc| rc.0.status.observed_generation),
    rank: 2,
    ..KindRow::BASE
};
