//! The node lifecycle controller: handles nodes that stop reporting, by conditions, taints and the readiness of their pods. Counterpart:
//! `pkg/controller/nodelifecycle`.
//!
//! [`Health`] checks the nodes on a timer of the controller manager (`node_monitor_seconds`, 5 s by default); a pass carries out its decision about one node.
//! NoSchedule taints follow the conditions at once, without waiting for the next check. Simplified: node labels are not reconciled.

mod health;
mod taints;

pub use health::{Health, TaintChange, Verdict};

use super::{Action, Controller, MemoryUpdate, Mode, Observation, Outcome, Pending, RememberedState, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::condition::{Condition, find};
use crate::api::kind::event::{ObjectRef, RefUid};
use crate::api::kind::node::Node;
use crate::api::kind::pod::{ConditionStatus, ConditionType};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::request::{Request, Response};
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::client::{Change, EventDraft, WorkKey};
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::Arc;

/// The conditions that the controller sets to Unknown when a kubelet stops reporting.
const REPORTED: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/// Marks nodes that stop reporting, and taints nodes whose conditions are bad.
#[derive(Debug)]
pub struct NodeLifecycleController;

impl Controller for NodeLifecycleController {
    fn name(&self) -> &str {
        "node-controller"
    }
    fn workers(&self) -> usize {
        8
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::NODE, Kind::POD, Kind::LEASE]
    }
    fn notify(&self, _view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some((object, node)) = change.new.as_ref().and_then(|o| Some((o, o.node()?))) else { return };
        if taints::out_of_step(node) {
            queue(WorkKey::new(Kind::NODE, object.key()), Span(0));
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(Kind::NODE, &key.key).cloned());
        let verdict = view.memory.health.verdict(view.caches, &key.key.name, seen.primary.as_deref());
        if verdict.stale || verdict.pods_left {
            seen.related.extend(view.caches.of(Kind::POD).on_node(&key.key.name).cloned());
        }
        seen.recalled = RememberedState::Node(verdict);
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let verdict = if let RememberedState::Node(verdict) = &seen.recalled { *verdict } else { Verdict::default() };
        let Some(mut live) = seen.primary.clone() else {
            if let Some(uid) = verdict.removed {
                turn.event(node_event(&seen.key.key.name, uid, "RemovingNode", "event: Removing Node", " from Controller"));
                turn.remember(MemoryUpdate::NodeHandled(uid, false));
            }
            return Ok(Outcome::Done);
        };
        let (name, uid) = (&live.meta.name.clone(), live.meta.uid);
        if verdict.registered {
            turn.event(node_event(name, uid, "RegisteredNode", "event: Registered Node", " in Controller"));
        }
        let was_ready = live.node().is_some_and(Node::is_ready);
        if let Some(unknown) = live.node().filter(|_| verdict.stale).and_then(|n| unknown(n, live.meta.created, seen.now)) {
            let (heard, grace) = verdict.heard;
            let lasts = |limit: &str, span: Span| ArcStr::from(format!("{limit}{} s", span.as_secs()));
            turn.differ("time without a new heartbeat", lasts("less than ", grace), lasts("", seen.now - heard));
            let mut object = (*live).clone();
            if let Some(node) = object.node_mut() {
                node.status.conditions = unknown;
            }
            let answer = turn.request(Request::update_status(object))?;
            let Some(object) = answer.object() else { return Ok(refused(answer)) };
            live = object.clone();
        }
        let is_ready = live.node().is_some_and(Node::is_ready);
        if was_ready && !is_ready {
            turn.event(node_event(name, uid, "NodeNotReady", "status is now: NodeNotReady", ""));
        }
        let mark = !is_ready && (was_ready || verdict.pods_left);
        let pods: Vec<&Arc<Object>> = seen.related(Kind::POD).filter(|p| mark && pod_is_ready(p)).collect();
        let (pods_left, problem) = apply_no_schedule(&mut live, &pods, seen.now, turn)?;
        if verdict.registered || pods_left != verdict.pods_left {
            turn.remember(MemoryUpdate::NodeHandled(uid, pods_left));
        }
        if let Some(problem) = problem {
            return Ok(Outcome::Retry(problem));
        }
        match taints::apply_no_execute(&mut live, verdict.taint_change, seen.now, turn)? {
            Some(problem) => Ok(Outcome::Retry(problem)),
            None if pods_left => Ok(Outcome::Retry("some pods could not be marked as not ready".into())),
            None => Ok(Outcome::Done),
        }
    }
}

