//! kube-scheduler as data and pure functions.
//!
//! | file | what | counterpart |
//! | --- | --- | --- |
//! | `snapshot` | nodes, pods on them, sums, node order | `backend/cache` |
//! | `class` | pods that cannot be told apart | opportunistic batching's signatures |
//! | `queue` | who is next, who waits, who is woken | `backend/queue` |
//! | `filter`, `spread`, `affinity` | may the pod run there? | Filter plugins |
//! | `score` | how good is the node? | Score plugins |
//! | `standing`, `topology`, `memory` | answers kept per class, in step with the snapshot | PreFilter and PreScore state |
//! | `decide` | one cycle | `schedule_one.go` |
//! | `preempt` | making room | `framework/preemption` |
//! | `recall` | how a decision came about, told afterwards | none |
//!
//! The simulator feeds [`Scheduler::pod_changed`] and its siblings from the informers, pops a pod, asks [`Scheduler::schedule_one`], and sends what the
//! [`Decision`] asks for to the API server.

mod affinity;
mod class;
mod decide;
mod filter;
mod memory;
mod preempt;
mod queue;
mod recall;
mod score;
mod snapshot;
mod spread;
mod standing;
mod surroundings;
mod topology;

pub use class::PodClass;
pub use decide::{Explanation, NodeReport, nodes_to_find};
pub use filter::{Plugin, Verdict};
pub use preempt::Budget;
pub use score::{Scores, WEIGHTS};
pub use snapshot::{NodeInfo, Snapshot};

use crate::api::kind::pod::Pod;
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::time::Time;
use crate::text::Str;
use decide::{Nomination, Nominations, Search};
use memory::Memory;
use preempt::Preemption;
use queue::{Entry, Queue};
use snapshot::{NodeChange, NodeFacts};
use standing::{Failure, Standing, World};
use std::sync::Arc;
use surroundings::Surroundings;

/// The name by which pods ask for this scheduler.
pub const NAME: &str = "default-scheduler";

/// The scheduler's whole state. A copy costs a few pointers.
#[derive(Clone, Debug, Default)]
pub struct Scheduler {
    snapshot: Snapshot,
    queue: Queue,
    around: Surroundings,
    nominations: Nominations,
    budgets: Arc<[Budget]>,
    /// Where the next search begins.
    start: usize,
    memory: Memory,
}

/// What a cycle came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The result.
    pub outcome: Outcome,
    /// How many nodes there were.
    pub nodes: u32,
    /// How many were looked at.
    pub looked_at: u32,
    /// How many of those fit.
    pub feasible: u32,
}

/// The result of a cycle.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The pod goes to a node; it is assumed to be there from now on, and is to be bound.
    Placed {
        /// The node.
        node: Str,
    },
    /// No node fits. The message goes into the PodScheduled condition and the FailedScheduling event.
    Unschedulable {
        /// In the scheduler's words.
        message: String,
        /// Whether a nominated node is to be taken back.
        clear_nomination: bool,
    },
    /// No node fits yet, but one will once these pods are gone: they are to be deleted, and the pod's nominated node set.
    Nominated {
        /// The node.
        node: Str,
        /// Pods to delete, the most important first.
        victims: Vec<Uid>,
        /// In the scheduler's words.
        message: String,
    },
}

impl Scheduler {
    /// The view of nodes and pods.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
    /// How many pods are active, backing off, and waiting for a change.
    pub fn queue_lengths(&self) -> (usize, usize, usize) {
        self.queue.lengths()
    }
    /// When [`Scheduler::pop`] has something to give; a time that has passed means at once.
    pub fn next_wake(&self) -> Option<Time> {
        self.queue.next_wake()
    }
    /// The next pod to schedule.
    pub fn pop(&mut self, now: Time) -> Option<Arc<Object>> {
        self.queue.pop(now)
    }
    /// Sets the disruption budgets that preemption respects.
    pub fn set_budgets(&mut self, budgets: Vec<Budget>) {
        self.budgets = budgets.into();
    }
    /// Forgets what is kept for speed only; decisions stay the same.
    pub fn forget_memory(&mut self) {
        self.memory.forget();
    }

