//! The contract between the scheduling cycle and its plugins. Counterpart: `pkg/scheduler/framework` (`interface.go`, `types.go`).
//!
//! A [`Plugin`] is a value with a name and one field per extension point. Plugins live in `plugins`, one file each, and the profile there enables
//! them. Real Kubernetes runs PreFilter, Filter and Score for every pod. Here their results are kept per class of pods (see `assessment`), and computed
//! again only for nodes that changed. Therefore Filter and Score come in two forms:
//!
//! - A plugin that judges each node by itself sets [`Plugin::filter`] and [`Plugin::score`]: functions of the class and one node.
//! - A plugin that compares nodes or counts pods across them sets [`Plugin::cycle_state`]: a value that is told of every node and then asked.
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
    /// Its name in the scheduler's configuration.
    pub name: &'static str,
    /// QueueSort: the rank of a pod in the active queue; lower ranks are scheduled first.
    pub queue_sort: Option<fn(&Object) -> i64>,
    /// PreEnqueue: returns `false` for a pod that must not enter the queue yet.
    pub pre_enqueue: Option<fn(&PodSpec) -> bool>,
    /// EventsToRegister: the events after which a pod that this plugin refused may fit.
    pub events_to_register: &'static [ClusterEventWithHint],
    /// PreFilter: says which nodes come into question at all.
    pub pre_filter: Option<fn(&PodClass, &Listers) -> PreFilterResult>,
    /// PreFilter and PreScore: makes the state with which this plugin filters and scores across nodes.
    pub cycle_state: Option<NewCycleState>,
    /// Filter: judges one node by itself.
    pub filter: Option<NodeFilter>,
    /// Returns the reasons behind the number in a [`Status`], in kube-scheduler's words.
    pub reasons: fn(u16, &PodSpec) -> Vec<ArcStr>,
    /// PostFilter: tries to make room for a pod that fits on no node.
    pub post_filter: Option<fn(&mut PostFilterContext) -> PostFilterResult>,
    /// Score: rates one node by itself, from 0 to 100 unless [`Plugin::normalize_score`] is set.
    pub score: Option<fn(&PodClass, &NodeView) -> i64>,
    /// NormalizeScore: brings the scores of all nodes that fit to 0..100. Nodes with equal scores keep equal scores.
    pub normalize_score: Option<fn(&mut [i64])>,
    /// Bind: makes the request that puts a pod on a node.
    pub bind: Option<fn(&Object, &ArcStr) -> Request>,
}

/// A Filter that judges one node by itself.
pub type NodeFilter = fn(&PodClass, &NodeView) -> Status;

/// Makes the state with which a plugin filters and scores pods of a class across nodes.
pub type NewCycleState = fn(&Arc<PodClass>, &mut Handle) -> Box<dyn CycleState>;

impl Plugin {
    /// A plugin that takes part in nothing, as the base of every other.
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
    /// Enables the plugin in a profile, without a score.
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

/// A line of a profile. Counterpart: `PluginSet.Enabled` in KubeSchedulerConfiguration.
#[derive(Clone, Copy, Debug)]
pub struct Enabled {
    /// The plugin.
    pub plugin: &'static Plugin,
    /// The factor of its scores in the sum; 0 if it does not score.
    pub weight: i64,
}

/// The plugins that score, in the order of [`super::NodeReport::scores`].
pub fn scoring_plugins() -> impl Iterator<Item = &'static Enabled> {
    DEFAULT_PROFILE.iter().filter(|enabled| enabled.weight > 0)
}

/// The place of a plugin in the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PluginId(pub u8);

impl PluginId {
    /// The plugin in this place.
    pub fn plugin(self) -> &'static Plugin {
        DEFAULT_PROFILE[self.0 as usize].plugin
    }
}

/// A set of plugins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PluginSet(u32);

const _: () = assert!(DEFAULT_PROFILE.len() <= u32::BITS as usize, "a PluginSet has one bit per plugin");

impl PluginSet {
    /// The plugins that registered for an event.
    pub fn registered_for(event: ClusterEvent) -> PluginSet {
        let registered = |(_, e): &(usize, &Enabled)| e.plugin.events_to_register.iter().any(|r| r.event == event);
        PluginSet(DEFAULT_PROFILE.iter().enumerate().filter(registered).fold(0, |set, (i, _)| set | 1 << i))
    }
    /// Adds a plugin.
    pub fn insert(&mut self, id: PluginId) {
        self.0 |= 1 << id.0;
    }
    /// Returns whether the sets share a plugin.
    pub fn intersects(self, other: PluginSet) -> bool {
        self.0 & other.0 != 0
    }
    /// The plugins of the set.
    pub fn iter(self) -> impl Iterator<Item = &'static Plugin> {
        DEFAULT_PROFILE.iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, enabled)| enabled.plugin)
    }
    /// The next set in their order, by which the queue goes through the sets that occur.
    pub fn successor(self) -> Option<PluginSet> {
        self.0.checked_add(1).map(PluginSet)
    }
}

