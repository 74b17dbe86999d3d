//! The contract between the scheduling cycle and its plugins. Counterpart: `pkg/scheduler/framework` (`interface.go`, `types.go`).
//!
//! A [`Plugin`] is a value with a name and one field per extension point. Plugins live in `plugins`, one file each, and the profile there enables
//! them. Real Kubernetes runs PreFilter, Filter and Score for every pod. Here their results are kept per class of pods (see `assessment`), and computed
//! again only for nodes that changed. Therefore Filter and Score come in two forms:
//!
//! - A plugin that judges each node by itself sets [`Plugin::filter`] and [`Plugin::score`]: functions of the class and one node.
//! - A plugin that compares nodes or counts pods across them sets [`Plugin::cycle_state`]: a value that is updated with every node and then filters them.
//!
//! Simplification: of several plugins that exclude a node by PreFilter, only the first is named.

use super::assessment::Assessment;
use super::class::PodClass;
use super::listers::Listers;
use super::nominator::Nominations;
use super::plugins::DEFAULT_PROFILE;
use super::plugins::default_preemption::Budget;
use super::schedule_one::Search;
use super::snapshot::{NodeFacts, NodeInfo, Snapshot};
use super::topology::Topology;
use crate::api::kind::pod::PodSpec;
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::Request;
use arcstr::ArcStr;
use std::fmt::{Debug, Formatter};
use std::sync::Arc;

/// A scheduler plugin: its name and the extension points in which it takes part.
///
/// ```
/// let names: Vec<&str> = loopscope::scheduler::scoring_plugins().map(|enabled| enabled.plugin.name).collect();
/// assert!(names.contains(&"NodeResourcesFit"));
/// ```
#[derive(Debug)]
pub struct Plugin {
    /// The plugin's name in the scheduler's configuration.
    pub name: &'static str,
    /// QueueSort: returns the rank of a pod in the active queue; lower ranks are scheduled first.
    pub queue_sort: Option<fn(&Object) -> i64>,
    /// PreEnqueue: returns `false` for a pod that must not enter the queue yet.
    pub pre_enqueue: Option<fn(&PodSpec) -> bool>,
    /// EventsToRegister: the events after which a pod that this plugin refused may become schedulable.
    pub events_to_register: &'static [ClusterEventWithHint],
    /// PreFilter: returns the nodes on which a pod of the class may run at all.
    pub pre_filter: Option<fn(&PodClass, &Listers) -> PreFilterResult>,
    /// PreFilter and PreScore: creates the state with which this plugin filters and scores across nodes.
    pub cycle_state: Option<NewCycleState>,
    /// Filter: judges one node by itself, without regard to other nodes.
    pub filter: Option<NodeFilter>,
    /// Returns the reasons that the number in a `Status` stands for, in kube-scheduler's words.
    pub reasons: fn(u16, &PodSpec) -> Vec<ArcStr>,
    /// PostFilter: tries to make room for a pod that fits on no node.
    pub post_filter: Option<fn(&mut PostFilterContext) -> PostFilterResult>,
    /// Score: rates one node by itself, from 0 to 100 unless [`Plugin::normalize_score`] is set.
    pub score: Option<fn(&PodClass, &NodeView) -> i64>,
    /// NormalizeScore: brings the scores of all nodes that fit to 0..100. Nodes with equal scores keep equal scores.
    pub normalize_score: Option<fn(&mut [i64])>,
    /// Bind: returns the request that binds a pod to a node.
    pub bind: Option<fn(&Object, &ArcStr) -> Request>,
}

/// A Filter function that judges one node by itself, without regard to other nodes.
pub type NodeFilter = fn(&PodClass, &NodeView) -> Status;

/// Creates the state with which a plugin filters and scores pods of a class across nodes.
pub type NewCycleState = fn(&Arc<PodClass>, &mut Handle) -> Box<dyn CycleState>;

impl Plugin {
    /// Creates a plugin without any extension points, as the base of every other.
    pub const fn named(name: &'static str) -> Plugin {
        Plugin {
            name,
            queue_sort: None,
            pre_enqueue: None,
            events_to_register: &[],
            pre_filter: None,
            cycle_state: None,
            filter: None,
            reasons: no_reasons,
            post_filter: None,
            score: None,
            normalize_score: None,
            bind: None,
        }
    }
    /// Enables the plugin in a profile, for a plugin that does not score.
    pub const fn enabled(&'static self) -> Enabled {
        Enabled { plugin: self, weight: 0 }
    }
    /// Enables the plugin in a profile and multiplies its scores by a weight.
    pub const fn weighted(&'static self, weight: i64) -> Enabled {
        Enabled { plugin: self, weight }
    }
}

