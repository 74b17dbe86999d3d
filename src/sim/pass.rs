//! Carries out one reconcile pass: observe, diff, act, and again with the answers until there is nothing left to do.

use super::cluster::Cluster;
use super::component_logs::{LogEntry, RequestSummary};
use super::manager::Manager;
use super::step::{Call, Process, Timer};
use super::trace::Note;
use crate::api::kind::Kind;
use crate::api::request::{Request, Response, Verb};
use crate::api::time::Time;
use crate::client::{EventDraft, WorkKey};
use crate::controller::{Action, Mode, Observation, Outcome, Plan, Report, Round, Turn, View};
use crate::persistent::OrdMap;
use std::sync::Arc;

/// A reconcile pass under way.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The controller's index in the registry.
    pub controller: u32,
    /// The work-queue key that the pass handles.
    pub key: WorkKey,
    /// The time at which the pass began.
    pub started: Time,
    /// The objects and data that the pass decides by; `None` until it has observed.
    pub seen: Option<Arc<Observation>>,
    /// The answers of the rounds that are complete. Behind a pointer, because there may be hundreds and every snapshot of the cluster holds them.
    pub rounds: Arc<Vec<Round>>,
    /// The plan that the last run of `reconcile` made.
    pub plan: Arc<Plan>,
    /// The answers of the current round, by the index of the action in the plan.
    pub answers: OrdMap<u32, Arc<Response>>,
    /// The number of actions of the current round that have been sent.
    pub sent: usize,
    /// The number of answers of the current round that have arrived.
    pub arrived: usize,
    /// The size of the batch that was sent last; it doubles with slow start.
    batch: usize,
    failed: bool,
    /// Set if a round of the pass has set expectations.
    expects: bool,
    /// The number of events of the plan that have been recorded already.
    told: usize,
    /// The requests that the pass has sent so far, for the log.
    wrote: RequestSummary,
}

impl Pass {
    /// Creates a pass that has not observed yet.
    pub fn new(controller: u32, key: WorkKey, started: Time) -> Pass {
        Pass {
            controller,
            key,
            started,
            seen: None,
            rounds: Arc::default(),
            plan: Arc::default(),
            answers: OrdMap::new(),
            sent: 0,
            arrived: 0,
            batch: 0,
            failed: false,
            expects: false,
            told: 0,
            wrote: RequestSummary::default(),
        }
    }
}

