//! The status of a Deployment: replica counts, conditions, the progress deadline. Counterpart: `pkg/controller/deployment/progress.go` and `calculateStatus`.

use super::scale::max_unavailable;
use super::{Pass, available, size, total};
use crate::api::kind::condition::{self, Condition};
use crate::api::kind::deployment::DeploymentStatus;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::controller::Outcome;
use crate::controller::halt::Halt;
use crate::controller::replicaset::status::REPLICA_FAILURE;
use std::sync::Arc;

/// The condition that reports how a rollout proceeds.
pub const PROGRESSING: &str = "Progressing";
/// The condition that reports whether enough pods are available.
const AVAILABLE: &str = "Available";
/// The reason of `Progressing` once a rollout is complete.
const COMPLETE: &str = "NewReplicaSetAvailable";
/// The reason of `Progressing` once a rollout has made no progress until its deadline.
const TIMED_OUT: &str = "ProgressDeadlineExceeded";
/// The reason of `Progressing` while a Deployment is paused.
const PAUSED: &str = "DeploymentPaused";

/// Sets a condition unless its status and reason are unchanged. `lastTransitionTime` changes only with the status.
pub fn set_condition(
    conditions: &mut Vec<Condition>,
    type_: &str,
    status: &str,
    reason: &str,
    message: impl Into<arcstr::ArcStr>,
    now: Time,
) {
    let mut next = Condition::new(type_, status, reason, message, now);
    next.last_update_time = next.last_transition_time;
    put_condition(conditions, next);
}

fn put_condition(conditions: &mut Vec<Condition>, mut next: Condition) {
    if let Some(old) = condition::find(conditions, &next.type_).filter(|old| old.status == next.status) {
        if old.reason == next.reason {
            return;
        }
        next.last_transition_time = old.last_transition_time;
    }
    conditions.retain(|c| c.type_ != next.type_);
    conditions.push(next);
}

