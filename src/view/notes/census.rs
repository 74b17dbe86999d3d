//! Who is where: each node with its pods and how they are, and the pods without a node. Kept up change by change, so that no look at the
//! cluster has to go through all of it, and with a log of which nodes changed, so that a picture can be mended where it is out of date.

use super::Happening;
use crate::api::kind::Kind;
use crate::api::kind::node::Node;
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::watch::WatchType;
use crate::persistent::{OrdMap, OrdSet, Vector};
use crate::sim::{Cluster, Process, Step, Timer};
use crate::store::Change;
use crate::view::cluster::{Health, health};
use arcstr::ArcStr;
use std::sync::Arc;

/// How many changes of nodes are kept in the log.
const KEPT: usize = 8_192;

/// All nodes and pods, counted.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// Nodes in the order in which they joined.
    all_node_pods: OrdMap<u32, Arc<NodePods>>,
    slots: OrdMap<ArcStr, u32>,
    next_slot: u32,
    /// Pods without a node, oldest first.
    tray: OrdMap<Uid, Resident>,
    /// All pods.
    counts: Counts,
    /// Which nodes have pods of each health.
    having: [OrdSet<u32>; Health::ALL.len()],
    /// Nodes that do not run as they should.
    silent: OrdSet<u32>,
    /// Which nodes changed: the moment, and the node.
    log: Vector<(u64, u32)>,
    /// How many entries of the log have been let go.
    forgotten: u64,
    /// The moment of the last change of anything.
    stamp: u64,
    /// The moment at which a node last came or went.
    roster: u64,
}

/// A node with its pods. It may be that only the pods are left.
#[derive(Clone, Debug, Default)]
pub struct NodePods {
    /// The node's name.
    pub name: ArcStr,
    /// The Node object.
    pub node: Option<Arc<Object>>,
    /// What the API server may not know yet.
    pub truth: Truth,
    /// Its pods, oldest first.
    pub pods: OrdMap<Uid, Resident>,
    /// The same, counted.
    pub counts: Counts,
    /// Cpu that its running pods ask for, in thousandths.
    pub cpu_milli: i64,
    /// Memory that its running pods ask for, in bytes.
    pub memory: i64,
    /// The moment of its last change. Equal stamps mean equal content, also after a look back and in another fork.
    pub stamp: u64,
}

/// A pod.
#[derive(Clone, Debug)]
pub struct Resident {
    /// The pod.
    pub object: Arc<Object>,
    /// How it is.
    pub health: Health,
}

/// Pods by how they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// In the order of [`Health::ALL`].
    pub by_health: [usize; Health::ALL.len()],
    /// Pods that are ready and stay: those that its controller counts.
    pub ready: usize,
    /// Pods that are being deleted.
    pub ending: usize,
}

impl Counts {
    /// Pods of one health.
    pub fn of(&self, health: Health) -> usize {
        self.by_health[health as usize]
    }
    /// All pods.
    pub fn total(&self) -> usize {
        self.by_health.iter().sum()
    }
    fn add(&mut self, resident: &Resident) {
        self.by_health[resident.health as usize] += 1;
        self.ready += usize::from(is_ready(&resident.object));
        self.ending += usize::from(resident.object.meta.is_deleting());
    }
    fn take(&mut self, resident: &Resident) {
        self.by_health[resident.health as usize] -= 1;
        self.ready -= usize::from(is_ready(&resident.object));
        self.ending -= usize::from(resident.object.meta.is_deleting());
    }
}

/// How a node's machine and process really are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Truth {
    /// As they should be.
    #[default]
    Up,
    /// The machine has no power.
    NoPower,
    /// The machine stands still.
    Frozen,
    /// The kubelet has ended.
    KubeletDown,
    /// The kubelet has no link to the API server.
    CutOff,
}

impl Truth {
    /// In words; nothing where all is well.
    pub fn words(self) -> &'static str {
        match self {
            Truth::Up => "",
            Truth::NoPower => "no power",
            Truth::Frozen => "frozen",
            Truth::KubeletDown => "kubelet down",
            Truth::CutOff => "cut off",
        }
    }
    /// How things are with a node.
    fn of(cluster: &Cluster, name: &str) -> Truth {
        let Some((n, process)) = cluster.node_number(name).and_then(|n| Some((n, cluster.nodes.get(n as usize)?))) else {
            return Truth::Up;
        };
        match process {
            p if !p.powered => Truth::NoPower,
            p if p.frozen => Truth::Frozen,
            p if !p.alive => Truth::KubeletDown,
            _ if cluster.link(Process::Kubelet(n)).down => Truth::CutOff,
            _ => Truth::Up,
        }
    }
}

/// How far somebody has read the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    read: u64,
    stamp: u64,
    roster: u64,
}

