//! Makes room for a pod by deleting pods of lower priority. Counterpart: `pkg/scheduler/framework/plugins/defaultpreemption` and
//! `pkg/scheduler/framework/preemption`.
//!
//! Simplification: where real Kubernetes stops after enough candidates found in parallel, here they are tried one after the other.

use crate::api::meta::{StrMap, Uid};
use crate::api::order::Order;
use crate::api::selector::Selector;
use crate::persistent::OrdMap;
use crate::scheduler::assessment::Assessment;
use crate::scheduler::framework::{Handle, Plugin, PostFilterContext, PostFilterResult};
use crate::scheduler::schedule_one::unavailable_message;
use crate::scheduler::snapshot::{NodeInfo, PlacedPod};
use arcstr::{ArcStr, literal};
use std::cmp::Reverse;

/// The plugin DefaultPreemption.
pub static PLUGIN: Plugin = Plugin { post_filter: Some(post_filter), ..Plugin::named("DefaultPreemption") };

/// A PodDisruptionBudget, as preemption needs it.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The namespace of the budget and its pods.
    pub namespace: ArcStr,
    /// The selector of the pods that the budget protects.
    pub selector: Selector,
    /// The number of these pods that may still be removed (`disruptionsAllowed`).
    pub allowed: i32,
}

/// A node on which deleting pods makes room, with the pods to delete and the number of those that violate a budget.
struct Candidate {
    position: usize,
    victims: Vec<(Uid, PlacedPod)>,
    violations: usize,
}

const NO_VICTIMS: ArcStr = literal!("No preemption victims found for incoming pod");
const NOT_HELPFUL: ArcStr = literal!("Preemption is not helpful for scheduling");

fn post_filter(context: &mut PostFilterContext) -> PostFilterResult {
    if let Some((reason, keeps_nomination)) = not_eligible(context) {
        return PostFilterResult::Unschedulable { message: format!("preemption: {reason}"), keeps_nomination };
    }
    match preempt(context) {
        Ok(best) => {
            let victims = best.victims.iter().map(|(uid, _)| *uid).collect();
            PostFilterResult::Success { position: best.position, victims }
        }
        Err(reasons) => {
            let message = unavailable_message(context.handle.topology.order.len(), reasons.into_iter());
            PostFilterResult::Unschedulable { message: format!("preemption: {message}"), keeps_nomination: false }
        }
    }
}

/// Returns the reason why a pod may not preempt others, and `true` with it if the pod keeps its nominated node; `None` if it may preempt. Counterpart:
/// `PodEligibleToPreemptOthers`.
fn not_eligible(context: &PostFilterContext) -> Option<(&'static str, bool)> {
    let (snapshot, spec) = (context.handle.snapshot, &context.assessment.class.spec);
    if !spec.preempts {
        return Some(("not eligible due to preemptionPolicy=Never.", false));
    }
    let slot = snapshot.slot(&context.nominations.get(context.uid)?.node)?;
    let verdict = context.assessment.verdict(context.handle.topology.position(slot)?);
    let terminating = |uid: &Uid| snapshot.pod(*uid).is_some_and(|p| p.preempted() && p.class.spec.priority < spec.priority);
    let waits = (verdict.fits() || verdict.preemption_may_help()) && snapshot.node(slot)?.pods.iter().any(terminating);
    waits.then_some(("not eligible due to a terminating pod on the nominated node.", true))
}

/// Returns the node on which making room does the least harm. The error holds the reasons why no node will do, each with the number of nodes.
fn preempt(context: &mut PostFilterContext) -> Result<Candidate, Vec<(ArcStr, usize)>> {
    let (nodes, priority) = (context.handle.topology.order.len(), context.assessment.class.spec.priority);
    let may_help = |p: &usize| context.search.verdict(context.assessment, *p).preemption_may_help();
    let potential: Vec<usize> = (0..nodes).filter(may_help).collect();
    let wanted = (nodes / 10).max(100).min(nodes);
    let offset = context.random_below(potential.len());
    let (mut candidates, mut reasons) = (Vec::new(), OrdMap::new());
    let mut add = |reason, n: usize| {
        if n > 0 {
            *reasons.entry(reason).or_insert(0) += n
        }
    };
    // If no pod in the cluster has a lower priority, trying each node would be slow and find nothing.
    let anyone = context.handle.snapshot.lowest_priority().is_some_and(|p| p < priority);
    for i in 0..if anyone { potential.len() } else { 0 } {
        let position = potential[(offset + i) % potential.len()];
        match victims_on(context.assessment, context.handle, position, context.budgets) {
            Ok(candidate) => candidates.push(candidate),
            Err(why) => why.into_iter().for_each(|r| add(r, 1)),
        }
        if candidates.len() >= wanted {
            break;
        }
    }
    add(NO_VICTIMS, if anyone { 0 } else { potential.len() });
    add(NOT_HELPFUL, nodes - potential.len());
    let best = candidates.into_iter().min_by_key(harm);
    best.ok_or_else(|| reasons.iter().map(|(reason, count)| (reason.clone(), *count)).collect())
}

