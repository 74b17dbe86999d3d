//! The presentation of ReplicaSets and ReplicationControllers.

use super::{ANY, KindView, Said, Workload, of_all, of_wanted, of_workload};
use crate::api::kind::Kind;
use crate::api::kind::condition::Condition;
use crate::api::kind::replicaset::ReplicaSet;
use crate::controller::replicaset::as_set;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView { kind: Some(Kind::REPLICA_SET), ..OF_SETS };

/// The presentation of ReplicationControllers, the older form of ReplicaSets.
pub const OLD_FORM: KindView = KindView {
    kind: Some(Kind::REPLICATION_CONTROLLER),
    workload: Some(&Workload { controller: Some("replication-controller"), ..OF_PODS }),
    ..OF_SETS
};

const OF_SETS: KindView = KindView {
    standing: |o| {
        let standing = |set: &ReplicaSet| {
            (
                of_workload(set.status.ready_replicas == set.spec.replicas, &set.status.conditions),
                of_wanted(set.status.ready_replicas, set.spec.replicas),
            )
        };
        as_set(o).map_or((Health::Good, String::new()), standing)
    },
    state: |o| as_set(o).map_or((None, String::new()), |set| of_all(set.status.ready_replicas, set.spec.replicas, "ready")),
    observed: |o| as_set(o).map_or_else(String::new, |set| format!("replicas {}, ready {}", set.spec.replicas, set.status.ready_replicas)),
    workload: Some(&OF_PODS),
    ..ANY
};

const OF_PODS: Workload = Workload {
    controller: Some("replicaset-controller"),
    said: |o| {
        // The pods of a ReplicaSet that has a controller count for that owner.
        let set = as_set(o).filter(|_| o.meta.controller().is_none())?;
        let drifts = set.status.ready_replicas != set.spec.replicas || set.status.observed_generation != o.meta.generation;
        Some(Said { desired: set.spec.replicas.into(), drifts })
    },
    is_settled: |o| {
        as_set(o).is_some_and(|set| {
            let s = &set.status;
            s.observed_generation == o.meta.generation && s.ready_replicas == set.spec.replicas && s.replicas == set.spec.replicas
        })
    },
    conditions: |o| as_set(o).map_or(&[] as &[Condition], |set| &set.status.conditions),
    pods_wanted: Some(|o| as_set(o).map_or((0, String::new()), |set| (set.spec.replicas, labels(set)))),
    ..Workload::ANY
};

/// Returns the labels by which a ReplicaSet finds its pods: `app=web,tier=front`.
fn labels(set: &ReplicaSet) -> String {
    let labels = set.spec.selector.raw.map("matchLabels").into_iter().flat_map(|m| m.iter());
    labels.map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or_default())).collect::<Vec<_>>().join(",")
}
