//! Removes the tracking finalizer of pods that carry it although no running Job counts them. Counterpart: `syncOrphanPod`.

use super::has_finalizer;
use crate::api::kind::Kind;
use crate::api::kind::job::{Job, TRACKING_FINALIZER};
use crate::api::meta::{Key, Uid};
use crate::api::object::Object;
use crate::api::request::{PatchType, Request};
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::api::value::Map;
use crate::client::WorkKey;
use crate::controller::halt::Halt;
use crate::controller::{Observation, Outcome, Turn, View};
use crate::map;
use std::sync::Arc;

/// Queues a pod. The uid in the key finds the pod, because pods are not cached by name.
pub fn queue_pod(pod: &Object, queue: &mut dyn FnMut(WorkKey, Span)) {
    let name = format!("{}/{}", pod.meta.name, pod.meta.uid);
    queue(WorkKey::new(Kind::POD, Key::new(pod.meta.namespace.clone(), name)), Span(0));
}

/// Queues the pods of a Job that has ended or no longer exists, if they still carry the tracking finalizer.
pub fn queue_pods_of(view: &View, job: &Object, queue: &mut dyn FnMut(WorkKey, Span)) {
    let pods = view.caches.of(Kind::POD).owned_by(job.meta.uid);
    pods.filter(|p| has_finalizer(p)).for_each(|pod| queue_pod(pod, queue));
}

/// Reads the pod of a key and the Job that owns it, if that still exists.
pub fn observe(view: &View, key: &WorkKey) -> Observation {
    let uid = key.key.name.rsplit('/').next().map(Uid::parse).unwrap_or_default();
    let pod = view.caches.of(Kind::POD).by_uid(uid).cloned();
    let mut seen = view.observation(key, pod.clone());
    let owner = pod.as_ref().and_then(|p| p.meta.controller());
    seen.related.extend(owner.and_then(|o| view.caches.of(Kind::JOB).by_uid(o.uid)).cloned());
    seen
}

/// Removes a pod's tracking finalizer, unless a running Job counts the pod after all. Counterpart: `handleSingleOrphanPod`.
pub fn release(seen: &Observation, turn: &mut Turn) -> Result<Outcome, Halt> {
    let Some(pod) = seen.primary.as_ref().filter(|p| has_finalizer(p)) else { return Ok(Outcome::Done) };
    if let Some(owner) = pod.meta.controller() {
        let job = seen.related(Kind::JOB).next().and_then(|o| o.job());
        let counted = job.is_some_and(|j| j.external_manager().is_some() || !Job::is_finished(j));
        if owner.kind != "Job" || owner.api_version != "batch/v1" || counted {
            return Ok(Outcome::Done);
        }
    }
    turn.differ("tracking finalizers", 0, 1);
    let answer = turn.request(without_finalizer(pod))?;
    match answer.refusal() {
        Some(status) if status.reason != Reason::NotFound => Err(status.into()),
        _ => Ok(Outcome::Done),
    }
}

/// Returns the request that removes the tracking finalizer from a pod. Counterpart: `removeTrackingFinalizerPatch`.
pub fn without_finalizer(pod: &Arc<Object>) -> Request {
    let mut metadata = Map::new();
    metadata.insert("$deleteFromPrimitiveList/finalizers", vec![TRACKING_FINALIZER.into()]);
    let meta = &pod.meta;
    Request::patch(Kind::POD, &meta.namespace, &meta.name, PatchType::Strategic, map! { "metadata" => metadata })
}
