//! A pass for a reader who sees it for the first time: the phase that the page shows, the event that woke the controller, and the difference in a few words.

use super::message;
use crate::controller::{Difference, Figure};
use crate::scheduler::{Decision, Outcome};
use crate::sim::Step;
use crate::view::clock;
use crate::view::convergence;
use crate::view::monologue;
use crate::view::notes::passes::{Noted, Phase};
use crate::view::run::Run;

/// A reconcile pass in a few words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The phase that the pass is in.
    pub phase: Phase,
    /// The watch event that woke the controller, in a few words; empty if something else woke it.
    pub woken_by: String,
    /// The first difference that the pass found, such as "1 pod is missing", or the scheduler's choice; empty if it found none.
    pub conclusion: String,
    /// The requests that the pass decided on, in sentences; empty if it decided on none.
    pub asks: String,
    /// A sentence about the passes that followed over the same object and wrote at most a status; empty if there were none.
    pub afterwards: String,
    /// The state of the cluster at the selected moment, if the pass is over by then: what has come of it.
    pub outcome: String,
}

/// The greatest number of steps that are followed from a pass back to the event that woke its controller.
const LONGEST_CHAIN: usize = 4;

/// Describes a reconcile pass in a few words.
pub fn reading(run: &Run, pass: &Noted) -> Reading {
    let is_over = pass.ended.is_some_and(|ended| ended < run.now());
    let told = |words: String| monologue::told(words, pass, run.now());
    Reading {
        phase: pass.phase_shown(run.now()),
        woken_by: woken_by(run, pass),
        conclusion: told(match &pass.decision {
            Some(decision) => choice(decision),
            None => pass.differences.first().map(conclusion).unwrap_or_default(),
        }),
        asks: if pass.actions.is_empty() { String::new() } else { told(monologue::request_sentences(pass).join(" ")) },
        afterwards: afterwards(run, pass),
        outcome: if is_over { convergence::outcome(run) } else { String::new() },
    }
}

fn woken_by(run: &Run, pass: &Noted) -> String {
    let mut number = pass.cause;
    for _ in 0..LONGEST_CHAIN {
        let Some(record) = run.session.trail().get(number) else { break };
        if let Step::Deliver { .. } = &*record.step {
            return message::text(&record.step);
        }
        number = record.cause;
    }
    String::new()
}

/// Describes a difference between desired and actual in a few words.
fn conclusion(difference: &Difference) -> String {
    let (Figure::Int(desired), Figure::Int(actual)) = (&difference.desired, &difference.actual) else {
        let (what, actual) = (difference.what, monologue::text(&difference.actual));
        return match monologue::text(&difference.desired).as_str() {
            _ if actual == "none" => format!("The {what} is missing"),
            "none" => format!("The {what} is there, and none is wanted"),
            desired => format!("The {what} is {actual}, not {desired}"),
        };
    };
    let by = desired.abs_diff(*actual);
    let how = if desired > actual { "missing" } else { "too many" };
    match by {
        0 => format!("The {} are not as wanted", difference.what),
        1 => format!("1 {} is {how}", monologue::noun(1, difference.what)),
        _ => format!("{by} {} are {how}", difference.what),
    }
}

/// Describes the scheduler's choice in a few words.
fn choice(decision: &Decision) -> String {
    match &decision.outcome {
        Outcome::Placed { node, .. } if decision.feasible < 2 => format!("Only {node} fits"),
        Outcome::Placed { node, .. } => format!("{node} fits best of {}", decision.feasible),
        Outcome::Unschedulable { .. } => "No node fits".to_owned(),
        Outcome::Nominated { node, victims, .. } => {
            format!("{node} fits once {} gone", clock::count(victims.len(), "pod is", "pods are"))
        }
    }
}

/// Describes in a sentence the passes that followed over the same object and wrote at most a status.
fn afterwards(run: &Run, pass: &Noted) -> String {
    let later = run.notes().passes.of(pass.controller).filter(|p| p.number > pass.number && p.key == pass.key && p.ended.is_some());
    let (mut wrote, mut looked) = (0, 0);
    for noted in later.take_while(|p| !p.makes_difference()) {
        if noted.actions.is_empty() { looked += 1 } else { wrote += 1 }
    }
    match (wrote, looked) {
        (0, 0) => String::new(),
        (0, n) => format!("Then it looked again {} and found nothing to do.", clock::times(n)),
        (1, _) => "Then it wrote down what it saw (the status).".to_owned(),
        (n, _) => format!("Then it wrote down what it saw (the status) {}.", clock::times(n)),
    }
}
