//! Reconcile passes, noted while they happen. A pass lasts a few milliseconds of virtual time; its note is kept, so that a person can open it afterwards.

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

/// The number of passes that are kept of each controller.
const PASSES_KEPT: usize = 24;
/// The number of newest changes to the store among which a pass looks for changes that its caches had not received.
pub const CHANGES_COUNTED: usize = 16;
/// The number of observed objects of a pass that are shown and compared with the store.
pub const SEEN_SHOWN: usize = 12;

/// Returns the index that stands for the scheduler wherever the index of a controller is expected. It is greater than the index of every controller.
pub fn scheduler_index() -> usize {
    usize::MAX
}

/// Returns whether a request is for the status subresource.
pub fn is_status(request: &Request) -> bool {
    request.subresource == Subresource::Status
}

/// The passes of a run.
#[derive(Clone, Debug, Default)]
pub struct Passes {
    /// The passes by the controller's index, oldest first. Passes of controllers are added when they end, decisions of the scheduler at once.
    kept: OrdMap<usize, VecDeque<Arc<Noted>>>,
    in_hand: OrdMap<(u32, u64), Arc<Noted>>,
    next_number: u64,
}

/// The note of one reconcile pass, or of one decision of the scheduler.
#[derive(Clone, Debug)]
pub struct Noted {
    /// The number of the pass: passes are counted from 1 in the order in which they began.
    pub number: u64,
    /// The index of the controller in the registry, or [`scheduler_index`].
    pub controller: usize,
    /// The controller's name as the page shows it.
    pub controller_name: String,
    /// The object over which the controller reconciles.
    pub key: WorkKey,
    /// The time at which the pass observed.
    pub at: Time,
    /// The number of the step that caused the pass.
    pub cause: u64,
    /// The objects that the pass observed in its cache.
    pub seen: Arc<Observation>,
    /// The revisions that the caches had reached when the pass observed, for each kind that the controller watches.
    pub heard: Vec<(Kind, u64)>,
    /// The store's revision when the pass observed. A copy of the store itself would make later writes copy the parts that they share.
    pub store_revision: u64,
    /// The number of changes that the controller watches and that had not reached its cache when the pass observed, at most [`CHANGES_COUNTED`].
    pub behind: usize,
    /// A set of bits: bit n is set if the nth observed object was out of date, that is, changed or deleted in the store.
    stale: u16,
    /// The time at which the pass compared desired and actual last. Until then, `None`, its differences and actions are not known.
    pub compared: Option<Time>,
    /// The differences that the pass found between desired and actual.
    pub differences: Vec<Difference>,
    /// The requests that the pass decided on, in order, each with its answer; `None` while there is no answer.
    pub actions: Vector<(Action, Option<Arc<Response>>)>,
    /// The index of the first request that the latest comparison decided on; a pass compares again after the answers.
    round: usize,
    /// The index of the first request that has not been sent. Requests before `round` count as sent even if they never were.
    sent: usize,
    /// The outcome of the pass; `None` while it is under way, if it was cut short, or for a decision of the scheduler.
    pub outcome: Option<Outcome>,
    /// The time at which the pass ended; `None` while it is under way.
    pub ended: Option<Time>,
    /// Set if the controller's process ended before the pass was over.
    pub cut_short: bool,
    /// The decision of the scheduler; `None` for a pass of a controller.
    pub decision: Option<Decision>,
    /// The scheduler's state from which the decision was made; a copy is a few pointers.
    pub basis: Option<Box<Scheduler>>,
}

/// A phase of a reconcile pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// No pass is under way.
    #[default]
    Idle,
    /// The controller reads its cache.
    Observe,
    /// The controller compares desired and actual.
    Diff,
    /// The controller waits for the answers to its requests.
    Act,
}

/// A phase of a pass that a step has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened {
    /// The index of the controller, or [`scheduler_index`].
    pub controller: usize,
    /// The phase that is completed.
    pub phase: Phase,
}