/// Returns the harm that preemption does on a node, to be compared in this order: violated budgets, the priority of the most important victim, the sum of
/// priorities, the number of victims, how long the most important ones have run (shorter is better), and last the position. Counterpart:
/// `pickOneNodeForPreemption`.
fn harm(c: &Candidate) -> (usize, i32, i64, usize, Reverse<u32>, usize) {
    let priority = |(_, p): &(Uid, PlacedPod)| p.class.spec.priority;
    let highest = c.victims.iter().map(priority).max().unwrap_or(i32::MIN);
    let sum = c.victims.iter().map(|v| i64::from(priority(v)) + (1 << 31)).sum();
    let start = c.victims.iter().filter(|v| priority(v) == highest).map(|(_, p)| p.start()).min().unwrap_or(0);
    (c.violations, highest, sum, c.victims.len(), Reverse(start), c.position)
}

/// Finds the pods to delete on a node: removes all pods of lower priority from a copy of the node, then puts back as many as possible, the most important
/// first. Counterpart: `SelectVictimsOnNode`.
fn victims_on(assessment: &mut Assessment, handle: &mut Handle, position: usize, budgets: &[Budget]) -> Result<Candidate, Vec<ArcStr>> {
    let priority = assessment.class.spec.priority;
    let has_lower = |info: &&std::sync::Arc<NodeInfo>| info.groups.iter().any(|g| g.class.spec.priority < priority);
    let info = handle.node(position).filter(has_lower).cloned().ok_or_else(|| vec![NO_VICTIMS])?;
    let placed = |uid: &Uid| handle.snapshot.pod(*uid).map(|p| (*uid, p.clone()));
    let mut lower: Vec<_> = info.pods.iter().filter_map(placed).filter(|(_, p)| p.class.spec.priority < priority).collect();
    lower.order_by_key(importance);
    let mut trial: NodeInfo = (*info).clone();
    lower.iter().for_each(|(uid, p)| trial.take(*uid, &p.class, p.deleting()));
    let verdict = assessment.verdict_if(position, &trial, handle);
    let outcome = if verdict.fits() {
        let (violating, others) = split_by_budget(lower, budgets);
        let mut candidate = Candidate { position, victims: Vec::new(), violations: 0 };
        for (pods, violates) in [(violating, true), (others, false)] {
            for (uid, pod) in pods {
                trial.put(uid, &pod.class, pod.deleting());
                if !assessment.verdict_if(position, &trial, handle).fits() {
                    trial.take(uid, &pod.class, pod.deleting());
                    candidate.violations += usize::from(violates);
                    candidate.victims.push((uid, pod));
                }
            }
        }
        candidate.victims.order_by_key(importance);
        Ok(candidate)
    } else {
        Err(verdict.reasons(&assessment.class.spec))
    };
    assessment.verdict_if(position, &info, handle);
    outcome
}

/// Returns the key by which the most important pods are sorted first: higher priority, then earlier start.
fn importance((uid, pod): &(Uid, PlacedPod)) -> (Reverse<i32>, u32, Uid) {
    (Reverse(pod.class.spec.priority), pod.start(), *uid)
}

type Pods = Vec<(Uid, PlacedPod)>;

/// Separates the pods whose removal would violate a budget from the others.
fn split_by_budget(pods: Pods, budgets: &[Budget]) -> (Pods, Pods) {
    let mut left: Vec<i32> = budgets.iter().map(|b| b.allowed).collect();
    pods.into_iter().partition(|(_, pod)| {
        let mut violates = false;
        for (_, left) in budgets.iter().zip(&mut left).filter(|(b, _)| protects(b, &pod.class.namespace, &pod.class.labels)) {
            *left -= 1;
            violates |= *left < 0;
        }
        violates
    })
}

fn protects(budget: &Budget, namespace: &str, labels: &StrMap) -> bool {
    budget.namespace == namespace && !labels.is_empty() && !budget.selector.is_empty() && budget.selector.matches(labels.entries())
}
