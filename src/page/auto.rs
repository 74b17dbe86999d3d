//! The speed *auto*: virtual time follows a reader's attention.
//!
//! In a pass that finds a difference time stands still after observe, after diff and after each answered act, long enough to read the result. Messages of
//! such a pass travel at a speed that the eye can follow. In between the run goes on in real time, and it skips stretches in which nothing happens and says
//! so. [`view::ahead`](crate::view::ahead) finds out beforehand which steps come next.

use super::time::{SLICE, Tick};
use super::{Pace, Page};
use crate::api::sorted::SortedMap;
use crate::api::time::{Span, Time};
use crate::view::ahead::{Ahead, Beat, Sort};
use crate::view::clock;
use crate::view::loops::telling::telling;
use crate::view::notes::passes::Phase;
use std::rc::Rc;

/// A person's choice of the shortest wall time for which a phase of a pass with a difference stays on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// A short time, for people who have seen such passes before.
    Brief,
    /// A time long enough to read a sentence.
    #[default]
    Normal,
    /// A long time, for a lecture hall.
    Long,
}

impl Reading {
    /// Returns the shortest reading time in milliseconds of wall time.
    pub fn least_ms(self) -> f64 {
        match self {
            Reading::Brief => 500.0,
            Reading::Normal => 1_000.0,
            Reading::Long => 2_000.0,
        }
    }
}

/// The state of the page's clock at the speed *auto*.
#[derive(Debug, Default)]
pub struct Auto {
    ahead: Option<Ahead>,
    /// The wall time in milliseconds for which virtual time still stands still.
    hold_ms: f64,
    /// The gap of virtual time before the next beat, a step that deserves a reader's time.
    gap: Option<Gap>,
    /// The counts of passes and steps that a person has seen since the last command, by [`Beat::likeness`].
    seen: SortedMap<Rc<str>, ShownCounts>,
    /// The number of the run's commands when `seen` was emptied last.
    commands: usize,
    /// The passes that have been shown since the last command, by their numbers.
    passes: SortedMap<u64, Read>,
    /// Set if no beat, a step that deserves a reader's time, comes soon.
    is_quiet: bool,
    /// A sentence about the last stretch of time that was skipped or the last refusal, and the milliseconds of wall time for which it stays on the screen.
    skipped: Option<(Rc<str>, f64)>,
}

/// The numbers of passes and steps of each likeness since the last command.
#[derive(Clone, Copy, Debug, Default)]
struct ShownCounts {
    /// The number of such passes whose reading was timed.
    times: u32,
    /// The number of such steps whose gap before them was not skipped.
    met: u32,
    /// The number of skipped gaps before such steps.
    skips: u32,
}

/// A pass that has been shown to the reader.
#[derive(Clone, Copy, Debug)]
struct Read {
    /// The reading time of the pass as a multiple of the shortest one.
    factor: f64,
    /// Set once a request of the pass was shown.
    acted: bool,
}

/// The virtual time before the next beat (a step that deserves a reader's time), and the wall time that it takes and has taken so far.
#[derive(Clone, Copy, Debug)]
struct Gap {
    from: Time,
    number: u64,
    wall_ms: f64,
    spent_ms: f64,
    skips: bool,
}

/// The number of passes that read alike, since the last command, that get a reading time; the first of them gets a longer one.
const ALIKE: u32 = 6;
/// The number of earlier messages or changes that read alike from which on a further one takes only `FAMILIAR_MS`.
const FAMILIAR: u32 = 12;
/// The wall time that a message or change takes if the person has seen `FAMILIAR` others like it.
const FAMILIAR_MS: f64 = 12.0;
/// The wall time for which a message travels on the screen.
const TRAVEL_MS: f64 = 650.0;
/// The wall time for which a change of the cluster is shown, so that a person notices it.
const CHANGE_MS: f64 = 220.0;
/// The wall time that skipping a stretch without beats (steps that deserve a reader's time) takes.
const SKIP_MS: f64 = 900.0;
/// The virtual time within which a step is shown together with the one before it.
const TOGETHER: Span = Span::millis(1);
/// The wall time between two steps that are shown together.
const TOGETHER_MS: f64 = 60.0;
/// The longest virtual time without a beat (a step that deserves a reader's time) that is not skipped.
const QUIET: Span = Span::millis(1_500);
/// The number of skips after a command to steps that read alike; from then on they are awaited in real time, as in a crash loop.
const SKIPS: u32 = 2;
/// The wall time for which the sentence about a skip or a refusal stays on the screen.
const SKIP_WORDS_MS: f64 = 15_000.0;
/// The number of steps that the copy of the cluster runs ahead between two readings of the wall clock.
const LOOK: u64 = 64;

