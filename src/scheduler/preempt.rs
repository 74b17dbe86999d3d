//! Making room by removing pods of lower priority. Counterpart: `framework/preemption` and `plugins/defaultpreemption`.
//!
//! Simplification: where real Kubernetes stops after enough candidates found in parallel, here they are tried one after the other.

use super::decide::Search;
use super::snapshot::{NodeInfo, PlacedPod};
use super::standing::{Standing, World};
use crate::api::meta::{StrMap, Uid};
use crate::api::random::Rng;
use crate::api::selector::Selector;
use crate::order;
use crate::persistent::OrdMap;
use crate::text;
use crate::text::Str;

/// How many pods that match may still be removed. Counterpart: a PodDisruptionBudget's `disruptionsAllowed`.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Namespace.
    pub namespace: Str,
    /// Which pods.
    pub selector: Selector,
    /// How many.
    pub allowed: i32,
}

/// What preemption came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Preemption {
    /// Room can be made at a position by removing pods.
    Possible {
        /// Where.
        position: usize,
        /// Which pods, the most important first.
        victims: Vec<Uid>,
    },
    /// It cannot: how often each reason was given.
    Impossible(Vec<(Str, usize)>),
}

struct Candidate {
    position: usize,
    victims: Vec<(Uid, PlacedPod)>,
    violations: usize,
}

const NO_VICTIMS: Str = text!("No preemption victims found for incoming pod");
const NOT_HELPFUL: Str = text!("Preemption is not helpful for scheduling");

/// Looks for the node where the least harm makes room.
pub fn preempt(standing: &mut Standing, world: &mut World, found: &Search, budgets: &[Budget], rng: &mut Rng) -> Preemption {
    let (nodes, priority) = (world.layout.order.len(), standing.class.spec.priority);
    let excluded = |p: usize| standing.named.as_ref().is_some_and(|n| !n.contains(&(p as u32)));
    let may_help = |p: &usize| !excluded(*p) && found.verdict(standing, *p).preemption_may_help();
    let potential: Vec<usize> = (0..nodes).filter(may_help).collect();
    let wanted = (nodes / 10).max(100).min(nodes);
    let offset = rng.below(potential.len() as u64) as usize;
    let (mut candidates, mut reasons) = (Vec::new(), OrdMap::new());
    let mut add = |reason, n: usize| {
        if n > 0 {
            *reasons.entry(reason).or_insert(0) += n
        }
    };
    // Looking at each node is in vain, and slow, where no pod in the cluster has a lower priority.
    let anyone = world.snapshot.lowest_priority().is_some_and(|p| p < priority);
    for i in 0..if anyone { potential.len() } else { 0 } {
        let position = potential[(offset + i) % potential.len()];
        match victims_on(standing, world, position, budgets) {
            Ok(candidate) => candidates.push(candidate),
            Err(why) => why.into_iter().for_each(|r| add(r, 1)),
        }
        if candidates.len() >= wanted {
            break;
        }
    }
    match candidates.iter().min_by_key(|c| harm(c)) {
        Some(best) => Preemption::Possible { position: best.position, victims: best.victims.iter().map(|(uid, _)| *uid).collect() },
        None => {
            add(NO_VICTIMS, if anyone { 0 } else { potential.len() });
            add(NOT_HELPFUL, nodes - potential.len());
            Preemption::Impossible(reasons.iter().map(|(reason, count)| (reason.clone(), *count)).collect())
        }
    }
}

/// What is compared between nodes, in order: broken budgets, the most important victim, all priorities, the number of victims, how long the most important
/// ones have run (shorter is better), and last the position.
fn harm(c: &Candidate) -> (usize, i32, i64, usize, std::cmp::Reverse<u32>, usize) {
    let priority = |(_, p): &(Uid, PlacedPod)| p.class.spec.priority;
    let highest = c.victims.iter().map(priority).max().unwrap_or(i32::MIN);
    let sum = c.victims.iter().map(|v| i64::from(priority(v)) + (1 << 31)).sum();
    let start = c.victims.iter().filter(|v| priority(v) == highest).map(|(_, p)| p.start()).min().unwrap_or(0);
    (c.violations, highest, sum, c.victims.len(), std::cmp::Reverse(start), c.position)
}

/// Removes all pods of lower priority in thought, then lets as many as possible stay, the most important first.
fn victims_on(standing: &mut Standing, world: &mut World, position: usize, budgets: &[Budget]) -> Result<Candidate, Vec<Str>> {
    let none = || vec![NO_VICTIMS];
    let priority = standing.class.spec.priority;
    let info = world.info(position).filter(|i| i.groups.iter().any(|g| g.class.spec.priority < priority)).cloned().ok_or_else(none)?;
    let placed = |uid: &Uid| world.snapshot.pod(*uid).map(|p| (*uid, p.clone()));
    let mut lower: Vec<_> = info.pods.iter().filter_map(placed).filter(|(_, p)| p.class.spec.priority < priority).collect();
    order::sort_by_key(&mut lower, |(uid, p)| (std::cmp::Reverse(p.class.spec.priority), p.start(), *uid));
    let mut trial: NodeInfo = (*info).clone();
    lower.iter().for_each(|(uid, p)| trial.take(*uid, &p.class, p.deleting()));
    let verdict = standing.verdict_if(position, &trial, world);
    let outcome = if verdict.fits() {
        let (guarded, free) = split_by_budget(lower, budgets);
        let mut candidate = Candidate { position, victims: Vec::new(), violations: 0 };
        for (pods, counts) in [(guarded, true), (free, false)] {
            for (uid, pod) in pods {
                trial.put(uid, &pod.class, pod.deleting());
                if !standing.verdict_if(position, &trial, world).fits() {
                    trial.take(uid, &pod.class, pod.deleting());
                    candidate.violations += usize::from(counts);
                    candidate.victims.push((uid, pod));
                }
            }
        }
        order::sort_by_key(&mut candidate.victims, |(uid, p)| (std::cmp::Reverse(p.class.spec.priority), p.start(), *uid));
        Ok(candidate)
    } else {
        Err(verdict.reasons(&standing.class.spec))
    };
    standing.verdict_if(position, &info, world);
    outcome
}

type Pods = Vec<(Uid, PlacedPod)>;

/// Parts pods whose removal would break a budget from the others.
fn split_by_budget(pods: Pods, budgets: &[Budget]) -> (Pods, Pods) {
    let mut left: Vec<i32> = budgets.iter().map(|b| b.allowed).collect();
    pods.into_iter().partition(|(_, pod)| {
        let mut broken = false;
        for (_, left) in budgets.iter().zip(&mut left).filter(|(b, _)| guards(b, &pod.class.namespace, &pod.class.labels)) {
            *left -= 1;
            broken |= *left < 0;
        }
        broken
    })
}

fn guards(budget: &Budget, namespace: &str, labels: &StrMap) -> bool {
    budget.namespace == namespace && !labels.is_empty() && !budget.selector.is_empty() && budget.selector.matches(labels.entries())
}