    /// Takes in a change of a Service, ReplicaSet or Namespace.
    pub fn surroundings_changed(&mut self, old: Option<&Object>, new: Option<&Object>, now: Time) {
        let namespace = new.is_some_and(|o| o.namespace().is_some());
        if self.around.changed(old, new) && namespace {
            self.queue.wake(Plugin::InterPodAffinity.bit(), now, |_| true);
        }
    }
    /// Takes in a change of a node.
    pub fn node_changed(&mut self, old: Option<&Object>, new: Option<&Object>, now: Time) {
        if let Some(new) = new {
            let Some((slot, change)) = self.snapshot.set_node(new) else { return };
            self.memory.changed(slot);
            if let Some(facts) = self.snapshot.node(slot).and_then(|i| i.facts.clone()) {
                let plugins = plugins_for(change);
                self.queue.wake(plugins, now, |entry| node_may_help(entry, &facts));
            }
        } else if let Some(slot) = old.and_then(|o| self.snapshot.remove_node(&o.meta.name)) {
            self.memory.changed(slot);
            self.queue.wake(Plugin::PodTopologySpread.bit(), now, |_| true);
        }
    }
    /// Takes in a change of a pod: one that needs a node goes to the queue, one that has a node into the snapshot. Repetition does no harm.
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
    fn pod_gone(&mut self, uid: Uid, now: Time) {
        self.queue.remove(uid);
        self.nominations.remove(&uid);
        if let Some((slot, pod)) = self.snapshot.remove_pod(uid) {
            self.memory.changed(slot);
            self.wake_after_removal(&pod.class, now);
        }
    }
    fn pod_placed(&mut self, object: &Arc<Object>, now: Time) {
        let uid = object.meta.uid;
        if self.queue.entry(uid).is_some() {
            self.queue.remove(uid);
        }
        if !self.nominations.is_empty() {
            self.nominations.remove(&uid);
        }
        let left = self.snapshot.pod(uid).map(|p| p.class.clone());
        let (from, to) = self.snapshot.set_pod(object, false);
        from.into_iter().chain(to).for_each(|slot| self.memory.changed(slot));
        if let (Some(_), Some(class)) = (from, left) {
            self.wake_after_removal(&class, now);
        }
        if let Some(class) = to.and_then(|_| self.snapshot.pod(uid)).map(|p| p.class.clone()) {
            self.wake_after_arrival(&class, now);
        }
    }
    fn pod_unplaced(&mut self, object: &Arc<Object>, pod: &Pod, now: Time) {
        let mine = pod.spec.scheduler_name.is_empty() || pod.spec.scheduler_name == NAME;
        if !mine || object.meta.is_deleting() || pod.spec.gated {
            self.queue.remove(object.meta.uid);
            self.nominations.remove(&object.meta.uid);
            return;
        }
        let nominated = pod.status.nominated_node();
        if !nominated.is_empty() && !self.nominations.contains_key(&object.meta.uid) {
            let class = self.snapshot.classes.class_of(&object.meta, pod);
            self.nominations.insert(object.meta.uid, Nomination { node: nominated.into(), class });
        }
        let tried = self.queue.entry(object.meta.uid).and_then(|e| e.class.clone());
        let changed = tried.is_some_and(|class| !class.covers(&object.meta, pod));
        self.queue.offer(object, changed, now);
    }
    /// Takes back an assumed placement whose binding failed; the pod is tried again after its back-off.
    pub fn bind_failed(&mut self, pod: &Arc<Object>, now: Time) {
        let uid = pod.meta.uid;
        if self.snapshot.pod(uid).is_some_and(|p| p.assumed()) {
            if let Some((slot, gone)) = self.snapshot.remove_pod(uid) {
                self.memory.changed(slot);
                self.wake_after_removal(&gone.class, now);
            }
            self.queue.fail(uid, now);
        }
    }

    /// One cycle for a pod that was popped.
    pub fn schedule_one(&mut self, object: &Arc<Object>, now: Time, rng: &mut Rng) -> Decision {
        let (uid, nodes) = (object.meta.uid, self.snapshot.node_count());
        let (Some(pod), true) = (object.pod(), nodes > 0) else {
            self.queue.fail(uid, now);
            return decision(refusal("no nodes available to schedule pods".to_owned()), nodes, &Search::default());
        };
        let class = self.snapshot.classes.class_of(&object.meta, pod);
        self.memory.refresh(&self.snapshot, &self.around);
        let mut standing = self.memory.take(&class, &self.snapshot, &self.around);
        if let Some(failure) = standing.failure.clone().filter(|_| self.nominations.is_empty()) {
            self.memory.put_back(standing, None, &self.around);
            return self.fail_again(uid, &class, &failure, now, rng);
        }
        let (found, chosen) = self.find(&mut standing, uid);
        let mut unseen = None;
        let outcome = match chosen.and_then(|position| self.name_at(position)) {
            Some(node) => {
                // The standing has not seen the pod yet, so the change goes into the journal after the standing is put back.
                unseen = Some(self.snapshot.assume(uid, &class, &node));
                self.nominations.remove(&uid);
                self.wake_after_arrival(&class, now);
                Outcome::Placed { node }
            }
            None => self.give_up(&mut standing, uid, &found, now, rng),
        };
        self.memory.put_back(standing, unseen, &self.around);
        decision(outcome, nodes, &found)
    }
    /// Tells how a pod would fare now on each node. Asked before [`Scheduler::schedule_one`], it explains that decision.
    pub fn explain(&self, object: &Object) -> Explanation {
        let Some(pod) = object.pod() else { return Explanation::default() };
        let known = self.snapshot.classes.find(&object.meta, pod).cloned();
        let class = known.unwrap_or_else(|| Arc::new(PodClass::of(0, &object.meta, pod)));
        decide::explain(&class, object.meta.uid, &self.snapshot, &self.around, &self.nominations, self.start)
    }

