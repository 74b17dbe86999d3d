//! The methods by which a script lets virtual time pass or goes back in it. Every call is bounded by a number of steps, so that no argument can make it go on
//! for ever.

use super::{Answer, Engine, Error, bad_input, error};
use crate::api::time::{Span, Time};
use crate::view::goal::read_span;
use crate::view::loops::message;
use serde::Deserialize;
use serde_json::{Value, json};

/// The maximum number of steps that one call may do.
pub const MOST_STEPS: u64 = 5_000_000;
/// The default virtual time after which `converge` gives up.
const PATIENCE: Span = Span::secs(600);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepInput {
    count: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdvanceInput {
    /// The length of virtual time to let pass from now on.
    #[serde(rename = "for")]
    span: Option<Value>,
    /// The time to reach, measured from the start of the run.
    until: Option<Value>,
    /// The event at which the call ends before its time; `None` for no such event.
    stop_at: Option<StopAt>,
}

/// The event that ends `advance` before its time.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StopAt {
    /// A change of any object in the store.
    Change,
    /// A change that one of the script's watches reports.
    Event,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConvergeInput {
    within: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeekInput {
    at: Option<Value>,
    step: Option<u64>,
    #[serde(default)]
    live: bool,
}

/// Returns a time of the run in seconds, as scripts see it.
pub fn seconds(span: Span) -> f64 {
    span.0 as f64 / 1e6
}

pub fn span(name: &str, value: &Value) -> Result<Span, Error> {
    read_span(&value.clone().into()).map_err(|why| bad_input(format!("{name}: {why}")))
}

impl Engine {
    /// Does `count` steps and returns the last one; null if nothing is left to do.
    pub(super) fn step(&mut self, StepInput { count }: StepInput) -> Answer {
        let count = count.unwrap_or(1);
        if count > MOST_STEPS {
            return Err(error("too-long", format!("at most {MOST_STEPS} steps can be done at once")));
        }
        let mut last = None;
        for _ in 0..count {
            match self.run.step() {
                Some(record) => last = Some(record),
                None => break,
            }
        }
        Ok(last.map_or(Value::Null, |record| {
            json!({
                "number": record.number,
                "cause": record.cause,
                "at": seconds(record.at - self.run.start),
                "text": message::happened(&record.step, self.run.cluster()),
            })
        }))
    }
    /// Lets virtual time pass. The answer says whether the given time was reached.
    pub(super) fn advance(&mut self, input: AdvanceInput) -> Answer {
        let until = match (&input.span, &input.until) {
            (Some(value), None) => self.run.now() + span("for", value)?,
            (None, Some(value)) => self.run.start + span("until", value)?,
            _ => return Err(bad_input("one of for and until must be given")),
        };
        let from = self.run.cluster().api.store.revision();
        let reached = self.pass(until, |engine| match input.stop_at {
            Some(StopAt::Change) => engine.run.cluster().api.store.revision() != from || engine.look(),
            Some(StopAt::Event) => engine.look(),
            None => false,
        })?;
        Ok(json!({ "reached": reached, "until": seconds(until - self.run.start) }))
    }
    /// Lets virtual time pass until the cluster has converged or the time limit is over. Returns the status of the cluster.
    pub(super) fn converge(&mut self, ConvergeInput { within }: ConvergeInput) -> Answer {
        let within = within.as_ref().map(|value| span("within", value)).transpose()?.unwrap_or(PATIENCE);
        let until = self.run.now() + within;
        // Right after a command nothing may have changed yet, so a converged cluster must also have settled.
        self.pass(until, |engine| engine.run.is_converged() && engine.run.has_settled())?;
        Ok(self.status())
    }
    /// Does steps until a time, or until `stops` returns true. Returns whether the time was reached.
    pub(super) fn pass(&mut self, until: Time, mut stops: impl FnMut(&mut Engine) -> bool) -> Result<bool, Error> {
        for _ in 0..MOST_STEPS {
            if stops(self) {
                return Ok(false);
            }
            if self.run.session.next_at().is_none_or(|at| at > until) {
                self.run.advance(until, 1);
                return Ok(true);
            }
            self.run.step();
        }
        Err(error("too-long", format!("it takes more than {MOST_STEPS} steps: let less time pass at once")))
    }
    /// Goes to a moment of the past, or returns to the newest moment. Returns the status of the cluster there.
    pub(super) fn seek(&mut self, input: SeekInput) -> Answer {
        match input {
            SeekInput { live: true, at: None, step: None } => self.run.return_to_live(),
            SeekInput { live: false, at: Some(at), step: None } => {
                let at = self.run.start + span("at", &at)?;
                self.run.seek(at);
            }
            SeekInput { live: false, at: None, step: Some(step) } => self.run.session.seek(step),
            _ => return Err(bad_input("one of at, step and live must be given")),
        }
        self.jump();
        Ok(self.status())
    }
}
