//! Scales ReplicaSets, and splits the new size of a Deployment that is scaled in the middle of a rollout over its ReplicaSets. Counterpart: the scaling part of
//! `pkg/controller/deployment/sync.go`.

use super::{Pass, active, all, available, older_first, size, total};
use crate::api::kind::deployment::{Deployment, Strategy};
use crate::api::meta::StrMap;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::Request;
use crate::client::EventDraft;
use crate::controller::halt::{self, Halt};
use std::sync::Arc;

/// The annotation of a ReplicaSet with the Deployment's `spec.replicas` at the time of the last scaling.
pub const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
/// The annotation of a ReplicaSet with the Deployment's `spec.replicas` plus `maxSurge` at the time of the last scaling.
pub const MAX: &str = "deployment.kubernetes.io/max-replicas";

/// Returns `maxSurge` and `maxUnavailable` as numbers of pods. Percentages of surge are rounded up, of unavailability down; if both are 0, `maxUnavailable`
/// becomes 1. Counterpart: `ResolveFenceposts`.
fn fenceposts(deployment: &Deployment) -> (i32, i32) {
    match &deployment.spec.strategy {
        Strategy::Recreate => (0, 0),
        Strategy::RollingUpdate { max_surge, max_unavailable } => {
            match (max_surge.of(deployment.spec.replicas, true), max_unavailable.of(deployment.spec.replicas, false)) {
                (0, 0) => (0, 1),
                both => both,
            }
        }
    }
}

/// Returns the number of pods that may exist above `spec.replicas`.
pub fn max_surge(deployment: &Deployment) -> i32 {
    fenceposts(deployment).0
}

/// Returns the number of pods that may be missing below `spec.replicas`.
pub fn max_unavailable(deployment: &Deployment) -> i32 {
    if deployment.spec.replicas == 0 { 0 } else { fenceposts(deployment).1.min(deployment.spec.replicas) }
}

/// Returns a ReplicaSet's annotations, updated with the Deployment's present size. Counterpart: `SetReplicasAnnotations`.
pub fn replica_annotations(annotations: &StrMap, deployment: &Deployment) -> StrMap {
    let mut result = annotations.clone();
    for (key, n) in [(DESIRED, deployment.spec.replicas), (MAX, deployment.spec.replicas.saturating_add(max_surge(deployment)))] {
        let text = n.to_string();
        if result.get(key).is_none_or(|old| *old != text) {
            result = result.with(key, text);
        }
    }
    result
}

fn annotated(set: &Object, key: &str) -> Option<i32> {
    set.meta.annotations.get(key).and_then(|n| n.parse().ok())
}

