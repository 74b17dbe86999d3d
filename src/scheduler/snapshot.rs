//! The scheduler's view of the cluster: nodes, the pods on them, and sums over these. Counterpart: `pkg/scheduler/backend/cache` with its snapshot and node
//! tree.
//!
//! Its maps are persistent, so cloning copies a few pointers. Real Kubernetes updates a snapshot of its cache before each cycle; here the cache itself is the
//! snapshot.

use super::class::{Classes, PodClass};
use super::framework::ClusterEvent;
use crate::api::kind::node::{Node, Taint};
use crate::api::kind::pod::{ConditionStatus, ConditionType, Pod, Resources};
use crate::api::meta::{Meta, StrMap, Uid};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::sorted::SortedMap;
use crate::api::time::Time;
use crate::api::value::Value;
use crate::persistent::{OrdMap, Vector};
use arcstr::ArcStr;
use std::sync::Arc;

/// The parts of a node object that matter for scheduling.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeFacts {
    /// The node's name.
    pub name: ArcStr,
    /// The node's labels.
    pub labels: StrMap,
    /// The node's taints.
    pub taints: Vec<Taint>,
    /// Set if the node is cordoned.
    pub unschedulable: bool,
    /// The node's resources that pods may use.
    pub allocatable: Resources,
    /// The number of pods that may run on the node.
    pub allocatable_pods: i64,
    /// The images on the node with their sizes in bytes, sorted by name.
    pub images: Vec<(ArcStr, i64)>,
    /// The node's region and zone. The order of nodes alternates between zones.
    zone: ArcStr,
}

impl NodeFacts {
    fn of(meta: &Meta, node: &Node) -> NodeFacts {
        let mut images = Vec::new();
        for image in node.status.other.list("images").iter().filter_map(Value::as_map) {
            let size = image.int("sizeBytes").unwrap_or(0);
            images.extend(image.list("names").iter().filter_map(Value::as_str).map(|n| (ArcStr::from(n), size)));
        }
        images.order();
        NodeFacts {
            name: meta.name.clone(),
            labels: meta.labels.clone(),
            taints: node.spec.taints.clone(),
            unschedulable: node.spec.unschedulable,
            allocatable: node.status.allocatable.amounts.clone(),
            allocatable_pods: node.status.allocatable.pods,
            images,
            zone: zone_of(&meta.labels),
        }
    }
}

fn zone_of(labels: &StrMap) -> ArcStr {
    let label = |new: &str, old: &str| labels.get(new).or_else(|| labels.get(old)).cloned().unwrap_or_default();
    let region = label("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region");
    let zone = label("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone");
    if region.is_empty() && zone.is_empty() { ArcStr::default() } else { format!("{region}:\0:{zone}").into() }
}

/// The pods of one class on one node.
#[derive(Clone, Debug)]
pub struct Group {
    /// The class of the pods.
    pub class: Arc<PodClass>,
    /// The number of pods of the class on the node.
    pub count: u32,
    /// The number of these pods that are being deleted.
    pub deleting: u32,
}

/// A node and the pods on it. Counterpart: `framework.NodeInfo`.
#[derive(Clone, Debug, Default)]
pub struct NodeInfo {
    /// The parts of the node object that matter; `None` if pods are bound to the node but its object does not exist.
    pub facts: Option<Arc<NodeFacts>>,
    /// For each image in `facts`, the number of nodes that had it when this node last changed.
    pub image_nodes: Arc<Vec<u32>>,
    /// The uids of the pods on the node.
    pub pods: Vec<Uid>,
    /// The pods on the node, grouped by class.
    pub groups: Vec<Group>,
    /// The sum of the pods' requests.
    pub requested: Resources,
    /// The sum of [`PodClass::nonzero`] over the pods, in milli-CPU and bytes.
    pub nonzero: (i64, i64),
    /// A number that changes with every change of the node or its pods; 0 is never used.
    pub generation: u32,
    /// The number of the node in order of arrival, by which nodes of one zone are sorted.
    arrival: u64,
}

