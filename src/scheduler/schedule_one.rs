//! One scheduling cycle: filter nodes, score them, choose one, or give up. Counterpart: `pkg/scheduler/schedule_one.go`.
//!
//! Simplifications: real Kubernetes filters with 16 workers, and of several best nodes takes the one whose worker happened to finish first; here workers finish
//! in the order in which nodes are tried. Nominated pods count for filters that judge a node by itself, not for those that compare nodes.

use super::assessment::{Assessment, Failure};
use super::class::PodClass;
use super::framework::{Handle, NodeView, PluginSet, PostFilterContext, PostFilterResult, Verdict, first_refusal, node_filters};
use super::nominator::Nominations;
use super::plugins::DEFAULT_PROFILE;
use super::snapshot::NodeInfo;
use super::volumes::PodVolumes;
use super::{Decision, Outcome, Scheduler};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::random::Rng;
use crate::api::sorted::SortedMap;
use crate::api::time::Time;
use arcstr::ArcStr;
use std::fmt::Write;
use std::sync::Arc;

/// The result of a search for nodes on which a pod fits.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The positions of the nodes that fit, in the order in which they were found.
    pub feasible: Vec<u32>,
    /// The number of nodes that the search tried.
    pub looked_at: usize,
    /// The positions of nodes that would fit without the pods nominated for them, with the verdicts.
    pub reserved: Vec<(u32, Verdict)>,
}

impl Search {
    /// Returns the verdict on a node, taking into account the pods nominated for it.
    pub fn verdict(&self, assessment: &Assessment, position: usize) -> Verdict {
        let verdict = assessment.verdict(position);
        if !verdict.fits() || self.reserved.is_empty() {
            return verdict;
        }
        self.reserved.iter().find(|(p, _)| *p as usize == position).map_or(verdict, |(_, v)| *v)
    }
    /// Returns whether a node does not fit because of the pods nominated for it.
    fn reserves(&self, position: usize) -> bool {
        self.reserved.iter().any(|(p, _)| *p as usize == position)
    }
}