/// A change in the cluster that may make a pod fit. Counterpart: `framework.ClusterEvent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterEvent {
    /// A node appeared.
    NodeAdd,
    /// A node is gone.
    NodeDelete,
    /// A node's labels changed.
    UpdateNodeLabel,
    /// A node's taints changed.
    UpdateNodeTaint,
    /// A node is no longer cordoned.
    UpdateNodeUnschedulable,
    /// A node has more of a resource.
    UpdateNodeAllocatable,
    /// A pod arrived on a node, or was assumed to.
    AssignedPodAdd,
    /// A pod left its node.
    AssignedPodDelete,
    /// A namespace appeared or its labels changed.
    NamespaceUpdate,
    /// A claim appeared or changed.
    ClaimChange,
    /// A volume appeared or changed.
    VolumeChange,
    /// A storage class appeared or changed.
    StorageClassChange,
}

/// An event with the test that decides whether a refused pod is tried again. Counterpart: `framework.ClusterEventWithHint`.
#[derive(Debug)]
pub struct ClusterEventWithHint {
    /// The event.
    pub event: ClusterEvent,
    /// QueueingHint, for events about assigned pods: returns `true` if the change may help. Without a hint the pod is always tried again.
    pub hint: Option<QueueingHint>,
}

/// Decides whether the arrival or the departure of a pod may help another: the class that waits, the class of the pod that came or went.
pub type QueueingHint = fn(&PodClass, &PodClass, &Listers) -> bool;

impl ClusterEvent {
    /// Registers for the event without a hint.
    pub const fn always(self) -> ClusterEventWithHint {
        ClusterEventWithHint { event: self, hint: None }
    }
    /// Registers for the event with a hint.
    pub const fn if_hinted(self, hint: QueueingHint) -> ClusterEventWithHint {
        ClusterEventWithHint { event: self, hint: Some(hint) }
    }
}

/// A plugin's answer about one node. Counterpart: `framework.Status`.
///
/// The number stands for the reasons; [`Plugin::reasons`] puts it into words when somebody reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The pod may run there.
    Success,
    /// The pod does not fit now; removing other pods could help.
    Unschedulable(u16),
    /// The pod does not fit, whatever other pods are removed.
    UnschedulableAndUnresolvable(u16),
}

/// The answer of all filters about one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The pod may run there.
    #[default]
    Fits,
    /// PreFilter named other nodes, so that no filter looked at this one.
    Excluded(PluginId),
    /// A filter refused the node.
    Refused(PluginId, Status),
}

impl Verdict {
    /// Returns whether the pod may run there.
    #[inline(always)]
    pub fn fits(self) -> bool {
        matches!(self, Verdict::Fits)
    }
    /// The place of the plugin that refused the node.
    pub fn plugin_id(self) -> Option<PluginId> {
        match self {
            Verdict::Fits => None,
            Verdict::Excluded(id) | Verdict::Refused(id, _) => Some(id),
        }
    }
    /// The plugin that refused the node.
    pub fn plugin(self) -> Option<&'static Plugin> {
        self.plugin_id().map(PluginId::plugin)
    }
    /// Returns whether removing pods from the node could change the verdict.
    pub fn preemption_may_help(self) -> bool {
        matches!(self, Verdict::Refused(_, Status::Unschedulable(_)))
    }
    /// The reasons in kube-scheduler's words.
    pub fn reasons(self, spec: &PodSpec) -> Vec<ArcStr> {
        match self {
            Verdict::Fits | Verdict::Refused(_, Status::Success) => Vec::new(),
            Verdict::Excluded(id) => vec![format!("node(s) didn't satisfy plugin(s) [{}]", id.plugin().name).into()],
            Verdict::Refused(id, Status::Unschedulable(n) | Status::UnschedulableAndUnresolvable(n)) => (id.plugin().reasons)(n, spec),
        }
    }
}

/// Runs filters that judge a node by itself, in their order, up to the first refusal.
pub fn first_refusal(filters: impl Iterator<Item = (PluginId, NodeFilter)>, class: &PodClass, node: &NodeView) -> Verdict {
    for (id, filter) in filters {
        match filter(class, node) {
            Status::Success => {}
            refusal => return Verdict::Refused(id, refusal),
        }
    }
    Verdict::Fits
}

/// The filters of the profile that judge a node by itself.
pub fn node_filters() -> impl Iterator<Item = (PluginId, NodeFilter)> {
    DEFAULT_PROFILE.iter().enumerate().filter_map(|(i, enabled)| Some((PluginId(i as u8), enabled.plugin.filter?)))
}

