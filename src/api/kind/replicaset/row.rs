//! The row of ReplicaSet in the table of kinds (`api/kind/mod.rs`).

use super::super::{Body, Generation, Kind, KindRow, PodSelector, Replicas, Scale, decode, warnings};
use super::{ReplicaSet, ReplicaSetStatus, columns, rules};

/// This kind's row in the table of kinds.
pub const ROW: KindRow = KindRow {
    kind: Kind::REPLICA_SET,
    group: "apps",
    api_version: "apps/v1",
    name: "ReplicaSet",
    plural: "replicasets",
    singular: "replicaset",
    short_names: &["rs"],
    category: "all",
    schema: "apps.v1.ReplicaSet",
    has_status: true,
    generation: Generation::Spec,
    default: rules::default,
    validate: rules::validate,
    warnings: warnings::named_workload,
    validate_update: rules::validate_update,
    validate_status: rules::validate_status,
    decode: Some(|object| decode(object).map(Body::ReplicaSet)),
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[("status.replicas", |o| o.replica_set().map_or(0, |r| r.status.replicas).to_string())],
    legacy_versions: &["extensions/v1beta1", "apps/v1beta2"],
    scale: Some(Scale {
        read: |o| {
            let read = |set: &ReplicaSet| Replicas {
                wanted: set.spec.replicas,
                current: set.status.replicas,
                selector: set.spec.selector.selector.to_string(),
            };
            o.replica_set().map(read).unwrap_or_default()
        },
        write: |o, replicas| {
            if let Some(set) = o.replica_set_mut() {
                set.spec.replicas = replicas;
            }
        },
    }),
    set_server_fields: |o| {
        if let Some(set) = o.replica_set_mut() {
            set.status = ReplicaSetStatus::default();
        }
    },
    copy_status: |new, old| {
        if let (Some(new), Some(old)) = (new.replica_set_mut(), old.replica_set()) {
            new.status = old.status.clone();
        }
    },
    owns_others: true,
    resynced: true,
    pod_spec: &["spec", "template", "spec"],
    pod_selector: PodSelector::LabelSelector,
    observed_generation: |o| o.replica_set().map(|set| set.status.observed_generation),
    rank: 2,
    ..KindRow::BASE
};