    fn name_at(&self, position: u32) -> Option<Str> {
        let info = self.snapshot.node(*self.memory.layout.order.get(position as usize)?)?;
        info.facts.as_ref().map(|f| f.name.clone())
    }
    fn find(&mut self, standing: &mut Standing, uid: Uid) -> (Search, Option<u32>) {
        let mut world = World { snapshot: &self.snapshot, layout: &mut self.memory.layout, around: &self.around };
        let held =
            if self.nominations.is_empty() { Vec::new() } else { decide::held_nodes(&standing.class, uid, &self.nominations, &world) };
        let nominated = self.nominations.get(&uid).and_then(|n| world.layout.position(self.snapshot.slot(&n.node)?));
        if let Some(position) = nominated {
            standing.prepare(&mut world);
            standing.know(position, &mut world);
            if standing.verdict(position).fits() && !held.iter().any(|(p, _)| *p as usize == position) {
                let feasible = vec![position as u32];
                return (Search { feasible, looked_at: 1, held }, Some(position as u32));
            }
        }
        let found = decide::search(standing, &mut world, self.start, held);
        self.start = (self.start + found.looked_at) % self.memory.layout.order.len().max(1);
        let chosen = decide::choose(standing, &found.feasible);
        (found, chosen)
    }
    fn fail_again(&mut self, uid: Uid, class: &Arc<PodClass>, failure: &Failure, now: Time, rng: &mut Rng) -> Decision {
        if failure.drew {
            rng.draw();
        }
        self.queue.reject(uid, class, failure.plugins, now);
        let nodes = self.memory.layout.order.len();
        self.start = (self.start + failure.looked_at) % nodes.max(1);
        decision(refusal(failure.message.clone()), nodes, &Search { looked_at: failure.looked_at, ..Search::default() })
    }
    fn give_up(&mut self, standing: &mut Standing, uid: Uid, found: &Search, now: Time, rng: &mut Rng) -> Outcome {
        let nodes = self.memory.layout.order.len();
        let class = standing.class.clone();
        let verdicts = decide::count_verdicts(standing, found, nodes);
        let plugins = decide::rejecting_plugins(&verdicts);
        self.queue.reject(uid, &class, plugins, now);
        let conflict = filter::named_nodes(&class.spec).is_some_and(|n| n.is_empty());
        let message = if conflict {
            format!("0/{nodes} nodes are available: pod affinity terms conflict.")
        } else {
            let reasons = verdicts.iter().flat_map(|(v, n)| v.reasons(&class.spec).into_iter().map(|r| (r, *n)));
            decide::unavailable_message(nodes, reasons)
        };
        let (why, keeps, drew) = match self.not_eligible(&class, uid, standing) {
            Some((why, keeps)) => (why.to_owned(), keeps, false),
            None => {
                let mut world = World { snapshot: &self.snapshot, layout: &mut self.memory.layout, around: &self.around };
                match preempt::preempt(standing, &mut world, found, &self.budgets, rng) {
                    Preemption::Possible { position, victims } => {
                        let node = self.name_at(position as u32).unwrap_or_default();
                        self.nominate(uid, &node, &class);
                        return Outcome::Nominated { node, victims, message };
                    }
                    Preemption::Impossible(reasons) => (decide::unavailable_message(nodes, reasons.into_iter()), false, true),
                }
            }
        };
        let message = format!("{message} no new claims to deallocate, preemption: {why}");
        if self.nominations.is_empty() {
            standing.failure = Some(Arc::new(Failure { message: message.clone(), plugins, looked_at: found.looked_at, drew }));
        }
        Outcome::Unschedulable { message, clear_nomination: !keeps && self.nominations.remove(&uid).is_some() }
    }
    /// Why a pod may not preempt others, and whether it keeps its nominated node.
    fn not_eligible(&self, class: &PodClass, uid: Uid, standing: &Standing) -> Option<(&'static str, bool)> {
        if !class.spec.preempts {
            return Some(("not eligible due to preemptionPolicy=Never.", false));
        }
        let slot = self.snapshot.slot(&self.nominations.get(&uid)?.node)?;
        let verdict = standing.verdict(self.memory.layout.position(slot)?);
        let going = |uid: &Uid| self.snapshot.pod(*uid).is_some_and(|p| p.deleting() && p.class.spec.priority < class.spec.priority);
        let wait = (verdict.fits() || verdict.preemption_may_help()) && self.snapshot.node(slot)?.pods.iter().any(going);
        wait.then_some(("not eligible due to a terminating pod on the nominated node.", true))
    }
    /// Gives a node to a pod in waiting; pods of lower priority that waited for the same node lose it.
    fn nominate(&mut self, uid: Uid, node: &Str, class: &Arc<PodClass>) {
        let below = |n: &Nomination| n.node == *node && n.class.spec.priority < class.spec.priority;
        let losers: Vec<Uid> = self.nominations.iter().filter(|(_, n)| below(n)).map(|(u, _)| *u).collect();
        for loser in losers {
            self.nominations.remove(&loser);
        }
        self.nominations.insert(uid, Nomination { node: node.clone(), class: class.clone() });
    }
    fn wake_after_removal(&mut self, gone: &Arc<PodClass>, now: Time) {
        let plugins = Plugin::NodeResourcesFit.bit() | Plugin::NodePorts.bit() | AMONG_PODS;
        let around = &self.around;
        self.queue.wake(plugins, now, |entry| removal_may_help(entry, gone, around));
    }
    fn wake_after_arrival(&mut self, come: &Arc<PodClass>, now: Time) {
        let around = &self.around;
        self.queue.wake(AMONG_PODS, now, |entry| arrival_may_help(entry, come, around));
    }
}

