//! Places pods near other pods, or away from them. Counterpart: `pkg/scheduler/framework/plugins/interpodaffinity`.

use crate::api::kind::pod::{PodSpec, PodTerm};
use crate::persistent::OrdMap;
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, CycleState, Handle, NodeView, Plugin, Status};
use crate::scheduler::listers::Listers;
use crate::scheduler::topology::{NO_DOMAIN, Tally};
use arcstr::{ArcStr, literal};
use std::sync::Arc;

/// The plugin InterPodAffinity.
pub static PLUGIN: Plugin = Plugin {
    events_to_register: &[
        ClusterEvent::NodeAdd.always(),
        ClusterEvent::UpdateNodeLabel.always(),
        ClusterEvent::AssignedPodAdd.if_hinted(meets_affinity),
        ClusterEvent::AssignedPodDelete.if_hinted(ends_anti_affinity),
        ClusterEvent::NamespaceUpdate.always(),
    ],
    cycle_state: Some(Affinity::cycle_state),
    reasons,
    normalize_score: Some(normalize_score),
    ..Plugin::named("InterPodAffinity")
};

const AFFINITY_UNMET: u16 = 0;
const ANTI_AFFINITY: u16 = 1;
const EXISTING_ANTI_AFFINITY: u16 = 2;

fn reasons(reason: u16, _: &PodSpec) -> Vec<ArcStr> {
    vec![match reason {
        AFFINITY_UNMET => literal!("node(s) didn't match pod affinity rules"),
        ANTI_AFFINITY => literal!("node(s) didn't match pod anti-affinity rules"),
        _ => literal!("node(s) didn't satisfy existing pods anti-affinity rules"),
    }]
}

fn meets_affinity(waiting: &PodClass, arrived: &PodClass, listers: &Listers) -> bool {
    effects(waiting, arrived, listers).iter().any(|(purpose, ..)| *purpose == Purpose::Affinity)
}

fn ends_anti_affinity(waiting: &PodClass, gone: &PodClass, listers: &Listers) -> bool {
    let anti = |purpose: &Purpose| matches!(purpose, Purpose::AntiAffinity | Purpose::ExistingAntiAffinity);
    effects(waiting, gone, listers).iter().any(|(purpose, ..)| anti(purpose))
}

/// The purpose for which existing pods are counted per topology domain, for a pod that is to be scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Counts existing pods that the pod's required affinity selects.
    Affinity,
    /// Counts existing pods that the pod's required anti-affinity selects.
    AntiAffinity,
    /// Counts existing pods whose own required anti-affinity selects the pod.
    ExistingAntiAffinity,
    /// Sums the weights of preferred terms, negative for anti-affinity.
    Preference,
}

/// The amount that one existing pod of another class adds to a count: the purpose and the topology key of the count, and the amount.
type Effect = (Purpose, ArcStr, i64);

/// The weight in the score of an existing pod's required affinity. Counterpart: `hardPodAffinityWeight`.
const HARD_POD_AFFINITY_WEIGHT: i64 = 1;

/// Returns the amounts that an existing pod of class `other` adds to the counts for a pod of `class`.
fn effects(class: &PodClass, other: &PodClass, listers: &Listers) -> Vec<Effect> {
    let mut all = Vec::new();
    if let Some(own) = &class.spec.affinity {
        let labels = listers.namespace_labels(&other.namespace);
        let selects = |term: &PodTerm| other.is_named_by(term, class, &labels);
        if !own.pod_required.is_empty() && own.pod_required.iter().all(selects) {
            all.extend(own.pod_required.iter().map(|t| (Purpose::Affinity, t.topology_key.clone(), 1)));
        }
        let avoided = own.anti_required.iter().filter(|t| selects(t));
        all.extend(avoided.map(|t| (Purpose::AntiAffinity, t.topology_key.clone(), 1)));
        all.extend(preferences(&own.pod_preferred, &own.anti_preferred, selects));
    }
    if let Some(theirs) = &other.spec.affinity {
        let labels = listers.namespace_labels(&class.namespace);
        let selects = |term: &PodTerm| class.is_named_by(term, other, &labels);
        let avoiding = theirs.anti_required.iter().filter(|t| selects(t));
        all.extend(avoiding.map(|t| (Purpose::ExistingAntiAffinity, t.topology_key.clone(), 1)));
        let required = theirs.pod_required.iter().filter(|t| selects(t));
        all.extend(required.map(|t| (Purpose::Preference, t.topology_key.clone(), HARD_POD_AFFINITY_WEIGHT)));
        all.extend(preferences(&theirs.pod_preferred, &theirs.anti_preferred, selects));
    }
    all
}

/// Returns the weights of those preferred terms that `selects` accepts; `near` are terms of affinity, `far` of anti-affinity.
fn preferences(near: &[(i32, PodTerm)], far: &[(i32, PodTerm)], selects: impl Fn(&PodTerm) -> bool) -> Vec<Effect> {
    let signed = near.iter().map(|term| (1, term)).chain(far.iter().map(|term| (-1, term)));
    let selected = signed.filter(|(_, (_, term))| selects(term));
    selected.map(|(sign, (weight, term))| (Purpose::Preference, term.topology_key.clone(), sign * i64::from(*weight))).collect()
}

/// Returns whether pods of the class meet their own required affinity, so that the first one may go anywhere.
fn meets_itself(class: &PodClass, listers: &Listers) -> bool {
    let labels = listers.namespace_labels(&class.namespace);
    class.spec.affinity.as_ref().is_some_and(|a| a.pod_required.iter().all(|t| class.is_named_by(t, class, &labels)))
}

