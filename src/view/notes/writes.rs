//! Every change to the store: by whom, and what brought it about. Heartbeats are left out, of which there are too many and which tell too little.

use super::Happening;
use super::passes::{Passes, scheduler_index};
use crate::api::fnv;
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::request::{Request, Verb};
use crate::api::time::{Span, Time};
use crate::api::watch::WatchType;
use crate::controller::Difference;
use crate::kubelet;
use crate::persistent::{OrdMap, Vector};
use crate::sim::{Call, Note, Process, Step, Timer, Trail};
use std::sync::Arc;

/// How many changes are kept.
const KEPT: usize = 50_000;
/// The maximum number of changes older than `RECENT`, so that a run of days stays small.
const OLD_KEPT: usize = 1_000;
const RECENT: Span = Span::secs(3_600);
/// How many refusals are kept.
const REFUSALS_KEPT: usize = 50;
/// A chain of steps between two changes is not longer than this; one that is has lost its thread.
const LONGEST_CHAIN: usize = 200;

/// The changes of a run, by revision.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    /// By revision, oldest first.
    log: Vector<Arc<Wrote>>,
    /// The last change to each object, under a number made from its name.
    last: OrdMap<u64, u64>,
    /// Write requests that were refused, oldest first.
    refused: Vector<Arc<Refused>>,
}

/// A write that the API server refused: nothing was stored.
#[derive(Clone, Debug)]
pub struct Refused {
    /// When the answer came.
    pub at: Time,
    /// Who asked.
    pub by: Process,
    /// The request.
    pub request: Arc<Request>,
    /// The code of the answer.
    pub code: u16,
    /// The API server's words.
    pub message: String,
    /// The pass or the scheduler's decision that asked for it.
    pub made_by: Option<MadeBy>,
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
    /// The pass or the scheduler's decision that asked for it.
    pub made_by: Option<MadeBy>,
    /// The revision of the change to the same object before this one; 0 if none is known.
    pub before: u64,
}

/// The pass that asked for a change.
#[derive(Clone, Debug)]
pub struct MadeBy {
    /// The controller's index in the registry.
    pub controller: usize,
    /// The pass's number in this run of the page.
    pub pass: u64,
    /// The object that was worked on.
    pub over: (Kind, Key),
    /// What it had found to differ by then.
    pub found: Vec<Difference>,
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
    /// Notes the changes of a step, and what was refused.
    pub fn note(&mut self, happening: &Happening, passes: &Passes) {
        let telling = |kind: Kind| !kind.row().is_heartbeat;
        let record = happening.record;
        if let Step::Answer { to, call, request, response } = &*record.step
            && let Some(status) = response.refusal().filter(|status| status.code >= 400 && is_write(request))
        {
            let (request, message, made_by) = (request.clone(), status.message.clone(), made_by(*to, call, passes));
            self.answered(Refused { at: record.at, by: *to, request, code: status.code, message, made_by });
        }
        if !happening.changes.iter().any(|c| telling(c.object.kind())) {
            return;
        }
        let (by, request, made_by) = match &*record.step {
            Step::Arrive { from, request, call } => (*from, Some(request.clone()), made_by(*from, call, passes)),
            _ => (Process::ApiServer, None, None),
        };
        let origin = origin_of(record.cause, happening.trail);
        for change in happening.changes.iter().filter(|c| telling(c.object.kind())) {
            let before = self.last.insert(place(&change.object), change.revision);
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
                made_by: made_by.clone(),
                before: before.unwrap_or(0),
            };
            self.log.push_back(Arc::new(wrote));
        }
        if self.log.len() > KEPT {
            self.forget(KEPT / 4);
        } else if self.log.get(OLD_KEPT).is_some_and(|wrote| record.at - wrote.at > RECENT) {
            self.forget(OLD_KEPT / 4);
        }
    }
    fn answered(&mut self, refused: Refused) {
        if self.refused.len() == REFUSALS_KEPT {
            self.refused.pop_front();
        }
        self.refused.push_back(Arc::new(refused));
    }
    /// Lets go of the oldest changes, and of objects that have had none since.
    fn forget(&mut self, count: usize) {
        for wrote in self.log.iter().take(count) {
            let place = place(&wrote.object);
            if self.last.get(&place) == Some(&wrote.revision) {
                self.last.remove(&place);
            }
        }
        self.log.drop_front(count);
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
        let newest = self.last.get(&hash(kind, &key.namespace, &key.name)).and_then(|revision| self.get(*revision));
        std::iter::successors(newest, |wrote| self.get(wrote.before)).filter(move |wrote| is_it(&wrote.object))
    }
    /// Writes that were refused, newest first.
    pub fn refused(&self) -> impl Iterator<Item = &Refused> {
        (0..self.refused.len()).rev().filter_map(|i| self.refused.get(i)).map(|refused| &**refused)
    }
}

