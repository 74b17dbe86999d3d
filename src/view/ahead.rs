//! Looks ahead of a run: a copy of the cluster does the next steps first, so that the page knows which of them deserve a reader's time before it shows them.
//! A run is a function of its commands, so the run itself then does the very same steps.
//!
//! A step that deserves time is a [`Beat`]: a phase of a pass that finds a difference, a message of such a pass, or a visible change of the cluster. Passes
//! that find nothing to do, or that only write a status, have no beats.

use super::kinds;
use super::loops::message::request_text;
use super::notes::passes::{Noted, Passes, Phase, is_status, scheduler_index};
use super::object::who;
use super::rings::key_text;
use super::run::Run;
use crate::api::kind::Kind;
use crate::api::request::{Request, Verb};
use crate::api::sorted::SortedMap;
use crate::api::time::{Span, Time};
use crate::controller::Figure;
use crate::sim::{Call, Cluster, Note, Process, Record, Scout, Step, Timer, Trail};
use std::collections::VecDeque;
use std::rc::Rc;

/// A step that deserves a reader's time.
#[derive(Clone, Debug, PartialEq)]
pub struct Beat {
    /// The number of the step in the run.
    pub number: u64,
    /// The virtual time at which the step happens.
    pub at: Time,
    /// The sort of the step.
    pub sort: Sort,
    /// The pass that the step belongs to, if it belongs to one.
    pub pass: Option<PassId>,
    /// A text that is equal for steps that read alike, such as two passes that each create a missing pod.
    pub likeness: Rc<str>,
    /// The step as the end of a sentence, such as "the kubelet of node-1 wrote pod a".
    pub words: Rc<str>,
}

/// The sort of a step that deserves time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A pass observed or compared, or one of its requests reached the API server.
    Phase(Phase),
    /// The answer to a request of a pass came back, or the API server refused any request.
    Answer {
        /// Set if the request was refused.
        refused: bool,
    },
    /// A watch event arrived that leads to a pass, or a person's request reached the API server.
    Message,
    /// A request changed the store in a way that the page shows.
    Change,
}

/// A pass and the controller that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassId {
    /// The index of the controller, or [`scheduler_index`].
    pub controller: usize,
    /// The number of the pass in the run.
    pub number: u64,
}

/// A copy of the cluster that runs ahead, and the beats (steps that deserve a reader's time) that it has found.
#[derive(Clone, Debug)]
pub struct Ahead {
    scout: Scout,
    passes: Passes,
    /// The only controller whose passes count; `None` if all of them do.
    watched: Option<usize>,
    /// The beats (steps that deserve a reader's time) that were found, by the number of their step.
    beats: SortedMap<u64, Beat>,
    /// Passes that have observed but not compared yet, by controller manager and pass id; their first steps may become beats.
    undecided: SortedMap<(u32, u64), Begun>,
    /// Passes under way that found a difference, by controller manager and pass id.
    telling: SortedMap<(u32, u64), PassId>,
    /// The last steps that the copy has done, each with the step that caused it, and whether a person's command is at the beginning of the chain of causes.
    recent: VecDeque<Recent>,
    /// The run's last step at the last call of [`Ahead::next`], which forgets the beats before it.
    passed: u64,
    /// The number of the run's commands when the copy was made, and the number of the step before the last of them.
    commands: (usize, u64),
    start: Time,
}

/// A pass that has observed but not compared yet.
#[derive(Clone, Debug)]
struct Begun {
    woken_by: Option<(u64, Time)>,
    observed: (u64, Time),
    concerns_person: bool,
}

#[derive(Clone, Debug)]
struct Recent {
    number: u64,
    at: Time,
    cause: u64,
    is_delivery: bool,
    concerns_person: bool,
}

/// The virtual time by which the copy of the cluster must have passed a beat (a step that deserves a reader's time) before the beat is certain, since a pass
/// that begins later may turn an earlier message into a beat.
const MARGIN: Span = Span::millis(60);
/// The longest virtual time by which the copy of the cluster runs ahead of the person's run to find steps that deserve a reader's time.
const HORIZON: Span = Span::secs(600);
/// The virtual time ahead of the person's run at which the copy of the cluster pauses its search if it has found no beat.
const STILL_AHEAD: Span = Span::secs(300);
/// The number of the copy's last steps that are kept, to find the causes of its passes.
const RECENT: usize = 1_024;
/// The longest chain of causes that is followed back to a person's command.
const LONGEST_CHAIN: usize = 48;
/// The longest chain of causes that is followed back to the delivery of a watch event.
const CHAIN_TO_DELIVERY: usize = 4;
/// The virtual time after its start during which a cluster is busy with its bootstrap (namespaces, certificates, nodes), which no person has caused.
pub const BEGINNINGS: Span = Span::secs(5);

