//! The reasons why time stands still although nobody paused it: a breakpoint was reached, or running until converged has ended.

use super::{Notice, Pace, Page};
use crate::view::clock;
use std::rc::Rc;

/// The reason why time stands still, for the banner below the top bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopView {
    /// The reason why time stands still, as a sentence.
    pub words: String,
    /// A sentence about the step of the simulator that comes next.
    pub next: String,
}

/// The end of running until converged: the number of steps done by then, and the reason as a sentence.
pub(super) type Ended = (u64, String);

impl Page {
    /// Records that running until converged has ended by itself.
    pub(super) fn note_end(&mut self, before: Pace, is_tick: bool) {
        let has_ended = is_tick && matches!(before, Pace::ToConvergence(_)) && self.pace == Pace::Paused;
        // One banner is enough: a notice about the end says more.
        if has_ended && !self.notice.as_ref().is_some_and(Notice::is_of_time) {
            let at = clock::moment(self.run.elapsed());
            let words = match self.run.is_converged() {
                true => format!("Stopped at {at}: desired and actual agree."),
                false => format!("Gave up at {at}: desired and actual still differ."),
            };
            self.ended = Some((self.run.cluster().steps, words));
        }
    }
    /// Returns the reason why time stands still, unless a person paused it or has gone to another moment since.
    pub(super) fn stop(&self) -> Option<Rc<StopView>> {
        if self.pace != Pace::Paused || self.is_loading() {
            return None;
        }
        if let Some(stop) = self.run.stopped() {
            return Some(Rc::new(StopView { words: stop.words.clone(), next: stop.next.clone() }));
        }
        let (_, words) = self.ended.as_ref().filter(|(steps, _)| *steps == self.run.cluster().steps)?;
        let next = match self.run.session.next_at() {
            Some(at) => format!("The next event is due in {}.", clock::span(at - self.run.now())),
            None => "Nothing is due any more.".to_owned(),
        };
        Some(Rc::new(StopView { words: words.clone(), next }))
    }
}
