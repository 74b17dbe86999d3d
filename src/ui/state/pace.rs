//! Whether and how time passes: the transport of the top bar.

use super::State;
use loopscope::api::time::{Span, Time};

/// Speeds in thousandths of real time, and their names.
pub const SPEEDS: [(i64, &str); 6] =
    [(10, "0.01×"), (100, "0.1×"), (1_000, "1×"), (10_000, "10×"), (100_000, "100×"), (1_000_000, "1000×")];
pub const FIRST_SPEED: usize = 2;

/// How long the engine may work in one animation frame. The rest of the 16 ms is for drawing.
const BUDGET_MS: f64 = 7.0;
/// How many events are handled between two looks at the clock on the wall.
const SLICE: u64 = 100;
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
    /// To the newest moment.
    Live,
}

impl State {
    pub fn travel(&mut self, travel: Travel) {
        if travel != Travel::Toggle {
            self.pace = Pace::Paused;
        }
        let mut desk = self.desk.borrow_mut();
        match travel {
            Travel::Toggle => self.pace = if self.pace == Pace::Paused { Pace::Playing } else { Pace::Paused },
            Travel::Event => drop(desk.step()),
            Travel::Phase => {
                if let Some(happened) = desk.step_phase() {
                    self.look.turn_to(happened.controller);
                }
            }
            Travel::Back => desk.step_back(),
            Travel::Converge => {
                // From a cluster at rest, one phase leads to the next drift, if there is any to come.
                if desk.is_converged() {
                    desk.step_phase();
                }
                self.pace = Pace::ToConvergence(desk.now() + PATIENCE);
            }
            Travel::Undo => desk.undo(),
            Travel::To(at) => desk.seek(at),
            Travel::Live => desk.session.return_to_live(),
        }
    }
    /// So many milliseconds have passed on the wall.
    pub(super) fn tick(&mut self, elapsed_ms: f64) {
        if self.come_nearer() {
            return;
        }
        let mut desk = self.desk.borrow_mut();
        let ends = wall_ms() + BUDGET_MS;
        match self.pace {
            Pace::Paused => {}
            Pace::Playing => {
                let thousandths = SPEEDS.get(self.speed).map_or(1_000, |s| s.0) as f64;
                let until = desk.now() + Span((elapsed_ms.clamp(0.0, LONGEST_FRAME_MS) * thousandths) as i64);
                while !desk.advance(until, SLICE) && wall_ms() < ends {}
            }
            Pace::ToConvergence(until) => {
                while !desk.converge(until, SLICE) && desk.now() < until && wall_ms() < ends {}
                if desk.is_converged() || desk.now() >= until {
                    self.pace = Pace::Paused;
                }
            }
        }
    }
}

/// The clock on the wall. Only the page looks at it, never the engine.
pub(super) fn wall_ms() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}