/// The count for one purpose and topology key, per topology domain.
#[derive(Debug)]
struct Count {
    purpose: Purpose,
    topology_key: ArcStr,
    tally: Tally,
}

/// The counts of existing pods near each node, for pods of one class.
#[derive(Debug)]
struct Affinity {
    class: Arc<PodClass>,
    meets_itself: bool,
    counts: Vec<Count>,
    /// The effect of one pod of each other class of pods, found by the class's [`PodClass::alike`]: the indexes of the counts to which the pod adds, and
    /// the amounts.
    effects: OrdMap<u32, Arc<[(u16, i64)]>>,
    /// The amounts of one node by count, kept to save an allocation.
    sums: Vec<i64>,
}

impl Affinity {
    fn cycle_state(class: &Arc<PodClass>, handle: &mut Handle) -> Box<dyn CycleState> {
        let meets_itself = meets_itself(class, handle.listers);
        let mut state = Affinity { class: class.clone(), meets_itself, counts: Vec::new(), effects: OrdMap::new(), sums: Vec::new() };
        for term in class.spec.affinity.iter().flat_map(|a| &a.pod_required) {
            state.count(Purpose::Affinity, &term.topology_key, handle);
        }
        Box::new(state)
    }
    /// Returns the index of the count for a purpose and topology key, creating it if there is none.
    fn count(&mut self, purpose: Purpose, topology_key: &ArcStr, handle: &mut Handle) -> u16 {
        if let Some(i) = self.counts.iter().position(|c| c.purpose == purpose && c.topology_key == *topology_key) {
            return i as u16;
        }
        let tally = Tally::new(handle.topology.domains(topology_key, handle.snapshot));
        self.counts.push(Count { purpose, topology_key: topology_key.clone(), tally });
        self.counts.len() as u16 - 1
    }
    fn effects_of(&mut self, other: &PodClass, handle: &mut Handle) -> Arc<[(u16, i64)]> {
        if let Some(known) = self.effects.get(&other.alike) {
            return known.clone();
        }
        let all = effects(&self.class, other, handle.listers);
        let all: Arc<[(u16, i64)]> = all.iter().map(|(purpose, key, amount)| (self.count(*purpose, key, handle), *amount)).collect();
        self.effects.insert(other.alike, all.clone());
        all
    }
    fn tallies(&self, purpose: Purpose) -> impl Iterator<Item = &Tally> {
        self.counts.iter().filter(move |c| c.purpose == purpose).map(|c| &c.tally)
    }
}

impl CycleState for Affinity {
    fn node_changed(&mut self, position: usize, node: &NodeView, handle: &mut Handle) {
        if self.counts.is_empty() && !self.needs_every_node(handle) {
            return;
        }
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        let own_terms = self.class.has_pod_terms;
        for group in node.info.groups.iter().filter(|g| own_terms || g.class.has_pod_terms) {
            for (count, amount) in self.effects_of(&group.class, handle).iter() {
                sums.resize(self.counts.len(), 0);
                sums[*count as usize] += amount * i64::from(group.count);
            }
        }
        sums.resize(self.counts.len(), 0);
        for (count, sum) in self.counts.iter_mut().zip(&sums) {
            count.tally.put(position, *sum, true);
        }
        self.sums = sums;
    }
    fn needs_every_node(&self, handle: &Handle) -> bool {
        self.class.has_pod_terms || handle.snapshot.pods_with_terms > 0
    }
    fn prepare_filter(&mut self) -> bool {
        !self.counts.is_empty()
    }
    fn filter(&self, position: usize) -> Status {
        let (mut labelled, mut met, mut anywhere) = (true, true, false);
        for tally in self.tallies(Purpose::Affinity) {
            labelled &= tally.domain(position) != NO_DOMAIN;
            met &= tally.domain_sum(position).is_some_and(|n| n > 0);
            anywhere |= tally.sum > 0;
        }
        let any = |purpose| self.tallies(purpose).any(|t| t.domain_sum(position).is_some_and(|n| n > 0));
        if !labelled || !met && (anywhere || !self.meets_itself) {
            Status::UnschedulableAndUnresolvable(AFFINITY_UNMET)
        } else if any(Purpose::AntiAffinity) {
            Status::Unschedulable(ANTI_AFFINITY)
        } else if any(Purpose::ExistingAntiAffinity) {
            Status::Unschedulable(EXISTING_ANTI_AFFINITY)
        } else {
            Status::Success
        }
    }
    fn score(&self, feasible: &[u32]) -> Option<Vec<i64>> {
        self.tallies(Purpose::Preference).next()?;
        let sum = |p: &u32| self.tallies(Purpose::Preference).filter_map(|t| t.domain_sum(*p as usize)).sum();
        Some(feasible.iter().map(sum).collect())
    }
}

/// Normalizes sums of weights to 0..100: the smallest becomes 0, the greatest 100.
fn normalize_score(scores: &mut [i64]) {
    let (min, max) = (scores.iter().copied().min().unwrap_or(0), scores.iter().copied().max().unwrap_or(0));
    let normalized = |score: i64| if max > min { (100.0 * ((score - min) as f64 / (max - min) as f64)) as i64 } else { 0 };
    scores.iter_mut().for_each(|score| *score = normalized(*score));
}
