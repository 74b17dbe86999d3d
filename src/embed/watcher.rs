//! Turns what happens in the run into events for the host. It compares the run with its state when the page was last drawn, so its cost depends on the number
//! of drawings and not on the speed of time: of several passes between two drawings it reports only the newest.

use super::message::Event;
use super::port::state_of;
use crate::page::Page;
use crate::page::host_requests::{Status, seconds};
use crate::view::goal::{Goal, GoalStatus};
use crate::view::notes::passes::Noted;

/// The name of the goal that the parameter `goal` of the page's URL sets.
const GOAL: &str = "converged";
/// The number of passes of each controller that are searched for the newest one with a difference.
const LOOKED_BACK: usize = 10;

/// The state of the run at the last call of [`Watcher::look`], for comparison.
#[derive(Debug, Default)]
pub(super) struct Watcher {
    status: Option<Status>,
    /// The number of the newest pass that was reported to the host.
    pass: Option<u64>,
    /// The number of runs so far; each is an attempt at the goal.
    attempt: u32,
    /// Set once the goal of this attempt was reported as reached or missed.
    is_judged: bool,
}

impl Watcher {
    /// Takes the page's state as the one to compare with, without reporting events.
    pub fn begin(&mut self, page: &Page) {
        *self = Watcher { status: Some(page.status()), pass: newest_pass(page).map(|pass| pass.number), attempt: 1, is_judged: false };
    }
    /// Returns the events since the last call.
    pub fn look(&mut self, page: &Page) -> Vec<Event> {
        let now = page.status();
        let Some(before) = self.status.replace(now.clone()) else { return Vec::new() };
        let mut events = Vec::new();
        if now.commands < before.commands || now.commands == 1 && now.time < before.time {
            self.attempt += 1;
            self.is_judged = false;
            self.pass = None;
        }
        if (now.pods, now.commands) != (before.pods, before.commands) {
            events.push(Event::Change { status: now.clone() });
        }
        events.extend(self.reconcile(page));
        // Time may pass so quickly that a whole drift lies between two drawings; changed numbers of pods reveal it.
        let converged_anew = now.converged && now.pods != before.pods;
        if now.standing != before.standing || now.reason != before.reason || converged_anew {
            let (time, pods, reason) = (now.time, now.pods, now.reason.clone());
            events.push(if now.converged { Event::Converged { time, pods } } else { Event::Drift { time, pods, reason } });
        }
        events.extend(self.judge(page, &now));
        events
    }
    fn reconcile(&mut self, page: &Page) -> Option<Event> {
        let run = page.run();
        let pass = newest_pass(page).filter(|pass| self.pass.is_none_or(|told| told < pass.number))?;
        self.pass = Some(pass.number);
        let (controller, key) = (pass.controller_name.clone(), pass.key.to_string());
        Some(Event::Reconcile { controller, key, requests: pass.actions.len(), time: seconds(pass.at - run.start) })
    }
    /// Reports once per attempt whether the goal was reached or missed: the run converged in time after a command, or did not.
    fn judge(&mut self, page: &Page, now: &Status) -> Vec<Event> {
        let within = page.embedding().goal.filter(|_| !self.is_judged && now.live && now.commands > 0);
        let Some(within) = within else { return Vec::new() };
        let result = Goal { id: GOAL.to_owned(), within: Some(within) }.check(page.run());
        let status = match result.status {
            GoalStatus::Open => return Vec::new(),
            GoalStatus::Reached => "reached",
            GoalStatus::Missed => "missed",
        };
        self.is_judged = true;
        let goal = Event::Goal { id: GOAL, status, attempt: self.attempt, sim_time: result.sim_time.unwrap_or(now.time) };
        let complete = (status == "reached").then(|| Event::Complete { score: 1, max: 1, state: state_of(page) });
        [Some(goal), complete].into_iter().flatten().collect()
    }
}

fn newest_pass(page: &Page) -> Option<&Noted> {
    page.run().notes().passes.newest_difference(LOOKED_BACK)
}
