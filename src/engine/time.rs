//! Lets virtual time pass, or goes back in it. Every call is bounded by a number of steps, so that no argument can make it go on for ever.

use super::{Answer, Engine, Error, bad_input, error};
use crate::api::time::{Span, Time};
use crate::view::goal::read_span;
use crate::view::loops::message;
use serde::Deserialize;
use serde_json::{Value, json};

/// The number of steps that one call may take.
pub const MOST_STEPS: u64 = 5_000_000;
/// The time after which a cluster that has not converged is given up.
const PATIENCE: Span = Span::secs(600);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepInput {
    count: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdvanceInput {
    /// How long, from now on.
    #[serde(rename = "for")]
    span: Option<Value>,
    /// The time of the run.
    until: Option<Value>,
    /// What ends it sooner.
    stop_at: Option<StopAt>,
}

/// What ends the passing of time before its time.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StopAt {
    /// Any change of an object.
    Change,
    /// A change that a watch tells of.
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

/// Seconds of the run, as scripts see times.
pub fn seconds(span: Span) -> f64 {
    span.0 as f64 / 1e6
}

pub fn span(name: &str, value: &Value) -> Result<Span, Error> {
    read_span(value).map_err(|why| bad_input(format!("{name}: {why}")))
}

impl Engine {
    /// Does so many steps. The answer is the last one.
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
    /// Lets time pass. The answer tells whether the time was reached.
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
    /// Lets time pass until desired and actual agree, or nothing is under way although they do not.
    pub(super) fn converge(&mut self, ConvergeInput { within }: ConvergeInput) -> Answer {
        let within = within.as_ref().map(|value| span("within", value)).transpose()?.unwrap_or(PATIENCE);
        let until = self.run.now() + within;
        // What was just done may not have touched anything yet, and a workload may seem stuck before its first try.
        self.pass(until, |engine| engine.run.is_converged() && engine.run.has_settled())?;
        Ok(self.status())
    }
    /// Does steps until a time, or until it is to stop. The answer is whether the time was reached.
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
    /// Looks at a moment of the past, or returns to the newest.
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
