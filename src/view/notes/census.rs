//! All nodes with their pods and the health of each pod, and the pods without a node. The census is updated with every change, so that no view has to read the
//! whole cluster, and has a log of the nodes that changed, so that a picture can be repainted only where it is out of date.

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

/// The greatest number of entries in the log of changed nodes.
const KEPT: usize = 8_192;

/// All nodes and pods, with their numbers. Each node has a slot: a number that counts up in the order in which nodes joined.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// The nodes by slot, in the order in which they joined.
    all_node_pods: OrdMap<u32, Arc<NodePods>>,
    slots: OrdMap<ArcStr, u32>,
    next_slot: u32,
    /// The pods without a node, oldest first.
    tray: OrdMap<Uid, Resident>,
    /// The numbers of all pods.
    counts: Counts,
    /// For each health, the slots of the nodes that have pods of that health.
    having: [OrdSet<u32>; Health::ALL.len()],
    /// The slots of the nodes whose machine, kubelet or link is broken.
    silent: OrdSet<u32>,
    /// The log of changed nodes: the stamp of the change, and the slot of the node.
    log: Vector<(u64, u32)>,
    /// The number of entries that were dropped from the log.
    forgotten: u64,
    /// The stamp of the last change: the cluster's hash over all steps so far, which identifies the moment even between forks of a run.
    stamp: u64,
    /// The stamp of the moment at which a node was last added or removed.
    roster: u64,
}

/// A node with its pods. If the Node object was deleted, only the pods are left.
#[derive(Clone, Debug, Default)]
pub struct NodePods {
    /// The node's name.
    pub name: ArcStr,
    /// The Node object; `None` if it was deleted while pods are still bound to the node.
    pub node: Option<Arc<Object>>,
    /// The actual state of the machine and its kubelet, of which the API server may not know yet.
    pub truth: Truth,
    /// The pods on the node, oldest first.
    pub pods: OrdMap<Uid, Resident>,
    /// The numbers of the pods on the node.
    pub counts: Counts,
    /// The CPU requests of the pods on the node that have not ended, in millicores.
    pub cpu_milli: i64,
    /// The memory requests of the pods on the node that have not ended, in bytes.
    pub memory: i64,
    /// The stamp of the node's last change. Equal stamps mean equal content, even after going back in time and in another fork of the run.
    pub stamp: u64,
}

/// A pod with its health.
#[derive(Clone, Debug)]
pub struct Resident {
    /// The Pod object.
    pub object: Arc<Object>,
    /// The health of the pod.
    pub health: Health,
}

impl Resident {
    fn is_unplaced(&self) -> bool {
        self.health == Health::Warning && !self.object.meta.is_deleting() && self.object.pod().is_some_and(|pod| pod.node.is_empty())
    }
}

/// Numbers of pods by their health.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of pods of each health, in the order of [`Health::ALL`].
    pub by_health: [usize; Health::ALL.len()],
    /// The number of pods that are ready and not being deleted: those that their controllers count.
    pub ready: usize,
    /// The number of pods that are being deleted.
    pub ending: usize,
    /// The number of pods for which the scheduler has found no node.
    pub unplaced: usize,
}

impl Counts {
    /// Returns the number of pods with this health.
    pub fn of(&self, health: Health) -> usize {
        self.by_health[health as usize]
    }
    /// Returns the meaning of a health for those of these pods that have it, in a few words: `ending or without a node`.
    pub fn word(&self, health: Health) -> String {
        let beyond = self.of(health).saturating_sub(self.ending + self.unplaced);
        let meanings = [(self.ending, "ending"), (beyond, "out of reach"), (self.unplaced, "without a node")];
        let words: Vec<&str> = meanings.iter().filter(|(count, _)| *count > 0).map(|(_, word)| *word).collect();
        if health == Health::Warning && !words.is_empty() { words.join(" or ") } else { health.word().to_owned() }
    }
    /// Returns the number of all pods.
    pub fn total(&self) -> usize {
        self.by_health.iter().sum()
    }
    fn add(&mut self, resident: &Resident) {
        self.by_health[resident.health as usize] += 1;
        self.ready += usize::from(is_ready(&resident.object));
        self.ending += usize::from(resident.object.meta.is_deleting());
        self.unplaced += usize::from(resident.is_unplaced());
    }
    fn take(&mut self, resident: &Resident) {
        self.by_health[resident.health as usize] -= 1;
        self.ready -= usize::from(is_ready(&resident.object));
        self.ending -= usize::from(resident.object.meta.is_deleting());
        self.unplaced -= usize::from(resident.is_unplaced());
    }
}

