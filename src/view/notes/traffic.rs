//! Requests to the API server, watch events and the lengths of work queues, second by second. Old seconds are merged into longer stretches, so that the notes
//! of a run of days stay small.

use super::Happening;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::Verb;
use crate::api::time::Time;
use crate::persistent::{OrdMap, Vector};
use crate::sim::{Call, Cluster, Note, Process, Step};
use crate::view::loops::message::request_text;
use arcstr::ArcStr;

/// The groups of senders by which requests are counted.
pub const WHO: [&str; 4] = ["controllers", "scheduler", "kubelets", "people"];
/// The groups of verbs by which requests are counted.
pub const VERBS: [&str; 6] = ["get", "list, watch", "create", "update", "patch", "delete"];

/// The levels of detail at which past traffic is kept, the finest first: the seconds that are counted together as one [`Stretch`], and the number of stretches
/// that the level holds before its oldest are merged into one of the next level.
const LEVELS: [(i64, usize); 4] = [(1, 600), (10, 360), (60, 1_440), (3_600, 8_760)];
/// The greatest number of errors that are kept.
const ERRORS_KEPT: usize = 256;

/// The notes about requests, watch events and queues.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// The counts of the current second.
    open: Stretch,
    /// The counts of earlier stretches of time, a list for each level of detail in [`LEVELS`].
    past: [Vector<Stretch>; LEVELS.len()],
    /// The numbers of requests of each sender.
    pub talkers: OrdMap<Talker, Talk>,
    /// The number of requests that reached the API server.
    pub requests: u64,
    /// The number of requests that a broken link lost.
    pub lost: u64,
    /// The number of watch events that reached their watchers.
    pub told: u64,
    /// The number of changes to the store.
    pub writes: u64,
    /// The number of all errors so far.
    pub error_count: u64,
    /// The newest errors: Warning events, and requests of components that the API server answered with a conflict (409) or an error of its own (500 and above).
    pub errors: Vector<Trouble>,
}

/// The counts of the traffic in a stretch of time: in one second, or in several that were merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// The beginning of this stretch of time, in seconds of virtual time since 1970.
    pub second: i64,
    /// The length of this stretch of time, in seconds.
    pub length: i64,
    /// The number of requests by sender, in the order of [`WHO`].
    pub by_who: [u32; WHO.len()],
    /// The number of requests by verb, in the order of [`VERBS`].
    pub by_verb: [u32; VERBS.len()],
    /// The number of watch events that reached their watchers.
    pub told: u32,
    /// The greatest number of keys in all work queues that were ready to be worked on.
    pub ready: u32,
    /// The greatest number of keys in all work queues that waited for their time, such as the end of a back-off.
    pub waiting: u32,
}

/// A sender of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Talker {
    /// A controller, by its index in the registry.
    Controller(u32),
    /// The informers of a controller manager, by the manager's number.
    Informers(u32),
    /// The leader election of a controller manager, by the manager's number.
    Election(u32),
    /// The scheduler.
    Scheduler,
    /// A kubelet, by the number of its node.
    Kubelet(u32),
    /// A person, by any program.
    Person,
}

/// The numbers of requests of one sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Talk {
    /// The number of requests that the sender has made.
    pub requests: u64,
    /// The number of the sender's requests that changed the store.
    pub writes: u64,
    /// The number of the sender's requests that the API server refused.
    pub refused: u64,
}

/// An error as a naive alert would count it: a Warning event, or a failed request of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The virtual time of the error.
    pub at: Time,
    /// The reason of the event, or the HTTP code of the answer.
    pub reason: ArcStr,
    /// The name of the object that the error is about.
    pub about: ArcStr,
}

impl Stretch {
    /// Returns the number of requests in this stretch of time.
    pub fn requests(&self) -> u32 {
        self.by_who.iter().sum()
    }
    fn join(&mut self, other: &Stretch) {
        self.by_who.iter_mut().zip(other.by_who).for_each(|(n, more)| *n += more);
        self.by_verb.iter_mut().zip(other.by_verb).for_each(|(n, more)| *n += more);
        self.told += other.told;
        self.ready = self.ready.max(other.ready);
        self.waiting = self.waiting.max(other.waiting);
    }
}