impl Scheduler {
    /// Runs one scheduling cycle for a pod from [`Scheduler::pop`].
    pub fn schedule_one(&mut self, object: &Arc<Object>, now: Time, rng: &mut Rng) -> Decision {
        let (uid, nodes) = (object.meta.uid, self.snapshot.node_count());
        let (Some(pod), true) = (object.pod(), nodes > 0) else {
            self.queue.fail(uid, now);
            return decision(refusal("no nodes available to schedule pods".to_owned()), nodes, &Search::default());
        };
        let class = self.snapshot.classes.class_of(&object.meta, pod);
        self.cache.refresh(&self.snapshot, &self.listers);
        let mut assessment = self.cache.take(&class, &self.snapshot, &self.listers);
        if let Some(failure) = assessment.failure.clone().filter(|_| self.nominations.is_empty()) {
            self.cache.put_back(assessment, None, &self.listers);
            return self.fail_again(uid, &class, &failure, now, rng);
        }
        let (found, chosen) = self.find_node(&mut assessment, uid);
        let mut unseen = None;
        let mut outcome = match chosen.and_then(|position| self.node_name(position)) {
            Some(node) => {
                // The assessment does not include this pod yet, so `put_back` is told the slot of the pod's node, which has changed.
                unseen = Some(self.snapshot.assume(uid, &class, &node));
                self.nominations.remove(uid);
                self.wake_after_arrival(&class, now);
                Outcome::Placed { node, volumes: PodVolumes::default() }
            }
            None => self.give_up(&mut assessment, uid, &found, now, rng),
        };
        self.cache.put_back(assessment, unseen, &self.listers);
        // The volumes are assumed after the assessment is put back, because it does not include them either.
        if let Outcome::Placed { node, volumes } = &mut outcome {
            *volumes = self.assume_volumes(&class, node);
        }
        decision(outcome, nodes, &found)
    }
    fn node_name(&self, position: u32) -> Option<ArcStr> {
        let info = self.snapshot.node(*self.cache.topology.order.get(position as usize)?)?;
        info.facts.as_ref().map(|f| f.name.clone())
    }
    /// Chooses the volumes that a pod is to use on a node, and assumes them to be bound. Counterpart: Reserve of VolumeBinding.
    fn assume_volumes(&mut self, class: &PodClass, node: &ArcStr) -> PodVolumes {
        let facts = self.snapshot.slot(node).and_then(|slot| self.snapshot.node(slot)?.facts.clone());
        let Some(facts) = facts.filter(|_| !class.claims.is_empty()) else { return PodVolumes::default() };
        let claims = self.listers.volumes.claims_of(class);
        let volumes = self.listers.volumes.find(&claims, &facts).unwrap_or_default();
        self.listers.volumes.assume(&volumes);
        self.listers.selectors_version += u32::from(!volumes.is_empty());
        volumes
    }
    /// Filters and scores nodes for a pod. Returns the search and the position of the chosen node; `None` if none fits.
    fn find_node(&mut self, assessment: &mut Assessment, uid: Uid) -> (Search, Option<u32>) {
        let mut handle = Handle { snapshot: &self.snapshot, topology: &mut self.cache.topology, listers: &self.listers };
        let reserved = reserved_nodes(&assessment.class, uid, &self.nominations, &handle);
        let nominated = self.nominations.get(uid).and_then(|n| handle.topology.position(self.snapshot.slot(&n.node)?));
        if let Some(position) = nominated {
            assessment.prepare(&mut handle);
            assessment.ensure_known(position, &mut handle);
            let found = Search { feasible: vec![position as u32], looked_at: 1, reserved: reserved.clone() };
            if found.verdict(assessment, position).fits() {
                return (found, Some(position as u32));
            }
        }
        let found = search(assessment, &mut handle, self.start, reserved);
        self.start = (self.start + found.looked_at) % self.cache.topology.order.len().max(1);
        let chosen = select_host(assessment, &found.feasible);
        (found, chosen)
    }
    /// Fails a pod with the same result as the last pod of its class, without a search.
    fn fail_again(&mut self, uid: Uid, class: &Arc<PodClass>, failure: &Failure, now: Time, rng: &mut Rng) -> Decision {
        if failure.drew {
            rng.draw();
        }
        self.queue.reject(uid, class, failure.plugins, now);
        let nodes = self.cache.topology.order.len();
        self.start = (self.start + failure.looked_at) % nodes.max(1);
        decision(refusal(failure.message.clone()), nodes, &Search { looked_at: failure.looked_at, ..Search::default() })
    }
    /// Marks a pod that fits on no node as unschedulable, and lets the PostFilter plugins try to make room for it.
    fn give_up(&mut self, assessment: &mut Assessment, uid: Uid, found: &Search, now: Time, rng: &mut Rng) -> Outcome {
        let nodes = self.cache.topology.order.len();
        let class = assessment.class.clone();
        let verdicts = count_verdicts(assessment, found, nodes);
        let mut plugins = PluginSet::default();
        verdicts.keys().filter_map(|v| v.plugin_id()).for_each(|id| plugins.insert(id));
        self.queue.reject(uid, &class, plugins, now);
        let message = match &assessment.pre_filter_refusal {
            Some(reason) => format!("0/{nodes} nodes are available: {reason}."),
            None => {
                let reasons = verdicts.iter().flat_map(|(v, n)| v.reasons(&class.spec).into_iter().map(|r| (r, *n)));
                unavailable_message(nodes, reasons)
            }
        };
        let mut handle = Handle { snapshot: &self.snapshot, topology: &mut self.cache.topology, listers: &self.listers };
        let (nominations, budgets) = (&self.nominations, &*self.budgets);
        let mut context = PostFilterContext { uid, assessment, handle: &mut handle, search: found, nominations, budgets, drew: false, rng };
        let (mut answers, mut keeps) = (Vec::new(), false);
        for post_filter in DEFAULT_PROFILE.iter().filter_map(|enabled| enabled.plugin.post_filter) {
            match post_filter(&mut context) {
                PostFilterResult::Success { position, victims } => {
                    let node = self.node_name(position as u32).unwrap_or_default();
                    let displaced = self.nominations.nominate(uid, &node, &class);
                    return Outcome::Nominated { node, victims, displaced, message };
                }
                PostFilterResult::Unschedulable { message, keeps_nomination } => {
                    answers.push(message);
                    keeps |= keeps_nomination;
                }
            }
        }
        let (message, drew) = (format!("{message} {}", answers.join(", ")), context.drew);
        if self.nominations.is_empty() {
            assessment.failure = Some(Arc::new(Failure { message: message.clone(), plugins, looked_at: found.looked_at, drew }));
        }
        Outcome::Unschedulable { message, clear_nomination: !keeps && self.nominations.remove(uid) }
    }
}

fn refusal(message: String) -> Outcome {
    Outcome::Unschedulable { message, clear_nomination: false }
}

fn decision(outcome: Outcome, nodes: usize, found: &Search) -> Decision {
    Decision { outcome, nodes: nodes as u32, looked_at: found.looked_at as u32, feasible: found.feasible.len() as u32 }
}