impl Pass<'_, '_, '_> {
    /// Returns true if the Deployment's `spec.replicas` has changed since its ReplicaSets were last scaled. Counterpart: `isScalingEvent`.
    pub(super) fn is_scaling_event(&mut self) -> Result<bool, Halt> {
        let (new, old) = self.find_sets(false)?;
        let wanted = self.deployment.spec.replicas;
        Ok(active(&all(&old, new.as_ref())).iter().any(|s| annotated(s, DESIRED).is_some_and(|n| n != wanted)))
    }
    /// Scales a ReplicaSet unless it already has this size. Returns the ReplicaSet after the write.
    pub(super) fn resize(&mut self, set: &Arc<Object>, count: i32) -> Result<Arc<Object>, Halt> {
        if size(set) == count { Ok(set.clone()) } else { self.resize_or_annotate(set, count) }
    }
    fn resize_or_annotate(&mut self, set: &Arc<Object>, count: i32) -> Result<Arc<Object>, Halt> {
        let before = size(set);
        let annotations = replica_annotations(&set.meta.annotations, &self.deployment);
        if before == count && annotations == set.meta.annotations {
            return Ok(set.clone());
        }
        if before != count {
            self.turn.differ("pods of a ReplicaSet", count, before);
        }
        let mut copy = Object::clone(set);
        copy.meta.annotations = annotations;
        if let Some(s) = copy.replica_set_mut() {
            s.spec.replicas = count;
        }
        let after = halt::object(self.turn.request(Request::update(copy))?)?.clone();
        if before != count {
            let way = if before < count { "up" } else { "down" };
            let message = format!("Scaled {way} replica set {} from {before} to {count}", set.meta.name);
            self.turn.event(EventDraft::normal(self.object, "ScalingReplicaSet", message));
        }
        Ok(after)
    }
    /// Scales the ReplicaSets to the Deployment's size without advancing the rollout.
    pub(super) fn scale(&mut self, new: Option<&Arc<Object>>, old: &[Arc<Object>]) -> Result<(), Halt> {
        let wanted = self.deployment.spec.replicas;
        if let Some(only) = active_or_latest(new, old) {
            return self.resize(&only, wanted).map(|_| ());
        }
        if new.is_some_and(|n| size(n) == wanted && available(n) == wanted && annotated(n, DESIRED) == Some(wanted)) {
            for set in active(old) {
                self.resize(&set, 0)?;
            }
            return Ok(());
        }
        if matches!(self.deployment.spec.strategy, Strategy::RollingUpdate { .. }) {
            for (set, count) in shares(&self.deployment, active(&all(old, new))) {
                self.resize_or_annotate(&set, count)?;
            }
        }
        Ok(())
    }
}

/// Returns the only ReplicaSet with pods, or the newest one if none has pods; `None` if several have pods. Counterpart: `FindActiveOrLatest`.
fn active_or_latest(new: Option<&Arc<Object>>, old: &[Arc<Object>]) -> Option<Arc<Object>> {
    let mut with_pods = active(&all(old, new));
    match with_pods.len() {
        0 => new.or_else(|| old.iter().max_by(|a, b| older_first(a, b))).cloned(),
        1 => with_pods.pop(),
        _ => None,
    }
}

/// Splits the Deployment's new size over the ReplicaSets in proportion to their sizes, largest first. The first one also takes the remainder.
fn shares(deployment: &Deployment, mut sets: Vec<Arc<Object>>) -> Vec<(Arc<Object>, i32)> {
    let wanted = deployment.spec.replicas;
    let allowed = if wanted > 0 { wanted.saturating_add(max_surge(deployment)) } else { 0 };
    let to_add = allowed - total(&sets, size);
    if to_add > 0 {
        sets.order_by(|a, b| size(b).cmp(&size(a)).then_with(|| older_first(b, a)));
    } else if to_add < 0 {
        sets.order_by(|a, b| size(b).cmp(&size(a)).then_with(|| older_first(a, b)));
    }
    let mut left = to_add;
    let mut result: Vec<(Arc<Object>, i32)> = Vec::new();
    for set in sets {
        let wish = fraction(deployment, &set);
        let share = if to_add > 0 { wish.min(left) } else { wish.max(left) };
        let share = if left == 0 { 0 } else { share };
        left -= share;
        let count = size(&set) + share;
        result.push((set, count));
    }
    if let Some((_, first)) = result.first_mut() {
        *first = (*first + left).max(0);
    }
    result
}

/// Returns by how many pods a ReplicaSet would grow or shrink in proportion to the Deployment. Counterpart: `getReplicaSetFraction`.
fn fraction(deployment: &Deployment, set: &Object) -> i32 {
    let own = i64::from(size(set));
    if deployment.spec.replicas == 0 {
        return -size(set);
    }
    let before = annotated(set, MAX).filter(|n| *n != 0).unwrap_or(deployment.status.replicas);
    if before <= 0 {
        return 0;
    }
    let product = own * (i64::from(deployment.spec.replicas) + i64::from(max_surge(deployment)));
    let rounded = (2 * product + i64::from(before)) / (2 * i64::from(before));
    (rounded - own) as i32
}