fn no_reasons(_: u16, _: &PodSpec) -> Vec<ArcStr> {
    Vec::new()
}

/// An enabled plugin in a profile. Counterpart: `PluginSet.Enabled` in KubeSchedulerConfiguration.
#[derive(Clone, Copy, Debug)]
pub struct Enabled {
    /// The enabled plugin.
    pub plugin: &'static Plugin,
    /// The factor by which the plugin's scores are multiplied in the sum; 0 if it does not score.
    pub weight: i64,
}

/// Returns the plugins that score, in the order of [`super::NodeReport::scores`].
pub fn scoring_plugins() -> impl Iterator<Item = &'static Enabled> {
    DEFAULT_PROFILE.iter().filter(|enabled| enabled.weight > 0)
}

/// The index of a plugin in `DEFAULT_PROFILE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PluginId(pub u8);

impl PluginId {
    /// Returns the plugin with this index.
    pub fn plugin(self) -> &'static Plugin {
        DEFAULT_PROFILE[self.0 as usize].plugin
    }
}

/// A set of plugins of `DEFAULT_PROFILE`, one bit per index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PluginSet(u32);

const _: () = assert!(DEFAULT_PROFILE.len() <= u32::BITS as usize, "a PluginSet has one bit per plugin");

impl PluginSet {
    /// Returns the plugins that list an event in [`Plugin::events_to_register`].
    pub fn registered_for(event: ClusterEvent) -> PluginSet {
        let registered = |(_, e): &(usize, &Enabled)| e.plugin.events_to_register.iter().any(|r| r.event == event);
        PluginSet(DEFAULT_PROFILE.iter().enumerate().filter(registered).fold(0, |set, (i, _)| set | 1 << i))
    }
    /// Adds a plugin to the set.
    pub fn insert(&mut self, id: PluginId) {
        self.0 |= 1 << id.0;
    }
    /// Returns whether the two sets have a plugin in common.
    pub fn intersects(self, other: PluginSet) -> bool {
        self.0 & other.0 != 0
    }
    /// Returns the plugins in the set.
    pub fn iter(self) -> impl Iterator<Item = &'static Plugin> {
        DEFAULT_PROFILE.iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, enabled)| enabled.plugin)
    }
    /// Returns the set that follows this one in the order of sets, from which the queue continues its iteration; `None` after the last.
    pub fn successor(self) -> Option<PluginSet> {
        self.0.checked_add(1).map(PluginSet)
    }
}

/// A change in the cluster that may make an unschedulable pod schedulable. Counterpart: `framework.ClusterEvent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterEvent {
    /// A node was added.
    NodeAdd,
    /// A node was deleted.
    NodeDelete,
    /// A node's labels changed.
    UpdateNodeLabel,
    /// A node's taints changed.
    UpdateNodeTaint,
    /// A node was uncordoned.
    UpdateNodeUnschedulable,
    /// A node's allocatable amount of a resource grew.
    UpdateNodeAllocatable,
    /// A pod was bound to a node, or assumed to be.
    AssignedPodAdd,
    /// A pod left its node, because it was deleted or has ended.
    AssignedPodDelete,
    /// A namespace was added, or its labels changed.
    NamespaceUpdate,
    /// A PersistentVolumeClaim was added or changed.
    ClaimChange,
    /// A PersistentVolume was added or changed.
    VolumeChange,
    /// A StorageClass was added or changed.
    StorageClassChange,
}

/// An event for which a plugin registers, with a test that decides whether a pod that the plugin refused is tried again. Counterpart:
/// `framework.ClusterEventWithHint`.
#[derive(Debug)]
pub struct ClusterEventWithHint {
    /// The event for which the plugin registers.
    pub event: ClusterEvent,
    /// QueueingHint, for events about assigned pods: returns `true` if the change may help the refused pod. Without a hint the pod is always tried again.
    pub hint: Option<QueueingHint>,
}

/// Returns whether a waiting pod (first class) may become schedulable because another pod (second class) arrived on or left a node.
pub type QueueingHint = fn(&PodClass, &PodClass, &Listers) -> bool;

