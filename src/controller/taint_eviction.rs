//! Evicts pods from nodes with NoExecute taints, each after its `tolerationSeconds`. Counterpart: `pkg/controller/tainteviction`.
//!
//! The real one has a timer for each pod. Here a node is the key and the queue's delay is the earliest of its pods' eviction times; the times themselves are
//! kept in [`Timers`]. A timer starts when the controller sees the taint, and a change of taints does not restart it. If a pod is deleted or tolerates the
//! taints again while its timer runs, an event reports a cancelled deletion, even if the pod was being deleted anyway.

use super::pod_gc::{disruption, patch_status};
use super::{Action, Controller, MemoryUpdate, Mode, Observation, Outcome, Pending, RememberedState, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::event::ObjectRef;
use crate::api::kind::node::Taint;
use crate::api::kind::pod::Pod;
use crate::api::meta::{Key, Uid};
use crate::api::object::Object;
use crate::api::request::{Request, Response};
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::client::{Change, EventDraft, WorkKey};
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::Arc;

/// The scheduled evictions of the pods of one node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timers {
    /// The node's NoExecute taints as the controller last saw them.
    pub taints: Vec<Taint>,
    /// The evictions of the node's pods, sorted by the pods' uids.
    pub pods: Vec<Timer>,
}

/// The scheduled eviction of one pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Timer {
    /// The uid of the pod.
    pub uid: Uid,
    /// The namespace and name of the pod.
    pub pod: Key,
    /// The time at which to evict the pod.
    pub due: Time,
    /// Set once the controller has evicted the pod.
    pub done: bool,
}

/// Evicts pods that do not tolerate their node's NoExecute taints.
#[derive(Debug)]
pub struct TaintEvictionController;

impl Controller for TaintEvictionController {
    fn name(&self) -> &str {
        "taint-eviction-controller"
    }
    fn workers(&self) -> usize {
        8
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::NODE, Kind::POD]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(object) = change.object() else { return };
        if object.kind() == Kind::NODE {
            let evicts =
                |o: &Option<Arc<Object>>| o.as_ref().and_then(|o| o.node()).is_some_and(|n| no_execute(&n.spec.taints).next().is_some());
            if change.new.is_some() && (evicts(&change.old) || evicts(&change.new)) && !same_taints(change) {
                queue(WorkKey::new(Kind::NODE, object.key()), Span(0));
            }
            return;
        }
        let Some(pod) = object.pod().filter(|p| !p.node.is_empty()) else { return };
        let unchanged =
            |old: &Pod| old.node == pod.node && (Arc::ptr_eq(&old.spec, &pod.spec) || old.spec.tolerations == pod.spec.tolerations);
        if change.new.is_some() && change.old.as_ref().and_then(|o| o.pod()).is_some_and(unchanged) {
            return;
        }
        let key = Key::new("", pod.node.clone());
        let tainted =
            || view.caches.get(Kind::NODE, &key).and_then(|n| n.node()).is_some_and(|n| no_execute(&n.spec.taints).next().is_some());
        if view.memory.evictions.contains_key(&pod.node) || change.new.is_some() && tainted() {
            queue(WorkKey::new(Kind::NODE, key), Span(0));
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(Kind::NODE, &key.key).cloned());
        let timers = view.memory.evictions.get(&key.key.name);
        let tainted = seen.primary.as_ref().and_then(|n| n.node()).is_some_and(|n| no_execute(&n.spec.taints).next().is_some());
        if tainted || timers.is_some() {
            seen.related.extend(view.caches.of(Kind::POD).on_node(&key.key.name).cloned());
        }
        seen.recalled = RememberedState::Evictions(timers.cloned().unwrap_or_default());
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let old = if let RememberedState::Evictions(timers) = &seen.recalled { timers.clone() } else { Arc::default() };
        let (mut timers, due) = set_timers(seen, &old, turn);
        if !due.is_empty() {
            turn.differ("pods that a taint evicts", 0, due.len());
        }
        let failed = evict(seen, &due, turn)?;
        for timer in timers.pods.iter_mut().filter(|t| t.due <= seen.now && !failed.contains(&t.uid)) {
            timer.done = true;
        }
        let next = timers.pods.iter().filter(|t| !t.done).map(|t| t.due).min();
        if timers != *old {
            let keep = !timers.taints.is_empty() || !timers.pods.is_empty();
            turn.remember(MemoryUpdate::Evictions(seen.key.key.name.clone(), keep.then(|| Arc::new(timers))));
        }
        Ok(match next {
            _ if !failed.is_empty() => Outcome::Retry(format!("{} pods could not be evicted", failed.len())),
            Some(time) => Outcome::After(Span((time - seen.now).0.max(1))),
            None => Outcome::Done,
        })
    }
}

