//! A reconcile loop as a dozen lines of pseudocode, with the line highlighted that the shown pass has reached.
//!
//! The lines are written for this page and simplified: they show the order of a pass, and leave out expectations and back-off arithmetic.

use super::actor::Actor;
use super::pod_actions::KubeletCard;
use crate::api::request::{Subresource, Verb};
use crate::controller::{Outcome, Pseudocode};
use crate::scheduler;
use crate::sim::Cluster;
use crate::view::notes::passes::{Noted, Phase};
use crate::view::rings;

/// A reconcile loop as pseudocode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The lines of the pseudocode.
    pub lines: &'static [&'static str],
    /// The index of the line to highlight.
    pub lit: usize,
}

/// The stages of a pass that highlight different lines of the pseudocode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Wait,
    Observe,
    Gone,
    Diff,
    Nothing,
    Act,
    Answered,
    Refused,
    Done,
}

const SCHEDULER: &[&str] = &[
    "for pod in queue:     # pods without a node",
    "  fits = []",
    "  for node in snapshot.nodes:",
    "    if every filter accepts (pod, node):",
    "      fits.add(node)",
    "  if fits is empty:",
    "    make room, or put pod aside until a change",
    "    continue",
    "  best = the node of fits with the highest sum",
    "         of weight × score over all plugins",
    "  api.bind(pod, best)",
    "  if refused: queue.add(pod, after back-off)",
    "  # that node's kubelet takes it from here",
];

const KUBELET: &[&str] = &[
    "for pod in what the watch tells of this node:",
    "  seen = runtime.containers(pod)",
    "  todo = compare(pod.spec, seen)",
    "  if todo.sandbox: runtime.make_sandbox(pod)",
    "  for c in todo.kill: runtime.stop(c)",
    "  for c in todo.start:",
    "    pull(c.image) unless it is there",
    "    runtime.start(c)",
    "  probe(the containers that ask for it)",
    "  if pod is going: stop all, api.delete(pod)",
    "  if the status is news: api.patch(pod.status)",
    "  # nothing to do until a change, probe or exit",
];

/// Returns the pseudocode of the selected controller, scheduler or kubelet, and the line to highlight. `is_idle` tells that no pass of it has observed and is
/// not over.
pub fn code(cluster: &Cluster, actor: &Actor, is_idle: bool, pass: Option<&Noted>, kubelet: Option<&KubeletCard>) -> Code {
    let observes = match actor {
        Actor::Controller { index, manager } => {
            is_idle && cluster.managers.get(*manager as usize).is_some_and(|m| rings::observes(m, *index))
        }
        _ => false,
    };
    let moment = moment(observes, pass);
    match actor {
        Actor::Scheduler => Code { lines: SCHEDULER, lit: scheduler_line(moment, pass) },
        Actor::Kubelet(_) => Code { lines: KUBELET, lit: kubelet.map_or(0, kubelet_line) },
        Actor::Controller { index, .. } => {
            let code = cluster.controllers.get(*index).map_or_else(|| Pseudocode::of("any"), |c| c.pseudocode());
            Code { lines: &code.lines, lit: controller_line(code, moment, pass) }
        }
    }
}

fn moment(observes: bool, pass: Option<&Noted>) -> Moment {
    let Some(pass) = pass.filter(|_| !observes) else {
        return if observes { Moment::Observe } else { Moment::Wait };
    };
    match (pass.ended, pass.phase()) {
        _ if pass.cut_short => Moment::Wait,
        (None, Phase::Act) => Moment::Act,
        // Once all answers have arrived, the controller compares again.
        (None, _) if pass.compared.is_some() => Moment::Answered,
        (None, _) => Moment::Diff,
        _ if pass.seen.primary.is_none() => Moment::Gone,
        _ if matches!(pass.outcome, Some(Outcome::Retry(_))) => Moment::Refused,
        _ if pass.actions.is_empty() => Moment::Nothing,
        _ => Moment::Done,
    }
}

/// Returns the index of the line to highlight for a controller. While the controller acts, this is the line of its first request without an answer.
fn controller_line(code: &Pseudocode, moment: Moment, pass: Option<&Noted>) -> usize {
    match moment {
        Moment::Wait => 0,
        Moment::Observe => code.observe,
        Moment::Gone => code.gone,
        Moment::Diff => code.diff,
        Moment::Nothing => code.nothing,
        Moment::Act => {
            let open = pass.and_then(|p| p.actions.iter().find(|(_, answer)| answer.is_none())).map(|(action, _)| &action.request);
            match open.map(|r| (r.verb, r.subresource)) {
                Some((_, Subresource::Status)) => code.write_status,
                Some((Verb::Create, _)) => code.create,
                Some(_) => code.change,
                None => code.answered,
            }
        }
        Moment::Answered => code.answered,
        Moment::Refused => code.refused,
        Moment::Done => code.done,
    }
}

fn scheduler_line(moment: Moment, pass: Option<&Noted>) -> usize {
    let outcome = pass.and_then(|p| p.decision.as_ref()).map(|d| &d.outcome);
    let refused = pass.is_some_and(|p| p.actions.iter().any(|(_, a)| a.as_ref().is_some_and(|a| a.result.is_err())));
    match (moment, outcome) {
        (_, Some(scheduler::Outcome::Unschedulable { .. } | scheduler::Outcome::Nominated { .. })) => 6,
        _ if refused => 11,
        (Moment::Act, _) => 10,
        (Moment::Done, _) => 12,
        _ => 0,
    }
}

fn kubelet_line(card: &KubeletCard) -> usize {
    let busy = card.pods.iter().find(|p| p.is_busy());
    match busy {
        None if card.pods.is_empty() => 0,
        None => 11,
        Some(pod) if pod.stage == "terminating" => 9,
        Some(pod) if pod.doing.starts_with("makes") => 3,
        Some(pod) if pod.doing.starts_with("pulls") => 6,
        Some(pod) if pod.doing.starts_with("stops") => 4,
        Some(pod) if !pod.doing.is_empty() => 7,
        Some(_) => 10,
    }
}