impl Auto {
    /// Returns the sentence about the last stretch of time that was skipped; empty for none.
    pub fn skipped(&self) -> Rc<str> {
        self.skipped.as_ref().map_or_else(|| "".into(), |(words, _)| words.clone())
    }
    /// Returns whether the speed *auto* has nothing to show: time does not stand still for a reader, and no beat comes soon.
    pub(super) fn is_quiet(&self) -> bool {
        self.is_quiet && self.hold_ms <= 0.0
    }
    /// Forgets what the person has seen if the number of the run's commands has changed since.
    fn forget_if_commanded(&mut self, commands: usize) {
        if self.commands != commands {
            *self = Auto { commands, ..Auto::default() };
        }
    }
    /// Forgets the gap before the next beat (a step that deserves a reader's time) and the running reading time, since a person may have moved in time.
    pub(super) fn interrupt(&mut self) {
        if self.gap.is_some_and(|gap| gap.skips) {
            self.skipped = None;
        }
        (self.gap, self.hold_ms, self.is_quiet) = (None, 0.0, false);
    }
    /// Returns the milliseconds of wall time that the gap before a beat takes, and whether the gap is skipped. `way` is the length of the gap in virtual time.
    fn gap_ms(&mut self, way: Span, beat: &Beat) -> (f64, bool) {
        let real_ms = way.0 as f64 / 1_000.0;
        let shown = self.seen.or_default(beat.likeness.clone());
        if way > QUIET && shown.skips < SKIPS {
            shown.skips += 1;
            return (SKIP_MS, true);
        }
        shown.met += 1;
        let is_familiar = match beat.pass.and_then(|pass| self.passes.get(&pass.number)) {
            Some(read) => read.factor == 0.0,
            None => shown.met > FAMILIAR,
        };
        let least = match beat.sort {
            _ if is_familiar => FAMILIAR_MS,
            Sort::Message | Sort::Answer { .. } | Sort::Phase(Phase::Act) if way >= TOGETHER => TRAVEL_MS,
            Sort::Change if way >= TOGETHER => CHANGE_MS,
            _ => TOGETHER_MS,
        };
        (real_ms.max(least), false)
    }
    /// Returns the milliseconds of wall time for which a beat stays on the screen. `is_shown` tells whether the beat's pass is the one on the screen.
    fn reading_ms(&mut self, beat: &Beat, least: f64, is_shown: bool) -> f64 {
        let Some(pass) = beat.pass else {
            let is_new = self.seen.get(&beat.likeness).is_none_or(|shown| shown.met <= ALIKE);
            return if is_new && beat.sort == (Sort::Answer { refused: true }) { least } else { 0.0 };
        };
        let seen = &mut self.seen;
        let read = self.passes.or_insert_with(pass.number, || {
            let shown = seen.or_default(beat.likeness.clone());
            shown.times += 1;
            let factor = match shown.times {
                1 => 2.0,
                2..=ALIKE => 1.1,
                _ => 0.0,
            };
            Read { factor, acted: false }
        });
        match beat.sort {
            Sort::Answer { refused: true } => least * 2.0,
            Sort::Answer { .. } if is_shown => least * 0.4,
            // Of several requests of a pass, the first is read as long as the other phases; those that follow are like it.
            Sort::Phase(Phase::Act) if read.acted && is_shown => least * 0.5,
            Sort::Phase(Phase::Act) if read.acted => 0.0,
            Sort::Phase(phase) => {
                read.acted = phase == Phase::Act;
                least * read.factor
            }
            _ => 0.0,
        }
    }
}

