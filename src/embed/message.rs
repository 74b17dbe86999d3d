//! The messages between the page and its host (the page around it), as plain data.
//!
//! The page posts [`Hello`] to its parent until that answers with [`Connect`] and a port. On the port a request is an object with an `id`, a `type` and the
//! fields of that type; the page sends one [`Outgoing::Answer`] or [`Outgoing::Refused`] with the same `id`. Everything else that the page sends is an
//! [`Event`].
//!
//! **To add a request**: a variant of [`Request`] and its name in [`REQUESTS`] here; what it does in `page/host_requests.rs`, and its arm in `port.rs`; a method in
//! `static/loop-scope.js` and `loop-scope.d.ts`; rows of the request and of the method in `static/embed-contract.json`. The tests in
//! `tests/page/embed/contract.rs` compare these, and keep their own list of the names that must never go away.

use crate::api::value::{Value, tagged};
use crate::page::host_requests::{CommandResult, PodCounts, Status};
use crate::sim::Fault;
use serde::{Deserialize, Deserializer, Serialize};

/// The value of `context` in every message that either side posts to a window.
pub const CONTEXT: &str = "loopscope";
/// The version of the message format, sent as `v` in every message that either side posts to a window.
pub const VERSION: u32 = 1;

/// The greeting that the page posts to its parent window.
#[derive(Debug, Serialize)]
pub struct Hello {
    context: &'static str,
    v: u32,
    r#type: &'static str,
    version: &'static str,
    features: &'static [&'static str],
}

impl Hello {
    /// The greeting of this version of the page.
    pub const WORDS: Hello =
        Hello { context: CONTEXT, v: VERSION, r#type: "hello", version: env!("CARGO_PKG_VERSION"), features: REQUESTS };
}

/// The host's answer to [`Hello`]; the host hands over a `MessagePort` with it.
#[derive(Debug, Deserialize)]
pub struct Connect {
    context: String,
    v: u32,
    r#type: String,
}

impl Connect {
    /// Returns whether the message is for this page and has this version of the format.
    pub fn is_meant(&self) -> bool {
        self.context == CONTEXT && self.v == VERSION && self.r#type == "connect"
    }
}

/// The values of `type` that a request from the host may have.
pub const REQUESTS: &[&str] =
    &["load", "apply", "kubectl", "step", "run", "pause", "seek", "fork", "fault", "check", "getState", "setState", "setTheme", "focus"];

/// The values of `type` that an event for the host may have.
pub const EVENTS: &[&str] = &["ready", "error", "resize", "change", "reconcile", "converged", "drift", "goal", "complete"];

/// A request from the host, without its id.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub enum Request {
    /// Starts a new run.
    Load(Load),
    /// Applies a manifest.
    Apply {
        /// The manifest, as YAML or JSON.
        manifest: String,
    },
    /// Runs a line as if it were typed in the page's terminal.
    Kubectl {
        /// The line, such as `kubectl get pods -o json`.
        line: String,
    },
    /// Moves the run by single steps, forward or back.
    Step {
        /// The size and direction of one step: `event`, `phase` or `back`.
        #[serde(default)]
        by: StepBy,
        /// The number of steps to do; 1 by default.
        #[serde(default = "one")]
        count: u32,
    },
    /// Lets virtual time pass.
    Run {
        /// The speed, by its name in the page's URL; `None` keeps the present speed.
        speed: Option<Text>,
        /// `converged`: runs as fast as possible until desired and actual agree. `None` lets time pass without an end.
        until: Option<Until>,
        /// The virtual time after which `until` is given up, in seconds; `None` for an hour.
        within: Option<f64>,
    },
    /// Stops the run's clock.
    Pause,
    /// Goes to a past or future moment of the run.
    Seek {
        /// The moment to go to, in seconds since the run began.
        at: f64,
    },
    /// Lets the run go on from the selected moment; its later steps become a branch.
    Fork,
    /// Injects a fault, or ends one.
    Fault(Fault),
    /// Asks for the status of the run.
    Check,
    /// Asks for the share state of the run.
    GetState,
    /// Opens the run of a share state.
    SetState {
        /// The share state: an object, its text, or the part of a link after `#s=`.
        #[serde(default)]
        state: Value,
    },
    /// Chooses the page's theme.
    SetTheme {
        /// The name of the theme: `auto`, `light` or `dark`.
        theme: String,
    },
    /// Moves the keyboard focus to a panel.
    Focus {
        /// The name of the panel; `None` for the pane with nodes and pods.
        panel: Option<String>,
    },
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        tagged::read(deserializer, "type", |variant| Request::deserialize(variant))
    }
}

