//! “I changed the YAML, but nothing happened”: finds the reason. It searches in the order in which a change can get stuck: the controller, its watch, its
//! queue, then the rollout itself and its pods.

use crate::api::kind::Kind;
use crate::api::kind::condition::{Condition, find};
use crate::api::kind::pod::{ContainerState, Pod, status_word};
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::client::WorkKey;
use crate::container::images;
use crate::sim::{Cluster, Command, Fault, Manager, Process, ProcessName};
use crate::view::clock;
use crate::view::kinds;
use crate::view::object::head::owned;
use crate::view::run::Run;
use crate::view::selection::Subject;
use std::sync::Arc;

/// The delay from which on a watch counts as behind, in virtual time.
const SLOW: Span = Span::millis(500);

/// The length in bytes above which a sentence is not brief.
const BRIEF: usize = 200;

/// The most pods of a workload that are searched for trouble.
const LOOKED_AT: usize = 200;

/// The reason why a desired state is not reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stuck {
    /// The reason in a few words, for a badge on the page: `no node fits my-app-x7k2p`.
    pub short: String,
    /// The reason in a sentence.
    pub words: String,
    /// The time of the next retry, if it is known.
    pub retry: Option<Time>,
}

impl Stuck {
    fn new(short: impl Into<String>, words: impl Into<String>) -> Stuck {
        Stuck { short: short.into(), words: words.into(), retry: None }
    }
    /// Returns the reason for a place with little room: its first sentence, or a few words if that is long, such as the whole answer of a registry.
    pub fn brief(&self) -> String {
        let first = self.words.split(". ").next().filter(|first| first.len() <= BRIEF).unwrap_or(&self.short);
        let advice = if self.short.contains("ImagePull") { images::hint() } else { String::new() };
        format!("{}. {advice}", first.trim_end_matches('.')).trim_end().to_owned()
    }
}

/// Returns the reason why a pod without a workload does not become ready; `None` if nothing is wrong.
pub fn stuck_pod(run: &Run, subject: &Subject) -> Option<Stuck> {
    let object = run.cluster().api.store.get(subject.kind, &subject.key)?;
    pod_trouble(object, object.pod()?, run.cluster())
}

/// Returns the reason why a workload does not reach its desired state; `None` if nothing is wrong.
pub fn stuck(run: &Run, subject: &Subject) -> Option<Stuck> {
    let cluster = run.cluster();
    let object = cluster.api.store.get(subject.kind, &subject.key)?;
    let workload = kinds::of(object.kind()).workload?;
    let paused = (workload.paused)(object).map(|words| Stuck::new("the rollout is paused", words));
    // A status is as late as its controller, so it may not show yet that pods are missing.
    if (workload.is_settled)(object) && !run.notes().balance.unmet.contains(subject) {
        return paused;
    }
    let leader = match nobody_works(run) {
        Ok(leader) => leader,
        Err(why) => return Some(why),
    };
    let conditions = (workload.conditions)(object);
    let waits = workload.controller.and_then(|controller| backing_off(run, leader, controller, subject));
    not_heard(run, leader, object)
        .or(paused)
        .or_else(|| Some(Stuck { retry: waits.as_ref().and_then(|waits| waits.retry), ..refused(conditions)? }))
        .or_else(|| waits.clone())
        .or_else(|| failing(object, conditions, run))
}

