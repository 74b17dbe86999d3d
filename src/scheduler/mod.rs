//! kube-scheduler as data and pure functions.
//!
//! | file | content | counterpart |
//! | --- | --- | --- |
//! | `framework` | the contract between the cycle and its plugins | `framework` |
//! | `plugins` | one file per plugin, and the default profile | `framework/plugins` |
//! | `schedule_one` | one scheduling cycle | `schedule_one.go` |
//! | `snapshot` | nodes, pods on them, sums, node order | `backend/cache` |
//! | `queue`, `nominator` | pods that wait to be scheduled, or for room | `backend/queue` |
//! | `class` | pods that cannot be told apart | the signatures of opportunistic batching |
//! | `assessment`, `assessment_cache` | verdicts and scores kept per class, in step with the snapshot | `framework/runtime`, `CycleState` |
//! | `topology` | the order of nodes, and numbers per topology domain | the node tree |
//! | `listers` | Services, ReplicaSets and namespaces | the informers' listers |
//! | `volumes` | claims, volumes and storage classes | the volume binder |
//! | `explain` | verdicts and scores for people to read | none |
//!
//! The simulator feeds [`Scheduler::pod_changed`] and similar methods from the informers, pops a pod, calls [`Scheduler::schedule_one`], and sends the requests
//! that follow from the [`Decision`] to the API server.

mod assessment;
mod assessment_cache;
mod class;
mod explain;
mod framework;
mod listers;
mod nominator;
mod plugins;
mod queue;
mod schedule_one;
mod snapshot;
mod topology;
mod volumes;

pub use class::PodClass;
pub use explain::{Explanation, NodeReport};
pub use framework::{Enabled, Plugin, Verdict, scoring_plugins};
pub use plugins::default_preemption::Budget;
pub use schedule_one::nodes_to_find;
pub use snapshot::{NodeInfo, Snapshot};
pub use volumes::PodVolumes;

use crate::api::kind::pod::Pod;
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::time::Time;
use arcstr::ArcStr;
use assessment_cache::AssessmentCache;
use framework::{ClusterEvent, NodeView, first_refusal, node_filters};
use listers::Listers;
use nominator::{Nomination, Nominations};
use plugins::DEFAULT_PROFILE;
use queue::{Entry, Queue};
use snapshot::NodeFacts;
use std::sync::Arc;

/// The `schedulerName` of pods that this scheduler handles.
pub const NAME: &str = "default-scheduler";

/// The scheduler's whole state. Cloning it copies a few pointers.
#[derive(Clone, Debug, Default)]
pub struct Scheduler {
    snapshot: Snapshot,
    queue: Queue,
    listers: Listers,
    nominations: Nominations,
    budgets: Arc<[Budget]>,
    /// The position in the order of nodes at which the next search begins.
    start: usize,
    cache: AssessmentCache,
}

/// The scheduler's decision about one pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The result of the scheduling cycle.
    pub outcome: Outcome,
    /// The number of nodes in the cluster.
    pub nodes: u32,
    /// The number of nodes that the search tried.
    pub looked_at: u32,
    /// The number of nodes that fit, among those that the search tried.
    pub feasible: u32,
}

/// The result of a scheduling cycle.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The pod goes to a node. The scheduler assumes it to be there from now on, and the caller must bind it.
    Placed {
        /// The name of the node.
        node: ArcStr,
        /// The volumes that the pod is to use on the node. The caller must write them, and bind the pod once its claims are bound.
        volumes: PodVolumes,
    },
    /// No node fits. The caller writes the message into the PodScheduled condition and the FailedScheduling event.
    Unschedulable {
        /// The reason why no node fits, in kube-scheduler's words.
        message: String,
        /// Set if the caller must clear the pod's nominated node.
        clear_nomination: bool,
    },
    /// No node fits yet, but one will once the victims are gone. The caller must delete these and set the pod's nominated node.
    Nominated {
        /// The name of the node.
        node: ArcStr,
        /// The uids of the pods to delete, the most important first.
        victims: Vec<Uid>,
        /// The uids of pods of lower priority that were nominated for the node and lose it. The caller must clear their nominated node.
        displaced: Vec<Uid>,
        /// The reason why no node fits, in kube-scheduler's words.
        message: String,
    },
}

