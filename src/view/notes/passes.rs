//! Reconcile passes, noted while they happen. One lasts a few milliseconds of virtual time: here it stays to be opened afterwards.

use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Request, Response, Subresource, Verb};
use crate::api::time::Time;
use crate::client::WorkKey;
use crate::controller::{Action, Difference, Observation, Outcome};
use crate::persistent::{OrdMap, Vector};
use crate::scheduler::{Decision, Scheduler};
use crate::sim::{Call, Cluster, Note, Process, Record, SchedulerProcess, Step, Timer};
use crate::view::loops::wires::missed_among;
use crate::view::rings::name_of;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many passes of each controller are kept.
const PASSES_KEPT: usize = 24;
/// The number of the store's newest changes among which those are counted that the caches of a pass had not heard of.
pub const CHANGES_COUNTED: usize = 16;
/// The number of observed objects that are shown, and compared with the store.
pub const SEEN_SHOWN: usize = 12;

/// The index of the scheduler, whose loop is shown among those of the controllers: after all of them, however many there are.
pub fn scheduler_index() -> usize {
    usize::MAX
}

/// Returns whether a request is about the status of an object.
pub fn is_status(request: &Request) -> bool {
    request.subresource == Subresource::Status
}

/// The passes of a run.
#[derive(Clone, Debug, Default)]
pub struct Passes {
    /// Passes by controller, oldest first; the scheduler's decisions come last.
    kept: OrdMap<usize, VecDeque<Arc<Noted>>>,
    in_hand: OrdMap<(u32, u64), Arc<Noted>>,
    next_number: u64,
}

/// A pass that was noted.
#[derive(Clone, Debug)]
pub struct Noted {
    /// Its number in this run of the page.
    pub number: u64,
    /// Whose.
    pub controller: usize,
    /// The controller's name as the page shows it.
    pub controller_name: String,
    /// Over what.
    pub key: WorkKey,
    /// When it observed.
    pub at: Time,
    /// The number of the step that brought it about.
    pub cause: u64,
    /// What it observed.
    pub seen: Arc<Observation>,
    /// The revisions up to which its caches had heard, by kind.
    pub heard: Vec<(Kind, u64)>,
    /// The store's revision at that moment. A copy of the store itself would make every later write copy what it shares with it.
    pub store_revision: u64,
    /// Changes to what the controller watches that had not reached its cache by then, counted up to [`CHANGES_COUNTED`].
    pub behind: usize,
    /// Bit n: the store had another version of the nth observed object, or no longer had it.
    stale: u16,
    /// Set if it has compared desired and actual. Until then its differences and actions are not known.
    pub compared: bool,
    /// Differences found.
    pub differences: Vec<Difference>,
    /// Requests sent and their answers, in order.
    pub actions: Vector<(Action, Option<Arc<Response>>)>,
    /// Where the round in hand begins among them.
    round: usize,
    /// How many of them have been sent, those included that an earlier round decided on and never sent.
    sent: usize,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// When it ended.
    pub ended: Option<Time>,
    /// Set if its process ended before it did.
    pub cut_short: bool,
    /// The scheduler's decision, if it is one of the scheduler's.
    pub decision: Option<Decision>,
    /// What that decision was made from; a copy is a few pointers.
    pub basis: Option<Box<Scheduler>>,
}

/// A phase of a reconcile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing in hand.
    #[default]
    Idle,
    /// Reading the cache.
    Observe,
    /// Comparing.
    Diff,
    /// Waiting for answers.
    Act,
}

/// A phase that a step completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened {
    /// Whose.
    pub controller: usize,
    /// Which.
    pub phase: Phase,
}

impl Happened {
    /// The phase that a step completed, if it completed one.
    pub fn of(record: &Record, cluster: &Cluster) -> Option<Happened> {
        let of_pass = |n: &u32, id: &u64| Some(cluster.managers.get(*n as usize)?.passes.get(id)?.controller as usize);
        let (controller, phase) = match (&*record.step, record.note) {
            (Step::Wake(Process::Manager(_), Timer::Observe(_)), Note::Pass { controller, .. }) => (controller as usize, Phase::Observe),
            (Step::Wake(Process::Manager(_), Timer::Diff(_)), Note::Pass { controller, .. }) => (controller as usize, Phase::Diff),
            (Step::Answer { to: Process::Manager(n), call: Call::Action(id, _), .. }, Note::Plain) => (of_pass(n, id)?, Phase::Act),
            (Step::Wake(Process::Scheduler, Timer::Schedule), Note::Plain) => (scheduler_index(), Phase::Diff),
            (Step::Answer { to: Process::Scheduler, call: Call::Bind(_), .. }, Note::Plain) => (scheduler_index(), Phase::Act),
            _ => return None,
        };
        Some(Happened { controller, phase })
    }
}

