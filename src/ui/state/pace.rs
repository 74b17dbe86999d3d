//! Whether and how time passes: the transport of the top bar.

use super::State;
use loopscope::api::time::{Span, Time};

/// Speeds in thousandths of real time, and their names.
pub const SPEEDS: [(i64, &str); 6] =
    [(10, "0.01×"), (100, "0.1×"), (1_000, "1×"), (10_000, "10×"), (100_000, "100×"), (1_000_000, "1000×")];
pub const FIRST_SPEED: usize = 2;
/// From here on it is fast.
const FAST: i64 = 10_000;

/// How many events are handled between two looks at the clock on the wall.
const SLICE: u64 = 20;
/// Less than a frame of time, but with more work in it than one: nobody waits for anything else yet.
const HEAD_START: Tick = Tick { elapsed_ms: 2.0, budget_ms: 250.0, draw: true };
/// After a pause of the browser's own (a hidden tab) the run does not catch up.
const LONGEST_FRAME_MS: f64 = 100.0;
/// Running until converged gives up after so much virtual time.
const PATIENCE: Span = Span::secs(3_600);

/// Whether and how time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It stands still.
    Paused,
    /// It passes at the chosen speed.
    Playing,
    /// It passes as fast as it can until desired and actual agree, or until a time.
    ToConvergence(Time),
}

/// One frame of the browser.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// How long the last one took.
    pub elapsed_ms: f64,
    /// How long the engine may work in this one.
    pub budget_ms: f64,
    /// Whether the screen is drawn in it.
    pub draw: bool,
}

/// A move in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// Play or pause.
    Toggle,
    /// One event on.
    Event,
    /// Up to the next phase of a reconcile.
    Phase,
    /// One event back.
    Back,
    /// As fast as possible until desired and actual agree.
    Converge,
    /// To the moment before the last thing a person did.
    Undo,
    /// To a moment, as far as the run has come.
    To(Time),
    /// So much time on, or back.
    By(Span),
    /// To the newest moment.
    Live,
}

impl State {
    pub fn travel(&mut self, travel: Travel) {
        if travel != Travel::Toggle {
            self.pace = Pace::Paused;
        }
        self.meter = Meter::default();
        let mut desk = self.desk.borrow_mut();
        match travel {
            Travel::Toggle => {
                self.pace = if self.pace == Pace::Paused { Pace::Playing } else { Pace::Paused };
                desk.go_on();
            }
            Travel::Event => drop(desk.step()),
            Travel::Phase => {
                if let Some(happened) = desk.step_phase() {
                    self.look.turn_to(happened.controller);
                }
            }
            Travel::Back => desk.step_back(),
            Travel::Converge => {
                desk.go_on();
                // From a cluster at rest, one phase leads to the next drift, if there is any to come.
                if desk.is_converged() {
                    desk.step_phase();
                }
                self.pace = Pace::ToConvergence(desk.now() + PATIENCE);
            }
            Travel::Undo => desk.undo(),
            Travel::To(at) => desk.seek(at),
            Travel::By(span) => {
                let at = desk.now() + span;
                desk.seek(at);
            }
            Travel::Live => desk.return_to_live(),
        }
        drop(desk);
        self.halt();
    }
    /// At a breakpoint time stands still, and the page turns to whoever is next.
    fn halt(&mut self) {
        let stop = self.desk.borrow().stopped().map(|stop| stop.controller);
        if let Some(controller) = stop {
            self.pace = Pace::Paused;
            self.look.turn_to(controller);
        }
    }
    /// Whether time passes so fast that single events cannot be followed.
    pub fn is_fast(&self) -> bool {
        match self.pace {
            Pace::Paused => false,
            Pace::Playing => SPEEDS.get(self.speed).is_some_and(|s| s.0 >= FAST),
            Pace::ToConvergence(_) => true,
        }
    }
    /// The first drawing of a run that goes fast from the beginning already shows how far it has come.
    pub(super) fn take_head_start(&mut self) {
        if self.is_fast() {
            self.tick(HEAD_START);
        }
    }
    /// Some time has passed on the wall.
    pub(super) fn tick(&mut self, tick: Tick) {
        if self.come_nearer() {
            return;
        }
        let mut desk = self.desk.borrow_mut();
        let (elapsed_ms, ends) = (tick.elapsed_ms, wall_ms() + tick.budget_ms);
        match self.pace {
            // A twin may still be on its way to this moment.
            Pace::Paused => while !desk.twin_keeps_up(SLICE) && wall_ms() < ends {},
            Pace::Playing => {
                let thousandths = SPEEDS.get(self.speed).map_or(1_000, |s| s.0) as f64;
                let before = desk.now();
                let until = before + Span((elapsed_ms.clamp(0.0, LONGEST_FRAME_MS) * thousandths) as i64);
                while !desk.advance(until, SLICE) && wall_ms() < ends {}
                self.meter.measure(elapsed_ms, desk.now() - before, thousandths);
            }
            Pace::ToConvergence(until) => {
                while !desk.converge(until, SLICE) && desk.now() < until && wall_ms() < ends {}
                if desk.is_converged() || desk.now() >= until {
                    self.pace = Pace::Paused;
                }
            }
        }
        drop(desk);
        self.halt();
    }
}

/// How fast time really passes: an engine that has too much to do falls behind the chosen speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meter {
    wall_ms: f64,
    passed_us: f64,
    /// Thousandths of real time, where that is clearly less than chosen.
    real: Option<i64>,
}

/// How long is measured for one number.
const MEASURED_MS: f64 = 700.0;
/// Up to this share of the chosen speed the engine counts as coming along.
const COMES_ALONG: f64 = 0.85;

impl Meter {
    fn measure(&mut self, elapsed_ms: f64, passed: Span, wanted: f64) {
        // A hidden tab does not count.
        if elapsed_ms > MEASURED_MS {
            return;
        }
        self.wall_ms += elapsed_ms;
        self.passed_us += passed.0 as f64;
        if self.wall_ms >= MEASURED_MS {
            let real = self.passed_us / self.wall_ms;
            *self = Meter { real: (real < wanted * COMES_ALONG).then_some(real as i64), ..Meter::default() };
        }
    }
    /// As the page writes it: `~320×`. Nothing while the engine comes along.
    pub fn text(&self) -> Option<String> {
        let real = self.real?;
        Some(match real {
            10_000.. => format!("~{}×", real / 1_000),
            100.. => format!("~{}.{}×", real / 1_000, real / 100 % 10),
            _ => format!("~0.{:02}×", real / 10),
        })
    }
}

/// The clock on the wall. Only the page looks at it, never the engine.
pub fn wall_ms() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}
