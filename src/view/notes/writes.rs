//! Every change to the store, with its author and its cause, and the writes that were refused. Heartbeats are left out: they are too many and tell too little.

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

/// The greatest number of changes that are kept.
const KEPT: usize = 50_000;
/// The maximum number of changes older than `RECENT` that are kept, so that the notes of a run of days stay small.
const OLD_KEPT: usize = 1_000;
/// The age up to which a change counts as recent.
const RECENT: Span = Span::secs(3_600);
/// The greatest number of refused writes that are kept.
const REFUSALS_KEPT: usize = 50;
/// The greatest number of steps that are followed from a change back to its cause; after that the cause counts as forgotten.
const LONGEST_CHAIN: usize = 200;

/// The changes to the store in a run, and the writes that were refused.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    /// The changes by revision, oldest first.
    log: Vector<Arc<Wrote>>,
    /// The revision of the last change to each object, by a hash of the object's kind, namespace and name.
    last: OrdMap<u64, u64>,
    /// Write requests that were refused, oldest first.
    refused: Vector<Arc<Refused>>,
}

/// A write that the API server refused: nothing was stored.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The time at which the answer arrived.
    pub at: Time,
    /// The process that sent the request.
    pub by: Process,
    /// The request that was refused.
    pub request: Arc<Request>,
    /// The HTTP status code of the answer.
    pub code: u16,
    /// The message of the API server's answer.
    pub message: String,
    /// The pass, or the scheduler's decision, that sent the request; `None` for other senders.
    pub made_by: Option<MadeBy>,
}

/// One change to the store.
#[derive(Clone, Debug)]
pub struct Wrote {
    /// The store's revision that the change made.
    pub revision: u64,
    /// The virtual time of the change.
    pub at: Time,
    /// The number of the step that made the change.
    pub step: u64,
    /// The process that sent the request; the API server for changes that it makes itself.
    pub by: Process,
    /// The request that made the change; `None` if the API server made it by itself.
    pub request: Option<Arc<Request>>,
    /// The type of change: added, modified or deleted.
    pub type_: WatchType,
    /// The object before the change; `None` if it was created.
    pub old: Option<Arc<Object>>,
    /// The object after the change; for deletions its last state.
    pub object: Arc<Object>,
    /// The cause of the change.
    pub origin: Origin,
    /// The pass, or the scheduler's decision, that asked for the change; `None` for other authors.
    pub made_by: Option<MadeBy>,
    /// The revision of the change to the same object before this one; 0 if none is known.
    pub before: u64,
}

/// The pass, or the scheduler's decision, that asked for a change.
#[derive(Clone, Debug)]
pub struct MadeBy {
    /// The controller's index in the registry, or the index that stands for the scheduler.
    pub controller: usize,
    /// The number of the pass.
    pub pass: u64,
    /// The object over which the pass reconciles.
    pub over: (Kind, Key),
    /// The differences that the pass had found by then.
    pub found: Vec<Difference>,
}

/// The cause of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An earlier change, by its revision.
    Write(u64),
    /// A person's command, by the number of the simulator step that carried it out.
    Person(u64),
    /// A fault that was injected into the cluster, by the number of the simulator step that did so.
    Fault(u64),
    /// A timer by which a process acts on its own, by the number of the step at which it went off.
    Clock(u64),
    /// The setup of the cluster, before the first step.
    Beginning,
    /// A cause that is no longer known, because the steps in between are no longer recorded.
    Forgotten,
}

impl Writes {
    /// Notes the changes that a step made, and the refusal of a write if the step brings one.
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
    /// Drops the `count` oldest changes.
    fn forget(&mut self, count: usize) {
        for wrote in self.log.iter().take(count) {
            let place = place(&wrote.object);
            if self.last.get(&place) == Some(&wrote.revision) {
                self.last.remove(&place);
            }
        }
        self.log.drop_front(count);
    }
    /// Returns a change by its revision; `None` if it is not kept.
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
    /// Returns all changes that are kept, newest first.
    pub fn newest(&self) -> impl Iterator<Item = &Wrote> {
        (0..self.log.len()).rev().filter_map(|i| self.log.get(i)).map(|wrote| &**wrote)
    }
    /// Returns the changes to one object, newest first.
    pub fn of<'a>(&'a self, kind: Kind, key: &'a Key) -> impl Iterator<Item = &'a Wrote> {
        let is_it = move |o: &Object| o.kind() == kind && o.meta.name == key.name && o.meta.namespace == key.namespace;
        let newest = self.last.get(&hash(kind, &key.namespace, &key.name)).and_then(|revision| self.get(*revision));
        std::iter::successors(newest, |wrote| self.get(wrote.before)).filter(move |wrote| is_it(&wrote.object))
    }
    /// Returns the writes that were refused, newest first.
    pub fn refused(&self) -> impl Iterator<Item = &Refused> {
        (0..self.refused.len()).rev().filter_map(|i| self.refused.get(i)).map(|refused| &**refused)
    }
}

impl Wrote {
    /// Returns whether the change began the deletion of its object, by setting the deletionTimestamp.
    pub fn begins_deletion(&self) -> bool {
        self.object.meta.is_deleting() && self.old.as_ref().is_some_and(|old| !old.meta.is_deleting())
    }
    /// Returns whether the change touched the desired state (spec), and whether it touched the status. The request and the generation tell both, so no
    /// fields are compared.
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

/// Returns whether a request is a write worth noting: not a read, a dry run, or a write of an Event or a Lease.
fn is_write(request: &Request) -> bool {
    let reads = matches!(request.verb, Verb::Get | Verb::List | Verb::Watch);
    !reads && !request.kind.row().is_event_or_lease && !request.options.as_ref().is_some_and(|o| o.dry_run)
}

/// Returns the pass under way, or the scheduler's decision, for which a request was sent.
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

/// Follows the causes of a step back to the change, person, fault or timer that brought it about. If a process acted on the answer to a request of its own, its
/// cause is the cause of that request, not the change that the request made.
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

/// Returns whether a process acts on its own when this timer goes off. The end of a container counts: nobody asked for it.
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