impl Census {
    /// A cluster as it is found.
    pub fn new(cluster: &Cluster) -> Census {
        let mut census = Census::default();
        let mut nodes: Vec<&Arc<Object>> = cluster.api.store.all(Kind::NODE).collect();
        nodes.order_by_key(|o| o.meta.uid);
        nodes.into_iter().for_each(|node| census.put_node(node, cluster, cluster.hash));
        cluster.api.store.all(Kind::POD).for_each(|pod| census.put_pod(pod, cluster.hash));
        census
    }
    /// Notes what a step did.
    pub fn note(&mut self, happening: &Happening) {
        let cluster = happening.cluster;
        happening.changes.iter().for_each(|change| self.change(change, cluster));
        match &*happening.record.step {
            Step::Fault(fault) => {
                let row = fault.row();
                if let Some(name) = row.target.node().filter(|_| row.interrupts) {
                    self.find_truth(name, cluster);
                }
            }
            Step::Wake(Process::Kubelet(n), Timer::Start) => {
                if let Some(process) = cluster.nodes.get(*n as usize) {
                    self.find_truth(&process.name, cluster);
                }
            }
            _ => {}
        }
    }
    /// A node by its place.
    pub fn node_pods(&self, slot: u32) -> Option<&Arc<NodePods>> {
        self.all_node_pods.get(&slot)
    }
    /// The place of a node.
    pub fn slot(&self, name: &str) -> Option<u32> {
        self.slots.get(name).copied()
    }
    /// All nodes with their places, in the order in which they joined.
    pub fn all_node_pods(&self) -> impl Iterator<Item = (u32, &Arc<NodePods>)> {
        self.all_node_pods.iter().map(|(slot, node_pods)| (*slot, node_pods))
    }
    /// The places of the nodes with pods of one health.
    pub fn having(&self, health: Health) -> &OrdSet<u32> {
        &self.having[health as usize]
    }
    /// Nodes that do not run as they should.
    pub fn silent(&self) -> impl Iterator<Item = &Arc<NodePods>> {
        self.silent.iter().filter_map(|slot| self.all_node_pods.get(slot))
    }
    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.all_node_pods.len()
    }
    /// All pods, counted.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
    /// Pods without a node, oldest first.
    pub fn tray(&self) -> &OrdMap<Uid, Resident> {
        &self.tray
    }
    /// The moment of the last change.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }
    /// How far the log goes.
    pub fn mark(&self) -> Mark {
        Mark { read: self.forgotten + self.log.len() as u64, stamp: self.log.last().map_or(0, |(stamp, _)| *stamp), roster: self.roster }
    }
    /// Which nodes have changed since; `None` if that cannot be told: after a look back, when nodes came or went, or when it is too long ago.
    pub fn since(&self, mark: Mark) -> Option<impl Iterator<Item = u32> + '_> {
        let at = mark.read.checked_sub(self.forgotten)? as usize;
        let same = match at.checked_sub(1) {
            Some(before) => self.log.get(before)?.0 == mark.stamp,
            None => mark.read == 0 && mark.stamp == 0,
        };
        (same && mark.roster == self.roster).then(|| self.log.iter_from(at).map(|(_, slot)| *slot))
    }
    fn change(&mut self, change: &Change, cluster: &Cluster) {
        let gone = change.type_ == WatchType::Deleted;
        match change.object.kind() {
            Kind::POD => {
                if let Some(old) = &change.old {
                    // A pod that stays where it is only takes its own place again.
                    let stays = !gone && old.pod().map(|p| &p.node) == change.object.pod().map(|p| &p.node);
                    self.take_pod(old, !stays, cluster.hash);
                }
                if !gone {
                    self.put_pod(&change.object, cluster.hash);
                }
            }
            Kind::NODE if gone => self.take_node(&change.object, cluster.hash),
            Kind::NODE => self.put_node(&change.object, cluster, cluster.hash),
            _ => {}
        }
    }
    fn put_pod(&mut self, object: &Arc<Object>, stamp: u64) {
        let Some(pod) = object.pod() else { return };
        let resident = Resident { object: object.clone(), health: health(object, pod) };
        self.counts.add(&resident);
        self.stamp = stamp;
        if pod.node.is_empty() {
            self.tray.insert(object.meta.uid, resident);
            return;
        }
        let slot = self.slot_of(&pod.node, stamp);
        let Some(node_pods) = self.all_node_pods.get_mut(&slot) else { return };
        let node_pods = Arc::make_mut(node_pods);
        node_pods.counts.add(&resident);
        if !pod.status.phase.is_terminal() {
            node_pods.cpu_milli += pod.spec.requests.cpu_milli;
            node_pods.memory += pod.spec.requests.memory;
        }
        node_pods.stamp = stamp;
        let of = resident.health;
        let first = node_pods.counts.of(of) == 1;
        node_pods.pods.insert(object.meta.uid, resident);
        if first {
            self.having[of as usize].insert(slot);
        }
        self.log(slot, stamp);
    }
    fn take_pod(&mut self, object: &Arc<Object>, leaves: bool, stamp: u64) {
        let Some(pod) = object.pod() else { return };
        self.stamp = stamp;
        let uid = object.meta.uid;
        if pod.node.is_empty() {
            if let Some(resident) = self.tray.get(&uid) {
                self.counts.take(resident);
            }
            if leaves {
                self.tray.remove(&uid);
            }
            return;
        }
        let Some(slot) = self.slot(&pod.node) else { return };
        let Some(node_pods) = self.all_node_pods.get_mut(&slot) else { return };
        let node_pods = Arc::make_mut(node_pods);
        let Some(resident) = node_pods.pods.get(&uid).cloned() else { return };
        self.counts.take(&resident);
        node_pods.counts.take(&resident);
        if !pod.status.phase.is_terminal() {
            node_pods.cpu_milli -= pod.spec.requests.cpu_milli;
            node_pods.memory -= pod.spec.requests.memory;
        }
        node_pods.stamp = stamp;
        let of = resident.health;
        let last = node_pods.counts.of(of) == 0;
        if leaves {
            node_pods.pods.remove(&uid);
        }
        let deserted = node_pods.node.is_none() && node_pods.pods.is_empty();
        if last {
            self.having[of as usize].remove(&slot);
        }
        if leaves {
            self.log(slot, stamp);
        }
        if deserted {
            self.strike_out(slot, stamp);
        }
    }
    fn put_node(&mut self, object: &Arc<Object>, cluster: &Cluster, stamp: u64) {
        let slot = self.slot_of(&object.meta.name, stamp);
        let Some(node_pods) = self.all_node_pods.get_mut(&slot) else { return };
        let node_pods = Arc::make_mut(node_pods);
        let same = node_pods.node.as_ref().and_then(|o| o.node()).zip(object.node()).is_some_and(|(old, new)| looks_the_same(old, new));
        node_pods.node = Some(object.clone());
        if !same {
            node_pods.stamp = stamp;
            self.log(slot, stamp);
        }
        self.find_truth(&object.meta.name, cluster);
    }
    fn take_node(&mut self, object: &Object, stamp: u64) {
        let Some(slot) = self.slot(&object.meta.name) else { return };
        let Some(node_pods) = self.all_node_pods.get_mut(&slot) else { return };
        let node_pods = Arc::make_mut(node_pods);
        node_pods.node = None;
        node_pods.stamp = stamp;
        let deserted = node_pods.pods.is_empty();
        self.log(slot, stamp);
        if deserted {
            self.strike_out(slot, stamp);
        }
    }
    fn strike_out(&mut self, slot: u32, stamp: u64) {
        if let Some(node_pods) = self.all_node_pods.remove(&slot) {
            self.slots.remove(&node_pods.name);
        }
        self.silent.remove(&slot);
        self.roster = stamp;
    }
    /// The place of a node, which gets one if it has none.
    fn slot_of(&mut self, name: &ArcStr, stamp: u64) -> u32 {
        if let Some(slot) = self.slot(name) {
            return slot;
        }
        let slot = self.next_slot;
        self.next_slot += 1;
        self.slots.insert(name.clone(), slot);
        self.all_node_pods.insert(slot, Arc::new(NodePods { name: name.clone(), stamp, ..NodePods::default() }));
        self.roster = stamp;
        slot
    }
    fn find_truth(&mut self, name: &str, cluster: &Cluster) {
        let Some(slot) = self.slot(name) else { return };
        let truth = Truth::of(cluster, name);
        let Some(node_pods) = self.all_node_pods.get_mut(&slot).filter(|node_pods| node_pods.truth != truth) else { return };
        let node_pods = Arc::make_mut(node_pods);
        node_pods.truth = truth;
        node_pods.stamp = cluster.hash;
        match truth {
            Truth::Up => self.silent.remove(&slot),
            _ => self.silent.insert(slot),
        };
        self.log(slot, cluster.hash);
    }
    fn log(&mut self, slot: u32, stamp: u64) {
        self.stamp = stamp;
        self.log.push_back((stamp, slot));
        if self.log.len() > KEPT {
            self.log.drop_front(KEPT / 4);
            self.forgotten += KEPT as u64 / 4;
        }
    }
}

/// Returns whether its controller counts a pod as ready: the one definition for all numbers on the screen.
pub fn is_ready(object: &Object) -> bool {
    object.pod().is_some_and(|p| p.is_active(object.meta.is_deleting()) && p.status.is_ready())
}

/// Returns whether a node that reported again shows no difference. Most reports only say that it is still there.
fn looks_the_same(old: &Node, new: &Node) -> bool {
    old.is_ready() == new.is_ready()
        && old.spec.unschedulable == new.spec.unschedulable
        && old.spec.taints == new.spec.taints
        && old.status.allocatable.pods == new.status.allocatable.pods
        && old.status.allocatable.amounts == new.status.allocatable.amounts
}
