//! Spreads pods over topology domains (nodes, zones), which a node label defines. Counterpart: `pkg/scheduler/framework/plugins/podtopologyspread`.
//!
//! All arithmetic uses integers as in Go, or floats with + - * / alone, so that every machine computes the same.

use super::{node_affinity, taint_toleration};
use crate::api::kind::pod::{PodSpec, SpreadConstraint};
use crate::api::meta::StrMap;
use crate::api::selector::Selector;
use crate::map;
use crate::persistent::OrdMap;
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, CycleState, Handle, NodeView, Plugin, Status};
use crate::scheduler::listers::Listers;
use crate::scheduler::snapshot::NodeFacts;
use crate::scheduler::topology::{HOSTNAME, NO_DOMAIN, Tally};
use arcstr::{ArcStr, literal};
use std::sync::Arc;

/// The plugin PodTopologySpread.
pub static PLUGIN: Plugin = Plugin {
    events_to_register: &[
        ClusterEvent::NodeAdd.always(),
        ClusterEvent::NodeDelete.always(),
        ClusterEvent::UpdateNodeLabel.always(),
        ClusterEvent::UpdateNodeTaint.always(),
        ClusterEvent::AssignedPodAdd.if_hinted(is_counted),
        ClusterEvent::AssignedPodDelete.if_hinted(is_counted),
    ],
    cycle_state: Some(Spread::cycle_state),
    reasons,
    normalize_score: Some(normalize_score),
    ..Plugin::named("PodTopologySpread")
};

const SKEWED: u16 = 0;
const LABEL_MISSING: u16 = 1;

fn reasons(reason: u16, _: &PodSpec) -> Vec<ArcStr> {
    vec![match reason {
        LABEL_MISSING => literal!("node(s) didn't match pod topology spread constraints (missing required label)"),
        _ => literal!("node(s) didn't match pod topology spread constraints"),
    }]
}

/// Returns whether a required constraint of class `waiting` counts pods of class `changed`.
fn is_counted(waiting: &PodClass, changed: &PodClass, _: &Listers) -> bool {
    let (required, _) = constraints(waiting, &[]);
    waiting.namespace == changed.namespace && required.iter().any(|constraint| constraint.counts(&changed.labels))
}

/// A constraint of `topologySpreadConstraints` in the form in which the plugin applies it.
#[derive(Debug)]
struct Constraint {
    topology_key: ArcStr,
    max_skew: i64,
    /// The number of domains below which the smallest count is taken to be 0 (`minDomains`).
    min_domains: usize,
    /// 1 if the constraint's selector matches the pod itself, else 0.
    self_match: i64,
    selectors: Vec<Selector>,
    honor_affinity: bool,
    honor_taints: bool,
}

/// Returns the constraints of a class: the required ones (`DoNotSchedule`) and the preferred ones (`ScheduleAnyway`).
fn constraints(class: &PodClass, default_selectors: &[Selector]) -> (Vec<Constraint>, Vec<Constraint>) {
    let own = &class.spec.spread;
    if own.is_empty() {
        return (Vec::new(), system_defaults(default_selectors));
    }
    let pick = |hard: bool| own.iter().filter(|c| c.hard == hard).map(|c| Constraint::of(c, &class.labels)).collect();
    (pick(true), pick(false))
}

/// Returns the constraints of pods without constraints of their own that a Service or a workload selects. Counterpart: `systemDefaultConstraints`.
fn system_defaults(selectors: &[Selector]) -> Vec<Constraint> {
    if selectors.is_empty() {
        return Vec::new();
    }
    let constraint = |key: &'static str, max_skew| Constraint {
        topology_key: ArcStr::from(key),
        max_skew,
        min_domains: 1,
        self_match: 1,
        selectors: selectors.to_vec(),
        honor_affinity: true,
        honor_taints: false,
    };
    vec![constraint(HOSTNAME, 3), constraint("topology.kubernetes.io/zone", 5)]
}

impl Constraint {
    fn of(c: &SpreadConstraint, labels: &StrMap) -> Constraint {
        let mut selectors = vec![c.selector.clone().unwrap_or_else(Selector::nothing)];
        let by_key = |k: &ArcStr| labels.get(k).map(|v| Selector::from_labels(&map! { k.clone() => v }));
        selectors.extend(c.match_label_keys.iter().filter_map(by_key));
        let self_match = selectors.iter().all(|s| s.matches(labels.entries())).into();
        Constraint {
            topology_key: c.topology_key.clone(),
            max_skew: c.max_skew.into(),
            min_domains: c.min_domains.unwrap_or(1).max(0) as usize,
            self_match,
            selectors,
            honor_affinity: c.honor_affinity,
            honor_taints: c.honor_taints,
        }
    }
    /// Returns whether the constraint counts pods with these labels. As in real Kubernetes, a selector without requirements counts no pods.
    fn counts(&self, labels: &StrMap) -> bool {
        !self.selectors.iter().all(Selector::is_empty) && self.selectors.iter().all(|s| s.matches(labels.entries()))
    }
    /// Returns whether the constraint counts the pods on a node.
    fn includes(&self, class: &PodClass, facts: &NodeFacts) -> bool {
        (!self.honor_affinity || node_affinity::matches(&class.spec, facts))
            && (!self.honor_taints || taint_toleration::tolerates_all(&class.spec, facts))
    }
}

