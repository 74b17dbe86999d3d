//! Replays a share state: gives every command again at its moment. The work goes in slices, so that the page stays responsive meanwhile.

use super::{Done, Input, Moment, Share};
use crate::sim::Command;
use crate::view::run::{PHASE_STEPS, Run};
use std::sync::Arc;

/// A run that is being replayed to the shared moment.
#[derive(Debug)]
pub struct Replay {
    share: Share,
    run: Run,
    /// The number of commands that have been given.
    given: usize,
}

impl Run {
    /// Returns the run of a share state, replayed to the shared moment.
    pub fn from_share(share: Share) -> Run {
        let mut replay = Replay::new(share);
        while !replay.advance(u64::MAX) {}
        replay.finish().0
    }
}

impl Replay {
    /// Creates a replay at its beginning.
    pub fn new(share: Share) -> Replay {
        Replay { run: Run::new(share.config.clone()), given: 0, share }
    }
    /// Does up to `max_steps` steps of the run. Returns whether the replay is done.
    pub fn advance(&mut self, max_steps: u64) -> bool {
        let mut left = max_steps;
        while let Some(done) = self.share.commands.get(self.given).cloned() {
            if !self.reach(done.moment, &mut left) {
                return false;
            }
            self.give(done);
            self.given += 1;
        }
        self.reach(self.share.at, &mut left)
    }
    /// Returns the number of commands given so far, and of all commands.
    pub fn progress(&self) -> (usize, usize) {
        (self.given, self.share.commands.len())
    }
    /// Returns the run as far as it was replayed, and its share state.
    pub fn finish(mut self) -> (Run, Share) {
        let Moment { at, after } = self.share.at;
        let run = &mut self.run;
        run.at_once = PHASE_STEPS;
        let live = run.session.live();
        if live.now - run.start > at || after.is_some_and(|after| after < live.steps) {
            run.seek(run.start + at);
            if let Some(after) = after.filter(|after| *after != run.cluster().steps) {
                run.session.seek(after);
            }
        }
        (self.run, self.share)
    }
    /// Runs to a moment, in at most `left` steps. Returns whether the moment was reached.
    fn reach(&mut self, to: Moment, left: &mut u64) -> bool {
        let run = &mut self.run;
        let at = run.start + to.at;
        let is_due = |run: &Run| run.session.next_at().is_some_and(|next| next <= at);
        while is_due(run) && to.after.is_none_or(|after| run.cluster().steps < after) {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            run.step();
        }
        if !is_due(run) {
            // No step is due until then: only the clock moves.
            run.session.run_until(at, 1);
        }
        true
    }
    fn give(&mut self, done: Done) {
        let next = self.share.commands.get(self.given + 1).map_or(self.share.at, |next| next.moment);
        let run = &mut self.run;
        // At a breakpoint a person may give a command before all steps have run that are due.
        let until_next = next.after.and_then(|after| after.checked_sub(run.cluster().steps));
        run.at_once = until_next.unwrap_or(PHASE_STEPS).min(PHASE_STEPS);
        match done.input {
            Input::Kubectl(line) => run.run_for_answer(Arc::new(line)),
            Input::Request(call) => run.run_for_answer(Arc::new(call)),
            Input::Save(saved) => {
                run.save(saved.draft, &saved.text);
            }
            Input::Line(line) => run.enter_line(line),
            Input::Fault(fault) => run.give(Command::Fault(fault)),
            Input::Interrupt(id) => run.give(Command::Interrupt(id)),
            Input::Type(id, text) => run.give(Command::Type(id, text)),
        }
    }
}