/// Adds and removes the NoSchedule taints that follow from the node's conditions, and marks the node's pods as not ready. Returns whether some pods could not
/// be marked, and the error of the request for the taints, if there was one.
fn apply_no_schedule(live: &mut Arc<Object>, pods: &[&Arc<Object>], now: Time, turn: &mut Turn) -> Result<(bool, Option<String>), Pending> {
    let (add, remove) = live.node().map(|n| taints::differences(n, now)).unwrap_or_default();
    let mut actions: Vec<Action> = Vec::new();
    if !add.is_empty() {
        turn.differ("taints for its conditions", add.len(), 0);
        actions.push(Action::new(taints::patch(live, &add, &[])));
    }
    actions.extend(pods.iter().map(|p| Action::new(Request::update_status(not_ready(p, now)))));
    let answers = turn.all(actions, Mode::Parallel)?;
    let (tainted, marked) = answers.split_at(usize::from(!add.is_empty()).min(answers.len()));
    let mut left = false;
    for (pod, answer) in pods.iter().zip(marked) {
        match answer.as_ref().map(|a| a.refusal()) {
            Some(None) => turn.event(EventDraft::warning(pod, "NodeNotReady", "Node is not ready")),
            Some(Some(status)) if status.reason == Reason::NotFound => {}
            _ => left = true,
        }
    }
    if let Some(problem) = tainted.iter().flatten().find_map(|answer| taints::take(live, answer)) {
        return Ok((left, Some(problem)));
    }
    if remove.is_empty() {
        return Ok((left, None));
    }
    turn.differ("outdated taints", 0, remove.len());
    let answer = turn.request(taints::patch(live, &[], &remove))?;
    Ok((left, taints::take(live, answer)))
}

fn refused(answer: &Response) -> Outcome {
    match answer.refusal() {
        Some(status) if status.reason != Reason::NotFound => Outcome::Retry(status.message.clone()),
        _ => Outcome::Done,
    }
}

/// Returns the conditions of a node that no longer reports, or `None` if it has them already.
fn unknown(node: &Node, created: Time, now: Time) -> Option<Vec<Condition>> {
    let mut conditions = node.status.conditions.clone();
    for type_ in REPORTED {
        match conditions.iter_mut().find(|c| c.type_ == type_) {
            Some(c) if c.status == "Unknown" => {}
            Some(c) => {
                let kept = (c.last_heartbeat_time, c.last_update_time);
                *c = Condition::new(type_, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", now);
                (c.last_heartbeat_time, c.last_update_time) = kept;
            }
            None => {
                let mut c = Condition::new(type_, "Unknown", "NodeStatusNeverUpdated", "Kubelet never posted node status.", now);
                c.last_heartbeat_time = Some(created);
                conditions.push(c);
            }
        }
    }
    (conditions != node.status.conditions).then_some(conditions)
}

/// Returns the status of the node's Ready condition.
fn ready_status(node: &Node) -> &str {
    find(&node.status.conditions, "Ready").map_or("Unknown", |c| &c.status)
}

fn pod_is_ready(pod: &Object) -> bool {
    pod.pod().is_some_and(super::endpointslice::is_ready)
}

fn not_ready(pod: &Object, now: Time) -> Object {
    let mut pod = pod.clone();
    let conditions = pod.pod_mut().map(|p| p.status.conditions.iter_mut()).into_iter().flatten();
    for condition in conditions.filter(|c| c.type_ == ConditionType::Ready) {
        condition.status = ConditionStatus::False;
        condition.last_transition_time = now.whole_second();
    }
    pod
}

fn node_event(name: &ArcStr, uid: Uid, reason: &'static str, what: &str, end: &str) -> EventDraft {
    let about = ObjectRef {
        kind: literal!("Node"),
        name: name.clone(),
        uid: RefUid::Uid(uid),
        api_version: literal!("v1"),
        ..ObjectRef::default()
    };
    let subject = if end.is_empty() { "" } else { name.as_str() };
    let space = if end.is_empty() { "" } else { " " };
    let message = ArcStr::from(format!("Node {name} {what}{space}{subject}{end}"));
    EventDraft { about, warning: false, reason: ArcStr::from(reason), message }
}