/// The actual state of a node's machine and kubelet, whether or not the API server knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Truth {
    /// Machine, kubelet and link work.
    #[default]
    Up,
    /// The machine has no power.
    NoPower,
    /// The machine is frozen: its processes stand still.
    Frozen,
    /// The kubelet's process has ended.
    KubeletDown,
    /// The kubelet's link to the API server is cut.
    CutOff,
}

impl Truth {
    /// Returns the state in a few words; empty for `Up`.
    pub fn words(self) -> &'static str {
        match self {
            Truth::Up => "",
            Truth::NoPower => "no power",
            Truth::Frozen => "frozen",
            Truth::KubeletDown => "kubelet down",
            Truth::CutOff => "cut off",
        }
    }
    /// Returns the actual state of a node; `Up` if the cluster has no machine of this name.
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

/// A position in the log of changed nodes, up to which somebody has read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    read: u64,
    stamp: u64,
    roster: u64,
}

impl Census {
    /// Creates the census of a cluster from the nodes and pods in its store.
    pub fn new(cluster: &Cluster) -> Census {
        let mut census = Census::default();
        let mut nodes: Vec<&Arc<Object>> = cluster.api.store.all(Kind::NODE).collect();
        nodes.order_by_key(|o| o.meta.uid);
        nodes.into_iter().for_each(|node| census.put_node(node, cluster, cluster.hash));
        cluster.api.store.all(Kind::POD).for_each(|pod| census.put_pod(pod, cluster.hash));
        census
    }
    /// Notes the changes to nodes and pods that a step made.
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
    /// Returns the node in a slot.
    pub fn node_pods(&self, slot: u32) -> Option<&Arc<NodePods>> {
        self.all_node_pods.get(&slot)
    }
    /// Returns the slot of a node.
    pub fn slot(&self, name: &str) -> Option<u32> {
        self.slots.get(name).copied()
    }
    /// Returns all nodes with their slots, in the order in which they joined.
    pub fn all_node_pods(&self) -> impl Iterator<Item = (u32, &Arc<NodePods>)> {
        self.all_node_pods.iter().map(|(slot, node_pods)| (*slot, node_pods))
    }
    /// Returns the slots of the nodes that have pods of one health.
    pub fn having(&self, health: Health) -> &OrdSet<u32> {
        &self.having[health as usize]
    }
    /// Returns the nodes whose machine, kubelet or link is broken.
    pub fn silent(&self) -> impl Iterator<Item = &Arc<NodePods>> {
        self.silent.iter().filter_map(|slot| self.all_node_pods.get(slot))
    }
    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.all_node_pods.len()
    }
    /// Returns the numbers of all pods.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
    /// Returns the pods without a node, oldest first.
    pub fn tray(&self) -> &OrdMap<Uid, Resident> {
        &self.tray
    }
    /// Returns the stamp of the last change.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }
    /// Returns the position at the end of the log.
    pub fn mark(&self) -> Mark {
        Mark { read: self.forgotten + self.log.len() as u64, stamp: self.log.last().map_or(0, |(stamp, _)| *stamp), roster: self.roster }
    }
    /// Returns the slots of the nodes that have changed since a position in the log; `None` if the log cannot tell: after going back in time, after a node was
    /// added or removed, or if the entries were dropped.
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
                    // A pod that stays on its node is not removed; the new version replaces the old one.
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
    /// Returns the slot of a node, and assigns one if the node has none.
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

/// Returns whether the controller of a pod counts it as ready; all numbers on the screen use this definition.
pub fn is_ready(object: &Object) -> bool {
    object.pod().is_some_and(|p| p.is_active(object.meta.is_deleting()) && p.status.is_ready())
}

/// Returns whether a node looks the same after an update. Most updates of a node only report that it is still there.
fn looks_the_same(old: &Node, new: &Node) -> bool {
    old.is_ready() == new.is_ready()
        && old.spec.unschedulable == new.spec.unschedulable
        && old.spec.taints == new.spec.taints
        && old.status.allocatable.pods == new.status.allocatable.pods
        && old.status.allocatable.amounts == new.status.allocatable.amounts
}