impl Traffic {
    /// Creates notes without any entries.
    pub fn new(start: Time) -> Traffic {
        Traffic {
            open: Stretch { second: start.unix(), length: 1, ..Stretch::default() },
            past: std::array::from_fn(|_| Vector::new()),
            talkers: OrdMap::new(),
            requests: 0,
            lost: 0,
            told: 0,
            writes: 0,
            error_count: 0,
            errors: Vector::new(),
        }
    }
    /// Returns the counts of all stretches of time, the earliest first. The stretches do not overlap; there is none for a time without any step.
    pub fn stretches(&self) -> impl Iterator<Item = &Stretch> {
        self.past.iter().rev().flat_map(|level| level.iter()).chain([&self.open])
    }
    /// Notes the requests and watch events of a simulator step, and the lengths of the work queues after it.
    pub fn note(&mut self, happening: &Happening) {
        let (record, cluster) = (happening.record, happening.cluster);
        let second = cluster.now.unix();
        if second != self.open.second {
            let over = std::mem::replace(&mut self.open, Stretch { second, length: 1, ..Stretch::default() });
            // The new second begins with the current lengths of the queues.
            (self.open.ready, self.open.waiting) = depth(cluster);
            self.put(0, over);
        }
        match (&*record.step, record.note) {
            (Step::Arrive { .. }, Note::Lost) => self.lost += 1,
            (Step::Arrive { from, call, request }, Note::Handled { code, writes, .. }) => {
                self.asked(*from, call, request.verb, code, writes, cluster);
                if matches!(code, 409 | 500..) && !matches!(from, Process::Person(_)) {
                    // An object that was to be created may have no name yet.
                    let about = if request.name.is_empty() { request_text(request).into() } else { request.name.clone() };
                    self.trouble(cluster.now, ArcStr::from(code.to_string()), about);
                }
            }
            (Step::Deliver { .. }, Note::Plain) => {
                self.told += 1;
                self.open.told += 1;
            }
            _ => {}
        }
        if matches!(record.step.process(), Some(Process::Manager(_) | Process::Scheduler)) {
            let (ready, waiting) = depth(cluster);
            self.open.ready = self.open.ready.max(ready);
            self.open.waiting = self.open.waiting.max(waiting);
        }
        self.writes += happening.changes.len() as u64;
        for change in happening.changes.iter().filter(|c| c.object.kind() == Kind::EVENT) {
            self.warned(&change.object, change.old.as_deref(), cluster.now);
        }
    }
    fn asked(&mut self, from: Process, call: &Call, verb: Verb, code: u16, writes: u32, cluster: &Cluster) {
        let (who, talker) = match from {
            Process::Manager(n) => (0, part_of(n, call, cluster)),
            Process::Scheduler => (1, Talker::Scheduler),
            Process::Kubelet(n) => (2, Talker::Kubelet(n)),
            Process::Person(_) | Process::ApiServer => (3, Talker::Person),
        };
        let what = match verb {
            Verb::Get => 0,
            Verb::List | Verb::Watch => 1,
            Verb::Create => 2,
            Verb::Update => 3,
            Verb::Patch => 4,
            Verb::Delete | Verb::DeleteCollection => 5,
        };
        self.requests += 1;
        self.open.by_who[who] += 1;
        self.open.by_verb[what] += 1;
        let add = |talk: Talk| Talk {
            requests: talk.requests + 1,
            writes: talk.writes + u64::from(writes > 0),
            refused: talk.refused + u64::from(code >= 400),
        };
        match self.talkers.get_mut(&talker) {
            Some(talk) => *talk = add(*talk),
            None => _ = self.talkers.insert(talker, add(Talk::default())),
        }
    }
    /// Notes a Warning event as an error if it is new or its count has grown.
    fn warned(&mut self, object: &Object, old: Option<&Object>, now: Time) {
        let times = |o: &Object| o.event().map(|e| e.series.map_or(e.count, |s| s.count));
        let Some(event) = object.event().filter(|e| e.type_ == "Warning") else { return };
        if old.and_then(times) != times(object) {
            self.trouble(now, event.reason.clone(), event.involved_object.name.clone());
        }
    }
    fn trouble(&mut self, at: Time, reason: ArcStr, about: ArcStr) {
        self.error_count += 1;
        if self.errors.len() >= ERRORS_KEPT {
            self.errors.drop_front(ERRORS_KEPT / 4);
        }
        self.errors.push_back(Trouble { at, reason, about });
    }
    /// Adds the counts of a stretch of time to a level of detail (see [`LEVELS`]). If the level is full, merges its oldest stretches into one of the next
    /// level; the last level drops its oldest quarter.
    fn put(&mut self, level: usize, stretch: Stretch) {
        let Some(((_, most), stretches)) = LEVELS.get(level).zip(self.past.get_mut(level)) else { return };
        stretches.push_back(stretch);
        if stretches.len() <= *most {
            return;
        }
        let Some((length, _)) = LEVELS.get(level + 1) else {
            stretches.drop_front(most / 4);
            return;
        };
        let slot = |s: &Stretch| s.second.div_euclid(*length) * length;
        let Some(first) = stretches.head().copied() else { return };
        let mut joined = Stretch { second: slot(&first), length: *length, ..Stretch::default() };
        while stretches.head().is_some_and(|s| slot(s) == joined.second) {
            stretches.pop_front().iter().for_each(|s| joined.join(s));
        }
        self.put(level + 1, joined);
    }
}

/// Returns the part of a controller manager that sent a request, by the purpose of the call.
fn part_of(manager: u32, call: &Call, cluster: &Cluster) -> Talker {
    match call {
        Call::List(_) => Talker::Informers(manager),
        Call::Lease => Talker::Election(manager),
        Call::Event(controller) => Talker::Controller(*controller),
        Call::Action(pass, _) => {
            let pass = cluster.managers.get(manager as usize).and_then(|m| m.passes.get(pass));
            pass.map_or(Talker::Informers(manager), |p| Talker::Controller(p.controller))
        }
        _ => Talker::Informers(manager),
    }
}

/// Returns the numbers of keys that are ready and that wait, in all work queues of leading managers and of the scheduler.
fn depth(cluster: &Cluster) -> (u32, u32) {
    let (active, backing_off, unschedulable) = cluster.scheduler.scheduler.queue_lengths();
    let parts = cluster.managers.iter().filter(|m| m.alive && m.leads).flat_map(|m| &m.parts);
    let (ready, waiting) = parts.fold((active, backing_off + unschedulable), |(ready, waiting), part| {
        let (r, w, _) = part.queue.lengths();
        (ready + r, waiting + w)
    });
    (ready as u32, waiting as u32)
}
