//! The pod garbage collector: deletes pods of nodes that no longer exist, and the oldest of too many ended pods. Counterpart: `pkg/controller/podgc`.
//!
//! The real one goes through all pods every 20 s. Here a node's deletion, or a pod bound to a node that does not exist, queues the node with a delay
//! that ends when the real one's round would, and [`sweep`] counts ended pods only if there are enough pods to exceed the threshold.

use super::{Action, Controller, Mode, Observation, Outcome, Pending, Turn, View};
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{PatchType, Request, Response, Subresource, Verb};
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use crate::client::{Caches, Change, WorkKey};
use crate::map;
use std::sync::Arc;

/// The interval at which the controller manager calls [`sweep`].
pub const PERIOD: Span = Span::secs(20);
/// The time for which a node must have been gone before its pods are deleted.
const QUARANTINE: Span = Span::secs(40);
/// The number of ended pods that the collector leaves alone (`--terminated-pod-gc-threshold`).
const TERMINATED_THRESHOLD: usize = 12_500;

/// Deletes pods of nodes that no longer exist, and the oldest of too many ended pods.
#[derive(Debug)]
pub struct PodGarbageCollectorController;

/// Returns the key to queue if there are too many ended pods. The key has no name: it stands for all pods.
pub fn sweep(caches: &Caches) -> Option<WorkKey> {
    let pods = caches.of(Kind::POD);
    if pods.len() <= TERMINATED_THRESHOLD || pods.all().filter(|p| has_ended(p)).count() <= TERMINATED_THRESHOLD {
        return None;
    }
    Some(WorkKey::new(Kind::POD, Key::default()))
}

impl Controller for PodGarbageCollectorController {
    fn name(&self) -> &str {
        "pod-garbage-collector"
    }
    fn workers(&self) -> usize {
        1
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::NODE, Kind::POD]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let node = match (&change.old, &change.new) {
            (Some(old), None) if old.kind() == Kind::NODE => &old.meta.name,
            (old, Some(new)) => {
                let Some(pod) = new.pod().filter(|p| !p.node.is_empty()) else { return };
                if old.as_ref().and_then(|o| o.pod()).is_some_and(|p| p.node == pod.node) {
                    return;
                }
                &pod.node
            }
            _ => return,
        };
        let key = Key::new("", node.clone());
        let nodes = view.caches.of(Kind::NODE);
        if nodes.synced && nodes.get(&key).is_none() && view.caches.of(Kind::POD).on_node(node).next().is_some() {
            queue(WorkKey::new(Kind::NODE, key), next_round(view.now) + QUARANTINE);
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let pods = view.caches.of(Kind::POD);
        if key.kind == Kind::POD {
            let mut seen = view.observation(key, None);
            let mut ended: Vec<&Arc<Object>> = pods.all().filter(|p| has_ended(p)).collect();
            ended.order_by_key(|p| (p.meta.created, p.meta.uid));
            seen.related.extend(ended.iter().take(ended.len().saturating_sub(TERMINATED_THRESHOLD)).map(|p| Arc::clone(p)));
            return seen;
        }
        let mut seen = view.observation(key, view.caches.get(Kind::NODE, &key.key).cloned());
        if seen.primary.is_none() {
            seen.related.extend(pods.on_node(&key.key.name).cloned());
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        if seen.related.is_empty() {
            return Ok(Outcome::Done);
        }
        if seen.key.kind == Kind::NODE {
            let answer = turn.request(Request::new(Verb::Get, Kind::NODE, "", seen.key.key.name.clone()))?;
            if answer.refusal().is_none_or(|s| s.reason != Reason::NotFound) {
                return Ok(Outcome::Done);
            }
            turn.differ("pods of a node that is gone", 0, seen.related.len());
            let marks = seen.related.iter().map(|p| Action::new(mark(p, seen.now))).collect();
            let marked = turn.all(marks, Mode::Parallel)?;
            if let Some(status) = failure(marked) {
                return Ok(Outcome::Retry(status));
            }
        } else {
            turn.differ("ended pods", TERMINATED_THRESHOLD, TERMINATED_THRESHOLD + seen.related.len());
        }
        let deletes = seen.related.iter().map(|p| {
            let request = Request::delete(Kind::POD, &p.meta.namespace, &p.meta.name);
            Action::new(request.with(|o| (o.grace_seconds, o.uid) = (Some(0), Some(p.meta.uid))))
        });
        let answers = turn.all(deletes.collect(), Mode::Parallel)?;
        Ok(failure(answers).map_or(Outcome::Done, Outcome::Retry))
    }
}

fn has_ended(pod: &Object) -> bool {
    !pod.meta.is_deleting() && pod.pod().is_some_and(|p| p.status.phase.is_terminal())
}

fn next_round(now: Time) -> Span {
    Span(PERIOD.0 - now.0.rem_euclid(PERIOD.0))
}

fn failure(answers: &[Option<Response>]) -> Option<String> {
    answers.iter().flatten().filter_map(Response::refusal).find(|s| s.reason != Reason::NotFound).map(|s| s.message.clone())
}

/// Returns the request that marks a pod as failed before its deletion, with the reason for the deletion.
fn mark(pod: &Object, now: Time) -> Request {
    let mut status = disruption(pod, "DeletionByPodGC", "PodGC: node no longer exists", now);
    if pod.pod().is_some_and(|p| !p.status.phase.is_terminal()) {
        status.insert("phase", "Failed");
    }
    patch_status(pod, status)
}

/// Returns a status for a patch, with the condition `DisruptionTarget` that gives the reason for a pod's deletion.
pub(super) fn disruption(pod: &Object, reason: &'static str, message: &'static str, now: Time) -> Map {
    let mut condition = map! {
        "type" => "DisruptionTarget",
        "status" => "True",
        "reason" => reason,
        "message" => message,
        "lastTransitionTime" => now.rfc3339(),
        "lastProbeTime" => Value::Null,
    };
    if pod.meta.generation != 0 {
        condition.insert("observedGeneration", pod.meta.generation);
    }
    map! { "conditions" => vec![condition.into()] }
}

/// Returns a patch of a pod's status. Its uid makes the API server refuse the patch for another pod of the same name.
pub(super) fn patch_status(pod: &Object, status: Map) -> Request {
    let patch = map! { "metadata" => map! { "uid" => pod.meta.uid.text() }, "status" => status };
    let mut request = Request::patch(Kind::POD, &pod.meta.namespace, &pod.meta.name, PatchType::Strategic, patch);
    request.subresource = Subresource::Status;
    request
}