/// Returns the updated timers of a node, and the pods to evict now.
fn set_timers<'a>(seen: &'a Observation, old: &Timers, turn: &mut Turn) -> (Timers, Vec<&'a Arc<Object>>) {
    let node = seen.primary.as_ref().and_then(|n| n.node());
    let taints: Vec<Taint> = match node {
        Some(node) => no_execute(&node.spec.taints).cloned().collect(),
        None => old.taints.clone(),
    };
    let changed = taints != old.taints;
    let mut timers = Timers { taints, pods: Vec::new() };
    let mut due = Vec::new();
    for object in &seen.related {
        let Some(pod) = object.pod() else { continue };
        let timer = old.pods.iter().find(|t| t.uid == object.meta.uid);
        let running = timer.filter(|t| !t.done);
        let at = match tolerated_for(pod, &timers.taints) {
            ToleratedFor::Forever => {
                if running.is_some() {
                    turn.event(event(&object.key(), "Cancelling deletion of"));
                }
                continue;
            }
            _ if timer.is_some_and(|t| t.done) && !changed => {
                timers.pods.extend(timer.cloned());
                continue;
            }
            ToleratedFor::Not => seen.now,
            ToleratedFor::For(span) => running.map_or(seen.now + span, |t| t.due),
        };
        timers.pods.push(Timer { uid: object.meta.uid, pod: object.key(), due: at, done: false });
        if at <= seen.now {
            turn.event(event(&object.key(), "Marking for deletion"));
            due.push(object);
        }
    }
    for timer in old.pods.iter().filter(|t| !t.done && !seen.related.iter().any(|o| o.meta.uid == t.uid)) {
        turn.event(event(&timer.pod, "Cancelling deletion of"));
    }
    (timers, due)
}

/// Sets the condition `DisruptionTarget` of pods, then deletes them. Returns the uids of those for which a request failed.
fn evict(seen: &Observation, due: &[&Arc<Object>], turn: &mut Turn) -> Result<Vec<Uid>, Pending> {
    let alive: Vec<&Arc<Object>> = due.iter().filter(|p| !p.meta.is_deleting()).copied().collect();
    let why = |p: &&Arc<Object>| {
        let status = disruption(p, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", seen.now);
        Action::new(patch_status(p, status))
    };
    let failed = |answer: &Option<Response>| match answer {
        Some(response) => response.refusal().is_some_and(|s| s.reason != Reason::NotFound),
        None => true,
    };
    let marked = turn.all(alive.iter().map(why).collect(), Mode::Parallel)?;
    let (unmarked, rest): (Vec<_>, Vec<_>) = alive.iter().zip(marked).partition(|(_, answer)| failed(answer));
    let delete = |p: &Arc<Object>| Request::delete(Kind::POD, &p.meta.namespace, &p.meta.name).with(|o| o.uid = Some(p.meta.uid));
    let deleted = turn.all(rest.iter().map(|(p, _)| Action::new(delete(p))).collect(), Mode::Parallel)?;
    let undeleted = rest.iter().zip(deleted).filter(|(_, answer)| failed(answer)).map(|((p, _), _)| p.meta.uid);
    Ok(unmarked.iter().map(|(p, _)| p.meta.uid).chain(undeleted).collect())
}

/// The time for which a pod tolerates a node's NoExecute taints.
enum ToleratedFor {
    Forever,
    For(Span),
    Not,
}

fn tolerated_for(pod: &Pod, taints: &[Taint]) -> ToleratedFor {
    let mut shortest: Option<i64> = None;
    for taint in taints {
        let Some(used) = pod.spec.tolerations.iter().find(|t| t.tolerates(&taint.key, &taint.value, &taint.effect)) else {
            return ToleratedFor::Not;
        };
        if let Some(seconds) = used.seconds {
            shortest = Some(shortest.map_or(seconds, |s| s.min(seconds)).max(0));
        }
    }
    shortest.map_or(ToleratedFor::Forever, |s| ToleratedFor::For(Span::secs(s)))
}

fn no_execute(taints: &[Taint]) -> impl Iterator<Item = &Taint> {
    taints.iter().filter(|t| t.effect == "NoExecute")
}

fn same_taints(change: &Change) -> bool {
    let taints = |o: &Option<Arc<Object>>| -> Vec<Taint> {
        o.as_ref().and_then(|o| o.node()).map(|n| no_execute(&n.spec.taints).cloned().collect()).unwrap_or_default()
    };
    taints(&change.old) == taints(&change.new)
}

/// Returns an event that refers to a pod by namespace and name alone, because the real controller knows no more of it.
fn event(pod: &Key, what: &str) -> EventDraft {
    let about = ObjectRef {
        kind: literal!("Pod"),
        namespace: pod.namespace.clone(),
        name: pod.name.clone(),
        api_version: literal!("v1"),
        ..ObjectRef::default()
    };
    let message = ArcStr::from(format!("{what} Pod {pod}"));
    EventDraft { about, warning: false, reason: literal!("TaintManagerEviction"), message }
}
