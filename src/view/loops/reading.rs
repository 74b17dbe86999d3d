//! A pass for a reader who sees it for the first time: the phase that the page shows, the event that woke the controller, and the difference in a few words.

use super::message;
use crate::controller::{Difference, Figure};
use crate::sim::Step;
use crate::view::clock;
use crate::view::notes::passes::{Noted, Phase};
use crate::view::run::Run;
use crate::view::selection::Selection;

/// A reconcile pass in a few words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The phase that the page shows: the one that the speed *auto* has stopped at, or else the one that the pass has reached.
    pub phase: Phase,
    /// The watch event that woke the controller, in a few words; empty if something else woke it.
    pub woken_by: String,
    /// The first difference that the pass found, such as "1 pod is missing"; empty if it found none.
    pub conclusion: String,
    /// A sentence about the passes that followed over the same object and wrote at most a status; empty if there were none.
    pub afterwards: String,
}

/// The greatest number of steps that are followed from a pass back to the event that woke its controller.
const LONGEST_CHAIN: usize = 4;

/// Describes a reconcile pass in a few words.
pub fn reading(run: &Run, pass: &Noted, selection: &Selection) -> Reading {
    Reading {
        phase: selection.followed.filter(|(number, _)| *number == pass.number).map_or_else(|| phase_of(pass), |(_, phase)| phase),
        woken_by: woken_by(run, pass),
        conclusion: pass.differences.first().map(conclusion).unwrap_or_default(),
        afterwards: afterwards(run, pass),
    }
}

/// Returns the furthest phase that a pass has reached.
fn phase_of(pass: &Noted) -> Phase {
    let is_answered = pass.actions.iter().any(|(_, answer)| answer.is_some());
    match (pass.compared, is_answered || pass.ended.is_some()) {
        (false, _) => Phase::Observe,
        (true, false) => Phase::Diff,
        (true, true) => Phase::Act,
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
        return format!("{} differs", difference.what);
    };
    let by = desired.abs_diff(*actual);
    let is_one = by == 1;
    match (difference.what, desired > actual) {
        ("pods", true) if is_one => "1 pod is missing".to_owned(),
        ("pods", true) => format!("{by} pods are missing"),
        ("pods", false) if is_one => "1 pod is too many".to_owned(),
        ("pods", false) => format!("{by} pods are too many"),
        (what, true) => format!("{what}: {by} to add"),
        (what, false) => format!("{what}: {by} to remove"),
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