impl NodeInfo {
    /// Returns a node without pods.
    pub fn empty(facts: &Arc<NodeFacts>) -> NodeInfo {
        NodeInfo { facts: Some(facts.clone()), ..NodeInfo::default() }
    }
    /// Adds a pod of a class to the node, and to its sums.
    pub fn put(&mut self, uid: Uid, class: &Arc<PodClass>, deleting: bool) {
        self.pods.push(uid);
        match self.groups.iter_mut().find(|g| g.class.id == class.id) {
            Some(g) => (g.count, g.deleting) = (g.count + 1, g.deleting + u32::from(deleting)),
            None => self.groups.push(Group { class: class.clone(), count: 1, deleting: deleting.into() }),
        }
        self.requested.add(&class.spec.requests);
        self.nonzero = (self.nonzero.0 + class.nonzero.0, self.nonzero.1 + class.nonzero.1);
    }
    /// Removes a pod of a class from the node, and from its sums.
    pub fn take(&mut self, uid: Uid, class: &PodClass, deleting: bool) {
        let Some(i) = self.pods.iter().position(|u| *u == uid) else { return };
        self.pods.remove(i);
        if let Some(i) = self.groups.iter().position(|g| g.class.id == class.id) {
            let g = &mut self.groups[i];
            (g.count, g.deleting) = (g.count - 1, g.deleting - u32::from(deleting));
            if g.count == 0 {
                self.groups.remove(i);
            }
        }
        self.requested.sub(&class.spec.requests);
        self.nonzero = (self.nonzero.0 - class.nonzero.0, self.nonzero.1 - class.nonzero.1);
    }
}

/// A pod on a node, packed into 24 bytes.
#[derive(Clone, Debug)]
pub struct PlacedPod {
    /// The class of the pod.
    pub class: Arc<PodClass>,
    /// The slot of the pod's node, which is the index of the node in the snapshot.
    pub slot: u32,
    start_and_flags: u32,
}

const DELETING: u32 = 1;
const ASSUMED: u32 = 2;
const PREEMPTED: u32 = 4;
const NOT_STARTED: u32 = u32::MAX >> FLAGS;
/// The number of flag bits in `start_and_flags`; the other bits hold the start time.
const FLAGS: u32 = 3;

/// The state of a single pod that its class does not tell.
#[derive(Clone, Copy, Debug, Default)]
struct PodState {
    start: Option<Time>,
    deleting: bool,
    assumed: bool,
    preempted: bool,
}

impl PodState {
    fn of(object: &Object, pod: &Pod, assumed: bool) -> PodState {
        let deleting = object.meta.is_deleting();
        let target = || pod.status.conditions.iter().find(|c| c.type_ == ConditionType::DisruptionTarget);
        let preempted = deleting && target().is_some_and(|c| c.status == ConditionStatus::True && c.reason() == "PreemptionByScheduler");
        PodState { start: pod.status.start_time, deleting, assumed, preempted }
    }
}

impl PlacedPod {
    fn new(class: Arc<PodClass>, slot: u32, state: PodState) -> PlacedPod {
        let seconds = state.start.map_or(NOT_STARTED, |t| t.unix().clamp(EPOCH, EPOCH + i64::from(NOT_STARTED) - 1).abs_diff(EPOCH) as u32);
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let flags = flag(state.deleting, DELETING) | flag(state.assumed, ASSUMED) | flag(state.preempted, PREEMPTED);
        PlacedPod { class, slot, start_and_flags: seconds << FLAGS | flags }
    }
    /// Returns the pod's start time in seconds since 2020; the greatest value for pods that have not started.
    pub fn start(&self) -> u32 {
        self.start_and_flags >> FLAGS
    }
    /// Returns whether the pod is being deleted.
    pub fn deleting(&self) -> bool {
        self.start_and_flags & DELETING != 0
    }
    /// Returns whether the scheduler is deleting the pod to make room for another one.
    pub fn preempted(&self) -> bool {
        self.start_and_flags & PREEMPTED != 0
    }
    /// Returns whether the pod is only assumed to be on the node, because the scheduler has not seen its binding yet.
    pub fn assumed(&self) -> bool {
        self.start_and_flags & ASSUMED != 0
    }
}