/// The answer of PreFilter. Counterpart: `framework.PreFilterResult` and its status.
#[derive(Clone, Debug, PartialEq)]
pub enum PreFilterResult {
    /// The filter is to be run on every node.
    AllNodes,
    /// The filter would accept every node, so it is not run for this class.
    Skip,
    /// Only these nodes come into question.
    NodeNames(Vec<ArcStr>),
    /// No node comes into question, with the reason.
    Unschedulable(ArcStr),
}

/// One node as a plugin sees it.
#[derive(Clone, Copy, Debug)]
pub struct NodeView<'a> {
    /// What the node object says.
    pub facts: &'a NodeFacts,
    /// The pods on it, and sums over them.
    pub info: &'a NodeInfo,
    /// The number of nodes in the cluster.
    pub node_count: usize,
}

/// Gives plugins access to the cluster. Counterpart: `framework.Handle`.
#[derive(Debug)]
pub struct Handle<'a> {
    /// Nodes and the pods on them.
    pub snapshot: &'a Snapshot,
    /// The order of nodes and their topology domains.
    pub topology: &'a mut Topology,
    /// Services, ReplicaSets and namespaces.
    pub listers: &'a Listers,
}

impl<'a> Handle<'a> {
    /// The node at a position of the order.
    pub fn node(&self, position: usize) -> Option<&'a Arc<NodeInfo>> {
        self.snapshot.node(*self.topology.order.get(position)?)
    }
}

/// What a plugin keeps about all nodes for one class of pods. Counterpart: the data that PreFilter and PreScore leave in `CycleState`, with
/// `PreFilterExtensions` to keep it in step.
///
/// Nodes go by their position in [`Topology::order`].
pub trait CycleState: Send + Sync {
    /// Updates what is kept about one node, which `node` shows as it is now or, for preemption, without some of its pods.
    fn node_changed(&mut self, position: usize, node: &NodeView, handle: &mut Handle);
    /// Returns whether verdicts on a node depend on other nodes too, so that all have to go through [`CycleState::node_changed`] first.
    fn needs_every_node(&self, handle: &Handle) -> bool;
    /// Returns whether the listers still hold what they held when this state was made.
    fn is_current(&self, _listers: &Listers) -> bool {
        true
    }
    /// Gets ready for [`CycleState::filter`]. Returns `false` if it would accept every node.
    fn prepare_filter(&mut self) -> bool;
    /// Filter: judges a node with regard to the others.
    fn filter(&self, position: usize) -> Status;
    /// Score: rates the nodes at these positions before NormalizeScore; `None` if the plugin has no preference.
    fn score(&self, feasible: &[u32]) -> Option<Vec<i64>>;
}

/// States differ in everything but what they can do, so there is nothing to print.
impl Debug for dyn CycleState {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("CycleState")
    }
}

/// What PostFilter works with.
#[derive(Debug)]
pub struct PostFilterContext<'a, 'h> {
    /// The pod that fits nowhere.
    pub uid: Uid,
    /// The verdicts on all nodes for the pod's class.
    pub assessment: &'a mut Assessment,
    /// Access to the nodes, their pods, the topology and the listers.
    pub handle: &'a mut Handle<'h>,
    /// The search that found no node.
    pub search: &'a Search,
    /// The pods that are nominated to a node already, because lower-priority pods are being preempted for them.
    pub nominations: &'a Nominations,
    /// The disruption budgets to respect.
    pub budgets: &'a [Budget],
    /// Set once a random number was drawn. The stream must not depend on what is cached, so a failure that is repeated from the cache draws as well.
    pub drew: bool,
    /// The scheduler's random numbers.
    pub rng: &'a mut Rng,
}

impl PostFilterContext<'_, '_> {
    /// Draws a random number below `n`.
    pub fn random_below(&mut self, n: usize) -> usize {
        self.drew = true;
        self.rng.below(n as u64) as usize
    }
}

/// The answer of PostFilter.
#[derive(Clone, Debug, PartialEq)]
pub enum PostFilterResult {
    /// The pod will fit on a node once these pods are gone.
    Success {
        /// The node's position.
        position: usize,
        /// The pods to delete, the most important first.
        victims: Vec<Uid>,
    },
    /// The plugin cannot help.
    Unschedulable {
        /// The reason in kube-scheduler's words.
        message: String,
        /// Set if the pod is to keep the node it was nominated for.
        keeps_nomination: bool,
    },
}

/// NormalizeScore by the greatest score, which becomes 100. Counterpart: `helper.DefaultNormalizeScore` without `reverse`.
pub fn normalize_by_maximum(scores: &mut [i64]) {
    let max = scores.iter().copied().max().unwrap_or(0);
    scores.iter_mut().for_each(|score| *score = if max == 0 { 0 } else { *score * 100 / max });
}

/// NormalizeScore by the greatest score, which becomes 0. Counterpart: `helper.DefaultNormalizeScore` with `reverse`.
pub fn normalize_by_maximum_reversed(scores: &mut [i64]) {
    normalize_by_maximum(scores);
    scores.iter_mut().for_each(|score| *score = 100 - *score);
}