impl Scheduler {
    /// Returns the nodes and the pods on them.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
    /// Returns the numbers of pods in the queue that are active, that back off, and that are unschedulable until something changes.
    pub fn queue_lengths(&self) -> (usize, usize, usize) {
        self.queue.lengths()
    }
    /// Returns the time from which on [`Scheduler::pop`] returns a pod; a time in the past means now, `None` that no pod waits.
    pub fn next_wake(&self) -> Option<Time> {
        self.queue.next_wake()
    }
    /// Removes the next pod to schedule from the queue and returns it.
    pub fn pop(&mut self, now: Time) -> Option<Arc<Object>> {
        self.queue.pop(now)
    }
    /// Sets the disruption budgets that preemption respects.
    pub fn set_budgets(&mut self, budgets: Vec<Budget>) {
        self.budgets = budgets.into();
    }
    /// Handles a change of a Service, a Namespace, or a workload whose pods are spread by default.
    pub fn related_object_changed(&mut self, old: Option<&Object>, new: Option<&Object>, now: Time) {
        let namespace = new.is_some_and(|o| o.namespace().is_some());
        if self.listers.changed(old, new) && namespace {
            self.queue.wake(ClusterEvent::NamespaceUpdate, now, |_| true);
        }
    }
    /// Handles a change of a PersistentVolumeClaim, a PersistentVolume or a StorageClass.
    pub fn storage_changed(&mut self, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>, now: Time) {
        if !self.listers.volumes.changed(old, new) {
            return;
        }
        self.listers.selectors_version += 1;
        let Some(object) = new else { return };
        if object.persistent_volume_claim().is_some() {
            let uses =
                |class: &PodClass| class.namespace == object.meta.namespace && class.claims.iter().any(|c| c.name == object.meta.name);
            self.queue.wake(ClusterEvent::ClaimChange, now, |entry| entry.class.as_ref().is_none_or(|class| uses(class)));
        } else if object.persistent_volume().is_some() {
            self.queue.wake(ClusterEvent::VolumeChange, now, |_| true);
        } else {
            self.queue.wake(ClusterEvent::StorageClassChange, now, |_| true);
        }
    }
    /// Returns whether all claims that must be bound before a pod is bound are bound.
    pub fn claims_are_bound(&self, volumes: &PodVolumes) -> bool {
        volumes.claims.iter().all(|claim| self.listers.volumes.is_bound(claim))
    }
    /// No longer assumes that these volumes are bound, because binding them or their pod failed.
    pub fn forget_volumes(&mut self, volumes: &PodVolumes) {
        self.listers.volumes.forget(volumes);
        self.listers.selectors_version += u32::from(!volumes.is_empty());
    }
    /// Handles a change of a node.
    pub fn node_changed(&mut self, old: Option<&Object>, new: Option<&Object>, now: Time) {
        if let Some(new) = new {
            let Some((slot, events)) = self.snapshot.set_node(new) else { return };
            self.cache.node_changed(slot);
            if let Some(facts) = self.snapshot.node(slot).and_then(|i| i.facts.clone()) {
                events.into_iter().for_each(|event| self.queue.wake(event, now, |entry| node_may_help(entry, &facts)));
            }
        } else if let Some(slot) = old.and_then(|o| self.snapshot.remove_node(&o.meta.name)) {
            self.cache.node_changed(slot);
            self.queue.wake(ClusterEvent::NodeDelete, now, |_| true);
        }
    }
    /// Handles a change of a pod: a pod that needs a node goes to the queue, one that has a node into the snapshot. Handling the same change twice does no
    /// harm.
    pub fn pod_changed(&mut self, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>, now: Time) {
        let Some((object, pod)) = new.or(old).and_then(|o| Some((o, o.pod()?))) else { return };
        let uid = object.meta.uid;
        if new.is_none() || pod.status.phase.is_terminal() {
            self.pod_gone(uid, now);
        } else if !pod.node.is_empty() {
            self.pod_placed(object, now);
        } else if self.snapshot.pod(uid).is_none() {
            self.pod_unplaced(object, pod, now);
        } else if self.queue.entry(uid).is_some() {
            self.queue.offer(object, false, now);
        }
    }
    /// Forgets a pod that was deleted or has ended.
    fn pod_gone(&mut self, uid: Uid, now: Time) {
        self.queue.remove(uid);
        self.nominations.remove(uid);
        if let Some((slot, pod)) = self.snapshot.remove_pod(uid) {
            self.cache.node_changed(slot);
            self.wake_after_removal(&pod.class, now);
        }
    }
    /// Handles a pod that is bound to a node.
    fn pod_placed(&mut self, object: &Arc<Object>, now: Time) {
        let uid = object.meta.uid;
        if self.queue.entry(uid).is_some() {
            self.queue.remove(uid);
        }
        if !self.nominations.is_empty() {
            self.nominations.remove(uid);
        }
        let before = self.snapshot.pod(uid).map(|p| p.class.clone());
        let (from, to) = self.snapshot.set_pod(object, false);
        from.into_iter().chain(to).for_each(|slot| self.cache.node_changed(slot));
        if let (Some(_), Some(class)) = (from, before) {
            self.wake_after_removal(&class, now);
        }
        if let Some(class) = to.and_then(|_| self.snapshot.pod(uid)).map(|p| p.class.clone()) {
            self.wake_after_arrival(&class, now);
        }
    }
    /// Queues a pod that needs a node, unless it belongs to another scheduler, is being deleted, or is held back by a PreEnqueue plugin.
    fn pod_unplaced(&mut self, object: &Arc<Object>, pod: &Pod, now: Time) {
        let mine = pod.spec.scheduler_name.is_empty() || pod.spec.scheduler_name == NAME;
        let mut pre_enqueue = DEFAULT_PROFILE.iter().filter_map(|enabled| enabled.plugin.pre_enqueue);
        if !mine || object.meta.is_deleting() || !pre_enqueue.all(|may_enter| may_enter(&pod.spec)) {
            self.queue.remove(object.meta.uid);
            self.nominations.remove(object.meta.uid);
            return;
        }
        let nominated = pod.status.nominated_node();
        if !nominated.is_empty() {
            let classes = &mut self.snapshot.classes;
            let nomination = || Nomination { node: nominated.into(), class: classes.class_of(&object.meta, pod) };
            self.nominations.restore(object.meta.uid, nomination);
        }
        let tried = self.queue.entry(object.meta.uid).and_then(|e| e.class.clone());
        let changed = tried.is_some_and(|class| !class.covers(&object.meta, pod));
        self.queue.offer(object, changed, now);
    }
    /// Removes a pod whose binding failed from the node that it was assumed to be on. The pod is tried again after its back-off.
    pub fn bind_failed(&mut self, pod: &Arc<Object>, now: Time) {
        let uid = pod.meta.uid;
        if self.snapshot.pod(uid).is_some_and(|p| p.assumed()) {
            if let Some((slot, gone)) = self.snapshot.remove_pod(uid) {
                self.cache.node_changed(slot);
                self.wake_after_removal(&gone.class, now);
            }
            self.queue.fail(uid, now);
        }
    }