/// Returns the controller manager that leads, or the reason why none reconciles.
fn nobody_works(run: &Run) -> Result<&Manager, Stuck> {
    let cluster = run.cluster();
    if !cluster.managers.iter().any(|m| m.alive) {
        let since = last_fault(run, |fault| {
            matches!(fault, Fault::CrashProcess { process: ProcessName::ControllerManager(_) } | Fault::CrashBeforeAction { .. })
        });
        let words = "The controller manager is down, so nobody reconciles this";
        let tail = "The API server has stored what is wanted; that is all.";
        return Err(Stuck::new("the controller manager is down", format!("{words}{since}. {tail}")));
    }
    let leader = cluster.managers.iter().find(|m| m.alive && m.leads);
    let cut_off = |m: &Manager| cluster.link(Process::Manager(m.number)).down;
    match leader {
        None => Err(Stuck::new(
            "no controller manager leads",
            "No controller manager leads: those that run wait until the lease of the last leader has run out.",
        )),
        Some(m) if cut_off(m) => {
            let since = last_fault(run, |fault| matches!(fault, Fault::Partition { process: ProcessName::ControllerManager(_) }));
            let words = "The controller manager is cut off from the API server";
            let tail = "it hears of no change, and what it asks for does not arrive.";
            Err(Stuck::new("the controller manager is cut off", format!("{words}{since}: {tail}")))
        }
        Some(m) if !m.is_synced() => Err(Stuck::new(
            "the controller manager is still reading",
            "The controller manager has just begun to lead and is still reading everything.",
        )),
        Some(m) => Ok(m),
    }
}

/// Returns a text in brackets about the last fault for which `fits` holds; empty if there is none.
fn last_fault(run: &Run, fits: impl Fn(&Fault) -> bool) -> String {
    let steps = run.cluster().steps;
    let given = run.session.commands().iter().rev().filter(|g| g.after <= steps);
    let mut faults = given.filter_map(|g| if let Command::Fault(fault) = &g.command { Some((fault, g.at)) } else { None });
    let found = faults.find(|(fault, _)| fits(fault));
    found.map(|(fault, at)| format!(" (you {} at {})", fault.row().did, clock::moment(at - run.start))).unwrap_or_default()
}

/// Returns the reason if the watch has not delivered the object's newest version to its controller yet.
fn not_heard(run: &Run, leader: &Manager, object: &Arc<Object>) -> Option<Stuck> {
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
    let words = format!(
        "The watch has not told the controller yet: the store has revision {} since {}, the controller's cache {has}{slow}.",
        object.meta.resource_version,
        clock::span(late)
    );
    Some(Stuck::new("the watch is behind", words))
}

/// Returns the reason if the workload's controller failed at it and waits before it tries again.
fn backing_off(run: &Run, leader: &Manager, controller: &str, subject: &Subject) -> Option<Stuck> {
    let cluster = run.cluster();
    let index = cluster.controllers.index_of(controller)?;
    let queue = &leader.parts.get(index)?.queue;
    let key = WorkKey::new(subject.kind, subject.key.clone());
    // Something else may have woken the controller, so that it tries again already.
    if run.notes().passes.all().any(|pass| pass.ended.is_none() && pass.controller == index && pass.key == key) {
        return None;
    }
    let failures = queue.failures(&key);
    let (_, at) = queue.waiting().find(|(waiting, _)| **waiting == key).filter(|_| failures > 0)?;
    let times = if failures == 1 { "once".to_owned() } else { format!("{failures} times in a row") };
    let words = format!("The controller failed {times} at it and tries again in {}.", clock::span(at - cluster.now));
    Some(Stuck { retry: Some(at), ..Stuck::new("the controller failed at it", words) })
}

/// Returns the reason if the API server refuses the pods of a workload.
fn refused(conditions: &[Condition]) -> Option<Stuck> {
    let refused = find(conditions, "ReplicaFailure").filter(|c| c.status == "True")?;
    Some(Stuck::new("pods cannot be created", format!("Pods cannot be created: {}", refused.message)))
}

/// Returns the reason if the rollout has begun and its pods do not become ready.
fn failing(object: &Arc<Object>, conditions: &[Condition], run: &Run) -> Option<Stuck> {
    let bad = bad_pod(object, run);
    let late = find(conditions, "Progressing").filter(|c| c.status == "False" && c.reason == "ProgressDeadlineExceeded");
    match (late, bad) {
        (Some(c), Some(bad)) => Some(Stuck { words: format!("The rollout is past its deadline ({}): {}", c.reason, bad.words), ..bad }),
        (Some(c), None) => Some(Stuck::new("past its deadline", format!("The rollout is past its deadline: {}", c.message))),
        (None, Some(bad)) => Some(Stuck { words: format!("It waits for pods that do not become ready: {}", bad.words), ..bad }),
        (None, None) => None,
    }
}