impl Passes {
    /// Notes what a step did.
    pub fn note(&mut self, record: &Record, cluster: &Cluster) {
        match (&*record.step, record.note) {
            (_, Note::Lost | Note::Held) => {}
            (Step::Wake(Process::Manager(n), Timer::Observe(id)), _) => self.observed(*n, *id, record.cause, cluster),
            (Step::Wake(Process::Manager(n), Timer::Diff(id)), _) => self.decided(*n, *id, cluster),
            (Step::Answer { to: Process::Manager(n), call: Call::Action(id, index), response, .. }, _) => {
                let sent = cluster.managers.get(*n as usize).and_then(|m| m.passes.get(id)).map_or(0, |p| p.sent);
                if let Some(pass) = self.in_hand.get_mut(&(*n, *id)) {
                    Arc::make_mut(pass).answered(*index as usize, response, sent);
                }
            }
            (Step::Wake(Process::Scheduler, Timer::Schedule), _) => self.scheduled(record.cause, cluster),
            (Step::Answer { to: Process::Scheduler, call: Call::Bind(_) | Call::SchedulerWrite, request, response }, _) => {
                self.scheduler_answered(request, response, cluster);
            }
            // Nobody waits any more for the answers to what an ended scheduler asked for.
            (Step::Fault(_), _) if !cluster.scheduler.alive => self.cut_scheduler_short(cluster),
            _ => {}
        }
        if !self.in_hand.is_empty() && cluster.managers.iter().any(|m| !m.alive) {
            self.cut_short(cluster);
        }
    }
    /// The passes kept of a controller, oldest first.
    pub fn of(&self, controller: usize) -> impl DoubleEndedIterator<Item = &Noted> {
        self.kept.get(&controller).into_iter().flatten().map(|noted| &**noted)
    }
    /// The pass in hand of a controller, if there is one: the one begun first.
    pub fn in_hand(&self, controller: usize) -> Option<&Noted> {
        self.in_hand.values().map(|noted| &**noted).find(|p| p.controller == controller)
    }
    /// The pass in hand of a controller manager, by the manager's own number of it.
    pub fn under_way(&self, manager: u32, id: u64) -> Option<&Noted> {
        self.in_hand.get(&(manager, id)).map(|noted| &**noted)
    }
    /// The pass of a controller manager that ended last.
    pub fn last_ended(&self) -> Option<&Noted> {
        let managed = self.kept.iter().filter(|(controller, _)| **controller != scheduler_index());
        managed.filter_map(|(_, kept)| kept.back()).map(|noted| &**noted).max_by_key(|noted| (noted.ended, noted.number))
    }
    /// The newest pass that is over and has found a difference, among the last `looked_back` of each controller.
    pub fn newest_difference(&self, looked_back: usize) -> Option<&Noted> {
        let telling = |noted: &&Noted| noted.ended.is_some() && noted.makes_difference();
        let of_each = self.kept.values().filter_map(|kept| kept.iter().rev().take(looked_back).map(|noted| &**noted).find(telling));
        of_each.max_by_key(|noted| noted.number)
    }
    /// A pass by its number.
    pub fn pass(&self, number: u64) -> Option<&Noted> {
        self.in_hand.values().chain(self.kept.values().flatten()).map(|noted| &**noted).find(|p| p.number == number)
    }
    /// Passes whose process has ended are over, wherever they were.
    fn cut_short(&mut self, cluster: &Cluster) {
        let alive = |n: u32| cluster.managers.get(n as usize).is_some_and(|m| m.alive);
        let lost: Vec<(u32, u64)> = self.in_hand.keys().filter(|(n, _)| !alive(*n)).copied().collect();
        for key in lost {
            if let Some(mut lost) = self.in_hand.remove(&key) {
                let noted = Arc::make_mut(&mut lost);
                noted.ended = Some(cluster.now);
                noted.cut_short = true;
                self.keep(lost);
            }
        }
    }
    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }
    fn observed(&mut self, n: u32, id: u64, cause: u64, cluster: &Cluster) {
        let Some(manager) = cluster.managers.get(n as usize) else { return };
        let Some((pass, seen)) = manager.passes.get(&id).and_then(|p| Some((p, p.seen.clone()?))) else { return };
        let kinds = cluster.controllers.get(pass.controller as usize).map(|c| c.heard_kinds(&cluster.api.kinds)).unwrap_or_default();
        let heard = kinds.iter().map(|kind| (*kind, manager.caches.of(*kind).revision)).collect();
        let noted = Noted { cause, ..Noted::new(self.number(), pass.controller as usize, pass.key.clone(), seen, heard, cluster) };
        self.in_hand.insert((n, id), Arc::new(noted));
    }
    fn decided(&mut self, n: u32, id: u64, cluster: &Cluster) {
        let Some(mut kept) = self.in_hand.remove(&(n, id)) else { return };
        let noted = Arc::make_mut(&mut kept);
        match cluster.managers.get(n as usize).and_then(|m| m.passes.get(&id)) {
            Some(pass) => {
                noted.compared = true;
                noted.differences = pass.plan.differences.clone();
                noted.round = noted.actions.len();
                noted.sent = noted.round + pass.sent;
                pass.plan.actions.iter().for_each(|action| noted.actions.push_back((action.clone(), None)));
                self.in_hand.insert((n, id), kept);
            }
            None => {
                noted.compared = true;
                noted.ended = Some(cluster.now);
                let ended = cluster.managers.get(n as usize).and_then(|m| m.ended.as_ref());
                if let Some((_, plan, outcome)) = ended.filter(|(number, ..)| *number == id) {
                    noted.differences = plan.differences.clone();
                    noted.outcome = Some(outcome.clone());
                }
                self.keep(kept);
            }
        }
    }
    fn scheduled(&mut self, cause: u64, cluster: &Cluster) {
        let Some(made) = cluster.scheduler.decisions.last().filter(|made| made.at == cluster.now) else { return };
        let key = WorkKey::new(Kind::POD, made.pod.key());
        if self.of(scheduler_index()).next_back().is_some_and(|p| p.key == key && p.at == made.at) {
            return;
        }
        let seen = Observation {
            key: key.clone(),
            now: made.at,
            primary: Some(made.pod.clone()),
            related: Vec::new(),
            expectations_met: true,
            recalled: crate::controller::RememberedState::Nothing,
            kinds: cluster.api.kinds.clone(),
        };
        let process = &cluster.scheduler;
        let heard = SchedulerProcess::WATCHES.iter().map(|kind| (*kind, process.heard(*kind).unwrap_or(0))).collect();
        let mut noted = Noted::new(self.number(), scheduler_index(), key, Arc::new(seen), heard, cluster);
        noted.cause = cause;
        noted.decision = Some(made.decision.clone());
        noted.basis = Some(Box::new(process.scheduler.basis()));
        noted.compared = true;
        made.asked.iter().for_each(|request| noted.actions.push_back((Action::new(request.clone()), None)));
        noted.sent = noted.actions.len();
        noted.ended = noted.actions.is_empty().then_some(cluster.now);
        self.keep(Arc::new(noted));
    }
    /// Notes the answer to a request of the scheduler at the newest decision that asked it.
    fn scheduler_answered(&mut self, request: &Request, response: &Arc<Response>, cluster: &Cluster) {
        let is_asked = |(action, answer): &(Action, Option<Arc<Response>>)| {
            let asked = &action.request;
            answer.is_none()
                && (asked.verb, asked.kind, asked.subresource) == (request.verb, request.kind, request.subresource)
                && (&asked.name, &asked.namespace) == (&request.name, &request.namespace)
        };
        let decisions = self.kept.get_mut(&scheduler_index()).into_iter().flatten();
        let Some(noted) = decisions.rev().find(|p| p.actions.iter().any(is_asked)) else { return };
        let noted = Arc::make_mut(noted);
        let place = noted.actions.iter().position(is_asked);
        if let Some((_, answer)) = place.and_then(|place| noted.actions.get_mut(place)) {
            *answer = Some(response.clone());
        }
        if !noted.is_under_way() {
            noted.ended = Some(cluster.now);
        }
    }
    fn cut_scheduler_short(&mut self, cluster: &Cluster) {
        for noted in self.kept.get_mut(&scheduler_index()).into_iter().flatten().filter(|p| p.ended.is_none()) {
            let noted = Arc::make_mut(noted);
            noted.ended = Some(cluster.now);
            noted.cut_short = true;
        }
    }
    fn keep(&mut self, noted: Arc<Noted>) {
        let kept = self.kept.entry(noted.controller).or_default();
        if kept.len() == PASSES_KEPT {
            // A pass that changed something is worth more to a reader than one that found all well.
            let idle = kept.iter().position(|p| !p.is_telling()).filter(|i| *i + 1 < PASSES_KEPT).unwrap_or(0);
            kept.remove(idle);
        }
        kept.push_back(noted);
    }
}