impl ClusterEvent {
    /// Returns an entry of [`Plugin::events_to_register`] for this event without a hint: the event always makes the scheduler try a pod again that the plugin
    /// refused.
    pub const fn always(self) -> ClusterEventWithHint {
        ClusterEventWithHint { event: self, hint: None }
    }
    /// Returns an entry of [`Plugin::events_to_register`] for this event with a hint, which decides whether the scheduler tries a pod again that the plugin
    /// refused.
    pub const fn if_hinted(self, hint: QueueingHint) -> ClusterEventWithHint {
        ClusterEventWithHint { event: self, hint: Some(hint) }
    }
}

/// A plugin's answer about one node. Counterpart: `framework.Status`.
///
/// The number in a refusal stands for its reasons; [`Plugin::reasons`] turns it into messages when they are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The pod may run on the node.
    Success,
    /// The pod does not fit on the node now; removing other pods could help.
    Unschedulable(u16),
    /// The pod does not fit on the node, whichever other pods are removed.
    UnschedulableAndUnresolvable(u16),
}

/// The combined answer of all filters about one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The pod may run on the node.
    #[default]
    Fits,
    /// This PreFilter plugin restricted the pod to other nodes, so no filter was run on this one.
    Excluded(PluginId),
    /// The filter of this plugin refused the node.
    Refused(PluginId, Status),
}

impl Verdict {
    /// Returns whether the pod may run on the node.
    #[inline(always)]
    pub fn fits(self) -> bool {
        matches!(self, Verdict::Fits)
    }
    /// Returns the index of the plugin that refused the node; `None` if the pod may run on it.
    pub fn plugin_id(self) -> Option<PluginId> {
        match self {
            Verdict::Fits => None,
            Verdict::Excluded(id) | Verdict::Refused(id, _) => Some(id),
        }
    }
    /// Returns the plugin that refused the node; `None` if the pod may run on it.
    pub fn plugin(self) -> Option<&'static Plugin> {
        self.plugin_id().map(PluginId::plugin)
    }
    /// Returns whether the pod could run on the node if other pods were removed from the node.
    pub fn preemption_may_help(self) -> bool {
        matches!(self, Verdict::Refused(_, Status::Unschedulable(_)))
    }
    /// Returns the reasons why the node was refused, in kube-scheduler's words; empty if the pod may run on it.
    pub fn reasons(self, spec: &PodSpec) -> Vec<ArcStr> {
        match self {
            Verdict::Fits | Verdict::Refused(_, Status::Success) => Vec::new(),
            Verdict::Excluded(id) => vec![format!("node(s) didn't satisfy plugin(s) [{}]", id.plugin().name).into()],
            Verdict::Refused(id, Status::Unschedulable(n) | Status::UnschedulableAndUnresolvable(n)) => (id.plugin().reasons)(n, spec),
        }
    }
}

/// Runs filters on one node, in their order, up to the first refusal.
pub fn first_refusal(filters: impl Iterator<Item = (PluginId, NodeFilter)>, class: &PodClass, node: &NodeView) -> Verdict {
    for (id, filter) in filters {
        match filter(class, node) {
            Status::Success => {}
            refusal => return Verdict::Refused(id, refusal),
        }
    }
    Verdict::Fits
}

/// Returns the filters of the profile that judge a node by itself.
pub fn node_filters() -> impl Iterator<Item = (PluginId, NodeFilter)> {
    DEFAULT_PROFILE.iter().enumerate().filter_map(|(i, enabled)| Some((PluginId(i as u8), enabled.plugin.filter?)))
}

/// The answer of a PreFilter plugin. Counterpart: `framework.PreFilterResult` and its status.
#[derive(Clone, Debug, PartialEq)]
pub enum PreFilterResult {
    /// The pod may run on any node, as far as the plugin's filter accepts it.
    AllNodes,
    /// The plugin's filter would accept every node, so it is not run for this class.
    Skip,
    /// The pod may run on these nodes only.
    NodeNames(Vec<ArcStr>),
    /// The pod can run on no node, for this reason.
    Unschedulable(ArcStr),
}

/// One node as a plugin's filter and score functions see it.
#[derive(Clone, Copy, Debug)]
pub struct NodeView<'a> {
    /// The parts of the node object that matter for scheduling.
    pub facts: &'a NodeFacts,
    /// The pods on the node, and sums over them.
    pub info: &'a NodeInfo,
    /// The number of nodes in the cluster.
    pub node_count: usize,
}