impl Ahead {
    /// Starts to look ahead at the present moment of a run. `watched` is the only controller whose passes count; `None` if all of them do.
    pub fn new(run: &Run, watched: Option<usize>) -> Ahead {
        Ahead {
            scout: run.session.scout(),
            passes: run.notes().passes.clone(),
            watched,
            beats: SortedMap::new(),
            undecided: SortedMap::new(),
            telling: SortedMap::new(),
            recent: VecDeque::new(),
            passed: run.cluster().steps,
            commands: signature(run),
            start: run.start,
        }
    }
    /// Returns whether the run has gone back in time since the last call of [`Ahead::next`].
    pub fn is_left_behind(&self, run: &Run) -> bool {
        run.cluster().steps < self.passed
    }
    /// Returns whether the copy of the cluster still does what the run will do, and looks at the passes of the controller `watched`.
    pub fn fits(&self, run: &Run, watched: Option<usize>) -> bool {
        self.watched == watched
            && !self.is_left_behind(run)
            && self.commands == signature(run)
            && self.scout.cluster.steps >= run.cluster().steps
    }
    /// Returns the next beat (a step that deserves a reader's time) after the present step of a run, as soon as the beat is certain. `Err` while more steps are
    /// needed.
    pub fn next(&mut self, run: &Run) -> Result<Option<&Beat>, Undecided> {
        let steps = run.cluster().steps;
        self.passed = steps;
        self.beats.retain(|number, _| *number > steps);
        let open = self.undecided.values().map(|begun| begun.woken_by.unwrap_or(begun.observed).0).min();
        let certain = |beat: &Beat| open.is_none_or(|open| beat.number < open) && self.scout.cluster.now - beat.at >= MARGIN;
        let over = self.scout.cluster.queue.next_at().is_none();
        match self.beats.values().next() {
            Some(beat) if certain(beat) || over => Ok(Some(beat)),
            None if over || open.is_none() && self.scout.cluster.now - run.now() >= STILL_AHEAD => Ok(None),
            _ => Err(Undecided),
        }
    }
    /// Lets the copy of the cluster do up to `steps` steps, and collects the beats (steps that deserve a reader's time) among them.
    pub fn look(&mut self, run: &Run, steps: u64) {
        for _ in 0..steps {
            if self.undecided.is_empty() && self.scout.cluster.now - run.now() > HORIZON {
                return;
            }
            let Some(record) = self.scout.step(run.session.commands()) else { return };
            self.passes.note(&record, &self.scout.cluster);
            self.note(&record, run.session.trail());
        }
    }
    fn note(&mut self, record: &Record, trail: &Trail) {
        let concerns_person = self.concerns_person(record, trail);
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        let is_delivery = matches!(&*record.step, Step::Deliver { .. });
        self.recent.push_back(Recent { number: record.number, at: record.at, cause: record.cause, is_delivery, concerns_person });
        if matches!(record.note, Note::Lost | Note::Held) {
            return;
        }
        if let (Step::Arrive { from, request, .. }, Note::Handled { code, .. }) = (&*record.step, record.note)
            && concerns_person
            && code >= 400
            && !(code == 404 && matches!(request.verb, Verb::Get | Verb::List))
        {
            self.refused(record, *from, request, code);
        }
        match &*record.step {
            Step::Wake(Process::Manager(n), Timer::Observe(id)) => self.observed((*n, *id), record, concerns_person),
            Step::Wake(Process::Manager(n), Timer::Diff(id)) => self.decided((*n, *id), record),
            Step::Wake(Process::Scheduler, Timer::Schedule) => self.scheduled(record),
            Step::Arrive { from: Process::Manager(n), call: Call::Action(id, _), request } => {
                self.sent((*n, *id), record, request);
                self.changed(record, Process::Manager(*n), request, concerns_person);
            }
            Step::Answer { to: Process::Manager(n), call: Call::Action(id, _), request, response } => {
                let refused = response.refusal().is_some();
                if let Some(pass) = self.telling.get(&(*n, *id)).filter(|_| refused || !is_status(request)) {
                    self.answered(*pass, record, refused);
                }
            }
            Step::Arrive { from: Process::Scheduler, call: Call::Bind(pod), .. } => {
                if let Some(pass) = self.placing_of(&pod.meta.name) {
                    self.add_request(pass, record, format!("the scheduler's binding of pod {} reached the API server", pod.meta.name));
                }
            }
            Step::Answer { to: Process::Scheduler, call: Call::Bind(pod), response, .. } => {
                if let Some(pass) = self.placing_of(&pod.meta.name) {
                    self.answered(pass, record, response.refusal().is_some());
                }
            }
            Step::Arrive { from, request, .. } => self.changed(record, *from, request, concerns_person),
            _ => {}
        }
    }
    /// Returns whether a person's command caused a step. After the bootstrap of the cluster every step counts.
    fn concerns_person(&self, record: &Record, trail: &Trail) -> bool {
        if record.at - self.start > BEGINNINGS || matches!(&*record.step, Step::Run(_) | Step::Fault(_) | Step::Extend(_)) {
            return true;
        }
        let mut number = record.cause;
        for _ in 0..LONGEST_CHAIN {
            if let Some(recent) = self.recent_step(number) {
                return recent.concerns_person;
            }
            let Some(cause) = trail.get(number) else { return false };
            if matches!(&*cause.step, Step::Run(_) | Step::Fault(_) | Step::Extend(_)) {
                return true;
            }
            number = cause.cause;
        }
        false
    }
    fn recent_step(&self, number: u64) -> Option<&Recent> {
        let first = self.recent.front()?.number;
        self.recent.get(number.checked_sub(first)? as usize)
    }
    fn counts(&self, controller: usize) -> bool {
        self.watched.is_none_or(|watched| watched == controller)
    }
    fn observed(&mut self, id: (u32, u64), record: &Record, concerns_person: bool) {
        let Some(controller) = self.passes.under_way(id.0, id.1).map(|noted| noted.controller) else { return };
        if self.counts(controller) {
            let woken_by = self.delivery_behind(record.cause);
            self.undecided.insert(id, Begun { woken_by, observed: (record.number, record.at), concerns_person });
        }
    }
    /// Returns number and time of the delivery of a watch event that led to a step, given the number of the step's cause.
    fn delivery_behind(&self, cause: u64) -> Option<(u64, Time)> {
        let mut number = cause;
        for _ in 0..CHAIN_TO_DELIVERY {
            let recent = self.recent_step(number)?;
            if recent.is_delivery {
                return Some((recent.number, recent.at));
            }
            number = recent.cause;
        }
        None
    }
    /// Handles a pass that has compared desired and actual: if it found something to do, its steps so far become beats, steps that deserve a reader's time.
    fn decided(&mut self, id: (u32, u64), record: &Record) {
        let Some(begun) = self.undecided.remove(&id) else { return };
        let Some(noted) = self.noted(id) else { return };
        // A controller that starts lists a workload that was there before, so that no chain of causes leads to the person who created it.
        let is_workload = kinds::of(noted.key.kind).workload.is_some();
        if !noted.makes_difference() || !(begun.concerns_person || is_workload || self.watched.is_some()) {
            return;
        }
        let (pass, likeness) = (PassId { controller: noted.controller, number: noted.number }, likeness(noted));
        let over = key_text(&noted.key);
        let looked: Rc<str> = format!("the {} controller looked at {over}", noted.controller_name.replace('-', " ")).into();
        self.telling.insert(id, pass);
        let mut add = |(number, at): (u64, Time), sort: Sort| {
            let beat = Beat { number, at, sort, pass: Some(pass), likeness: likeness.clone(), words: looked.clone() };
            self.beats.insert(number, beat);
        };
        if let Some(woken_by) = begun.woken_by {
            add(woken_by, Sort::Message);
        }
        add(begun.observed, Sort::Phase(Phase::Observe));
        add((record.number, record.at), Sort::Phase(Phase::Diff));
    }
    /// Returns the record of a pass that has just compared: one under way, or the last one that ended.
    fn noted(&self, id: (u32, u64)) -> Option<&Noted> {
        self.passes.under_way(id.0, id.1).or_else(|| self.passes.last_ended())
    }
    fn sent(&mut self, id: (u32, u64), record: &Record, request: &Request) {
        if let Some(pass) = self.telling.get(&id).copied().filter(|_| !is_status(request)) {
            self.add_request(pass, record, format!("{} {} reached the API server", request.method(), request.path()));
        }
    }
    fn add_request(&mut self, pass: PassId, record: &Record, words: String) {
        let beat = Beat { sort: Sort::Phase(Phase::Act), pass: Some(pass), ..message(record, words.into()) };
        self.beats.insert(record.number, beat);
    }
    fn answered(&mut self, pass: PassId, record: &Record, refused: bool) {
        let beat = Beat { sort: Sort::Answer { refused }, pass: Some(pass), ..message(record, "the API server answered".into()) };
        self.beats.insert(record.number, beat);
    }
    /// Returns the pass in which the scheduler last decided about a pod of this name; `None` if there is none, or if only another controller is watched.
    fn placing_of(&self, pod: &str) -> Option<PassId> {
        let mut decisions = self.passes.of(scheduler_index()).rev().filter(|_| self.counts(scheduler_index()));
        let noted = decisions.find(|noted| noted.key.key.name == pod)?;
        Some(PassId { controller: scheduler_index(), number: noted.number })
    }
    fn scheduled(&mut self, record: &Record) {
        if !self.counts(scheduler_index()) {
            return;
        }
        let Some(noted) = self.passes.of(scheduler_index()).next_back().filter(|noted| noted.at == record.at) else { return };
        let pass = PassId { controller: scheduler_index(), number: noted.number };
        if self.beats.values().any(|beat| beat.pass == Some(pass)) {
            return;
        }
        let words: Rc<str> = format!("the scheduler looked at {}", key_text(&noted.key)).into();
        let beat = Beat { sort: Sort::Phase(Phase::Diff), pass: Some(pass), likeness: likeness(noted), ..message(record, words) };
        self.beats.insert(record.number, beat);
    }
    /// Adds a beat (a step that deserves a reader's time) for a request that the API server refused. If the request is of a pass that has found a difference,
    /// `sent` replaces the beat by one of that pass.
    fn refused(&mut self, record: &Record, from: Process, request: &Request, code: u16) {
        let who = who_writes(from, &self.scout.cluster);
        let words: Rc<str> = format!("the API server refused {} of {who} ({code})", request_text(request)).into();
        let likeness: Rc<str> = format!("{who} {code} {:?} {}", request.verb, request.kind.row().singular).into();
        self.beats.insert(record.number, Beat { sort: Sort::Answer { refused: true }, likeness, ..message(record, words) });
    }
    /// Adds a beat (a step that deserves a reader's time) for a request that changed something visible in the cluster.
    fn changed(&mut self, record: &Record, from: Process, request: &Request, concerns_person: bool) {
        let Note::Handled { writes, .. } = record.note else { return };
        let is_seen = request.kind == Kind::POD || !is_status(request) && request.kind != Kind::EVENT;
        let is_person = matches!(from, Process::Person(_));
        if writes == 0 || request.kind.row().is_heartbeat || !(is_seen || is_person) || !concerns_person {
            return;
        }
        let cluster = &self.scout.cluster;
        let who = who_writes(from, cluster);
        let words: Rc<str> = format!("{who} wrote {} {}", request.kind.row().singular, request.name).into();
        let likeness: Rc<str> = format!("{who} {} {:?}", request.kind.row().singular, request.verb).into();
        let sort = if is_person { Sort::Message } else { Sort::Change };
        self.beats.or_insert_with(record.number, || Beat { sort, likeness, ..message(record, words) });
    }
}