/// The first second of 2020, in seconds since 1970, from which start times count; 29 bits of seconds reach the year 2037.
const EPOCH: i64 = 1_577_836_800;

/// Nodes, the pods on them, and the order in which nodes are tried.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    nodes: Vector<Arc<NodeInfo>>,
    slots: OrdMap<ArcStr, u32>,
    free: Vector<u32>,
    pods: OrdMap<Uid, PlacedPod>,
    zones: SortedMap<ArcStr, (u64, u32)>,
    images: OrdMap<ArcStr, u32>,
    /// The classes of all pods.
    pub classes: Classes,
    node_count: u32,
    /// The number of pods on nodes that have inter-pod affinity or anti-affinity terms.
    pub pods_with_terms: u32,
    priorities: SortedMap<i32, u32>,
    arrivals: u64,
    generation: u32,
    /// A version that grows when nodes are added or removed, or when their labels change.
    pub topology_version: u32,
}

impl Snapshot {
    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.node_count as usize
    }
    /// Returns the node in a slot (its index in the snapshot).
    pub fn node(&self, slot: u32) -> Option<&Arc<NodeInfo>> {
        self.nodes.get(slot as usize)
    }
    /// Returns the slot of the node with this name.
    pub fn slot(&self, name: &str) -> Option<u32> {
        self.slots.get(name).copied()
    }
    /// Returns a pod that is on a node; `None` for other pods.
    pub fn pod(&self, uid: Uid) -> Option<&PlacedPod> {
        self.pods.get(&uid)
    }
    /// Returns the number of pods on nodes.
    pub fn pod_count(&self) -> usize {
        self.pods.len()
    }
    /// Returns the lowest priority of all pods on nodes; `None` if there are no pods.
    pub fn lowest_priority(&self) -> Option<i32> {
        self.priorities.keys().next().copied()
    }
    fn count_priority(&mut self, priority: i32, up: bool) {
        let n = self.priorities.get(&priority).copied().unwrap_or(0);
        match if up { n + 1 } else { n.saturating_sub(1) } {
            0 => self.priorities.remove(&priority),
            n => self.priorities.insert(priority, n),
        };
    }
    /// Returns the slots of all nodes in the order in which a search tries them: one of each zone in turn.
    pub fn order(&self) -> Vec<u32> {
        let mut zones: Vec<(u64, &ArcStr)> = self.zones.iter().map(|(zone, (arrival, _))| (*arrival, zone)).collect();
        zones.order();
        let zone_indexes: SortedMap<&ArcStr, usize> = zones.iter().enumerate().map(|(i, (_, zone))| (*zone, i)).collect();
        let mut lists: Vec<Vec<(u64, u32)>> = vec![Vec::new(); zones.len()];
        for (slot, info) in self.nodes.iter().enumerate() {
            let index = info.facts.as_ref().and_then(|f| zone_indexes.get(&f.zone));
            if let Some(i) = index {
                lists[*i].push((info.arrival, slot as u32));
            }
        }
        lists.iter_mut().for_each(|l| l.order());
        let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).flat_map(|i| lists.iter().filter_map(move |l| l.get(i).map(|(_, slot)| *slot))).collect()
    }

    /// Adds or updates a node. Returns its slot and the events that describe the change, or `None` if nothing that matters changed.
    pub fn set_node(&mut self, object: &Object) -> Option<(u32, Vec<ClusterEvent>)> {
        let facts = NodeFacts::of(&object.meta, object.node()?);
        let slot = self.slot_of(&object.meta.name);
        let old = self.nodes.get(slot as usize)?.facts.clone();
        if old.as_deref() == Some(&facts) {
            return None;
        }
        let events = node_events(old.as_deref(), &facts);
        if events.contains(&ClusterEvent::NodeAdd) || events.contains(&ClusterEvent::UpdateNodeLabel) {
            self.topology_version += 1;
        }
        self.leave_zone(old.as_deref().filter(|o| o.zone != facts.zone));
        self.count_images(old.as_deref(), Some(&facts));
        let image_nodes = facts.images.iter().map(|(n, _)| self.images.get(n).copied().unwrap_or(1)).collect();
        let arrival = match &old {
            Some(old) if old.zone == facts.zone => None,
            _ => Some(self.enter_zone(facts.zone.clone())),
        };
        self.node_count += u32::from(old.is_none());
        self.touch(slot, |info| {
            info.facts = Some(Arc::new(facts));
            info.image_nodes = Arc::new(image_nodes);
            info.arrival = arrival.unwrap_or(info.arrival);
        });
        Some((slot, events))
    }
    /// Removes a node and returns its slot. The pods on it stay in the snapshot.
    pub fn remove_node(&mut self, name: &str) -> Option<u32> {
        let slot = self.slot(name)?;
        let facts = self.nodes.get(slot as usize)?.facts.clone()?;
        self.leave_zone(Some(&facts));
        self.count_images(Some(&facts), None);
        self.node_count -= 1;
        self.topology_version += 1;
        self.touch(slot, |info| info.facts = None);
        self.release(slot, name);
        Some(slot)
    }

    /// Adds or updates a pod that has a node. Returns the slot that it left and the slot that changed; both are `None` if nothing changed.
    pub fn set_pod(&mut self, object: &Object, assumed: bool) -> (Option<u32>, Option<u32>) {
        let Some(pod) = object.pod() else { return (None, None) };
        let (meta, state) = (&object.meta, PodState::of(object, pod, assumed));
        if let Some(old) = self.pods.get(&meta.uid) {
            let same_node = self.slots.get(&pod.node) == Some(&old.slot);
            let new = PlacedPod::new(old.class.clone(), old.slot, state);
            if same_node && old.class.covers(meta, pod) {
                if old.start_and_flags != new.start_and_flags {
                    return self.replace_flags(meta.uid, new);
                }
                return (None, None);
            }
        }
        let from = self.remove_pod(meta.uid).map(|(slot, _)| slot);
        let class = self.classes.class_of(meta, pod);
        (from, Some(self.place(meta.uid, class, &pod.node, state)))
    }
    /// Puts a pod on a node before it is bound. Returns the node's slot.
    pub fn assume(&mut self, uid: Uid, class: &Arc<PodClass>, node: &ArcStr) -> u32 {
        self.remove_pod(uid);
        self.place(uid, class.clone(), node, PodState { assumed: true, ..PodState::default() })
    }
    /// Removes a pod from its node. Returns the node's slot and the pod.
    pub fn remove_pod(&mut self, uid: Uid) -> Option<(u32, PlacedPod)> {
        let old = self.pods.remove(&uid)?;
        self.pods_with_terms -= u32::from(old.class.has_pod_terms);
        self.count_priority(old.class.spec.priority, false);
        self.touch(old.slot, |info| info.take(uid, &old.class, old.deleting()));
        let gone = self.node(old.slot).filter(|i| i.facts.is_none() && i.pods.is_empty()).is_some();
        if gone {
            let name = self.slots.iter().find(|(_, s)| **s == old.slot).map(|(n, _)| n.clone());
            self.release(old.slot, &name.unwrap_or_default());
        }
        Some((old.slot, old))
    }

    fn place(&mut self, uid: Uid, class: Arc<PodClass>, node: &ArcStr, state: PodState) -> u32 {
        let slot = self.slot_of(node);
        self.pods_with_terms += u32::from(class.has_pod_terms);
        self.count_priority(class.spec.priority, true);
        self.touch(slot, |info| info.put(uid, &class, state.deleting));
        self.pods.insert(uid, PlacedPod::new(class, slot, state));
        slot
    }
    fn replace_flags(&mut self, uid: Uid, new: PlacedPod) -> (Option<u32>, Option<u32>) {
        let (slot, deleting) = (new.slot, new.deleting());
        let was = self.pods.get(&uid).is_some_and(PlacedPod::deleting);
        let class = new.class.clone();
        self.pods.insert(uid, new);
        if was == deleting {
            return (None, None);
        }
        self.touch(slot, |info| {
            if let Some(g) = info.groups.iter_mut().find(|g| g.class.id == class.id) {
                g.deleting = if deleting { g.deleting + 1 } else { g.deleting - 1 };
            }
        });
        (None, Some(slot))
    }
    fn touch(&mut self, slot: u32, change: impl FnOnce(&mut NodeInfo)) {
        self.generation += 1;
        if let Some(info) = self.nodes.get_mut(slot as usize) {
            let info = Arc::make_mut(info);
            change(info);
            info.generation = self.generation;
        }
    }
    fn slot_of(&mut self, name: &ArcStr) -> u32 {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let slot = self.free.pop_back().unwrap_or_else(|| {
            self.nodes.push_back(Arc::default());
            self.nodes.len() as u32 - 1
        });
        self.slots.insert(name.clone(), slot);
        slot
    }
    fn release(&mut self, slot: u32, name: &str) {
        if self.node(slot).is_some_and(|i| i.facts.is_none() && i.pods.is_empty()) && self.slots.remove(name).is_some() {
            self.free.push_back(slot);
        }
    }
    fn enter_zone(&mut self, zone: ArcStr) -> u64 {
        self.arrivals += 1;
        let (arrival, count) = self.zones.get(&zone).copied().unwrap_or((self.arrivals, 0));
        self.zones.insert(zone, (arrival, count + 1));
        self.arrivals
    }
    fn leave_zone(&mut self, facts: Option<&NodeFacts>) {
        let Some(zone) = facts.map(|f| f.zone.clone()) else { return };
        match self.zones.get(&zone).copied() {
            Some((arrival, count)) if count > 1 => self.zones.insert(zone, (arrival, count - 1)).is_some(),
            _ => self.zones.remove(&zone).is_some(),
        };
    }
    fn count_images(&mut self, old: Option<&NodeFacts>, new: Option<&NodeFacts>) {
        if old.map(|o| &o.images) == new.map(|n| &n.images) {
            return;
        }
        for (name, _) in old.into_iter().flat_map(|o| &o.images) {
            match self.images.get(name).copied() {
                Some(n) if n > 1 => self.images.insert(name.clone(), n - 1),
                _ => self.images.remove(name),
            };
        }
        for (name, _) in new.into_iter().flat_map(|n| &n.images) {
            let n = self.images.get(name).copied().unwrap_or(0);
            self.images.insert(name.clone(), n + 1);
        }
    }
}