/// Access to the cluster for plugins. Counterpart: `framework.Handle`.
#[derive(Debug)]
pub struct Handle<'a> {
    /// The nodes and the pods on them.
    pub snapshot: &'a Snapshot,
    /// The order of the nodes, and their topology domains.
    pub topology: &'a mut Topology,
    /// The other objects that plugins read: Services, ReplicaSets, namespaces, volumes and so on.
    pub listers: &'a Listers,
}

impl<'a> Handle<'a> {
    /// Returns the node at a position (its index in [`Topology::order`]).
    pub fn node(&self, position: usize) -> Option<&'a Arc<NodeInfo>> {
        self.snapshot.node(*self.topology.order.get(position)?)
    }
}

/// The state that a plugin keeps about all nodes for one class of pods. Counterpart: the data that PreFilter and PreScore leave in `CycleState`, with
/// `PreFilterExtensions` to update it.
///
/// A node is identified by its position, the index in [`Topology::order`].
pub trait CycleState: Send + Sync {
    /// Updates the state for one node. `node` is the node as it is now or, during preemption, without some of its pods.
    fn node_changed(&mut self, position: usize, node: &NodeView, handle: &mut Handle);
    /// Returns whether the verdict on a node depends on other nodes, too, so that [`CycleState::node_changed`] must be called for all of them first.
    fn needs_every_node(&self, handle: &Handle) -> bool;
    /// Returns whether the listers' data from which this state was made are unchanged.
    fn is_current(&self, _listers: &Listers) -> bool {
        true
    }
    /// Prepares for [`CycleState::filter`]. Returns `false` if that function would accept every node.
    fn prepare_filter(&mut self) -> bool;
    /// Filter: judges a node in relation to the others.
    fn filter(&self, position: usize) -> Status;
    /// Score: returns the scores of the nodes at these positions, before NormalizeScore; `None` if the plugin has no preference.
    fn score(&self, feasible: &[u32]) -> Option<Vec<i64>>;
}

/// Prints only the trait's name, because the states of different plugins have no data in common.
impl Debug for dyn CycleState {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("CycleState")
    }
}

/// The input of PostFilter plugins.
#[derive(Debug)]
pub struct PostFilterContext<'a, 'h> {
    /// The uid of the pod that fits on no node.
    pub uid: Uid,
    /// The verdicts on all nodes for the pod's class. Preemption tries out changes of nodes on it.
    pub assessment: &'a mut Assessment,
    /// Access to the nodes, their pods, the topology and the listers.
    pub handle: &'a mut Handle<'h>,
    /// The search that found no node.
    pub search: &'a Search,
    /// The pods that are already nominated for a node, because lower-priority pods are being preempted for them.
    pub nominations: &'a Nominations,
    /// The disruption budgets that preemption respects.
    pub budgets: &'a [Budget],
    /// Set once the plugin has drawn a random number. A failure that is repeated from the cache draws one as well, so that the stream does not depend on the
    /// cache.
    pub drew: bool,
    /// The scheduler's random number generator.
    pub rng: &'a mut Rng,
}

impl PostFilterContext<'_, '_> {
    /// Draws a random number below `n` from the scheduler's stream.
    pub fn random_below(&mut self, n: usize) -> usize {
        self.drew = true;
        self.rng.below(n as u64) as usize
    }
}

/// The answer of a PostFilter plugin.
#[derive(Clone, Debug, PartialEq)]
pub enum PostFilterResult {
    /// The pod will fit on a node once these pods are gone.
    Success {
        /// The position of the node in [`Topology::order`].
        position: usize,
        /// The uids of the pods to delete, the most important first.
        victims: Vec<Uid>,
    },
    /// The plugin cannot make room for the pod.
    Unschedulable {
        /// The reason in kube-scheduler's words.
        message: String,
        /// Set if the pod keeps the node that it was nominated for.
        keeps_nomination: bool,
    },
}

/// Normalizes scores so that the greatest becomes 100. Counterpart: `helper.DefaultNormalizeScore` without `reverse`.
pub fn normalize_by_maximum(scores: &mut [i64]) {
    let max = scores.iter().copied().max().unwrap_or(0);
    scores.iter_mut().for_each(|score| *score = if max == 0 { 0 } else { *score * 100 / max });
}

/// Normalizes scores so that the greatest becomes 0 and a score of 0 becomes 100. Counterpart: `helper.DefaultNormalizeScore` with `reverse`.
pub fn normalize_by_maximum_reversed(scores: &mut [i64]) {
    normalize_by_maximum(scores);
    scores.iter_mut().for_each(|score| *score = 100 - *score);
}
