//! Nodes as cards, pods as tiles.

use crate::api::duration::since;
use crate::api::kind::pod::{ContainerState, Phase, Pod, ready_count, status_word};
use crate::api::kind::{Kind, node::Node};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::order;
use crate::persistent::OrdMap;
use crate::sim::{Cluster, NodeProcess, Process};

/// How something is: each state has a glyph and a word besides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// As it should be.
    Good,
    /// On its way.
    Waiting,
    /// Going, or held up.
    Warning,
    /// Broken.
    Bad,
    /// Over, and well.
    Done,
}

impl Health {
    /// The name of its style.
    pub fn class(self) -> &'static str {
        match self {
            Health::Good => "good",
            Health::Waiting => "waiting",
            Health::Warning => "warning",
            Health::Bad => "bad",
            Health::Done => "done",
        }
    }
    /// Its glyph.
    pub fn glyph(self) -> &'static str {
        match self {
            Health::Good => "●",
            Health::Waiting => "◔",
            Health::Warning => "◐",
            Health::Bad => "✕",
            Health::Done => "✓",
        }
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCard {
    /// Name.
    pub name: String,
    /// `Ready`, `NotReady`, with `SchedulingDisabled` where cordoned, as kubectl writes it.
    pub status: String,
    /// How it is.
    pub health: Health,
    /// Keys of its taints.
    pub taints: Vec<String>,
    /// Whether the machine has power.
    pub powered: bool,
    /// Whether its kubelet has a link to the API server.
    pub linked: bool,
    /// What the status does not say yet: no power, no link.
    pub truth: &'static str,
    /// Cpu requested of its pods.
    pub cpu: Gauge,
    /// Memory requested of its pods.
    pub memory: Gauge,
    /// Its pods.
    pub pods: Vec<PodTile>,
}

/// How much of something is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// Percent taken, at most 100.
    pub percent: i64,
    /// In words: `250m of 4`.
    pub text: String,
}

/// A pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodTile {
    /// Namespace.
    pub namespace: String,
    /// The part of the name that its owner gave.
    pub prefix: String,
    /// The random rest of the name.
    pub suffix: String,
    /// The STATUS column of `kubectl get pods`.
    pub status: String,
    /// How it is.
    pub health: Health,
    /// Ready containers of all: `1/1`.
    pub ready: String,
    /// How often its containers were started again.
    pub restarts: u32,
    /// Age.
    pub age: String,
    /// Why it has no node, in the scheduler's words.
    pub waits_for: String,
}

impl PodTile {
    /// The whole name.
    pub fn name(&self) -> String {
        format!("{}{}", self.prefix, self.suffix)
    }
}

/// All nodes with their pods, and the pods without a node.
pub fn cards(cluster: &Cluster) -> (Vec<NodeCard>, Vec<PodTile>) {
    let mut by_node: OrdMap<&str, Vec<(&Object, &Pod)>> = OrdMap::new();
    for object in cluster.api.store.range(Kind::POD, "", None) {
        if let Some(pod) = object.pod() {
            by_node.entry(&pod.node).or_default().push((object, pod));
        }
    }
    let tiles = |pods: Option<Vec<(&Object, &Pod)>>| -> Vec<PodTile> {
        let mut pods = pods.unwrap_or_default();
        // The oldest first, so that a new pod appears at the end and nothing jumps.
        order::sort_by_key(&mut pods, |(o, _)| o.meta.uid);
        pods.into_iter().map(|(o, p)| tile(o, p, cluster.now)).collect()
    };
    let mut nodes = Vec::new();
    for object in cluster.api.store.range(Kind::NODE, "", None) {
        let Some(node) = object.node() else { continue };
        let name = object.meta.name.as_str();
        let pods = by_node.remove(name);
        let process = cluster.node_number(name).and_then(|n| Some((n, cluster.nodes.get(n as usize)?)));
        let linked = process.is_none_or(|(n, _)| !cluster.link(Process::Kubelet(n)).down);
        nodes.push(card(name, node, process.map(|(_, p)| &**p), linked, pods.as_deref().unwrap_or(&[]), tiles(pods.clone())));
    }
    // A pod can be bound to a node that is no more.
    let lost = by_node.values().flatten().copied().collect();
    (nodes, tiles(Some(lost)))
}