impl Page {
    /// Lets virtual time pass at the speed *auto* for one tick, of which at most `longest_ms` count.
    pub(super) fn tick_auto(&mut self, tick: Tick, longest_ms: f64) {
        let ends = (self.wall_ms)() + tick.budget_ms;
        let mut left = tick.elapsed_ms.clamp(0.0, longest_ms);
        self.auto.forget_if_commanded(self.run.session.commands().len());
        if let Some((_, words_ms)) = &mut self.auto.skipped {
            *words_ms -= left;
            self.auto.skipped.take_if(|(_, words_ms)| *words_ms <= 0.0);
        }
        while left > 0.0 && self.pace == Pace::Playing && self.run.stopped().is_none() {
            let held = self.auto.hold_ms.min(left);
            self.auto.hold_ms -= held;
            left -= held;
            if left <= 0.0 {
                break;
            }
            let Some(next) = self.look_ahead(ends) else { break };
            left = match next {
                Some(beat) => self.approach(&beat, left, ends),
                None => self.run_on(left, ends),
            };
        }
    }
    /// Looks for the next beat (a step that deserves a reader's time). Returns `Some(None)` if there is none within the horizon, `None` if the wall time `ends`
    /// came first.
    fn look_ahead(&mut self, ends: f64) -> Option<Option<Beat>> {
        let watched = (!self.selection.follows).then_some(self.selection.controller);
        if self.auto.ahead.as_ref().is_some_and(|ahead| ahead.is_left_behind(&self.run)) {
            // A person who goes back in time wants to see everything again.
            self.auto = Auto { commands: self.auto.commands, ..Auto::default() };
        }
        if self.auto.ahead.as_ref().is_none_or(|ahead| !ahead.fits(&self.run, watched)) {
            self.auto.ahead = Some(Ahead::new(&self.run, watched));
            self.auto.gap = None;
        }
        let ahead = self.auto.ahead.as_mut()?;
        loop {
            if let Ok(next) = ahead.next(&self.run) {
                self.auto.is_quiet = next.is_none();
                return Some(next.cloned());
            }
            ahead.look(&self.run, LOOK);
            if (self.wall_ms)() >= ends {
                return None;
            }
        }
    }
    /// Lets virtual time pass towards a beat, or up to it. Returns the milliseconds of the tick that are left.
    fn approach(&mut self, beat: &Beat, left: f64, ends: f64) -> f64 {
        let now = self.run.now();
        let gap = match self.auto.gap.filter(|gap| gap.number == beat.number) {
            Some(gap) => gap,
            None => {
                let (wall_ms, skips) = self.auto.gap_ms(beat.at - now, beat);
                if skips {
                    let words = format!("Skipping {} in which nothing happens.", clock::span(beat.at - now));
                    self.auto.skipped = Some((words.into(), SKIP_WORDS_MS));
                }
                Gap { from: now, number: beat.number, wall_ms, spent_ms: 0.0, skips }
            }
        };
        let spent_ms = (gap.spent_ms + left).min(gap.wall_ms);
        let rest = left - (spent_ms - gap.spent_ms);
        self.auto.gap = Some(Gap { spent_ms, ..gap });
        if spent_ms < gap.wall_ms {
            let way = (beat.at - gap.from).0 as f64 * spent_ms / gap.wall_ms;
            // The beat itself, and everything at its very time, happens only at the end of the gap.
            let until = (gap.from + Span(way as i64)).min(beat.at + Span(-1));
            while !self.run.advance(until, SLICE) && (self.wall_ms)() < ends {}
            return 0.0;
        }
        while self.run.cluster().steps < beat.number {
            if self.run.stops_here() || (self.wall_ms)() >= ends {
                return 0.0;
            }
            if self.run.step().is_none() {
                break;
            }
        }
        self.auto.gap = None;
        let is_shown = beat.pass.is_some_and(|pass| self.selection.shows(pass.controller, pass.number));
        self.auto.hold_ms = self.auto.reading_ms(beat, self.preferences.reading.least_ms(), is_shown);
        if gap.skips {
            let words = format!("Skipped {}: nothing happened until {}.", clock::span(beat.at - gap.from), beat.words);
            self.auto.skipped = Some((words.into(), SKIP_WORDS_MS));
        } else if beat.pass.is_none() && self.auto.hold_ms > 0.0 {
            let words = format!("At {}: {}.", clock::moment(beat.at - self.run.start), beat.words);
            self.auto.skipped = Some((words.into(), SKIP_WORDS_MS));
        }
        if let Some(pass) = beat.pass.filter(|_| self.selection.follows && self.auto.hold_ms > 0.0) {
            self.selection.follow(pass.controller, pass.number);
        }
        rest
    }
    /// Shows the pass that made the last difference up to the moment that is looked at, unless a person looks at something else or reads a pass in hand.
    pub(super) fn lead(&mut self) {
        let selection = &self.selection;
        if !selection.follows || self.steps || selection.kubelet.is_some() || selection.pass.is_some() {
            return;
        }
        let passes = &self.run.notes().passes;
        let read = selection.followed.and_then(|number| passes.pass(number));
        let is_slow = self.pace == Pace::Playing && !self.is_auto() && !self.is_at_least_real_time();
        if read.is_some_and(|pass| self.auto.hold_ms > 0.0 || pass.ended.is_none()) {
            return;
        }
        if is_slow && passes.in_hand(selection.controller).is_some() {
            self.selection.followed = None;
            return;
        }
        if let Some((controller, number)) = telling(&self.run).map(|pass| (pass.controller, pass.number)) {
            self.selection.follow(controller, number);
        }
    }
    /// Lets virtual time pass in real time for the rest of a tick (`left` milliseconds), because no beat is near. Returns 0: the whole tick is used up.
    fn run_on(&mut self, left: f64, ends: f64) -> f64 {
        let until = self.run.now() + Span((left * 1_000.0) as i64);
        while !self.run.advance(until, SLICE) && (self.wall_ms)() < ends {}
        0.0
    }
}
