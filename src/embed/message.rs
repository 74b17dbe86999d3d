//! The messages between the page and the page around it, as plain data.
//!
//! The page posts [`Hello`] to its parent until that answers with [`Connect`] and a port. On the port a request is an object with an `id`, a `type` and
//! what the type needs; it gets one [`Outgoing::Answer`] or [`Outgoing::Refusal`] with the same `id`. Everything else that the page sends is an [`Event`].

use crate::api::value::tagged;
use crate::page::hosting::{CommandResult, PodCounts, Status};
use crate::sim::Fault;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The value of `context` in every message that is posted to a window.
pub const CONTEXT: &str = "loopscope";
/// The version of the messages.
pub const VERSION: u32 = 1;

/// The page's first words to the window around it.
#[derive(Debug, Serialize)]
pub struct Hello {
    context: &'static str,
    v: u32,
    r#type: &'static str,
    version: &'static str,
    features: &'static [&'static str],
}

impl Hello {
    /// The words.
    pub const WORDS: Hello =
        Hello { context: CONTEXT, v: VERSION, r#type: "hello", version: env!("CARGO_PKG_VERSION"), features: REQUESTS };
}

/// The answer of the window around it, which brings a port along.
#[derive(Debug, Deserialize)]
pub struct Connect {
    context: String,
    v: u32,
    r#type: String,
}

impl Connect {
    /// Whether it is for this page.
    pub fn is_meant(&self) -> bool {
        self.context == CONTEXT && self.v == VERSION && self.r#type == "connect"
    }
}

/// The types of requests.
pub const REQUESTS: &[&str] =
    &["load", "apply", "kubectl", "step", "run", "pause", "seek", "fault", "check", "getState", "setState", "setTheme", "focus"];

/// The types of events.
pub const EVENTS: &[&str] = &["ready", "error", "resize", "change", "reconcile", "converged", "drift", "goal", "complete"];

/// A request, without its id.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub enum Request {
    /// Starts a new run.
    Load(Load),
    /// Applies a manifest.
    Apply {
        /// YAML or JSON.
        manifest: String,
    },
    /// Runs a line as in the terminal.
    Kubectl {
        /// As `kubectl get pods -o json`.
        line: String,
    },
    /// Goes on or back by single steps.
    Step {
        /// `event`, `phase` or `back`.
        #[serde(default)]
        by: StepBy,
        /// How many.
        #[serde(default = "one")]
        count: u32,
    },
    /// Lets time pass.
    Run {
        /// The speed as in the address.
        speed: Option<Text>,
        /// `converged`: as fast as possible until desired and actual agree.
        until: Option<Until>,
        /// For at most so many seconds of virtual time.
        within: Option<f64>,
    },
    /// Stops the clock.
    Pause,
    /// Goes to a moment.
    Seek {
        /// Seconds since the run began.
        at: f64,
    },
    /// Breaks or mends something.
    Fault(Fault),
    /// Asks how the run stands.
    Check,
    /// Asks for the share state.
    GetState,
    /// Opens a share state.
    SetState {
        /// The object, its text, or the part of a link after `#s=`.
        #[serde(default)]
        state: Value,
    },
    /// Chooses the theme.
    SetTheme {
        /// `auto`, `light` or `dark`.
        theme: String,
    },
    /// Moves the keyboard focus to a panel.
    Focus {
        /// Its name; none: the page.
        panel: Option<String>,
    },
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        tagged::read(deserializer, "type", |variant| Request::deserialize(variant))
    }
}

/// A new run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Load {
    /// Its manifest; none: the one that the page began with.
    pub manifest: Option<String>,
    /// The name of an example, instead of a manifest.
    pub example: Option<String>,
    /// Its seed.
    pub seed: Option<u64>,
    /// The number of nodes.
    pub nodes: Option<u32>,
    /// The moment at which it is shown, in seconds.
    pub at: Option<f64>,
    /// Whether time stands still there.
    #[serde(default)]
    pub paused: bool,
}

/// A number or a text: hosts write both.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Text {
    /// As a text.
    pub fn text(&self) -> String {
        match self {
            Text::Number(number) => number.to_string(),
            Text::Text(text) => text.clone(),
        }
    }
}

/// The size of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepBy {
    /// One event.
    #[default]
    Event,
    /// On to the next phase of any reconcile.
    Phase,
    /// One event back.
    Back,
}

/// How long time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Until {
    /// Until desired and actual agree.
    Converged,
}

fn one() -> u32 {
    1
}

/// The reasons why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// It is no request, or a field has the wrong type or makes no sense.
    BadInput,
    /// This page does not know its type. A newer one may.
    UnknownType,
    /// It is too long.
    TooLong,
    /// The state cannot be read.
    BadState,
    /// Too many requests wait for an answer, or the terminal runs something.
    Busy,
}

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// For programs.
    pub code: Code,
    /// For people.
    pub message: String,
}

impl Refusal {
    /// A refusal with a sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }
}

/// Something that the page sends.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Outgoing {
    /// The answer to a request.
    Answer {
        /// The id of the request.
        id: Value,
        /// What was asked for.
        ok: Payload,
    },
    /// A refused request.
    Refused {
        /// The id of the request; `null` if it has none.
        id: Value,
        /// The reason.
        error: Refusal,
    },
    /// Something that happened.
    Event(Event),
}

/// What an answer brings.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Payload {
    /// How the run stands after what was asked for.
    Status(Status),
    /// The same, after a move to a moment.
    Reached {
        /// How the run stands.
        #[serde(flatten)]
        status: Status,
        /// Whether the moment was reached.
        reached: bool,
    },
    /// What a program wrote.
    Result(CommandResult),
    /// The share state.
    State {
        /// The object.
        state: Value,
    },
    /// Nothing but that it was done.
    Done(bool),
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Event {
    /// Requests are carried out from now on.
    Ready {
        /// The version of the page.
        version: &'static str,
        /// The types of requests that it knows.
        features: &'static [&'static str],
        /// How the run stands.
        status: Status,
    },
    /// Something went wrong.
    Error {
        /// For programs.
        code: &'static str,
        /// For people.
        message: String,
    },
    /// The page would like to be so high.
    Resize {
        /// In pixels.
        height: u32,
    },
    /// Something was done to the run, or the number of wanted or ready pods has changed.
    Change {
        /// How the run stands.
        status: Status,
    },
    /// A pass of a controller has found a difference.
    Reconcile {
        /// The controller.
        controller: String,
        /// The object that it was about.
        key: String,
        /// The requests that it made.
        requests: usize,
        /// Seconds since the run began.
        time: f64,
    },
    /// Desired and actual agree.
    Converged {
        /// Seconds since the run began.
        time: f64,
        /// Pods.
        pods: PodCounts,
    },
    /// Desired and actual differ.
    Drift {
        /// Seconds since the run began.
        time: f64,
        /// Pods.
        pods: PodCounts,
        /// Why nothing happens although they do.
        reason: Option<String>,
    },
    /// The goal has been reached or missed.
    Goal {
        /// Its name.
        id: &'static str,
        /// `reached` or `missed`.
        status: &'static str,
        /// The number of the attempt: a new run is a new one.
        attempt: u32,
        /// Seconds since the run began.
        #[serde(rename = "simTime")]
        sim_time: f64,
    },
    /// All goals are reached.
    Complete {
        /// Reached goals.
        score: u32,
        /// All goals.
        max: u32,
        /// The share state, which a grader replays.
        state: Value,
    },
}
