//! The trace: every step that happened, each with its cause. Text is made when the page shows a step, not when the step is recorded.

use super::step::Step;
use crate::api::fnv::of as text;
use crate::api::time::Time;
use crate::apiserver::Stage;
use std::sync::Arc;

/// One step that happened.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its number, counted from 1.
    pub number: u64,
    /// The time at which it happened.
    pub at: Time,
    /// The number of the step that caused it; 0 for a command or the beginning.
    pub cause: u64,
    /// The step itself.
    pub step: Arc<Step>,
    /// The result.
    pub note: Note,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// Nothing to add.
    Plain,
    /// It was meant for a process that has ended, or got lost on a broken link.
    Lost,
    /// It waits for a process that is frozen.
    Held,
    /// The API server has answered.
    Handled {
        /// The HTTP status code.
        code: u16,
        /// The last stage that the request reached.
        stage: Stage,
        /// The store's revision afterwards.
        revision: u64,
        /// The number of changes written.
        writes: u32,
    },
    /// A pass has observed or decided.
    Pass {
        /// The controller's index.
        controller: u32,
        /// The number of actions that it wants.
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