/// The fields of a request to start a new run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Load {
    /// The manifest to apply; `None` for the manifest of the example or, without an example, of a first visit.
    pub manifest: Option<String>,
    /// The name of an example, whose manifest is applied if `manifest` is `None`.
    pub example: Option<String>,
    /// The seed of the run's random numbers; `None` for the present run's.
    pub seed: Option<u64>,
    /// The number of nodes; `None` for the number in the present run's configuration.
    pub nodes: Option<u32>,
    /// The moment to show, in seconds since the run began; `None` for its beginning.
    pub at: Option<f64>,
    /// Set if the new run is paused at the moment to show.
    #[serde(default)]
    pub paused: bool,
}

/// A value that a host may write as a number or as a text.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// The value, written as a number.
    Number(f64),
    /// The value, written as a text.
    Text(String),
}

impl Text {
    /// Returns the value as a text, however the host wrote it.
    pub fn text(&self) -> String {
        match self {
            Text::Number(number) => number.to_string(),
            Text::Text(text) => text.clone(),
        }
    }
}

/// The size and direction of a step that a host asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepBy {
    /// One step of the simulator.
    #[default]
    Event,
    /// All steps of the simulator up to the next phase (observe, diff or act) of any reconcile.
    Phase,
    /// One step of the simulator, back in time.
    Back,
}

/// The condition at which a host's request to let time pass ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Until {
    /// Desired and actual agree.
    Converged,
}

fn one() -> u32 {
    1
}

/// The reasons why a request from the host is refused, as codes for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// The message is no request, or a field has the wrong type or an impossible value.
    BadInput,
    /// This version of the page does not know the type of the request.
    UnknownType,
    /// The request, or a text in it, is too long.
    TooLong,
    /// The share state in the request cannot be read.
    BadState,
    /// Too many requests wait for an answer, or the terminal runs something.
    Busy,
}

/// The refusal of a request, as the host gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The reason, as a code for programs.
    pub code: Code,
    /// The reason, as a sentence for people.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal with a message.
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }
}

/// A message that the page sends to its host.
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
    /// The refusal of a request.
    Refused {
        /// The id of the request; `null` if the request has none.
        id: Value,
        /// The reason of the refusal.
        error: Refusal,
    },
    /// An event of the run or the page.
    Event(Event),
}

/// The result of a request that was carried out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Payload {
    /// The status of the run after the request.
    Status(Status),
    /// The status of the run after a request to go to a moment, or to run until the cluster converges.
    Reached {
        /// The status of the run.
        #[serde(flatten)]
        status: Status,
        /// Set if the moment was reached, or if the cluster has converged.
        reached: bool,
    },
    /// The output and the exit code of a program that the request ran.
    Result(CommandResult),
    /// The share state of the run.
    State {
        /// The share state as a JSON object.
        state: Value,
    },
    /// No result but the news that the request was carried out.
    Done(bool),
}

/// An event of the run or the page that the host gets without asking.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Event {
    /// The page carries out requests from now on.
    Ready {
        /// The version of Loopscope.
        version: &'static str,
        /// The types of requests that the page knows.
        features: &'static [&'static str],
        /// The status of the run when the page is ready.
        status: Status,
    },
    /// Something went wrong on the page.
    Error {
        /// The reason, as a code for programs.
        code: &'static str,
        /// The reason, as a sentence for people.
        message: String,
    },
    /// The height of the page's content has changed.
    Resize {
        /// The new height in CSS pixels.
        height: u32,
    },
    /// A command was given to the run, or the number of wanted or ready pods has changed.
    Change {
        /// The status of the run after the change.
        status: Status,
    },
    /// A pass of a controller found a difference.
    Reconcile {
        /// The name of the controller.
        controller: String,
        /// The key of the object that the pass reconciled.
        key: String,
        /// The number of requests that the pass makes.
        requests: usize,
        /// The time at which the pass began, in seconds since the run began.
        time: f64,
    },
    /// Desired and actual agree.
    Converged {
        /// The time of the event, in seconds since the run began.
        time: f64,
        /// The numbers of wanted and of ready pods.
        pods: PodCounts,
    },
    /// Desired and actual differ.
    Drift {
        /// The time of the event, in seconds since the run began.
        time: f64,
        /// The numbers of wanted and of ready pods.
        pods: PodCounts,
        /// The reason why the cluster is stuck, if it is.
        reason: Option<String>,
    },
    /// The goal has been reached or missed.
    Goal {
        /// The name of the goal.
        id: &'static str,
        /// The result: `reached` or `missed`.
        status: &'static str,
        /// The number of the attempt at the goal, from 1; every new run is a new attempt.
        attempt: u32,
        /// The time at which the goal was reached, or was found to be missed, in seconds since the run began.
        #[serde(rename = "simTime")]
        sim_time: f64,
    },
    /// All goals have been reached.
    Complete {
        /// The number of goals that were reached.
        score: u32,
        /// The number of all goals that the learner was given, which is the highest possible score.
        max: u32,
        /// The share state of the run, which a grader replays.
        state: Value,
    },
}
