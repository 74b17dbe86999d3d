//! The page's clock: play, pause, speed, steps, and moves to other moments.
//!
//! The engine works in slices. [`Tick`] says how long it may work, and [`Page::new`] takes the wall clock that measures this, so that nothing here reads one
//! by itself.

use super::{Notice, Offer, Page};
use crate::api::time::{Span, Time};
use crate::view::convergence::at_rest;
use crate::view::rings;
use crate::view::stepping::{Condition, Went, Whose};

/// A speed of virtual time, and its name.
pub struct Speed {
    /// The virtual microseconds that pass in a real millisecond: 1,000 is real time.
    pub thousandths: i64,
    /// The name of the speed on the page.
    pub name: &'static str,
}

/// The speeds: *auto* first, which slows down at steps worth reading, then from slow to fast.
pub const SPEEDS: [Speed; 7] = [
    Speed { thousandths: 1_000, name: "auto" },
    Speed { thousandths: 10, name: "0.01×" },
    Speed { thousandths: 100, name: "0.1×" },
    Speed { thousandths: 1_000, name: "1×" },
    Speed { thousandths: 10_000, name: "10×" },
    Speed { thousandths: 100_000, name: "100×" },
    Speed { thousandths: 1_000_000, name: "1000×" },
];
/// The index of the speed *auto* in [`SPEEDS`].
pub const AUTO: usize = 0;
/// The index of the speed of real time (`1×`) in [`SPEEDS`].
pub const REAL_TIME: usize = 3;
/// The lowest speed, in thousandths of real time, at which a person can no longer follow single steps.
const FAST: i64 = 10_000;

/// The number of steps that the simulator does between two readings of the wall clock.
pub(super) const SLICE: u64 = 20;
/// The first tick of a run that starts at a fast speed, before the page is drawn. It may take longer than a frame, as nothing is on screen yet.
const HEAD_START: Tick = Tick { elapsed_ms: 2.0, budget_ms: 250.0, draw: true };
/// The most real time that counts for one tick, so that the run does not catch up after its tab was hidden.
const LONGEST_FRAME_MS: f64 = 100.0;
/// The most real time that counts for one tick while the cluster is at rest: the page then sleeps for up to a second at a time, all of which counts.
const LONGEST_REST_MS: f64 = 1_500.0;
/// The virtual time after which running until converged gives up.
const PATIENCE: Span = Span::secs(3_600);

/// Returns the index of the next higher or lower speed. *auto* counts as real time.
pub fn next_speed(place: usize, faster: bool) -> usize {
    match (place, faster) {
        (AUTO, true) => REAL_TIME + 1,
        (AUTO, false) => REAL_TIME - 1,
        (place, true) => (place + 1).min(SPEEDS.len() - 1),
        (place, false) => (place - 1).max(AUTO + 1),
    }
}

/// The state of the run's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Time stands still.
    Paused,
    /// Time passes at the chosen speed.
    Playing,
    /// Time passes as fast as it can until desired and actual agree, but not beyond this time.
    ToConvergence(Time),
}

/// One tick of the page's clock: a frame of the browser turned into work for the engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// The real time since the last tick, in milliseconds.
    pub elapsed_ms: f64,
    /// The real time for which the engine may work in this tick, in milliseconds.
    pub budget_ms: f64,
    /// Set if the page is drawn after this tick.
    pub draw: bool,
}

/// A move in virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// Starts the clock, or stops it.
    Toggle,
    /// Runs the next line that waits in the terminal or, without one, goes forward by one step of the simulator.
    Event,
    /// Goes forward to the next phase (observe, diff or act) of a reconcile.
    Phase(Scope),
    /// Goes forward until a condition holds.
    Until(Condition),
    /// Goes back by one step of the simulator.
    Back,
    /// Goes back to the last phase (observe, diff or act) of a reconcile.
    BackPhase(Scope),
    /// Runs as fast as possible until desired and actual agree.
    Converge,
    /// Goes back to the moment before the person's last command.
    Undo,
    /// Goes to a moment of the run, at most to its newest.
    To(Time),
    /// Goes forward or back by a span of virtual time.
    By(Span),
    /// Goes to the newest moment of the run.
    Live,
}

/// The components whose phases (observe, diff and act) a step in time goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The controller, scheduler or kubelet that the person looks at.
    Looked,
    /// All controllers and the scheduler.
    Any,
}

/// The number of steps after which a skip to a later moment gives up, so that a large cluster does not block the page.
const SKIPPED: u64 = 20_000;