/// The counts of existing pods per topology domain, for pods of one class.
#[derive(Debug)]
struct Spread {
    class: Arc<PodClass>,
    /// The selectors of Services and workloads from which the default constraints were made.
    default_selectors: Vec<Selector>,
    required: Vec<Constraint>,
    preferred: Vec<Constraint>,
    /// The count of pods for each constraint, the required ones first.
    tallies: Vec<Tally>,
    /// The indexes of the constraints that count the pods of another class, by the id of that class.
    counted: OrdMap<u32, Arc<[u16]>>,
    /// For each required constraint, the smallest count of any domain.
    smallest: Vec<i64>,
    /// The counts of one node by constraint, kept to save an allocation.
    sums: Vec<i64>,
}

impl Spread {
    fn cycle_state(class: &Arc<PodClass>, handle: &mut Handle) -> Box<dyn CycleState> {
        let default_selectors = if class.spec.spread.is_empty() { handle.listers.default_selectors(class) } else { Vec::new() };
        let (required, preferred) = constraints(class, &default_selectors);
        let tally = |c: &Constraint| Tally::new(handle.topology.domains(&c.topology_key, handle.snapshot));
        let tallies = required.iter().chain(&preferred).map(tally).collect();
        Box::new(Spread {
            class: class.clone(),
            default_selectors,
            required,
            preferred,
            tallies,
            counted: OrdMap::new(),
            smallest: Vec::new(),
            sums: Vec::new(),
        })
    }
    fn constraints_that_count(&mut self, other: &PodClass) -> Arc<[u16]> {
        if let Some(known) = self.counted.get(&other.id) {
            return known.clone();
        }
        let all = self.required.iter().chain(&self.preferred).enumerate();
        let counting = all.filter(|(_, c)| other.namespace == self.class.namespace && c.counts(&other.labels));
        let counting: Arc<[u16]> = counting.map(|(i, _)| i as u16).collect();
        self.counted.insert(other.id, counting.clone());
        counting
    }
    fn preferred_tallies(&self) -> &[Tally] {
        &self.tallies[self.required.len()..]
    }
}

impl CycleState for Spread {
    fn node_changed(&mut self, position: usize, node: &NodeView, _: &mut Handle) {
        if self.tallies.is_empty() {
            return;
        }
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(self.tallies.len(), 0);
        for group in &node.info.groups {
            for constraint in self.constraints_that_count(&group.class).iter() {
                sums[*constraint as usize] += i64::from(group.count - group.deleting);
            }
        }
        let has_labels = |list: &[Constraint]| list.iter().all(|c| node.facts.labels.get(&c.topology_key).is_some());
        let all_required = has_labels(&self.required);
        let all_preferred = self.class.spec.spread.is_empty() || has_labels(&self.preferred);
        let required = self.required.iter().map(|c| (c, all_required));
        let preferred = self.preferred.iter().map(|c| (c, all_preferred));
        for (((constraint, labelled), tally), sum) in required.chain(preferred).zip(&mut self.tallies).zip(&sums) {
            tally.put(position, *sum, labelled && constraint.includes(&self.class, node.facts));
        }
        self.sums = sums;
    }
    fn needs_every_node(&self, _: &Handle) -> bool {
        let zoned = |(c, tally): (&Constraint, &Tally)| c.topology_key != HOSTNAME && tally.domains.count > 0;
        !self.required.is_empty() || self.preferred.iter().zip(self.preferred_tallies()).any(zoned)
    }
    fn is_current(&self, listers: &Listers) -> bool {
        !self.class.spec.spread.is_empty() || self.default_selectors == listers.default_selectors(&self.class)
    }
    fn prepare_filter(&mut self) -> bool {
        self.smallest.clear();
        for (constraint, tally) in self.required.iter().zip(&self.tallies) {
            let (smallest, domains) = tally.smallest();
            self.smallest.push(if domains < constraint.min_domains { 0 } else { smallest });
        }
        !self.required.is_empty()
    }
    fn filter(&self, position: usize) -> Status {
        for ((constraint, tally), smallest) in self.required.iter().zip(&self.tallies).zip(&self.smallest) {
            match tally.domain_sum(position) {
                None => return Status::UnschedulableAndUnresolvable(LABEL_MISSING),
                Some(count) if count + constraint.self_match - smallest > constraint.max_skew => return Status::Unschedulable(SKEWED),
                _ => {}
            }
        }
        Status::Success
    }
    /// Returns for each node the weighted sum of the counts of its domains; the weight grows with the number of domains. Nodes that lack a label of the pod's
    /// own constraints get [`NOT_RATED`].
    fn score(&self, feasible: &[u32]) -> Option<Vec<i64>> {
        if self.preferred.is_empty() {
            return None;
        }
        let own = !self.class.spec.spread.is_empty();
        let tallies = self.preferred_tallies();
        let ignored = |p: u32| own && tallies.iter().any(|t| t.domain(p as usize) == NO_DOMAIN);
        let rated = if own { feasible.iter().filter(|p| !ignored(**p)).count() } else { feasible.len() };
        let mut sums = vec![0.0; feasible.len()];
        for (constraint, tally) in self.preferred.iter().zip(tallies).filter(|(_, t)| t.domains.count > 0) {
            let by_node = constraint.topology_key == HOSTNAME;
            let size = if by_node { rated } else { distinct_domains(tally, feasible.iter().copied().filter(|p| !ignored(*p))) };
            let (weight, base) = (ln(size as u64 + 2), (constraint.max_skew - 1) as f64);
            for (sum, &p) in sums.iter_mut().zip(feasible) {
                let domain = tally.domains.at[p as usize];
                if domain != NO_DOMAIN {
                    let count = if by_node { tally.at[p as usize] } else { tally.total[domain as usize] };
                    *sum += f64::from(count) * weight + base;
                }
            }
        }
        let rounded = |(sum, p): (f64, &u32)| if ignored(*p) { NOT_RATED } else { round(sum) };
        Some(sums.into_iter().zip(feasible).map(rounded).collect())
    }
}