impl Noted {
    fn new(number: u64, controller: usize, key: WorkKey, seen: Arc<Observation>, heard: Vec<(Kind, u64)>, cluster: &Cluster) -> Noted {
        let store = &cluster.api.store;
        let is_stale = |o: &Arc<Object>| {
            let stored = store.get(o.kind(), &o.key());
            stored.is_none_or(|s| s.meta.resource_version != o.meta.resource_version)
        };
        let shown = seen.objects().take(SEEN_SHOWN).enumerate();
        let stale = shown.fold(0, |bits, (place, object)| bits | u16::from(is_stale(object)) << place);
        let behind = missed_among(CHANGES_COUNTED as u64, store, &heard).count();
        Noted {
            number,
            controller,
            controller_name: name_of(cluster, controller),
            key,
            at: cluster.now,
            cause: 0,
            seen,
            heard,
            store_revision: store.revision(),
            behind,
            stale,
            compared: false,
            differences: Vec::new(),
            actions: Vector::new(),
            round: 0,
            sent: 0,
            outcome: None,
            ended: None,
            cut_short: false,
            decision: None,
            basis: None,
        }
    }
    fn answered(&mut self, index: usize, response: &Arc<Response>, sent: usize) {
        self.sent = self.sent.max(self.round + sent);
        if let Some((_, answer)) = self.actions.get_mut(self.round + index) {
            *answer = Some(response.clone());
        }
    }
    /// Returns whether the store had another version of an observed object, by its place among those that are shown.
    pub fn is_stale(&self, place: usize) -> bool {
        self.stale >> place & 1 == 1
    }
    /// The newest revision that its caches had heard of.
    pub fn view_revision(&self) -> u64 {
        self.heard.iter().map(|(_, revision)| *revision).max().unwrap_or(0)
    }
    /// Returns whether it found a difference or wrote something.
    pub fn is_telling(&self) -> bool {
        !self.differences.is_empty() || !self.actions.is_empty() || self.decision.is_some()
    }
    /// Returns whether it found a difference, or writes something other than a status.
    pub fn makes_difference(&self) -> bool {
        let writes = |request: &Request| !is_status(request) && !matches!(request.verb, Verb::Get | Verb::List);
        !self.differences.is_empty() || self.decision.is_some() || self.actions.iter().any(|(action, _)| writes(&action.request))
    }
    /// Requests that have been answered.
    pub fn answered_count(&self) -> usize {
        self.actions.iter().filter(|(_, answer)| answer.is_some()).count()
    }
    /// How a request of it is, by its place.
    pub fn request_state(&self, place: usize) -> RequestState {
        match self.actions.get(place) {
            Some((_, Some(_))) => RequestState::Answered,
            _ if self.ended.is_some() && (place >= self.sent || place < self.round) => RequestState::NeverSent,
            _ if self.ended.is_some() => RequestState::Unanswered,
            _ if place < self.round => RequestState::NeverSent,
            _ if place < self.sent => RequestState::UnderWay,
            _ => RequestState::NotSentYet,
        }
    }
    fn is_under_way(&self) -> bool {
        (self.round..self.actions.len()).any(|place| self.request_state(place) == RequestState::UnderWay)
    }
    /// The phase it is in: with what it has observed, or with all answers, it compares next.
    pub fn phase(&self) -> Phase {
        match self.ended {
            Some(_) => Phase::Idle,
            None if self.is_under_way() => Phase::Act,
            None => Phase::Diff,
        }
    }
}

/// How a request of a pass is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestState {
    /// It waits until those before it are answered.
    NotSentYet,
    /// It was sent and has no answer yet.
    UnderWay,
    /// It was answered.
    Answered,
    /// It was given up before it was sent.
    NeverSent,
    /// Its process ended before the answer came.
    Unanswered,
}