impl Page {
    /// Carries out a move in time. Every move but play and converge stops the clock.
    pub(super) fn travel(&mut self, travel: Travel) {
        if travel != Travel::Toggle {
            self.pace = Pace::Paused;
            self.selection.followed = None;
        }
        // A person who goes through the run by single steps stays with the controller that is looked at.
        self.steps = matches!(travel, Travel::Event | Travel::Phase(_) | Travel::Until(_) | Travel::Back | Travel::BackPhase(_));
        self.auto.interrupt();
        self.meter = Meter::default();
        // A notice about an earlier step is out of date.
        if self.notice.as_ref().is_some_and(|notice| notice.is_of_time()) {
            self.notice = None;
        }
        let run = &mut self.run;
        match travel {
            Travel::Toggle => {
                self.pace = if self.pace == Pace::Paused { Pace::Playing } else { Pace::Paused };
                run.go_on();
                if self.pace == Pace::Playing {
                    run.enter_next();
                }
            }
            Travel::Event => {
                // A line that waits in the terminal's queue is the next thing that happens.
                if !run.enter_next() {
                    run.step();
                }
            }
            Travel::Phase(scope) => {
                run.enter_next();
                self.step_phase(scope);
            }
            Travel::Until(condition) => {
                run.enter_next();
                let went = run.step_until_met(condition);
                self.tell(went, condition.title());
            }
            Travel::Back => run.step_back(),
            Travel::BackPhase(scope) => {
                let whose = self.whose(scope);
                if !self.run.step_phase_back(whose) {
                    self.say_of_time("No earlier phase is remembered.", None);
                }
            }
            Travel::Converge => {
                run.go_on();
                run.enter_next();
                // At a converged moment of the past only a later command can start anything, so step into that first.
                if run.session.is_looking_back() && run.is_converged() {
                    run.step_phase();
                }
                if run.is_at_rest() && !run.session.is_looking_back() {
                    self.tell(Went::AtRest, "");
                } else {
                    self.pace = Pace::ToConvergence(run.now() + PATIENCE);
                }
            }
            Travel::Undo => run.undo(),
            Travel::To(at) => run.seek(at),
            Travel::By(span) => run.seek(run.now() + span),
            Travel::Live => run.return_to_live(),
        }
        self.halt();
    }
    fn whose(&self, scope: Scope) -> Whose {
        match scope {
            Scope::Any => Whose::Any,
            Scope::Looked => Whose::looked_at(self.run.cluster(), &self.selection),
        }
    }
    fn step_phase(&mut self, scope: Scope) {
        let whose = self.whose(scope);
        match (self.run.step_phase_of(whose), whose) {
            (Went::Phase(Some(happened)), _) => self.selection.turn_to(happened.controller),
            (went, Whose::Controller(index)) => {
                let name = rings::name_of(self.run.cluster(), index);
                self.tell(went, &name);
            }
            (went, _) => self.tell(went, "the one looked at"),
        }
    }
    /// Shows a notice about how a step in time ended, where the screen does not show it. `what` names the thing that the step waited for.
    fn tell(&mut self, went: Went, what: &str) {
        match went {
            Went::Phase(_) | Went::Stopped => {}
            Went::Met(words, controller) => {
                if let Some(controller) = controller {
                    self.selection.turn_to(controller);
                }
                self.say_of_time(&words, None);
            }
            Went::AtRest => {
                let (words, next) = at_rest(&self.run);
                self.say_of_time(&words, next.map(Offer::SkipTo));
            }
            Went::TooFar => self.say_of_time(&format!("{what}: nothing of it in many events. Step again to go on."), None),
        }
    }
    fn say_of_time(&mut self, text: &str, offer: Option<Offer>) {
        self.notice = Some(Notice { text: text.into(), offer, of_time: true });
    }
    /// Lets time pass up to a moment, including the steps that are due at it.
    pub(super) fn skip_to(&mut self, at: Time) {
        self.pace = Pace::Paused;
        self.run.go_on();
        self.run.advance(at, SKIPPED);
        self.halt();
    }
    /// Stops the clock if a breakpoint was reached, and shows the controller that acts next.
    fn halt(&mut self) {
        if let Some(controller) = self.run.stopped().map(|stop| stop.controller) {
            self.pace = Pace::Paused;
            self.steps = true;
            self.selection.turn_to(controller);
        }
    }
    /// Returns whether the clock needs ticks: time passes, a twin catches up, or a run is being loaded.
    pub fn needs_ticks(&self) -> bool {
        self.pace != Pace::Paused || self.run.twin_is_behind() || self.is_loading()
    }
    /// Returns whether time passes too fast for single steps to be followed.
    pub fn is_fast(&self) -> bool {
        match self.pace {
            Pace::Paused => false,
            Pace::Playing => self.thousandths() >= FAST,
            Pace::ToConvergence(_) => true,
        }
    }
    /// Returns whether nothing but the clock changes on the screen: the cluster has converged or is stuck, and time passes no faster than real time.
    pub fn only_clock_changes(&self) -> bool {
        let is_slow = self.pace == Pace::Playing && self.speed <= REAL_TIME;
        let is_calm = is_slow && (self.run.is_converged() || self.run.is_stuck()) && (!self.is_auto() || self.auto.is_quiet());
        is_calm && !self.run.twin_is_behind() && !self.is_loading()
    }
    /// Returns the milliseconds of wall time until the next step is due, at most a second. Zero if more than the clock changes on the screen.
    pub fn rest_ms(&self) -> f64 {
        if !self.only_clock_changes() {
            return 0.0;
        }
        let due = self.run.session.next_at().map_or(Span::secs(1), |at| at - self.run.now());
        (due.0 as f64 / self.thousandths() as f64).clamp(0.0, 1_000.0)
    }
    /// Returns whether the speed is *auto*.
    pub(super) fn is_auto(&self) -> bool {
        self.speed == AUTO
    }
    /// Returns whether time passes at least as fast as real time.
    pub(super) fn is_at_least_real_time(&self) -> bool {
        self.thousandths() >= 1_000
    }
    fn thousandths(&self) -> i64 {
        SPEEDS.get(self.speed).map_or(1_000, |speed| speed.thousandths)
    }
    /// Advances a run that starts at a fast speed by one long tick before the page is drawn for the first time.
    pub(super) fn take_head_start(&mut self) {
        if self.is_fast() {
            self.tick(HEAD_START);
        }
    }
    /// Lets virtual time pass for one tick of the page's clock, or goes on loading a run.
    pub(super) fn tick(&mut self, tick: Tick) {
        if self.is_loading() {
            return self.advance_replay(tick.budget_ms);
        }
        let (wall_ms, ends) = (self.wall_ms, (self.wall_ms)() + tick.budget_ms);
        let longest = if self.only_clock_changes() { LONGEST_REST_MS } else { LONGEST_FRAME_MS };
        let thousandths = self.thousandths() as f64;
        if self.pace == Pace::Playing && self.is_auto() {
            self.tick_auto(tick, longest);
            return self.halt();
        }
        let run = &mut self.run;
        match self.pace {
            // A twin, the second cluster beside the run, may not have reached this moment yet.
            Pace::Paused => while !run.twin_keeps_up(SLICE) && wall_ms() < ends {},
            Pace::Playing => {
                let before = run.now();
                let until = before + Span((tick.elapsed_ms.clamp(0.0, longest) * thousandths) as i64);
                while !run.advance(until, SLICE) && wall_ms() < ends {}
                self.meter.measure(tick.elapsed_ms, run.now() - before, thousandths);
            }
            Pace::ToConvergence(until) => {
                while !run.converge(until, SLICE) && run.now() < until && wall_ms() < ends {}
                let has_settled = run.has_settled();
                if has_settled || run.now() >= until {
                    self.pace = Pace::Paused;
                }
                if has_settled && !run.is_converged() {
                    self.tell(Went::AtRest, "");
                }
            }
        }
        self.halt();
    }
}