/// The raw score of a node that lacks a label of the constraints. It is normalized to 0, so that such a node is not preferred.
const NOT_RATED: i64 = i64::MIN;

/// Normalizes counts to 0..100; the lower the count, the higher the score.
fn normalize_score(scores: &mut [i64]) {
    let (mut min, mut max) = (i64::MAX, 0);
    for score in scores.iter().filter(|s| **s != NOT_RATED) {
        (min, max) = (min.min(*score), max.max(*score));
    }
    let normalized = |score: i64| if max == 0 { 100 } else { 100 * (max + min - score) / max };
    // Among thousands of nodes there are few different scores, so each is computed once.
    let mut known = vec![-1i8; (max.saturating_sub(min).max(0) as usize + 1).min(4096)];
    for score in scores {
        *score = match *score {
            NOT_RATED => 0,
            raw => match known.get_mut((raw - min) as usize) {
                Some(known) => {
                    if *known < 0 {
                        *known = normalized(raw) as i8;
                    }
                    i64::from(*known)
                }
                None => normalized(raw),
            },
        };
    }
}

/// Counts the domains of the nodes at these positions; the nodes without the label count as one more.
fn distinct_domains(tally: &Tally, positions: impl Iterator<Item = u32>) -> usize {
    let domains = &tally.domains;
    let possible = domains.count + usize::from(domains.gaps);
    let (mut seen, mut count) = (vec![false; domains.count + 1], 0);
    for p in positions {
        let domain = (domains.at[p as usize] as usize).min(domains.count);
        count += usize::from(!std::mem::replace(&mut seen[domain], true));
        if count == possible {
            break;
        }
    }
    count
}

/// Returns the natural logarithm of a whole number. Uses a series that only adds, multiplies and divides, because the platform's `ln` may differ between
/// machines.
fn ln(n: u64) -> f64 {
    const LN_2: f64 = std::f64::consts::LN_2;
    if n == 0 {
        return 0.0;
    }
    let doublings = 63 - n.leading_zeros();
    let x = n as f64 / (1u64 << doublings) as f64;
    let z = (x - 1.0) / (x + 1.0);
    let (square, mut power, mut sum) = (z * z, z, 0.0);
    for k in 0..20 {
        sum += power / f64::from(2 * k + 1);
        power *= square;
    }
    f64::from(doublings) * LN_2 + 2.0 * sum
}

/// Rounds a number that is not negative to the nearest integer, halves up, as Go's `math.Round` does.
fn round(x: f64) -> i64 {
    (x + 0.5) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_known_one() {
        for (n, known) in [
            (1, 0.0),
            (3, 1.0986122886681098),
            (11, 2.3978952727983707),
            (97, 4.574710978503383),
            (1000, 6.907755278982137),
            (5002, 8.517593111437565),
        ] {
            assert!((ln(n) - known).abs() < 1e-13, "{n}");
        }
    }
}