impl Pass<'_, '_, '_> {
    pub(super) fn has_deadline(&self) -> bool {
        self.deployment.spec.progress_deadline_seconds.is_some_and(|n| n != i32::MAX)
    }
    fn progress(&self) -> Option<&Condition> {
        condition::find(&self.deployment.status.conditions, PROGRESSING)
    }
    /// Records in the conditions that the Deployment was paused or resumed. Counterpart: `checkPausedConditions`.
    pub(super) fn check_paused(&mut self) -> Result<(), Halt> {
        let reason = self.progress().map(|c| c.reason.clone()).unwrap_or_default();
        // A rollout that was reported as `ProgressDeadlineExceeded` keeps that reason.
        if !self.has_deadline() || reason == TIMED_OUT || self.deployment.spec.paused == (reason == PAUSED) {
            return Ok(());
        }
        let (reason, message) =
            if self.deployment.spec.paused { (PAUSED, "Deployment is paused") } else { ("DeploymentResumed", "Deployment is resumed") };
        set_condition(&mut self.deployment.status.conditions, PROGRESSING, "Unknown", reason, message, self.now);
        self.write_status()
    }
    /// Returns true if all pods are of the new template and available, and no old ones are left. Counterpart: `DeploymentComplete`.
    pub(super) fn is_complete(&self, status: &DeploymentStatus) -> bool {
        let wanted = self.deployment.spec.replicas;
        status.updated_replicas == wanted
            && status.replicas == wanted
            && status.available_replicas == wanted
            && status.observed_generation >= self.meta.generation
    }
    /// Returns true if any replica count has improved since the last status. Counterpart: `DeploymentProgressing`.
    fn is_progressing(&self, status: &DeploymentStatus) -> bool {
        let before = &self.deployment.status;
        status.updated_replicas > before.updated_replicas
            || status.replicas - status.updated_replicas < before.replicas - before.updated_replicas
            || status.ready_replicas > before.ready_replicas
            || status.available_replicas > before.available_replicas
    }
    fn has_timed_out(&self, status: &DeploymentStatus) -> bool {
        let Some(condition) = condition::find(&status.conditions, PROGRESSING) else { return false };
        match condition.reason.as_str() {
            COMPLETE => false,
            TIMED_OUT => true,
            _ => self.left(condition).0 < 0,
        }
    }
    /// Returns the time until the progress deadline, counted from the last update of this condition; negative if it has passed.
    fn left(&self, condition: &Condition) -> Span {
        let deadline = Span::secs(self.deployment.spec.progress_deadline_seconds.unwrap_or(0).into());
        condition.last_update_time.unwrap_or_default() + deadline - self.now
    }
    fn count(&self, sets: &[Arc<Object>], new: Option<&Object>) -> DeploymentStatus {
        let actual = |s: &Object| s.replica_set().map_or(0, |s| s.status.replicas);
        let usable = total(sets, available);
        let enough = usable >= self.deployment.spec.replicas - max_unavailable(&self.deployment);
        let mut status = DeploymentStatus {
            replicas: total(sets, actual),
            updated_replicas: new.map_or(0, actual),
            ready_replicas: total(sets, |s| s.replica_set().map_or(0, |s| s.status.ready_replicas)),
            available_replicas: usable,
            unavailable_replicas: (total(sets, size) - usable).max(0),
            terminating_replicas: terminating(sets),
            observed_generation: self.meta.generation,
            collision_count: self.deployment.status.collision_count,
            conditions: self.deployment.status.conditions.clone(),
        };
        let (truth, reason, message) = if enough {
            ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
        } else {
            ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        };
        set_condition(&mut status.conditions, AVAILABLE, truth, reason, message, self.now);
        status
    }
    /// Writes the replica counts and the condition `Available`, but leaves the condition `Progressing` alone.
    pub(super) fn sync_status(&mut self, sets: &[Arc<Object>], new: Option<&Object>) -> Result<Outcome, Halt> {
        let status = self.count(sets, new);
        if status != self.deployment.status {
            self.deployment.status = status;
            self.write_status()?;
        }
        Ok(Outcome::Done)
    }
    /// Writes the replica counts and the condition `Progressing`. If the status is unchanged, schedules another pass for when the deadline is over.
    /// Counterpart: `syncRolloutStatus`.
    pub(super) fn sync_rollout_status(&mut self, sets: &[Arc<Object>], new: Option<&Object>) -> Result<Outcome, Halt> {
        let mut status = self.count(sets, new);
        if !self.has_deadline() {
            status.conditions.retain(|c| c.type_ != PROGRESSING);
        }
        let settled = status.replicas == status.updated_replicas && self.progress().is_some_and(|c| c.reason == COMPLETE);
        if self.has_deadline() && !settled {
            self.judge(&mut status, new);
        }
        match failure(sets, new) {
            Some(failure) => put_condition(&mut status.conditions, failure),
            None => status.conditions.retain(|c| c.type_ != REPLICA_FAILURE),
        }
        if status == self.deployment.status {
            return Ok(self.look_again(&status));
        }
        self.deployment.status = status;
        self.write_status()?;
        Ok(Outcome::Done)
    }
    fn judge(&self, status: &mut DeploymentStatus, new: Option<&Object>) {
        let subject = match new {
            Some(set) => format!("ReplicaSet \"{}\"", set.meta.name),
            None => format!("Deployment \"{}\"", self.meta.name),
        };
        let (truth, reason, message) = if self.is_complete(status) {
            ("True", COMPLETE, format!("{subject} has successfully progressed."))
        } else if self.is_progressing(status) {
            // Every sign of progress renews `lastUpdateTime`, even if the condition says the same as before.
            let since = self.progress().filter(|c| c.status == "True").and_then(|c| c.last_transition_time);
            status.conditions.retain(|c| c.type_ != PROGRESSING);
            set_condition(&mut status.conditions, PROGRESSING, "True", "ReplicaSetUpdated", format!("{subject} is progressing."), self.now);
            if let (Some(last), Some(since)) = (status.conditions.last_mut(), since) {
                last.last_transition_time = Some(since);
            }
            return;
        } else if self.has_timed_out(status) {
            ("False", TIMED_OUT, format!("{subject} has timed out progressing."))
        } else {
            return;
        };
        set_condition(&mut status.conditions, PROGRESSING, truth, reason, message, self.now);
    }
    fn look_again(&self, status: &DeploymentStatus) -> Outcome {
        match self.progress() {
            Some(condition) if self.has_deadline() && !self.is_complete(status) && condition.reason != TIMED_OUT => {
                let left = self.left(condition);
                // With less than a second left the real controller calls `enqueueRateLimited`: the key comes back after the shortest back-off.
                Outcome::Recheck(if left < Span::secs(1) { Span::millis(5) } else { left + Span::secs(1) })
            }
            _ => Outcome::Done,
        }
    }
}

/// Returns the number of pods being deleted, or `None` if one of the ReplicaSets does not report it. A ReplicaSet without a status counts as zero.
fn terminating(sets: &[Arc<Object>]) -> Option<i32> {
    let mut sum = 0;
    for set in sets.iter().filter_map(|s| s.replica_set()) {
        match set.status.terminating_replicas {
            Some(n) => sum += n,
            None if set.status.observed_generation != 0 => return None,
            None => {}
        }
    }
    Some(sum)
}

/// Returns the `ReplicaFailure` condition that the Deployment takes over from its new ReplicaSet or, if that has none, from any other one.
fn failure(sets: &[Arc<Object>], new: Option<&Object>) -> Option<Condition> {
    let of = |set: &Object| condition::find(&set.replica_set()?.status.conditions, REPLICA_FAILURE).cloned();
    let found = new.and_then(of).or_else(|| sets.iter().find_map(|s| of(s)))?;
    Some(Condition { last_update_time: found.last_transition_time, ..found })
}
