//! “I changed the YAML, but nothing happened”: which of the usual reasons it is. Looked for where the change would get stuck first: the controller, its watch,
//! its queue, then the rollout itself and its pods.

use crate::api::kind::Kind;
use crate::api::kind::condition::{Condition, find};
use crate::api::kind::pod::{ContainerState, Pod, status_word};
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::time::Span;
use crate::client::WorkKey;
use crate::sim::{Cluster, Command, Fault, Manager, Process, ProcessName};
use crate::view::clock;
use crate::view::kinds;
use crate::view::object::head::owned;
use crate::view::run::Run;
use crate::view::selection::Subject;
use std::sync::Arc;

/// A watch that is behind for longer than this is worth a word.
const SLOW: Span = Span::millis(500);

/// So many pods of a workload are looked at for trouble.
const LOOKED_AT: usize = 200;

/// Why what is wanted of a workload does not come about; none if nothing is wrong.
pub fn stuck(run: &Run, subject: &Subject) -> Option<String> {
    let cluster = run.cluster();
    let object = cluster.api.store.get(subject.kind, &subject.key)?;
    let workload = kinds::of(object.kind()).workload?;
    let paused = (workload.paused)(object);
    if (workload.is_settled)(object) {
        return paused;
    }
    let leader = match nobody_works(run) {
        Ok(leader) => leader,
        Err(why) => return Some(why),
    };
    not_heard(run, leader, object)
        .or(paused)
        .or_else(|| backing_off(cluster, leader, workload.controller?, subject))
        .or_else(|| failing(object, (workload.conditions)(object), run))
}

/// The controller manager that works, or why none does.
fn nobody_works(run: &Run) -> Result<&Manager, String> {
    let cluster = run.cluster();
    if !cluster.managers.iter().any(|m| m.alive) {
        let since = last_deed(run, |fault| {
            matches!(fault, Fault::CrashProcess { process: ProcessName::ControllerManager(_) } | Fault::CrashBeforeAction { .. })
        });
        return Err(format!(
            "The controller manager is down, so nobody reconciles this{since}. The API server has stored what is wanted; that is all."
        ));
    }
    let leader = cluster.managers.iter().find(|m| m.alive && m.leads);
    let cut_off = |m: &Manager| cluster.link(Process::Manager(m.number)).down;
    match leader {
        None => Err("No controller manager leads: those that run wait until the lease of the last leader has run out.".to_owned()),
        Some(m) if cut_off(m) => {
            let since = last_deed(run, |fault| matches!(fault, Fault::Partition { process: ProcessName::ControllerManager(_) }));
            Err(format!(
                "The controller manager is cut off from the API server{since}: it hears of no change, and what it asks for does not arrive."
            ))
        }
        Some(m) if !m.is_synced() => Err("The controller manager has just begun to lead and is still reading everything.".to_owned()),
        Some(m) => Ok(m),
    }
}

/// The last fault of a sort, in brackets.
fn last_deed(run: &Run, fits: impl Fn(&Fault) -> bool) -> String {
    let steps = run.cluster().steps;
    let given = run.session.commands().iter().rev().filter(|g| g.after <= steps);
    let mut faults = given.filter_map(|g| if let Command::Fault(fault) = &g.command { Some((fault, g.at)) } else { None });
    let found = faults.find(|(fault, _)| fits(fault));
    found.map(|(fault, at)| format!(" (you {} at {})", fault.row().did, clock::moment(at - run.start))).unwrap_or_default()
}

/// The watch has not told the controller yet.
fn not_heard(run: &Run, leader: &Manager, object: &Arc<Object>) -> Option<String> {
    let cluster = run.cluster();
    let known = leader.caches.get(object.kind(), &object.key()).map_or(0, |o| o.meta.resource_version);
    let written = run.notes().writes.get(object.meta.resource_version).map(|w| w.at)?;
    let late = cluster.now - written;
    if known == object.meta.resource_version || late < SLOW {
        return None;
    }
    let extra = cluster.link(Process::Manager(leader.number)).extra;
    let slow = if extra > Span(0) { format!("; its link is slowed down by {}", clock::span(extra)) } else { String::new() };
    let has = if known == 0 { "does not have it at all".to_owned() } else { format!("has revision {known}") };
    Some(format!(
        "The watch has not told the controller yet: the store has revision {} since {}, the controller's cache {has}{slow}.",
        object.meta.resource_version,
        clock::span(late)
    ))
}

