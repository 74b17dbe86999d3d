//! The trace: every step that happened, each with its cause. A step's text is made when the page shows it, not when it is recorded.

use super::step::Step;
use crate::api::fnv::of as text;
use crate::api::time::Time;
use crate::apiserver::Stage;
use std::sync::Arc;

/// One step that happened.
#[derive(Clone, Debug)]
pub struct Record {
    /// The number of the step, counted from 1.
    pub number: u64,
    /// The time at which the step happened.
    pub at: Time,
    /// The number of the step that caused this one; 0 for a command or the beginning of the run.
    pub cause: u64,
    /// The step that the simulator did.
    pub step: Arc<Step>,
    /// The result of the step.
    pub note: Note,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The step happened, and there is nothing to add.
    Plain,
    /// The step had no effect: it was meant for a process that has ended, or it got lost on a broken link.
    Lost,
    /// The step waits for a node that is frozen.
    Held,
    /// The API server has handled a request.
    Handled {
        /// The HTTP status code of the answer.
        code: u16,
        /// The last stage of the API server that the request reached.
        stage: Stage,
        /// The store's revision afterwards.
        revision: u64,
        /// The number of changes that were written to the store.
        writes: u32,
    },
    /// A reconcile pass has observed or decided.
    Pass {
        /// The controller's index in the registry.
        controller: u32,
        /// The number of actions that the pass wants to carry out.
        actions: u32,
    },
}

/// Folds a record into a hash. Equal runs have equal hashes; different runs almost certainly have different ones.
pub fn fold(hash: u64, record: &Record) -> u64 {
    let (tag, detail) = match &*record.step {
        Step::Arrive { request, .. } => (1, request.kind.number() ^ text(&request.name) ^ (request.verb as u64) << 8),
        Step::Answer { response, .. } => (2, u64::from(response.code())),
        Step::Open { kind, revision, .. } => (3, revision ^ kind.number() << 40),
        Step::Expired { kind, .. } => (4, kind.number()),
        Step::Deliver { revision, object, .. } => (5, revision ^ text(&object.meta.name)),
        Step::Bookmark { kind, revision, .. } => (9, revision ^ kind.number() << 40),
        Step::Wake(..) => (6, 0),
        Step::Fault(..) => (7, 0),
        Step::Run(..) => (8, 0),
        Step::Interrupt(id) => (10, *id),
        Step::Type(id, line) => (12, id ^ text(line.as_deref().unwrap_or(""))),
        Step::Extend(extension) => (11, text(&extension.title())),
    };
    let note = match record.note {
        Note::Plain => 0,
        Note::Lost => 1,
        Note::Held => 2,
        Note::Handled { code, revision, writes, .. } => u64::from(code) ^ revision << 16 ^ u64::from(writes) << 10,
        Note::Pass { controller, actions } => u64::from(controller) << 32 ^ u64::from(actions),
    };
    let mut h = hash;
    for word in [record.at.0 as u64, record.cause, tag, detail, note] {
        h = (h ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^= h >> 29;
    }
    h
}