impl Cluster {
    pub(super) fn observe(&mut self, n: u32, id: u64) -> Note {
        let now = self.now;
        let manager = &mut self.managers[n as usize];
        let Some(pass) = manager.passes.get(&id) else { return Note::Lost };
        let controller = pass.controller;
        let key = pass.key.clone();
        let caches = &manager.caches;
        if let Some(why) = manager.parts[controller as usize].written.lag(&key, |kind| caches.of(kind).revision) {
            self.finish_pass(n, id, Outcome::Retry(why));
            return Note::Pass { controller, actions: 0 };
        }
        let expectations_met = manager.parts[controller as usize].expectations.satisfied(&pass.key, now);
        let view = View { caches: &manager.caches, memory: &manager.memory, expectations_met, now };
        let seen = Arc::new(self.controllers[controller as usize].observe(&view, &pass.key));
        if let Some(pass) = manager.passes.get_mut(&id) {
            pass.seen = Some(seen);
        }
        self.wake(Process::Manager(n), now, Timer::Diff(id));
        Note::Pass { controller, actions: 0 }
    }
    pub(super) fn diff(&mut self, n: u32, id: u64) -> Note {
        let manager = &mut self.managers[n as usize];
        let Some(pass) = manager.passes.get_mut(&id) else { return Note::Lost };
        let Some(seen) = pass.seen.clone() else { return Note::Lost };
        let controller = pass.controller;
        let mut turn = Turn::new(&pass.rounds);
        let outcome = self.controllers[controller as usize].reconcile(&seen, &mut turn);
        let plan = Arc::new(turn.plan);
        let actions = plan.actions.len() as u32;
        let told = std::mem::replace(&mut pass.told, plan.events.len()).min(plan.events.len());
        pass.plan = plan.clone();
        for draft in &plan.events[told..] {
            self.record_event(n, controller, draft.clone());
        }
        match outcome {
            Ok(outcome) => self.finish_pass(n, id, outcome),
            Err(_) => self.begin_round(n, id, &plan),
        }
        Note::Pass { controller, actions }
    }
    fn begin_round(&mut self, n: u32, id: u64, plan: &Plan) {
        let now = self.now;
        let manager = &mut self.managers[n as usize];
        let Manager { passes, parts, .. } = manager;
        let Some(pass) = passes.get_mut(&id) else { return };
        pass.answers = OrdMap::new();
        (pass.sent, pass.arrived, pass.batch, pass.failed) = (0, 0, 0, false);
        if self.controllers[pass.controller as usize].expects() {
            let expectations = &mut parts[pass.controller as usize].expectations;
            pass.expects |= expect(expectations, &pass.key, &plan.actions, !pass.expects, now);
        }
        self.send_batch(n, id, plan);
    }
    /// Sends the next batch of actions: all that are left, or with slow start twice as many as in the last batch.
    fn send_batch(&mut self, n: u32, id: u64, plan: &Plan) {
        let now = self.now;
        let Some(pass) = self.managers[n as usize].passes.get_mut(&id) else { return };
        let left = plan.actions.len() - pass.sent;
        pass.batch = match plan.mode {
            Mode::Parallel => left,
            Mode::SlowStart => (pass.batch * 2).clamp(1, left.max(1)).min(left),
        };
        let (from, to, controller) = (pass.sent, pass.sent + pass.batch, pass.controller);
        for (i, action) in plan.actions[from..to].iter().enumerate() {
            if !self.armed.crash_before.is_empty() && self.armed.take_crash(n) {
                self.crash_manager(n);
                return;
            }
            let manager = &mut self.managers[n as usize];
            let at = manager.parts[controller as usize].bucket.reserve(now);
            if let Some(pass) = manager.passes.get_mut(&id) {
                pass.sent += 1;
            }
            self.send(Process::Manager(n), at, Call::Action(id, (from + i) as u32), action.request.clone());
        }
    }
    pub(super) fn action_answered(&mut self, n: u32, id: u64, index: u32, response: &Arc<Response>) {
        let manager = &mut self.managers[n as usize];
        let Some(pass) = manager.passes.get_mut(&id) else { return };
        let (plan, controller, key) = (pass.plan.clone(), pass.controller, pass.key.clone());
        let Some(action) = plan.actions.get(index as usize) else { return };
        pass.arrived += 1;
        pass.wrote.note(&action.request, response);
        pass.answers.insert(index, response.clone());
        let refused = response.result.is_err();
        pass.failed |= refused;
        let (all_in, over) = (pass.arrived == pass.sent, pass.sent == plan.actions.len() || pass.failed);
        let expects = self.controllers[controller as usize].expects();
        // As upstream, only the answers to creations and changes are recorded: a deletion is awaited by expectations, or does no harm if it is sent twice.
        let is_write = !matches!(action.request.verb, Verb::Get | Verb::Delete) && self.config.manager.reads_own_writes;
        if let (true, Some(object)) = (is_write, response.object())
            && self.controllers[controller as usize].own_writes(object.kind())
        {
            manager.parts[controller as usize].written.record(&key, object.kind(), object.meta.resource_version);
        }
        if refused && expects {
            lower_expectations(&mut manager.parts[controller as usize].expectations, &key, action);
        }
        if let Some(draft) = action.report.as_ref().and_then(|r| report(r, &action.request, response)) {
            self.record_event(n, controller, draft);
        }
        if all_in && over {
            self.end_round(n, id, &plan);
        } else if all_in {
            self.send_batch(n, id, &plan);
        }
    }
    fn end_round(&mut self, n: u32, id: u64, plan: &Plan) {
        let manager = &mut self.managers[n as usize];
        let Some(pass) = manager.passes.get_mut(&id) else { return };
        let never_sent = pass.sent..plan.actions.len();
        let answers = std::mem::take(&mut pass.answers);
        let round = (0..plan.actions.len() as u32).map(|index| answers.get(&index).map(|answer| (**answer).clone()));
        Arc::make_mut(&mut pass.rounds).push(round.collect());
        let (controller, key) = (pass.controller, pass.key.clone());
        if self.controllers[controller as usize].expects() {
            let expectations = &mut manager.parts[controller as usize].expectations;
            plan.actions[never_sent].iter().for_each(|action| lower_expectations(expectations, &key, action));
        }
        self.wake(Process::Manager(n), self.now, Timer::Diff(id));
    }
    fn finish_pass(&mut self, n: u32, id: u64, outcome: Outcome) {
        let now = self.now;
        let manager = &mut self.managers[n as usize];
        let Some(pass) = manager.passes.remove(&id) else { return };
        manager.ended = Some((id, pass.plan.clone(), outcome.clone()));
        pass.plan.memory_updates.iter().for_each(|note| manager.memory.keep(note.clone()));
        let again = if let Outcome::Retry(why) = &outcome { Some(why.as_str().into()) } else { None };
        let (controller, key, took) = (pass.controller, pass.key.clone(), now - pass.started);
        // A background pass that sent nothing and succeeded gets no log line.
        if !self.background || again.is_some() || !pass.wrote.is_empty() {
            self.journal.log(Process::Manager(n), now, LogEntry::Reconciled { controller, key, took, wrote: pass.wrote, again });
        }
        let part = &mut manager.parts[pass.controller as usize];
        part.busy -= 1;
        part.queue.done(&pass.key);
        if pass.seen.as_ref().is_some_and(|s| s.primary.is_none()) {
            part.expectations.forget(&pass.key);
        }
        match outcome {
            Outcome::Done => part.queue.forget(&pass.key),
            Outcome::After(span) => {
                part.queue.forget(&pass.key);
                part.queue.add_after(pass.key, span, now);
            }
            Outcome::Recheck(span) => {
                part.queue.forget(&pass.key);
                part.queue.recheck_after(pass.key, span, now);
            }
            Outcome::Retry(_) => {
                let limit = self.controllers[pass.controller as usize].max_retries();
                if limit.is_some_and(|limit| part.queue.failures(&pass.key) >= limit) {
                    part.queue.forget(&pass.key);
                } else {
                    part.queue.add_rate_limited(pass.key, now);
                }
            }
        }
        self.start_workers(n, pass.controller);
    }
    pub(super) fn record_event(&mut self, n: u32, controller: u32, draft: EventDraft) {
        let now = self.now;
        let part = &mut self.managers[n as usize].parts[controller as usize];
        if let Some(request) = part.recorder.record(draft, now) {
            let at = part.event_bucket.reserve(now);
            self.send(Process::Manager(n), at, Call::Event(controller), request);
        }
    }
}

