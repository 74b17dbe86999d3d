//! The status of a ReplicaSet. Counterpart: `pkg/controller/replicaset/replica_set_utils.go`.

use crate::api::kind::condition::{self, Condition};
use crate::api::kind::replicaset::{ReplicaSet, ReplicaSetStatus};
use crate::api::object::Object;
use crate::api::request::{Request, Verb};
use crate::api::time::Time;
use crate::controller::Turn;
use crate::controller::available::{ready_since, wait};
use crate::controller::halt::{self, Halt};
use std::sync::Arc;

/// The condition that reports that pods could not be created or deleted.
pub const REPLICA_FAILURE: &str = "ReplicaFailure";

/// The error message if a pass could not create or delete pods; `None` if it could.
pub type Failure = Option<String>;

/// Returns the status to write after a pass. Pods that the pass itself created or deleted are not counted, because the cache does not show these changes yet.
/// Counterpart: `calculateStatus`.
pub fn compute(set: &ReplicaSet, active: &[&Arc<Object>], terminating: usize, failure: &Failure, now: Time) -> ReplicaSetStatus {
    let (mut labeled, mut ready, mut available) = (0, 0, 0);
    for object in active {
        let labels = &object.meta.labels;
        let all = &set.spec.template.metadata.labels;
        if labels.quick_eq(all) || all.entries().iter().all(|(k, v)| labels.get(k) == Some(v)) {
            labeled += 1;
        }
        if let Some(since) = object.pod().and_then(ready_since) {
            ready += 1;
            if wait(since, set.spec.min_ready_seconds, now).is_none() {
                available += 1;
            }
        }
    }
    let mut status = ReplicaSetStatus {
        replicas: active.len() as i32,
        fully_labeled_replicas: labeled,
        ready_replicas: ready,
        available_replicas: available,
        terminating_replicas: Some(terminating as i32),
        observed_generation: set.status.observed_generation,
        conditions: set.status.conditions.clone(),
    };
    match (failure, condition::find(&set.status.conditions, REPLICA_FAILURE)) {
        (Some(message), None) => {
            let reason = if status.replicas < set.spec.replicas { "FailedCreate" } else { "FailedDelete" };
            status.conditions.push(Condition::new(REPLICA_FAILURE, "True", reason, message.as_str(), now));
        }
        (None, Some(_)) => status.conditions.retain(|c| c.type_ != REPLICA_FAILURE),
        _ => {}
    }
    status
}

/// Writes the status if it has changed. If the API server refuses, tries once more on a fresh copy. Counterpart: `updateReplicaSetStatus`.
pub fn write(object: &Object, set: &ReplicaSet, mut status: ReplicaSetStatus, turn: &mut Turn) -> Result<(), Halt> {
    if status == set.status && object.meta.generation == set.status.observed_generation {
        return Ok(());
    }
    // Report the generation that this pass acted on, even if the retry finds a newer one.
    status.observed_generation = object.meta.generation;
    if put(object, &status, turn)?.is_ok() {
        return Ok(());
    }
    let meta = &object.meta;
    let answer = turn.request(Request::new(Verb::Get, object.kind(), meta.namespace.clone(), meta.name.clone()))?;
    let fresh = halt::object(answer)?;
    put(fresh, &status, turn)?
}

fn put(object: &Object, status: &ReplicaSetStatus, turn: &mut Turn) -> Result<Result<(), Halt>, Halt> {
    let mut copy = object.clone();
    if let Some(set) = copy.replica_set_mut() {
        set.status = status.clone();
    } else if let Some(rc) = copy.replication_controller_mut() {
        rc.0.status = status.clone();
    }
    let answer = turn.request(Request::update_status(copy))?;
    Ok(halt::object(answer).map(|_| ()))
}