/// Returns the number of fitting nodes at which a search among `nodes` ends. Counterpart: `numFeasibleNodesToFind`.
pub fn nodes_to_find(nodes: usize) -> usize {
    const ENOUGH: usize = 100;
    if nodes < ENOUGH {
        return nodes;
    }
    let percent = 50usize.saturating_sub(nodes / 125).max(5);
    (nodes * percent / 100).max(ENOUGH)
}

/// Tries nodes, beginning at position `start` and going round, until enough fit. Counterpart: `findNodesThatFitPod`.
pub fn search(assessment: &mut Assessment, handle: &mut Handle, start: usize, reserved: Vec<(u32, Verdict)>) -> Search {
    let mut found = Search { reserved, ..Search::default() };
    assessment.prepare(handle);
    let named = assessment.named.clone();
    let nodes = named.as_ref().map_or(handle.topology.order.len(), Vec::len);
    let enough = nodes_to_find(nodes);
    found.feasible.reserve(enough);
    let mut next = start % nodes.max(1);
    while found.looked_at < nodes && found.feasible.len() < enough {
        let position = named.as_ref().map_or(next, |n| n[next] as usize);
        next = if next + 1 == nodes { 0 } else { next + 1 };
        assessment.ensure_known(position, handle);
        found.looked_at += 1;
        if assessment.verdict(position).fits() && (found.reserved.is_empty() || !found.reserves(position)) {
            found.feasible.push(position as u32);
        }
    }
    found
}

/// Returns the nodes that do not fit if the pods nominated for them, of the same priority or higher, are taken into account.
pub fn reserved_nodes(class: &PodClass, uid: Uid, nominations: &Nominations, handle: &Handle) -> Vec<(u32, Verdict)> {
    let mut nodes: SortedMap<u32, NodeInfo> = SortedMap::new();
    for (other, nomination) in nominations.iter().filter(|(u, n)| *u != uid && n.class.spec.priority >= class.spec.priority) {
        let Some(slot) = handle.snapshot.slot(&nomination.node) else { continue };
        let (Some(position), Some(info)) = (handle.topology.position(slot), handle.snapshot.node(slot)) else { continue };
        nodes.or_insert_with(position as u32, || (**info).clone()).put(other, &nomination.class, false);
    }
    let node_count = handle.topology.order.len();
    let verdict = |info: &NodeInfo| {
        let facts = info.facts.as_deref()?;
        Some(first_refusal(node_filters(), class, &NodeView { facts, info, node_count }))
    };
    nodes.iter().filter_map(|(position, info)| Some((*position, verdict(info).filter(|v| !v.fits())?))).collect()
}

/// Returns the fitting node with the best score, the first of them if there are several. A single fitting node needs no scores. Counterpart: `prioritizeNodes`
/// and `selectHost`.
fn select_host(assessment: &Assessment, feasible: &[u32]) -> Option<u32> {
    if feasible.len() < 2 {
        return feasible.first().copied();
    }
    let (mut best, mut chosen) = (i64::MIN, None);
    for (total, position) in assessment.totals(feasible).into_iter().zip(feasible) {
        if total > best {
            (best, chosen) = (total, Some(*position));
        }
    }
    chosen
}

/// Counts the nodes by verdict. Every node must be assessed, unless a PreFilter plugin excluded it.
fn count_verdicts(assessment: &Assessment, found: &Search, nodes: usize) -> SortedMap<Verdict, usize> {
    let mut counts = SortedMap::new();
    // Neighbouring nodes mostly have the same verdict, so equal verdicts in a row are added to the map at once.
    let mut row = (Verdict::Fits, 0);
    let mut add = |verdict, n| {
        if row.0 != verdict {
            *counts.or_default(row.0) += row.1;
            row = (verdict, 0);
        }
        row.1 += n;
    };
    match &assessment.named {
        Some(named) => {
            named.iter().for_each(|p| add(found.verdict(assessment, *p as usize), 1));
            add(assessment.excluded(), nodes - named.len());
        }
        None => (0..nodes).for_each(|p| add(found.verdict(assessment, p), 1)),
    }
    add(Verdict::Fits, 0);
    counts.retain(|_, n| *n > 0);
    counts
}

/// Returns a message like `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` Counterpart: `FitError.Error`.
pub fn unavailable_message(nodes: usize, reasons: impl Iterator<Item = (ArcStr, usize)>) -> String {
    let mut counts: SortedMap<ArcStr, usize> = SortedMap::new();
    for (reason, n) in reasons {
        *counts.or_default(reason) += n;
    }
    let mut parts: Vec<String> = counts.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
    parts.order();
    let mut message = format!("0/{nodes} nodes are available:");
    if !parts.is_empty() {
        let _ = write!(message, " {}.", parts.join(", "));
    }
    message
}
