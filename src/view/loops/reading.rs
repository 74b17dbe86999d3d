//! A pass for a reader who sees it for the first time: the phase that the page shows, the event that woke the controller, and the difference in a few words.

use super::message;
use crate::api::time::Time;
use crate::controller::{Difference, Figure};
use crate::sim::Step;
use crate::view::clock;
use crate::view::monologue;
use crate::view::notes::passes::{Noted, Phase};
use crate::view::run::Run;
use crate::view::selection::Selection;

/// A reconcile pass in a few words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The phase that the pass is in.
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
        phase: phase_of(pass, run.now(), selection.followed == Some(pass.number)),
        woken_by: woken_by(run, pass),
        conclusion: pass.differences.first().map(conclusion).unwrap_or_default(),
        afterwards: afterwards(run, pass),
    }
}

/// Returns the phase that a pass is in at the time `now`. Its requests leave at the very moment of the comparison, so diff is over as soon as time goes on; a
/// pass that ended by comparing stays at diff for a reader who is led through it.
fn phase_of(pass: &Noted, now: Time, is_followed: bool) -> Phase {
    match pass.compared {
        None => Phase::Observe,
        Some(at) if at == now && pass.answered_count() == 0 && (is_followed || pass.ended.is_none()) => Phase::Diff,
        Some(_) => Phase::Act,
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
        let how = if monologue::text(&difference.actual) == "none" { "is missing" } else { "is not as wanted" };
        return format!("The {} {how}", difference.what);
    };
    let by = desired.abs_diff(*actual);
    let how = if desired > actual { "missing" } else { "too many" };
    match by {
        0 => format!("The {} are not as wanted", difference.what),
        1 => format!("1 {} is {how}", monologue::noun(1, difference.what)),
        _ => format!("{by} {} are {how}", difference.what),
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