const AMONG_PODS: u16 = 1 << Plugin::PodTopologySpread as u16 | 1 << Plugin::InterPodAffinity as u16;

fn refusal(message: String) -> Outcome {
    Outcome::Unschedulable { message, clear_nomination: false }
}

fn decision(outcome: Outcome, nodes: usize, found: &Search) -> Decision {
    Decision { outcome, nodes: nodes as u32, looked_at: found.looked_at as u32, feasible: found.feasible.len() as u32 }
}

/// The plugins whose refusal a change of a node may undo.
fn plugins_for(change: NodeChange) -> u16 {
    if change.added {
        return u16::MAX;
    }
    let mut plugins = 0;
    let mut when = |yes: bool, list: &[Plugin]| plugins |= if yes { list.iter().fold(0, |set, p| set | p.bit()) } else { 0 };
    when(change.labels, &[Plugin::NodeAffinity, Plugin::PodTopologySpread, Plugin::InterPodAffinity]);
    when(change.taints, &[Plugin::TaintToleration, Plugin::PodTopologySpread]);
    when(change.uncordoned, &[Plugin::NodeUnschedulable]);
    when(change.allocatable, &[Plugin::NodeResourcesFit]);
    plugins
}

/// Whether a pod that waits may have use for a node that changed: nobody who would refuse the empty node does. Counterpart: the queueing hints for Node events.
fn node_may_help(entry: &Entry, facts: &Arc<NodeFacts>) -> bool {
    let Some(class) = &entry.class else { return true };
    let empty = NodeInfo::empty(facts);
    filter::local_verdict(class, &empty).fits()
}

fn pulls_between(entry: &Entry, other: &PodClass, around: &Surroundings) -> Vec<affinity::Pull> {
    entry.class.as_ref().map(|class| affinity::pulls(class, other, around)).unwrap_or_default()
}

fn spread_counts(entry: &Entry, other: &PodClass) -> bool {
    entry.plugins & Plugin::PodTopologySpread.bit() != 0
        && entry.class.as_ref().is_some_and(|class| {
            class.namespace == other.namespace && spread::rules(class, &[]).0.iter().any(|rule| rule.counts(&other.labels))
        })
}

fn removal_may_help(entry: &Entry, gone: &PodClass, around: &Surroundings) -> bool {
    let refused = |p: Plugin| entry.plugins & p.bit() != 0;
    let ports = |class: &PodClass| class.spec.host_ports.iter().any(|(_, _, p)| gone.spec.host_ports.iter().any(|(_, _, g)| g == p));
    refused(Plugin::NodeResourcesFit)
        || refused(Plugin::NodePorts) && entry.class.as_ref().is_none_or(|c| ports(c))
        || spread_counts(entry, gone)
        || refused(Plugin::InterPodAffinity)
            && pulls_between(entry, gone, around).iter().any(|(role, _, _)| matches!(role, affinity::Role::Far | affinity::Role::Unwelcome))
}

fn arrival_may_help(entry: &Entry, come: &PodClass, around: &Surroundings) -> bool {
    spread_counts(entry, come)
        || entry.plugins & Plugin::InterPodAffinity.bit() != 0
            && pulls_between(entry, come, around).iter().any(|(role, _, _)| *role == affinity::Role::Near)
}
