//! Controllers as small rings on the page, with the keys that wait in their work queues.

use super::clock;
use super::loops::wires::LOOKED_THROUGH;
use super::notes::passes::{Passes, Phase, scheduler_index};
use crate::client::WorkKey;
use crate::controller::registry::Controllers;
use crate::kubelet;
use crate::sim::{Call, Cluster, ControllerState, Manager, Process, Step};

/// A controller, the scheduler or a kubelet at one moment, which the page draws as a small ring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ring {
    /// The index among the controllers, or among the nodes for a kubelet.
    pub index: usize,
    /// The name of the controller without `-controller`, or of the kubelet's node.
    pub name: String,
    /// Set if the process runs and leads; for a kubelet, if it and its node run.
    pub up: bool,
    /// The phase shown of the passes under way (`observe`, `diff` or `act`), the furthest of several; `idle` if there are none.
    pub phase: &'static str,
    /// The number of phases (observe, diff, act) that the last pass has gone through.
    pub reached: u8,
    /// The number of passes that the controller has begun; for a kubelet, the newest revision that it has heard of.
    pub passes: u64,
    /// The number of keys in the work queue that are ready to be worked on.
    pub queued: usize,
    /// The number of keys in the work queue that wait for their time, such as the end of a back-off.
    pub waits: usize,
    /// The first few of the keys that wait for their time.
    pub waiting: Vec<Waiting>,
}

/// A key in a work queue that waits for its time; for the scheduler, a number of pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The key; for the scheduler, the number of pods.
    pub key: String,
    /// The time until the key is due, or what it waits for, as text.
    pub left: String,
    /// The number of times in a row that the controller has failed at the key.
    pub failures: u32,
}

impl Phase {
    /// Returns the name of the phase on the page.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Idle => "idle",
            Phase::Observe => "observe",
            Phase::Diff => "diff",
            Phase::Act => "act",
        }
    }
}

/// The maximum number of waiting keys of a controller that are shown.
const WAITING_SHOWN: usize = 5;

/// Returns the name of a controller as the page shows it.
pub fn name_of(cluster: &Cluster, index: usize) -> String {
    shown_name(&cluster.controllers, index)
}

/// Returns the indices and names of all controllers, the scheduler last.
pub fn names(cluster: &Cluster) -> impl Iterator<Item = (usize, String)> {
    (0..cluster.controllers.len()).chain([scheduler_index()]).map(|index| (index, name_of(cluster, index)))
}

/// Returns the name of a controller without the suffix `-controller`; an index past the last one stands for the scheduler.
pub fn shown_name(controllers: &Controllers, index: usize) -> String {
    match controllers.get(index) {
        Some(rules) => rules.name().trim_end_matches("-controller").to_owned(),
        None => "scheduler".to_owned(),
    }
}

/// Returns the rings of all controllers, the scheduler last.
pub fn rings(cluster: &Cluster, passes: &Passes) -> Vec<Ring> {
    let leader = cluster.managers.iter().find(|m| m.alive && m.leads).or(cluster.managers.first());
    let mut all: Vec<Ring> = leader.map(|m| of_manager(m, cluster, passes)).unwrap_or_default();
    all.push(of_scheduler(cluster, passes));
    all
}

fn of_manager(manager: &Manager, cluster: &Cluster, passes: &Passes) -> Vec<Ring> {
    let ring = |(index, part): (usize, &ControllerState)| {
        let waiting = part.queue.waiting().take(WAITING_SHOWN).map(|(key, at)| Waiting {
            key: key_text(key),
            left: clock::span(at - cluster.now),
            failures: part.queue.failures(key),
        });
        Ring {
            index,
            name: name_of(cluster, index),
            up: manager.alive && manager.leads,
            phase: passes.phase_shown(index, cluster.now).max(if observes(manager, index) { Phase::Observe } else { Phase::Idle }).word(),
            reached: reached(passes, index),
            passes: part.passes,
            queued: part.queue.lengths().0,
            waits: part.queue.lengths().1,
            waiting: waiting.collect(),
        }
    };
    manager.parts.iter().enumerate().map(ring).collect()
}

/// Returns whether a controller has begun a pass that has not read its cache yet.
pub fn observes(manager: &Manager, index: usize) -> bool {
    manager.passes.values().any(|p| p.controller as usize == index && p.seen.is_none())
}

fn reached(passes: &Passes, index: usize) -> u8 {
    let last = passes.of(index).next_back();
    last.map_or(0, |p| if !p.actions.is_empty() { 3 } else { 2 })
}

fn of_scheduler(cluster: &Cluster, passes: &Passes) -> Ring {
    let process = &cluster.scheduler;
    let (active, backing_off, unschedulable) = process.scheduler.queue_lengths();
    let wait =
        |n: usize, why: &str| Waiting { key: format!("{n} {}", if n == 1 { "pod" } else { "pods" }), left: why.to_owned(), failures: 0 };
    let mut waiting = Vec::new();
    if backing_off > 0 {
        waiting.push(wait(backing_off, "backing off"));
    }
    if unschedulable > 0 {
        waiting.push(wait(unschedulable, "until something changes"));
    }
    let last = passes.of(scheduler_index()).next_back();
    Ring {
        index: scheduler_index(),
        name: name_of(cluster, scheduler_index()),
        up: process.leads(),
        phase: passes.phase_shown(scheduler_index(), cluster.now).word(),
        reached: reached(passes, scheduler_index()),
        passes: last.map_or(0, |p| p.number),
        queued: active,
        waits: backing_off + unschedulable,
        waiting,
    }
}

/// The largest number of kubelets that have rings of their own; with more, one ring stands for all.
pub const KUBELETS_SHOWN: usize = 12;

/// Returns a ring for every kubelet; empty if there are more than [`KUBELETS_SHOWN`].
pub fn kubelet_rings(cluster: &Cluster) -> Vec<Ring> {
    if cluster.nodes.len() > KUBELETS_SHOWN {
        return Vec::new();
    }
    // A kubelet that has just started registers its node before it works on any pod.
    let registers = |index: usize| {
        let is_it = |step: &Step| {
            let (Step::Arrive { from: of, call: Call::Kubelet(call), .. } | Step::Answer { to: of, call: Call::Kubelet(call), .. }) = step
            else {
                return false;
            };
            *of == Process::Kubelet(index as u32) && matches!(call, kubelet::Call::CreateNode | kubelet::Call::CreateLease)
        };
        cluster.queue.iter().take(LOOKED_THROUGH).any(|(_, entry)| is_it(&entry.step))
    };
    let ring = |(index, process): (usize, &std::sync::Arc<crate::sim::NodeProcess>)| Ring {
        index,
        name: process.name.to_string(),
        up: process.alive && process.powered && !process.frozen,
        phase: if process.alive && (process.kubelet.is_busy() || registers(index)) { "act" } else { "idle" },
        reached: 3,
        passes: process.heard.unwrap_or(0),
        queued: 0,
        waits: 0,
        waiting: Vec::new(),
    };
    cluster.nodes.iter().enumerate().map(ring).collect()
}

/// Formats a key with its kind: `Pod default/my-app`.
pub fn key_text(key: &WorkKey) -> String {
    format!("{} {}", key.kind.row().name, key.key)
}