/// The error of [`Ahead::next`] if the copy of the cluster has to run more steps before the next beat is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undecided;

fn signature(run: &Run) -> (usize, u64) {
    let commands = run.session.commands();
    (commands.len(), commands.last().map_or(0, |given| given.after))
}

fn message(record: &Record, words: Rc<str>) -> Beat {
    Beat { number: record.number, at: record.at, sort: Sort::Message, pass: None, likeness: words.clone(), words }
}

fn who_writes(from: Process, cluster: &Cluster) -> String {
    match from {
        Process::Person(_) => "you".to_owned(),
        other => format!("the {}", who::process(other, cluster).replacen("kubelet ", "kubelet of ", 1)),
    }
}

/// Returns a text that is equal for passes that read alike: it names the controller, for each difference whether too much or too little is there, and the
/// sort of the first request.
fn likeness(noted: &Noted) -> Rc<str> {
    let mut text = noted.controller_name.clone();
    for difference in &noted.differences {
        let order = match (&difference.desired, &difference.actual) {
            (Figure::Int(desired), Figure::Int(actual)) => format!("{:?}", desired.cmp(actual)),
            _ => "differs".to_owned(),
        };
        text += &format!(" {} {order}", difference.what);
    }
    if let Some(decision) = &noted.decision {
        text += &format!(" {:?}", std::mem::discriminant(&decision.outcome));
    }
    for (action, _) in noted.actions.iter().take(1) {
        text += &format!(" {:?} {}", action.request.verb, action.request.kind.row().singular);
    }
    text.into()
}
