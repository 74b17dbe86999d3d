//! Every change to the store: by whom, and what brought it about. Heartbeats are left out, of which there are too many and which tell too little.

use super::Happening;
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::time::Time;
use crate::api::watch::WatchType;
use crate::persistent::Vector;
use crate::sim::{Note, Process, Step, Timer, Trail};
use std::sync::Arc;

/// How many changes are kept.
const KEPT: usize = 50_000;
/// A chain of steps between two changes is not longer than this; one that is has lost its thread.
const LONGEST_CHAIN: usize = 200;

/// The changes of a run, by revision.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    /// By revision, oldest first.
    log: Vector<Arc<Wrote>>,
}

/// One change.
#[derive(Clone, Debug)]
pub struct Wrote {
    /// The revision it made.
    pub revision: u64,
    /// When.
    pub at: Time,
    /// The number of the step.
    pub step: u64,
    /// Who asked for it; the API server for its own doings.
    pub by: Process,
    /// The request, unless it was the API server's own doing.
    pub request: Option<Arc<Request>>,
    /// What happened to the object.
    pub type_: WatchType,
    /// The object before.
    pub old: Option<Arc<Object>>,
    /// The object after; for deletions its last state.
    pub object: Arc<Object>,
    /// What brought it about.
    pub origin: Origin,
}

/// What brings a change about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An earlier change, by its revision.
    Write(u64),
    /// A program that a person started, by the step of its start.
    Person(u64),
    /// A fault, by its step.
    Fault(u64),
    /// A process looked around by itself, by the step.
    Clock(u64),
    /// The cluster's beginning.
    Beginning,
    /// It is no longer known.
    Forgotten,
}

impl Writes {
    /// Notes the changes of a step.
    pub fn note(&mut self, happening: &Happening) {
        let telling = |kind: Kind| kind != Kind::LEASE;
        if !happening.changes.iter().any(|c| telling(c.object.kind())) {
            return;
        }
        let record = happening.record;
        let (by, request) = match &*record.step {
            Step::Arrive { from, request, .. } => (*from, Some(request.clone())),
            _ => (Process::ApiServer, None),
        };
        let origin = origin_of(record.cause, happening.trail);
        for change in happening.changes.iter().filter(|c| telling(c.object.kind())) {
            let wrote = Wrote {
                revision: change.revision,
                at: change.at,
                step: record.number,
                by,
                request: request.clone(),
                type_: change.type_,
                old: change.old.clone(),
                object: change.object.clone(),
                origin,
            };
            self.log.push_back(Arc::new(wrote));
        }
        if self.log.len() > KEPT {
            self.log.drop_front(KEPT / 4);
        }
    }
    /// A change by its revision.
    pub fn get(&self, revision: u64) -> Option<&Wrote> {
        let (mut from, mut to) = (0, self.log.len());
        while from < to {
            let middle = (from + to) / 2;
            match self.log.get(middle)?.revision.cmp(&revision) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return self.log.get(middle).map(|wrote| &**wrote),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }
    /// All that are kept, newest first.
    pub fn newest(&self) -> impl Iterator<Item = &Wrote> {
        (0..self.log.len()).rev().filter_map(|i| self.log.get(i)).map(|wrote| &**wrote)
    }
    /// The changes to one object, newest first.
    pub fn of<'a>(&'a self, kind: Kind, key: &'a Key) -> impl Iterator<Item = &'a Wrote> {
        let is_it = move |o: &Object| o.kind() == kind && o.meta.name == key.name && o.meta.namespace == key.namespace;
        self.newest().filter(move |wrote| is_it(&wrote.object))
    }
}

/// Follows the causes of a step back to the change, the person or the clock that brought it about.
pub fn origin_of(step: u64, trail: &Trail) -> Origin {
    let mut number = step;
    for _ in 0..LONGEST_CHAIN {
        if number == 0 {
            return Origin::Beginning;
        }
        let Some(record) = trail.get(number) else { return Origin::Forgotten };
        match (&*record.step, record.note) {
            (Step::Arrive { .. }, Note::Handled { writes: 1.., revision, .. }) => return Origin::Write(revision),
            (Step::Run(_) | Step::Interrupt(_), _) => return Origin::Person(number),
            (Step::Fault(_), _) => return Origin::Fault(number),
            (Step::Wake(_, Timer::MonitorNodes | Timer::Resync | Timer::SweepPods | Timer::Elect | Timer::OwnService), _) => {
                return Origin::Clock(number);
            }
            _ => number = record.cause,
        }
    }
    Origin::Forgotten
}