impl Wrote {
    /// Returns whether it began the object's deletion.
    pub fn begins_deletion(&self) -> bool {
        self.object.meta.is_deleting() && self.old.as_ref().is_some_and(|old| !old.meta.is_deleting())
    }
    /// Returns whether it changed what is wanted, and whether what is observed: told by the door through which it came, which costs nothing.
    pub fn touches(&self) -> (bool, bool) {
        use crate::api::request::Subresource::{Binding, Finalize, Scale, Status};
        let Some(request) = &self.request else { return (true, false) };
        let Some(old) = &self.old else { return (true, false) };
        match (request.subresource, request.verb) {
            _ if self.type_ == WatchType::Deleted => (false, false),
            (Status, _) => (false, true),
            (Binding | Scale | Finalize, _) => (true, false),
            (_, Verb::Delete | Verb::DeleteCollection) => (false, false),
            _ if old.meta.generation > 0 => (old.meta.generation != self.object.meta.generation, false),
            _ => (true, false),
        }
    }
}

/// Returns whether a request was meant to store something that is worth telling.
fn is_write(request: &Request) -> bool {
    let reads = matches!(request.verb, Verb::Get | Verb::List | Verb::Watch);
    !reads && !request.kind.row().is_event_or_lease && !request.options.as_ref().is_some_and(|o| o.dry_run)
}

/// The pass in hand, or the scheduler's decision, for which a request was sent.
fn made_by(from: Process, call: &Call, passes: &Passes) -> Option<MadeBy> {
    let noted = match (from, call) {
        (Process::Manager(n), Call::Action(id, _)) => passes.under_way(n, *id),
        (Process::Scheduler, Call::Bind(pod)) => {
            passes.of(scheduler_index()).rev().find(|p| p.seen.primary.as_ref().is_some_and(|o| o.meta.uid == pod.meta.uid))
        }
        _ => None,
    }?;
    Some(MadeBy {
        controller: noted.controller,
        pass: noted.number,
        over: (noted.key.kind, noted.key.key.clone()),
        found: noted.differences.clone(),
    })
}

fn place(object: &Object) -> u64 {
    hash(object.kind(), &object.meta.namespace, &object.meta.name)
}

fn hash(kind: Kind, namespace: &str, name: &str) -> u64 {
    let of_kind = fnv::add(fnv::EMPTY, &kind.number().to_le_bytes());
    fnv::add(fnv::add(fnv::add(of_kind, namespace.as_bytes()), &[0xff]), name.as_bytes())
}

/// Follows the causes of a step back to the change, the person or the clock that brought it about. What somebody did after an answer to a request of
/// their own has the cause of that request, not the request itself.
pub fn origin_of(step: u64, trail: &Trail) -> Origin {
    let (mut number, mut own) = (step, false);
    for _ in 0..LONGEST_CHAIN {
        if number == 0 {
            return Origin::Beginning;
        }
        let Some(record) = trail.get(number) else { return Origin::Forgotten };
        match (&*record.step, record.note) {
            (Step::Arrive { .. }, Note::Handled { writes: 1.., revision, .. }) if !own => return Origin::Write(revision),
            (Step::Run(_) | Step::Interrupt(_) | Step::Type(..) | Step::Extend(_), _) => return Origin::Person(number),
            (Step::Fault(_), _) => return Origin::Fault(number),
            (Step::Wake(_, timer), _) if is_own_clock(timer) => return Origin::Clock(number),
            _ => {}
        }
        own = matches!(&*record.step, Step::Answer { .. });
        number = record.cause;
    }
    Origin::Forgotten
}

/// Returns whether a process looks around by itself when this timer goes off. The end of a container counts: nobody asked for it.
fn is_own_clock(timer: &Timer) -> bool {
    use kubelet::Timer::{Deadline, Exit, Heartbeat, Probe};
    matches!(
        timer,
        Timer::MonitorNodes
            | Timer::Resync
            | Timer::SweepPods
            | Timer::Elect
            | Timer::OwnService
            | Timer::Compact
            | Timer::ExpireEvents
            | Timer::Kubelet(Exit { .. } | Probe { .. } | Heartbeat | Deadline(_))
    )
}