/// Returns the events that describe the change of a node. Counterpart: `nodeSchedulingPropertiesChange`.
fn node_events(old: Option<&NodeFacts>, new: &NodeFacts) -> Vec<ClusterEvent> {
    let Some(old) = old else { return vec![ClusterEvent::NodeAdd] };
    let changes = [
        (ClusterEvent::UpdateNodeLabel, old.labels != new.labels),
        (ClusterEvent::UpdateNodeTaint, old.taints != new.taints),
        (ClusterEvent::UpdateNodeUnschedulable, old.unschedulable && !new.unschedulable),
        (ClusterEvent::UpdateNodeAllocatable, grew(old, new)),
    ];
    changes.into_iter().filter(|(_, changed)| *changed).map(|(event, _)| event).collect()
}

/// Returns whether a node has more of any resource than before.
fn grew(old: &NodeFacts, new: &NodeFacts) -> bool {
    let (a, b) = (&old.allocatable, &new.allocatable);
    let amount = |list: &[(ArcStr, i64)], name: &ArcStr| list.iter().find(|(n, _)| n == name).map_or(0, |(_, v)| *v);
    b.cpu_milli > a.cpu_milli
        || b.memory > a.memory
        || b.ephemeral > a.ephemeral
        || new.allocatable_pods > old.allocatable_pods
        || b.other.iter().any(|(name, v)| *v > amount(&a.other, name))
}