impl Happened {
    /// Returns the phase that a step has completed, if it has completed one.
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
    /// Notes the effect of a step on the passes.
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
            (
                Step::Answer {
                    to: Process::Scheduler,
                    call: Call::Bind(_) | Call::SchedulerWrite | Call::Preempt(_) | Call::PreemptDelete(_),
                    request,
                    response,
                },
                _,
            ) => {
                self.scheduler_answered(request, response, cluster);
            }
            // When the scheduler's process has ended, nobody waits for the answers to its requests any more.
            (Step::Fault(_), _) if !cluster.scheduler.alive => self.cut_scheduler_short(cluster),
            _ => {}
        }
        if !self.in_hand.is_empty() && cluster.managers.iter().any(|m| !m.alive) {
            self.cut_short(cluster);
        }
    }
    /// Returns the passes that are kept of a controller, oldest first.
    pub fn of(&self, controller: usize) -> impl DoubleEndedIterator<Item = &Noted> {
        self.kept.get(&controller).into_iter().flatten().map(|noted| &**noted)
    }
    /// Returns the pass of a controller that is under way; of several, the one in the manager with the lowest number that began first.
    pub fn in_hand(&self, controller: usize) -> Option<&Noted> {
        self.in_hand.values().map(|noted| &**noted).find(|p| p.controller == controller)
    }
    /// Returns a pass under way by the number of its controller manager and the manager's id of the pass.
    pub fn under_way(&self, manager: u32, id: u64) -> Option<&Noted> {
        self.in_hand.get(&(manager, id)).map(|noted| &**noted)
    }
    /// Returns the controllers' pass that ended last; decisions of the scheduler do not count.
    pub fn last_ended(&self) -> Option<&Noted> {
        let managed = self.kept.iter().filter(|(controller, _)| **controller != scheduler_index());
        managed.filter_map(|(_, kept)| kept.back()).map(|noted| &**noted).max_by_key(|noted| (noted.ended, noted.number))
    }
    /// Returns the newest pass that is over and has made a difference, among the last `looked_back` passes of each controller.
    pub fn newest_difference(&self, looked_back: usize) -> Option<&Noted> {
        let telling = |noted: &&Noted| noted.ended.is_some() && noted.makes_difference();
        let of_each = self.kept.values().filter_map(|kept| kept.iter().rev().take(looked_back).map(|noted| &**noted).find(telling));
        of_each.max_by_key(|noted| noted.number)
    }
    /// Returns all passes that are kept, of all controllers and the scheduler, and those under way.
    pub fn all(&self) -> impl Iterator<Item = &Noted> {
        self.in_hand.values().chain(self.kept.values().flatten()).map(|noted| &**noted)
    }
    /// Returns a pass by its number; `None` if it is no longer kept.
    pub fn pass(&self, number: u64) -> Option<&Noted> {
        self.all().find(|p| p.number == number)
    }
    /// Returns the phase to show for a controller at the time `now`: that of the pass under way that has come furthest, idle without one.
    pub fn phase_shown(&self, controller: usize, now: Time) -> Phase {
        let under_way = self.all().filter(|p| p.controller == controller && p.ended.is_none());
        under_way.map(|p| p.phase_shown(now)).max().unwrap_or_default()
    }
    /// Ends the passes whose controller manager's process has ended.
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
                noted.compared = Some(cluster.now);
                noted.differences = pass.plan.differences.clone();
                noted.round = noted.actions.len();
                noted.sent = noted.round + pass.sent;
                pass.plan.actions.iter().for_each(|action| noted.actions.push_back((action.clone(), None)));
                self.in_hand.insert((n, id), kept);
            }
            None => {
                noted.compared = Some(cluster.now);
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
        noted.compared = Some(cluster.now);
        made.asked.iter().for_each(|request| noted.actions.push_back((Action::new(request.clone()), None)));
        noted.sent = noted.actions.len();
        noted.ended = noted.actions.is_empty().then_some(cluster.now);
        self.keep(Arc::new(noted));
    }
    /// Notes the answer to a request of the scheduler in the newest decision that sent such a request.
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
            // A pass that changed something is worth more to a reader than one that only wrote a status, and such a one more than a pass that found nothing to do.
            let before_last = |is: fn(&Noted) -> bool| kept.iter().position(|p| !is(p)).filter(|i| *i + 1 < PASSES_KEPT);
            let least = before_last(Noted::is_telling).or_else(|| before_last(Noted::makes_difference)).unwrap_or(0);
            kept.remove(least);
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
            compared: None,
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
    /// Returns whether an observed object was out of date, by its index among the first [`SEEN_SHOWN`].
    pub fn is_stale(&self, place: usize) -> bool {
        self.stale >> place & 1 == 1
    }
    /// Returns the newest revision that the caches had reached when the pass observed.
    pub fn view_revision(&self) -> u64 {
        self.heard.iter().map(|(_, revision)| *revision).max().unwrap_or(0)
    }
    /// Returns whether the pass found a difference, sent a request or is a decision of the scheduler.
    pub fn is_telling(&self) -> bool {
        !self.differences.is_empty() || !self.actions.is_empty() || self.decision.is_some()
    }
    /// Returns whether the pass found a difference, writes something other than a status or is a decision of the scheduler.
    pub fn makes_difference(&self) -> bool {
        let writes = |request: &Request| !is_status(request) && !matches!(request.verb, Verb::Get | Verb::List);
        !self.differences.is_empty() || self.decision.is_some() || self.actions.iter().any(|(action, _)| writes(&action.request))
    }
    /// Returns the number of requests that have been answered.
    pub fn answered_count(&self) -> usize {
        self.actions.iter().filter(|(_, answer)| answer.is_some()).count()
    }
    /// Returns the state of a request of this pass, by its index in `actions`.
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
    /// Returns whether the pass asks to create or delete something.
    pub fn creates_or_deletes(&self) -> bool {
        let does = |verb: Verb| matches!(verb, Verb::Create | Verb::Delete | Verb::DeleteCollection);
        self.actions.iter().any(|(action, _)| does(action.request.verb))
    }
    /// Returns the phase that a reader is shown at the time `now`: the one whose result is there. It is observe until the pass has compared, and act as soon as
    /// time goes on after that, since the first request leaves at the very moment of the comparison; a pass that is over stays at its last phase.
    pub fn phase_shown(&self, now: Time) -> Phase {
        match self.compared {
            None => Phase::Observe,
            Some(at) if at == now && self.answered_count() == 0 => Phase::Diff,
            Some(_) => Phase::Act,
        }
    }
    /// Returns what the pass does next. After it has observed, and once it has all answers, it compares next.
    pub fn phase(&self) -> Phase {
        match self.ended {
            Some(_) => Phase::Idle,
            None if self.is_under_way() => Phase::Act,
            None => Phase::Diff,
        }
    }
}

/// The state of a request of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestState {
    /// The request waits until those before it are answered.
    NotSentYet,
    /// The request was sent and has no answer yet.
    UnderWay,
    /// The request was answered.
    Answered,
    /// The pass gave the request up before it was sent.
    NeverSent,
    /// The controller's process ended before the answer came.
    Unanswered,
}