fn makes_pod(action: &Action) -> bool {
    action.request.verb == Verb::Create && action.request.kind == Kind::POD
}

fn removes_pod(action: &Action) -> Option<crate::api::Uid> {
    let request = &action.request;
    (request.verb == Verb::Delete && request.kind == Kind::POD).then(|| request.options.as_ref()?.uid)?
}

/// Expects the pods that a round of a pass creates and deletes. With `fresh`, older expectations are dropped first. Returns whether it expects any.
fn expect(expectations: &mut crate::client::Expectations, key: &WorkKey, actions: &[Action], fresh: bool, now: Time) -> bool {
    let creations = actions.iter().filter(|a| makes_pod(a)).count();
    let deletions: Vec<_> = actions.iter().filter_map(removes_pod).collect();
    let any = creations > 0 || !deletions.is_empty();
    if any {
        expectations.expect(key, creations, deletions, fresh, now);
    }
    any
}

/// Drops the expectation of a pod that an action was to create or delete, since the action failed or was not sent.
fn lower_expectations(expectations: &mut crate::client::Expectations, key: &WorkKey, action: &Action) {
    if makes_pod(action) {
        expectations.creation_observed(key);
    } else if let Some(uid) = removes_pod(action) {
        expectations.deletion_observed(key, uid);
    }
}

fn report(report: &Report, request: &Request, response: &Response) -> Option<EventDraft> {
    let (warning, (reason, text), end) = match &response.result {
        Ok(_) => (false, report.success?, response.object().map_or_else(|| request.name.clone(), |o| o.meta.name.clone())),
        // No event is recorded if the object is gone already, or if its namespace is being deleted.
        Err(status) if status.code == 404 || status.causes.iter().any(|c| c.reason == "NamespaceTerminating") => return None,
        Err(status) => (true, report.failure?, status.message.as_str().into()),
    };
    let message = format!("{text}{end}").into();
    Some(EventDraft { about: report.about.clone(), warning, reason: arcstr::ArcStr::from(reason), message })
}