/// The controller failed and waits before it tries again.
fn backing_off(cluster: &Cluster, leader: &Manager, controller: &str, subject: &Subject) -> Option<String> {
    let queue = &leader.parts.get(cluster.controllers.index_of(controller)?)?.queue;
    let key = WorkKey::new(subject.kind, subject.key.clone());
    let failures = queue.failures(&key);
    let (_, at) = queue.waiting().find(|(waiting, _)| **waiting == key).filter(|_| failures > 0)?;
    let times = if failures == 1 { "once".to_owned() } else { format!("{failures} times in a row") };
    Some(format!("The controller failed {times} at it and tries again in {}.", clock::span(at - cluster.now)))
}

/// The rollout has begun and its pods do not come up.
fn failing(object: &Arc<Object>, conditions: &[Condition], run: &Run) -> Option<String> {
    if let Some(refused) = find(conditions, "ReplicaFailure").filter(|c| c.status == "True") {
        return Some(format!("Pods cannot be created: {}", refused.message));
    }
    let bad = bad_pod(object, run);
    let late = find(conditions, "Progressing").filter(|c| c.status == "False" && c.reason == "ProgressDeadlineExceeded");
    match (late, bad) {
        (Some(c), Some(bad)) => Some(format!("The rollout is past its deadline ({}): {bad}", c.reason)),
        (Some(c), None) => Some(format!("The rollout is past its deadline: {}", c.message)),
        (None, Some(bad)) => Some(format!("It waits for pods that do not become ready: {bad}")),
        (None, None) => None,
    }
}

/// The first pod that does not get any further by itself, and why, in its own status's words.
fn bad_pod(object: &Arc<Object>, run: &Run) -> Option<String> {
    let (own, others): (Vec<_>, Vec<_>) = owned(run, object.meta.uid, LOOKED_AT).into_iter().partition(|o| o.pod().is_some());
    // Of several generations of pods the newest are looked at first.
    let theirs = others.iter().rev().flat_map(|o| owned(run, o.meta.uid, LOOKED_AT));
    let pods: Vec<Arc<Object>> = own.into_iter().chain(theirs).collect();
    pods.iter().find_map(|o| Some(format!("{} {}", o.meta.name, pod_trouble(o, o.pod()?, run.cluster())?)))
}

/// Why a pod does not get any further by itself, in its own status's words.
pub fn pod_trouble(object: &Object, pod: &Pod, cluster: &Cluster) -> Option<String> {
    if object.meta.is_deleting() {
        return None;
    }
    let silent = !pod.node.is_empty()
        && cluster.api.store.get(Kind::NODE, &Key::new("", pod.node.clone())).is_some_and(|n| n.node().is_some_and(|n| !n.is_ready()));
    if silent {
        return Some(format!("is on {}, which is not ready.", pod.node));
    }
    if let Some(c) = pod.status.conditions.iter().find(|c| c.reason() == "Unschedulable") {
        return Some(format!("has no node: {}", c.message()));
    }
    let waits = pod.status.init_container_statuses.iter().chain(&pod.status.container_statuses).find_map(|c| match &c.state {
        ContainerState::Waiting { reason, message }
            if reason.contains("BackOff") || reason.contains("Err") || reason.contains("Invalid") =>
        {
            Some(if message.is_empty() { format!("has {reason}.") } else { format!("has {reason}: {message}.") })
        }
        ContainerState::Terminated(end) if end.exit_code != 0 => Some(format!("ended with exit code {}.", end.exit_code)),
        _ => None,
    });
    waits.or_else(|| {
        let running_unready = pod.status.container_statuses.iter().any(|c| matches!(c.state, ContainerState::Running { .. }) && !c.ready);
        let probed = pod.spec.containers.iter().any(|c| c.readiness.is_some());
        (running_unready && probed).then(|| format!("is {} but does not pass its readiness probe.", status_word(object)))
    })
}
