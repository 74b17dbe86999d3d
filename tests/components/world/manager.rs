//! The controller manager of the fake world: its caches receive every change at once, it has work queues, and each pass runs from
//! beginning to end without interruption.

use super::World;
use loopscope::api::request::Response;
use loopscope::api::{Key, Kind, Object, Span, Time};
use loopscope::client::{WorkKey, WorkQueue};
use loopscope::controller::{Action, Controller, Mode, Outcome, Report, Round, Turn, View};
use loopscope::store::Change;
use std::sync::Arc;

/// The longest time that [`World::settle`] waits for the next key to become due.
const SHORT: Span = Span::millis(100);
const NODE_CONTROLLER: &str = "node-controller";

/// Creates the work queue of a controller.
pub fn queue(controller: &dyn Controller) -> WorkQueue {
    let (first, longest) = controller.back_off();
    WorkQueue::new(first, longest)
}

impl World {
    pub(super) fn controllers_hear(&mut self, change: &Change) {
        if self.deaf {
            return;
        }
        let kind = change.object.kind();
        let change = self.caches.of_mut(kind).apply(change.type_, &change.object, change.revision);
        let view = View { caches: &self.caches, memory: &self.memory, expectations_met: true, now: self.now };
        for (controller, queue) in self.controllers.iter_mut().filter(|(c, _)| c.hears_of(kind)) {
            controller.notify(&view, &change, &mut |key, delay| queue.add_after(key, delay, self.now));
        }
    }
    /// Runs passes until no key is due and none becomes due soon.
    pub fn settle(&mut self) {
        for _ in 0..2000 {
            if self.work() {
                continue;
            }
            let Some(soon) = self.next_key_at().filter(|at| *at <= self.now + SHORT) else { return };
            self.now = soon;
        }
        panic!("the world does not settle:\n{}", self.log[self.log.len().saturating_sub(30)..].join("\n"));
    }
    /// Runs the pass of one key that is due. Returns false if no key is due.
    pub(super) fn work(&mut self) -> bool {
        for i in 0..self.controllers.len() {
            let (controller, queue) = &mut self.controllers[i];
            queue.advance(self.now);
            let (controller, Some(key)) = (*controller, queue.take()) else { continue };
            let outcome = self.pass(controller, &key);
            let queue = &mut self.controllers[i].1;
            match outcome {
                Outcome::Done => queue.forget(&key),
                Outcome::After(span) | Outcome::Recheck(span) => {
                    queue.forget(&key);
                    queue.add_after(key.clone(), span, self.now);
                }
                Outcome::Retry(_) => drop(queue.add_rate_limited(key.clone(), self.now)),
            }
            queue.done(&key);
            return true;
        }
        false
    }
    pub(super) fn next_key_at(&self) -> Option<Time> {
        let due = |queue: &WorkQueue| if queue.is_empty() { queue.next_due() } else { Some(self.now) };
        self.controllers.iter().filter_map(|(_, queue)| due(queue)).min()
    }
    pub(super) fn watches_nodes(&self) -> bool {
        self.controllers.iter().any(|(controller, _)| controller.name() == NODE_CONTROLLER)
    }
    /// Runs a round of the node controller's health checks. Returns how many nodes need a pass.
    pub fn monitor(&mut self) -> usize {
        let keys = self.memory.health.monitor(&self.caches, self.now);
        for (_, queue) in self.controllers.iter_mut().filter(|(controller, _)| controller.name() == NODE_CONTROLLER) {
            keys.iter().for_each(|key| queue.add(key.clone()));
        }
        keys.len()
    }
    /// Adds the key of an object to the work queue of a controller.
    pub fn enqueue(&mut self, controller: &str, kind: Kind, key: &Key) {
        for (_, queue) in self.controllers.iter_mut().filter(|(c, _)| c.name() == controller) {
            queue.add(WorkKey::new(kind, key.clone()));
        }
    }
    /// Runs one pass from beginning to end.
    pub fn pass(&mut self, controller: &dyn Controller, key: &WorkKey) -> Outcome {
        let view = View { caches: &self.caches, memory: &self.memory, expectations_met: self.expectations_met, now: self.now };
        let seen = controller.observe(&view, key);
        let mut answers: Vec<Round> = Vec::new();
        let mut told = 0;
        loop {
            let mut turn = Turn::new(&answers);
            let result = controller.reconcile(&seen, &mut turn);
            let plan = turn.plan;
            for event in plan.events.iter().skip(told) {
                self.tell(&event.about.name, if event.warning { "Warning" } else { "Normal" }, &event.reason, &event.message);
            }
            told = plan.events.len();
            if let Ok(outcome) = result {
                plan.memory_updates.into_iter().for_each(|update| self.memory.keep(update));
                return outcome;
            }
            assert!(!plan.actions.is_empty(), "a pass waits for nothing");
            answers.push(self.carry_out(&plan.actions, plan.mode));
        }
    }
    fn carry_out(&mut self, actions: &[Action], mode: Mode) -> Round {
        let mut round: Round = Vec::new();
        let mut batch = if mode == Mode::SlowStart { 1 } else { actions.len() };
        while round.len() < actions.len() {
            let end = (round.len() + batch).min(actions.len());
            let mut failed = false;
            for action in &actions[round.len()..end] {
                let response = self.answer(&action.request);
                failed |= response.refusal().is_some();
                if let Some(report) = &action.report {
                    self.report(report, &response);
                }
                round.push(Some(response));
            }
            if failed && mode == Mode::SlowStart {
                break;
            }
            batch *= 2;
        }
        round.resize(actions.len(), None);
        round
    }
    /// Records the Event that the controller wants for the success or the failure of a request.
    fn report(&mut self, report: &Report, response: &Response) {
        let about = &report.about.name;
        match (response.refusal(), report.success, report.failure) {
            (Some(status), _, Some((reason, text))) => self.tell(about, "Warning", reason, &format!("{text}{}", status.message)),
            (None, Some((reason, text)), _) => {
                let name = response.object().map(|o| o.meta.name.clone()).unwrap_or_default();
                self.tell(about, "Normal", reason, &format!("{text}{name}"));
            }
            _ => {}
        }
    }
    /// Makes the oldest pod ready that is not ready yet. Returns false if there is no such pod.
    pub fn ready_one(&mut self) -> bool {
        let waits =
            |o: &&Arc<Object>| !o.meta.is_deleting() && o.pod().is_some_and(|p| !p.status.is_ready() && !p.status.phase.is_terminal());
        let Some(pod) = self.caches.of(Kind::POD).all().find(waits).cloned() else { return false };
        self.put(super::objects::with_ready(Object::clone(&pod), self.now.whole_second()));
        true
    }
    /// Ends the pods that are being deleted, and removes them.
    pub fn end_deleted(&mut self) {
        let ending: Vec<_> = self.caches.of(Kind::POD).all().filter(|o| o.meta.is_deleting()).cloned().collect();
        for pod in ending {
            self.change(Kind::POD, &pod.meta.name, |ended| {
                let status = &mut ended.pod_mut().expect("a pod").status;
                status.phase = loopscope::api::kind::pod::Phase::Succeeded;
                status.conditions.clear();
            });
            self.settle();
            self.remove(Kind::POD, &pod.meta.name);
            self.settle();
        }
    }
    /// Makes one pod after the other ready, until no controller has anything left to do.
    pub fn roll(&mut self) {
        self.settle();
        self.end_deleted();
        while self.ready_one() {
            self.settle();
            self.end_deleted();
        }
    }
}
