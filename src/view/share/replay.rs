//! A shared run had again: everything that was done is done again at its moment. It goes in slices, so that a page stays awake meanwhile.

use super::{Done, Input, Moment, Share};
use crate::sim::Command;
use crate::view::desk::{Desk, PHASE_STEPS};
use std::sync::Arc;

/// A run on its way to the moment that was shared.
#[derive(Debug)]
pub struct Replay {
    share: Share,
    desk: Desk,
    /// How many commands have been given.
    given: usize,
}

impl Desk {
    /// The run of a share state, at the moment that was shared.
    pub fn from_share(share: Share) -> Desk {
        let mut replay = Replay::new(share);
        while !replay.advance(u64::MAX) {}
        replay.finish().0
    }
}

impl Replay {
    /// At its beginning.
    pub fn new(share: Share) -> Replay {
        Replay { desk: Desk::new(share.config.clone()), given: 0, share }
    }
    /// At most so many steps on. The answer is whether it is done.
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
    /// How many commands have been given, and how many there are.
    pub fn progress(&self) -> (usize, usize) {
        (self.given, self.share.commands.len())
    }
    /// The run as far as it came, and what it was made from.
    pub fn finish(mut self) -> (Desk, Share) {
        let Moment { at, after } = self.share.at;
        let desk = &mut self.desk;
        desk.at_once = PHASE_STEPS;
        let live = desk.session.live();
        if live.now - desk.start > at || after.is_some_and(|after| after < live.steps) {
            desk.seek(desk.start + at);
            if let Some(after) = after.filter(|after| *after != desk.cluster().steps) {
                desk.session.seek(after);
            }
        }
        (self.desk, self.share)
    }
    /// Lets the run come to a moment; the answer is whether it did within so many steps.
    fn reach(&mut self, to: Moment, left: &mut u64) -> bool {
        let desk = &mut self.desk;
        let at = desk.start + to.at;
        let is_due = |desk: &Desk| desk.session.next_at().is_some_and(|next| next <= at);
        while is_due(desk) && to.after.is_none_or(|after| desk.cluster().steps < after) {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            desk.step();
        }
        if !is_due(desk) {
            // Nothing is left to happen until then: only the clock moves.
            desk.session.run_until(at, 1);
        }
        true
    }
    fn give(&mut self, done: Done) {
        let next = self.share.commands.get(self.given + 1).map_or(self.share.at, |next| next.moment);
        let desk = &mut self.desk;
        // At a breakpoint a person may do something before everything has happened that was due.
        let until_next = next.after.and_then(|after| after.checked_sub(desk.cluster().steps));
        desk.at_once = until_next.unwrap_or(PHASE_STEPS).min(PHASE_STEPS);
        match done.input {
            Input::Kubectl(line) => desk.run_for_answer(Arc::new(line)),
            Input::Save(saved) => desk.run_for_answer(Arc::new(saved)),
            Input::Line(line) => desk.enter_line(line),
            Input::Fault(fault) => desk.give(Command::Fault(fault)),
            Input::Interrupt(id) => desk.give(Command::Interrupt(id)),
        }
    }
}
