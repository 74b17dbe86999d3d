//! How much was asked of the API server, told by watches, and left in queues, second by second. Old seconds are merged into longer ones, so that
//! a run of days stays small.

use super::Happening;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::Verb;
use crate::api::time::Time;
use crate::persistent::{OrdMap, Vector};
use crate::sim::{Call, Cluster, Note, Process, Step};
use arcstr::ArcStr;

/// Who asks, in groups.
pub const WHO: [&str; 4] = ["controllers", "scheduler", "kubelets", "people"];
/// What is asked, in groups.
pub const VERBS: [&str; 6] = ["get", "list, watch", "create", "update", "patch", "delete"];

/// How long the stretches of each level are, in seconds, and how many of them are kept before they move on to the next.
const LEVELS: [(i64, usize); 4] = [(1, 600), (10, 360), (60, 1_440), (3_600, 8_760)];
/// How many errors are kept.
const ERRORS_KEPT: usize = 256;

/// What has been noted of requests and queues.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// The stretch in hand.
    open: Stretch,
    /// Earlier ones, a level for each length.
    past: [Vector<Stretch>; LEVELS.len()],
    /// Who has asked, and how often.
    pub talkers: OrdMap<Talker, Talk>,
    /// Requests that reached the API server.
    pub requests: u64,
    /// Requests that a broken link swallowed.
    pub lost: u64,
    /// Watch events that reached their watchers.
    pub told: u64,
    /// Changes to the store.
    pub writes: u64,
    /// How many errors there were.
    pub error_count: u64,
    /// The newest of them: warnings that were recorded, and components' requests that met a conflict or a failing server.
    pub errors: Vector<Trouble>,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// When it begins, in seconds since 1970.
    pub second: i64,
    /// How long it is, in seconds.
    pub length: i64,
    /// Requests by who asked.
    pub by_who: [u32; WHO.len()],
    /// Requests by what was asked.
    pub by_verb: [u32; VERBS.len()],
    /// Watch events.
    pub told: u32,
    /// The most keys that were ready to be worked on.
    pub ready: u32,
    /// The most keys that waited for a time.
    pub waiting: u32,
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Talker {
    /// A controller, by its index.
    Controller(u32),
    /// The informers of a controller manager, by its number.
    Informers(u32),
    /// The election of a controller manager, by its number.
    Election(u32),
    /// The scheduler.
    Scheduler,
    /// A kubelet, by its node's number.
    Kubelet(u32),
    /// A person.
    Person,
}

/// How much somebody has asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Talk {
    /// Requests.
    pub requests: u64,
    /// Of them, those that changed something.
    pub writes: u64,
    /// Of them, those that were refused.
    pub refused: u64,
}

/// An error, as a naive alert would take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// When.
    pub at: Time,
    /// In one word.
    pub reason: ArcStr,
    /// About what.
    pub about: ArcStr,
}

impl Stretch {
    /// All requests of it.
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
    /// Nothing noted yet.
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
    /// All stretches in the order of time. They lie side by side; in some nothing happened, and those are left out.
    pub fn stretches(&self) -> impl Iterator<Item = &Stretch> {
        self.past.iter().rev().flat_map(|level| level.iter()).chain([&self.open])
    }
    /// Notes what a step did.
    pub fn note(&mut self, happening: &Happening) {
        let (record, cluster) = (happening.record, happening.cluster);
        let second = cluster.now.unix();
        if second != self.open.second {
            let over = std::mem::replace(&mut self.open, Stretch { second, length: 1, ..Stretch::default() });
            // Queues stay as they are until somebody works on them.
            (self.open.ready, self.open.waiting) = depth(cluster);
            self.put(0, over);
        }
        match (&*record.step, record.note) {
            (Step::Arrive { .. }, Note::Lost) => self.lost += 1,
            (Step::Arrive { from, call, request }, Note::Handled { code, writes, .. }) => {
                self.asked(*from, call, request.verb, code, writes, cluster);
                if matches!(code, 409 | 500..) && !matches!(from, Process::Person(_)) {
                    self.trouble(cluster.now, ArcStr::from(code.to_string()), request.name.clone());
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
    /// A warning that is new, or has come again.
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
    /// Puts a stretch into a level. What no longer fits there is merged into a longer one, all that belongs to it at once.
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

/// Which part of a controller manager asks.
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

/// How many keys are ready and how many wait, in all queues.
fn depth(cluster: &Cluster) -> (u32, u32) {
    let (active, backing_off, unschedulable) = cluster.scheduler.scheduler.queue_lengths();
    let parts = cluster.managers.iter().filter(|m| m.alive && m.leads).flat_map(|m| &m.parts);
    let (ready, waiting) = parts.fold((active, backing_off + unschedulable), |(ready, waiting), part| {
        let (r, w, _) = part.queue.lengths();
        (ready + r, waiting + w)
    });
    (ready as u32, waiting as u32)
}
