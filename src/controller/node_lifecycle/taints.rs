//! The taints that the node lifecycle controller adds to nodes and removes again.

use super::{TaintChange, ready_status};
use crate::api::kind::Kind;
use crate::api::kind::condition::find;
use crate::api::kind::node::{Node, Taint};
use crate::api::meta::decimal;
use crate::api::object::Object;
use crate::api::request::{PatchType, Request, Response};
use crate::api::status::Reason;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::controller::{Pending, Turn};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

/// The taint of nodes whose kubelet reports that it is not ready.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";
/// The taint of nodes whose kubelet has stopped reporting.
pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

const NO_SCHEDULE: &str = "NoSchedule";
const NO_EXECUTE: &str = "NoExecute";

/// Condition type, status of the condition, and the key of the NoSchedule taint that follows from them.
const BY_CONDITION: [(&str, &str, &str); 6] = [
    ("Ready", "False", NOT_READY),
    ("Ready", "Unknown", UNREACHABLE),
    ("MemoryPressure", "True", "node.kubernetes.io/memory-pressure"),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure"),
    ("NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure"),
];

/// Yields the key of each NoSchedule taint that can follow from a node's state, whether the node should have it, and whether it has it.
fn table(node: &Node) -> impl Iterator<Item = (&'static str, bool, bool)> + '_ {
    let has = |key: &str| node.spec.taints.iter().any(|t| t.key == key && t.effect == NO_SCHEDULE);
    let by_condition = BY_CONDITION.iter().map(move |(type_, status, key)| {
        let holds = find(&node.status.conditions, type_).is_some_and(|c| c.status == *status);
        (*key, holds, has(key))
    });
    by_condition.chain([(UNSCHEDULABLE, node.spec.unschedulable, has(UNSCHEDULABLE))])
}

/// Returns true if a node lacks a NoSchedule taint that follows from its state, or has one that no longer does.
pub fn out_of_step(node: &Node) -> bool {
    table(node).any(|(_, wanted, there)| wanted != there)
}

/// Returns the NoSchedule taints to add to a node and those to remove.
pub fn differences(node: &Node, now: Time) -> (Vec<Taint>, Vec<Taint>) {
    let pick = |wanted: bool| move |t: &(&'static str, bool, bool)| t.1 == wanted && t.2 != wanted;
    let taint = |(key, ..): (&'static str, bool, bool)| Taint { time_added: Some(now.whole_second()), ..Taint::new(key, NO_SCHEDULE) };
    (table(node).filter(pick(true)).map(taint).collect(), table(node).filter(pick(false)).map(taint).collect())
}

/// Adds or removes the NoExecute taints, which evict pods. Returns the error of the request, if there was one.
pub fn apply_no_execute(live: &mut Arc<Object>, change: TaintChange, now: Time, turn: &mut Turn) -> Result<Option<String>, Pending> {
    let Some(node) = live.node() else { return Ok(None) };
    let has = |key: &str| node.spec.taints.iter().any(|t| t.key == key && t.effect == NO_EXECUTE);
    let (unreachable, not_ready) = (has(UNREACHABLE), has(NOT_READY));
    // The decision may be older than the kubelet's last report; then it is not carried out, and `Health` decides anew in its next round.
    let (add, remove) = match (change, ready_status(node)) {
        (TaintChange::Unreachable, "Unknown") => (Some(UNREACHABLE).filter(|_| !unreachable), Some(NOT_READY).filter(|_| not_ready)),
        (TaintChange::NotReady, "False") => (Some(NOT_READY).filter(|_| !not_ready), Some(UNREACHABLE).filter(|_| unreachable)),
        (TaintChange::Clear, _) | (TaintChange::ClearIfReady, "True") => {
            let gone: Vec<Taint> =
                [(UNREACHABLE, unreachable), (NOT_READY, not_ready)].iter().filter(|t| t.1).map(|t| Taint::new(t.0, NO_EXECUTE)).collect();
            return if gone.is_empty() { Ok(None) } else { send(live, &[], &gone, turn) };
        }
        _ => (None, None),
    };
    if let Some(key) = add {
        let taint = Taint { time_added: Some(now.whole_second()), ..Taint::new(key, NO_EXECUTE) };
        if let Some(problem) = send(live, &[taint], &[], turn)? {
            return Ok(Some(problem));
        }
    }
    match remove {
        Some(key) => send(live, &[], &[Taint::new(key, NO_EXECUTE)], turn),
        None => Ok(None),
    }
}

fn send(live: &mut Arc<Object>, add: &[Taint], remove: &[Taint], turn: &mut Turn) -> Result<Option<String>, Pending> {
    for taint in add {
        turn.differ("NoExecute taint", taint.key.clone(), "none");
    }
    for taint in remove {
        turn.differ("NoExecute taint", "none", taint.key.clone());
    }
    let answer = turn.request(patch(live, add, remove))?;
    Ok(take(live, answer))
}

/// Replaces `live` by the node in the answer. Returns the message of the refusal, if the answer is one.
pub fn take(live: &mut Arc<Object>, answer: &Response) -> Option<String> {
    if let Some(object) = answer.object() {
        *live = object.clone();
    }
    answer.refusal().filter(|s| s.reason != Reason::NotFound).map(|s| s.message.clone())
}

/// Returns a patch of a node's whole list of taints, which the API server refuses if the node has changed since.
pub fn patch(node: &Object, add: &[Taint], remove: &[Taint]) -> Request {
    let old = node.node().map(|n| n.spec.taints.as_slice()).unwrap_or_default();
    let kept = old.iter().filter(|t| !remove.iter().chain(add).any(|r| r.matches_taint(t)));
    let taints: Vec<Value> = kept.chain(add).map(|t| encode(t).into()).collect();
    let list = if taints.is_empty() { Value::Null } else { taints.into() };
    let patch = map! {
        "metadata" => map! { "resourceVersion" => decimal(node.meta.resource_version) },
        "spec" => map! { "taints" => list },
    };
    Request::patch(Kind::NODE, &ArcStr::default(), &node.meta.name, PatchType::Strategic, patch)
}

fn encode(taint: &Taint) -> Map {
    let mut m = map! { "key" => &taint.key, "effect" => &taint.effect };
    if !taint.value.is_empty() {
        m.insert("value", &taint.value);
    }
    if let Some(time) = taint.time_added {
        m.insert("timeAdded", time.rfc3339());
    }
    m
}