/// Returns the reason why the first stuck pod of a workload is stuck.
fn bad_pod(object: &Arc<Object>, run: &Run) -> Option<Stuck> {
    let (own, others): (Vec<_>, Vec<_>) = owned(run, object.meta.uid, LOOKED_AT).into_iter().partition(|o| o.pod().is_some());
    // Of several generations of pods the newest are searched first.
    let theirs = others.iter().rev().flat_map(|o| owned(run, o.meta.uid, LOOKED_AT));
    let pods: Vec<Arc<Object>> = own.into_iter().chain(theirs).collect();
    pods.iter().find_map(|o| pod_trouble(o, o.pod()?, run.cluster()))
}

/// Returns the reason why a pod is stuck, from its status; `None` if nothing is wrong.
pub fn pod_trouble(object: &Object, pod: &Pod, cluster: &Cluster) -> Option<Stuck> {
    if object.meta.is_deleting() {
        return None;
    }
    let name = &object.meta.name;
    if pod.node.is_empty() {
        return no_node(object, pod, cluster);
    }
    let node = cluster.api.store.get(Kind::NODE, &Key::new("", pod.node.clone()));
    if !node.is_some_and(|n| n.node().is_some_and(|n| n.is_ready())) {
        let how = if node.is_none() { "does not exist" } else { "is not ready" };
        return Some(Stuck::new(format!("{} {how}", pod.node), format!("{name} is on {}, which {how}.", pod.node)));
    }
    let waits = pod.status.init_container_statuses.iter().chain(&pod.status.container_statuses).find_map(|c| match &c.state {
        ContainerState::Waiting { reason, message }
            if reason.contains("BackOff") || reason.contains("Err") || reason.contains("Invalid") =>
        {
            let mut words = if message.is_empty() { format!("{name} has {reason}.") } else { format!("{name} has {reason}: {message}.") };
            if reason.contains("ImagePull") {
                words = format!("{words} {}", images::hint());
            }
            Some(Stuck { retry: next_try(object, pod, cluster), ..Stuck::new(format!("{name}: {reason}"), words) })
        }
        ContainerState::Terminated(end) if end.exit_code != 0 => {
            let words = format!("{name} ended with exit code {}.", end.exit_code);
            Some(Stuck { retry: next_try(object, pod, cluster), ..Stuck::new(format!("{name}: exit code {}", end.exit_code), words) })
        }
        _ => None,
    });
    waits.or_else(|| {
        let running_unready = pod.status.container_statuses.iter().any(|c| matches!(c.state, ContainerState::Running { .. }) && !c.ready);
        let probed = pod.spec.containers.iter().any(|c| c.readiness.is_some());
        let words = || format!("{name} is {} but does not pass its readiness probe.", status_word(object));
        (running_unready && probed).then(|| Stuck::new(format!("{name} fails its readiness probe"), words()))
    })
}

/// Returns the reason why a pod has no node: the scheduler does not run, or no node fits.
fn no_node(object: &Object, pod: &Pod, cluster: &Cluster) -> Option<Stuck> {
    let name = &object.meta.name;
    let scheduler = &cluster.scheduler;
    if !scheduler.alive {
        return Some(Stuck::new(
            "the scheduler is down",
            format!("{name} has no node, and the scheduler, which would choose one, is down."),
        ));
    }
    if cluster.link(Process::Scheduler).down {
        let words = format!("{name} has no node, and the scheduler, which would choose one, is cut off from the API server.");
        return Some(Stuck::new("the scheduler is cut off", words));
    }
    let refused = pod.status.conditions.iter().find(|c| c.reason() == "Unschedulable")?;
    Some(Stuck::new(format!("no node fits {name}"), format!("{name} has no node: {}", refused.message())))
}

/// Returns the time at which the pod's kubelet tries again to start a container; `None` if no container waits for another try.
fn next_try(object: &Object, pod: &Pod, cluster: &Cluster) -> Option<Time> {
    let process = cluster.nodes.get(cluster.node_number(&pod.node)? as usize)?;
    let tries = process.kubelet.containers(object.meta.uid).into_iter().filter_map(|c| c.next_try);
    tries.filter(|at| *at > cluster.now).min()
}