fn card(name: &str, node: &Node, process: Option<&NodeProcess>, linked: bool, pods: &[(&Object, &Pod)], tiles: Vec<PodTile>) -> NodeCard {
    let powered = process.is_none_or(|p| p.powered);
    let mut status = if node.is_ready() { "Ready".to_owned() } else { "NotReady".to_owned() };
    if node.unschedulable {
        status.push_str(",SchedulingDisabled");
    }
    let truth = match process {
        Some(p) if !p.powered => "no power",
        Some(p) if p.frozen => "frozen",
        Some(p) if !p.alive => "kubelet down",
        _ if !linked => "cut off",
        _ => "",
    };
    let health = match (node.is_ready(), truth.is_empty() && !node.unschedulable) {
        (true, true) => Health::Good,
        (true, false) => Health::Warning,
        (false, _) => Health::Bad,
    };
    let running = || pods.iter().filter(|(_, p)| !p.status.phase.is_terminal()).map(|(_, p)| &p.spec.requests);
    let total = &node.allocatable_amounts;
    let cpu = running().map(|r| r.cpu_milli).sum();
    let memory = running().map(|r| r.memory).sum();
    NodeCard {
        name: name.to_owned(),
        status,
        health,
        taints: node.taints.iter().map(|t| format!("{}:{}", t.key, t.effect)).collect(),
        powered,
        linked,
        truth,
        cpu: gauge(cpu, total.cpu_milli, cpu_text),
        memory: gauge(memory, total.memory, memory_text),
        pods: tiles,
    }
}

fn gauge(taken: i64, of: i64, text: fn(i64) -> String) -> Gauge {
    let percent = if of <= 0 { 0 } else { (i128::from(taken) * 100 / i128::from(of)).clamp(0, 100) as i64 };
    Gauge { percent, text: format!("{} of {}", text(taken), text(of)) }
}

fn cpu_text(milli: i64) -> String {
    if milli % 1000 == 0 { (milli / 1000).to_string() } else { format!("{milli}m") }
}

fn memory_text(bytes: i64) -> String {
    let mi = bytes >> 20;
    match mi {
        0 => "0".to_owned(),
        mi if mi % 1024 == 0 => format!("{}Gi", mi / 1024),
        mi if mi > 10 * 1024 => format!("{}.{}Gi", mi / 1024, mi % 1024 * 10 / 1024),
        mi => format!("{mi}Mi"),
    }
}

fn tile(object: &Object, pod: &Pod, now: Time) -> PodTile {
    let meta = &object.meta;
    let status = status_word(object);
    let (ready, total) = ready_count(object);
    let split = if meta.generate_name.is_empty() { meta.name.len() } else { meta.generate_name.len() };
    let (prefix, suffix) = meta.name.split_at_checked(split).unwrap_or((&meta.name, ""));
    let waits_for = pod.status.conditions.iter().find(|c| c.reason() == "Unschedulable").map_or("", |c| c.message());
    PodTile {
        namespace: meta.namespace.to_string(),
        prefix: prefix.to_owned(),
        suffix: suffix.to_owned(),
        health: health(object, pod, &status),
        status,
        ready: if is_forsaken(pod, ready, total) { format!("{ready}/{total}, not ready") } else { format!("{ready}/{total}") },
        restarts: pod.status.containers.iter().map(|c| c.restarts).sum(),
        age: since(meta.created, now),
        waits_for: if pod.node.is_empty() { waits_for.to_owned() } else { String::new() },
    }
}

/// Whether the pod was called not ready by another than its kubelet, whose last word was that all is well: its node is silent.
fn is_forsaken(pod: &Pod, ready: usize, total: usize) -> bool {
    pod.status.phase == Phase::Running && ready == total && !pod.status.is_ready()
}

/// How a pod is, given its STATUS column.
pub(super) fn health(object: &Object, pod: &Pod, status: &str) -> Health {
    let waits_badly = pod.status.containers.iter().any(|c| match &c.state {
        ContainerState::Waiting { reason, .. } => reason.contains("BackOff") || reason.contains("Err"),
        ContainerState::Terminated(t) => t.exit_code != 0,
        ContainerState::Running { .. } => false,
    });
    match pod.status.phase {
        _ if object.meta.is_deleting() => Health::Warning,
        Phase::Succeeded => Health::Done,
        Phase::Failed | Phase::Unknown => Health::Bad,
        _ if waits_badly => Health::Bad,
        Phase::Running if pod.status.is_ready() => Health::Good,
        Phase::Running if pod.status.containers.iter().all(|c| c.ready) => Health::Warning,
        Phase::Running if status != "Running" => Health::Bad,
        _ => Health::Waiting,
    }
}