/// Measures how fast virtual time really passes: an engine that has too much to do falls behind the chosen speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meter {
    wall_ms: f64,
    passed_us: f64,
    /// The measured speed in thousandths of real time, if it is clearly lower than the chosen one.
    real: Option<i64>,
}

/// The wall time over which the speed is measured once, in milliseconds.
const MEASURED_MS: f64 = 700.0;
/// The share of the chosen speed from which on the engine counts as keeping up.
const KEEPS_UP: f64 = 0.85;

impl Meter {
    fn measure(&mut self, elapsed_ms: f64, passed: Span, wanted: f64) {
        // The long tick after the tab was hidden does not count.
        if elapsed_ms > MEASURED_MS {
            return;
        }
        self.wall_ms += elapsed_ms;
        self.passed_us += passed.0 as f64;
        if self.wall_ms >= MEASURED_MS {
            let real = self.passed_us / self.wall_ms;
            *self = Meter { real: (real < wanted * KEEPS_UP).then_some(real as i64), ..Meter::default() };
        }
    }
    /// Returns the measured speed as the page writes it, `~320×`; `None` while the engine keeps up.
    pub fn text(&self) -> Option<String> {
        let real = self.real?;
        Some(match real {
            10_000.. => format!("~{}×", real / 1_000),
            100.. => format!("~{}.{}×", real / 1_000, real / 100 % 10),
            _ => format!("~0.{:02}×", real / 10),
        })
    }
}
