//! The Job controller: runs pods until enough of them have succeeded, and counts each exactly once. Counterpart: `pkg/controller/job`.
//!
//! Pods carry a finalizer until they are counted in the status, so that no end of a pod is missed or counted twice. Changes of pods are handled in
//! batches of a second.
//!
//! Simplified: Workloads and PodGroups (gang scheduling, off by default) are left out.

mod backoff;
mod intervals;
mod manage;
mod orphan;
mod policy;
mod sync;
mod track;

pub use backoff::Backoff;
pub use intervals::Intervals;

use super::halt::Halt;
use super::{Controller, MemoryUpdate, Observation, Outcome, Pending, RememberedState, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::job::{Job, TRACKING_FINALIZER};
use crate::api::meta::{OwnerRef, Uid};
use crate::api::object::Object;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};
use arcstr::ArcStr;
use std::sync::Arc;

/// The Job controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobController;

/// The time for which changes of pods and of the status are collected before a pass. Counterpart: `SyncJobBatchPeriod`.
const BATCH: Span = Span::secs(1);

/// State that the controller keeps about a Job between passes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobRecord {
    /// The failures of the Job's pods, from which the back-off follows.
    pub backoff: Backoff,
    /// The uids of pods whose tracking finalizer the controller has removed, although the cache may still show it.
    pub released: Vec<Uid>,
    /// The uid of the Job, once the controller has marked it as finished.
    pub finished: Option<Uid>,
}

impl Controller for JobController {
    fn name(&self) -> &str {
        "job-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::JOB, Kind::POD]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        match change.object() {
            Some(object) if object.kind() == Kind::JOB => job_changed(view, change, queue),
            Some(object) if object.kind() == Kind::POD => pod_changed(view, change, queue),
            _ => {}
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        if key.kind == Kind::POD {
            return orphan::observe(view, key);
        }
        let primary = view.caches.get(Kind::JOB, &key.key).cloned();
        let mut seen = view.observation(key, primary.clone());
        if let Some((object, job)) = primary.as_ref().and_then(|o| Some((o, o.job()?))) {
            read_pods(view, object, job, &mut seen.related);
        }
        if let Some(record) = view.memory.jobs.get(&key.key) {
            seen.recalled = RememberedState::Job(record.clone());
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        if seen.key.kind == Kind::POD {
            return orphan::release(seen, turn).or_else(Halt::outcome);
        }
        match seen.primary.as_ref().and_then(|o| Some((o, o.job()?))) {
            None => {
                turn.remember(MemoryUpdate::Job(seen.key.key.clone(), None));
                Ok(Outcome::Done)
            }
            Some((object, job)) => sync::pass(seen, object, job, turn).or_else(Halt::outcome),
        }
    }
    fn back_off(&self) -> (Span, Span) {
        (Span::secs(1), Span::secs(60))
    }
    fn expects(&self) -> bool {
        true
    }
    fn own_writes(&self, kind: Kind) -> bool {
        matches!(kind, Kind::JOB | Kind::POD)
    }
}

fn key_of(job: &Object) -> WorkKey {
    WorkKey::new(Kind::JOB, job.key())
}

/// Returns true if a pod still carries the tracking finalizer.
pub(super) fn has_finalizer(pod: &Object) -> bool {
    pod.meta.finalizers().iter().any(|f| f == TRACKING_FINALIZER)
}

/// Returns the Job that an owner reference names, if the cache has a Job with that uid in that namespace.
fn resolve<'a>(view: &View<'a>, namespace: &ArcStr, owner: &OwnerRef) -> Option<&'a Arc<Object>> {
    let found = view.caches.of(Kind::JOB).by_uid(owner.uid)?;
    (owner.kind == "Job" && found.meta.namespace == *namespace).then_some(found)
}

fn job_changed(view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    let Some(object) = change.object() else { return };
    let (Some(new), Some(job)) = (&change.new, object.job()) else {
        queue(key_of(object), Span(0));
        return orphan::queue_pods_of(view, object, queue);
    };
    let Some(old) = &change.old else { return queue(key_of(new), Span(0)) };
    if job.is_finished() {
        return orphan::queue_pods_of(view, object, queue);
    }
    let spec_changed = old.meta.generation != new.meta.generation;
    queue(key_of(new), if spec_changed { Span(0) } else { BATCH });
    let deadline = job.spec.active_deadline_seconds;
    let old_deadline = old.job().and_then(|j| j.spec.active_deadline_seconds);
    if let (Some(start), Some(seconds), true) = (job.status.start_time, deadline, deadline != old_deadline) {
        queue(key_of(new), Span((start + Span::secs(seconds) - view.now).0.max(0)));
    }
}

fn pod_changed(view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
    let Some(pod) = change.object() else { return };
    let namespace = &pod.meta.namespace;
    let going = change.new.is_none() || pod.meta.is_deleting();
    let after = pod.meta.controller();
    let before = change.old.as_ref().and_then(|old| old.meta.controller());
    if !going
        && before.is_some_and(|b| after.is_none_or(|a| a.uid != b.uid))
        && let Some(job) = before.and_then(|owner| resolve(view, namespace, owner))
    {
        queue(key_of(job), BATCH);
    }
    if let Some(owner) = after {
        match resolve(view, namespace, owner) {
            Some(job) if !(going && job.job().is_some_and(Job::is_finished)) => queue(key_of(job), BATCH),
            Some(_) | None if going && owner.kind == "Job" && has_finalizer(pod) => orphan::queue_pod(pod, queue),
            _ => {}
        }
        return;
    }
    if has_finalizer(pod) {
        orphan::queue_pod(pod, queue);
    }
    let changed = change.old.as_ref().is_none_or(|old| before.is_some() || !old.meta.labels.quick_eq(&pod.meta.labels));
    if !going && changed {
        let matches = |o: &&Arc<Object>| o.job().and_then(|j| j.spec.selector.as_ref()).is_some_and(|s| s.matches(&pod.meta.labels));
        view.caches.of(Kind::JOB).in_namespace(namespace).filter(matches).for_each(|job| queue(key_of(job), BATCH));
    }
}

/// Collects the pods that the Job owns, and the orphans that it may adopt.
fn read_pods(view: &View, object: &Object, job: &Job, out: &mut Vec<Arc<Object>>) {
    let pods = view.caches.of(Kind::POD);
    let owned = pods.owned_by(object.meta.uid).filter(|p| p.meta.controller().is_some_and(|o| o.uid == object.meta.uid));
    out.extend(owned.cloned());
    let matches = |p: &&Arc<Object>| job.spec.selector.as_ref().is_some_and(|s| s.matches(&p.meta.labels));
    out.extend(pods.orphans(&object.meta.namespace).filter(matches).cloned());
}
