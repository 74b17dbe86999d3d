//! The messages between the page and its host (the page around it), as plain data.
//!
//! The page posts [`Hello`] to its parent until that answers with [`Connect`] and a port. On the port a request is an object with an `id`, a `type` and the
//! fields of that type; the page sends one [`Outgoing::Answer`] or [`Outgoing::Refused`] with the same `id`. Everything else that the page sends is an
//! [`Event`].

use crate::api::value::{Value, tagged};
use crate::page::hosting::{CommandResult, PodCounts, Status};
use crate::sim::Fault;
use serde::{Deserialize, Deserializer, Serialize};

/// The value of `context` in every message that either side posts to a window.
pub const CONTEXT: &str = "loopscope";
/// The version of the messages.
pub const VERSION: u32 = 1;

/// The page's greeting to its parent window.
#[derive(Debug, Serialize)]
pub struct Hello {
    context: &'static str,
    v: u32,
    r#type: &'static str,
    version: &'static str,
    features: &'static [&'static str],
}

impl Hello {
    /// The greeting of this version.
    pub const WORDS: Hello =
        Hello { context: CONTEXT, v: VERSION, r#type: "hello", version: env!("CARGO_PKG_VERSION"), features: REQUESTS };
}

/// The host's answer to [`Hello`], which carries a port.
#[derive(Debug, Deserialize)]
pub struct Connect {
    context: String,
    v: u32,
    r#type: String,
}

impl Connect {
    /// Returns whether the message is for this page and this version.
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
        /// The line, such as `kubectl get pods -o json`.
        line: String,
    },
    /// Does single steps, forward or back.
    Step {
        /// `event`, `phase` or `back`.
        #[serde(default)]
        by: StepBy,
        /// The number of steps.
        #[serde(default = "one")]
        count: u32,
    },
    /// Lets virtual time pass.
    Run {
        /// The speed, as in the page's address.
        speed: Option<Text>,
        /// `converged`: runs as fast as possible until desired and actual agree.
        until: Option<Until>,
        /// The most virtual time that may pass, in seconds.
        within: Option<f64>,
    },
    /// Stops the clock.
    Pause,
    /// Goes to a moment.
    Seek {
        /// Seconds since the run began.
        at: f64,
    },
    /// Injects a fault, or ends one.
    Fault(Fault),
    /// Asks for the status of the run.
    Check,
    /// Asks for the share state.
    GetState,
    /// Opens a share state.
    SetState {
        /// The share state: an object, its text, or the part of a link after `#s=`.
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
        /// Its name; `None` for the page.
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
    /// The manifest; `None` for the one that the page began with.
    pub manifest: Option<String>,
    /// The name of an example, instead of a manifest.
    pub example: Option<String>,
    /// The seed.
    pub seed: Option<u64>,
    /// The number of nodes.
    pub nodes: Option<u32>,
    /// The moment to show, in seconds since the run began.
    pub at: Option<f64>,
    /// Set if time stands still at that moment.
    #[serde(default)]
    pub paused: bool,
}

/// A number or a text: hosts write both.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// The value as a number.
    Number(f64),
    /// The value as a text.
    Text(String),
}

impl Text {
    /// Returns the value as a text.
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
    /// All events up to the next phase of any reconcile.
    Phase,
    /// One event, back in time.
    Back,
}

/// The condition until which time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Until {
    /// Desired and actual agree.
    Converged,
}

fn one() -> u32 {
    1
}

/// The reasons why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// The message is no request, or a field has the wrong type or an impossible value.
    BadInput,
    /// This version of the page does not know the type of the request.
    UnknownType,
    /// The request is too long.
    TooLong,
    /// The state cannot be read.
    BadState,
    /// Too many requests wait for an answer, or the terminal runs something.
    Busy,
}

/// The answer to a request that is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The reason, for programs.
    pub code: Code,
    /// The reason, for people.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal with a message.
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }
}

/// A message that the page sends.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Outgoing {
    /// The answer to a request.
    Answer {
        /// The id of the request.
        id: Value,
        /// The result of the request.
        ok: Payload,
    },
    /// A refused request.
    Refused {
        /// The id of the request; `null` if it has none.
        id: Value,
        /// The reason of the refusal.
        error: Refusal,
    },
    /// An event of the run or the page.
    Event(Event),
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Payload {
    /// The status of the run afterwards.
    Status(Status),
    /// The status of the run after time has passed or a moment was looked for.
    Reached {
        /// The status of the run.
        #[serde(flatten)]
        status: Status,
        /// Set if the moment was reached, or the run has converged.
        reached: bool,
    },
    /// The output of a program.
    Result(CommandResult),
    /// The share state.
    State {
        /// The share state as an object.
        state: Value,
    },
    /// Nothing else: the request was carried out.
    Done(bool),
}

/// An event of the run or the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Event {
    /// The page carries out requests from now on.
    Ready {
        /// The version of the page.
        version: &'static str,
        /// The types of requests that it knows.
        features: &'static [&'static str],
        /// The status of the run.
        status: Status,
    },
    /// Something went wrong.
    Error {
        /// The reason, for programs.
        code: &'static str,
        /// The reason, for people.
        message: String,
    },
    /// The page's content has this height.
    Resize {
        /// The height in pixels.
        height: u32,
    },
    /// A command was given to the run, or the number of wanted or ready pods has changed.
    Change {
        /// The status of the run.
        status: Status,
    },
    /// A pass of a controller found a difference.
    Reconcile {
        /// The name of the controller.
        controller: String,
        /// The key of the object that it reconciled.
        key: String,
        /// The number of requests that it made.
        requests: usize,
        /// Seconds since the run began.
        time: f64,
    },
    /// Desired and actual agree.
    Converged {
        /// Seconds since the run began.
        time: f64,
        /// The number of wanted and of ready pods.
        pods: PodCounts,
    },
    /// Desired and actual differ.
    Drift {
        /// Seconds since the run began.
        time: f64,
        /// The number of wanted and of ready pods.
        pods: PodCounts,
        /// The reason why the cluster is stuck, if it is.
        reason: Option<String>,
    },
    /// The goal has been reached or missed.
    Goal {
        /// The name of the goal.
        id: &'static str,
        /// `reached` or `missed`.
        status: &'static str,
        /// The number of the attempt; every new run is a new attempt.
        attempt: u32,
        /// Seconds since the run began.
        #[serde(rename = "simTime")]
        sim_time: f64,
    },
    /// All goals have been reached.
    Complete {
        /// The number of goals that were reached.
        score: u32,
        /// The number of all goals.
        max: u32,
        /// The share state, which a grader replays.
        state: Value,
    },
}