    fn wake_after_removal(&mut self, gone: &Arc<PodClass>, now: Time) {
        self.wake_for_pod(ClusterEvent::AssignedPodDelete, gone, now);
    }
    fn wake_after_arrival(&mut self, arrived: &Arc<PodClass>, now: Time) {
        self.wake_for_pod(ClusterEvent::AssignedPodAdd, arrived, now);
    }
    /// Makes those unschedulable pods active that were refused by a plugin whose queueing hint says that this change of another pod may help.
    fn wake_for_pod(&mut self, event: ClusterEvent, changed: &PodClass, now: Time) {
        let listers = &self.listers;
        self.queue.wake(event, now, |entry| {
            let Some(waiting) = &entry.class else { return true };
            let mut registered = entry.plugins.iter().flat_map(|plugin| plugin.events_to_register).filter(|r| r.event == event);
            registered.any(|r| r.hint.is_none_or(|hint| hint(waiting, changed, listers)))
        });
    }
}

/// Returns the request that binds a pod to a node, made by the first plugin that binds.
pub fn bind(pod: &Object, node: &ArcStr) -> Option<Request> {
    DEFAULT_PROFILE.iter().find_map(|enabled| enabled.plugin.bind).map(|bind| bind(pod, node))
}

/// Returns whether a changed node may help an unschedulable pod: no filter would refuse the node if it were empty. Counterpart: `preCheckForNode`.
fn node_may_help(entry: &Entry, facts: &Arc<NodeFacts>) -> bool {
    let Some(class) = &entry.class else { return true };
    let empty = NodeInfo::empty(facts);
    first_refusal(node_filters(), class, &NodeView { facts, info: &empty, node_count: 1 }).fits()
}
