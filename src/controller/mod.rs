//! Controllers: observe, diff, act. A controller is pure: what it sees is an [`Observation`], what it wants is a [`Plan`].
//!
//! `reconcile` reads like the real controller's sync function, in which each write waits for its answer. It stays pure by being run again from
//! the start with all answers so far: the first write without an answer is the plan's next action. So a crash, a lost answer or a refusal can
//! happen between any two actions, and the page can show the pass at every point.

pub mod claim;
pub mod deployment;
pub mod endpointslice;
pub mod garbage_collector;
pub mod halt;
mod memory;
pub mod namespace;
pub mod node_lifecycle;
pub mod pod_gc;
mod pseudocode;
pub mod registry;
pub mod replicaset;
pub mod serviceaccount;
pub mod taint_eviction;

pub use memory::{Memory, Note, Recalled};
pub use pseudocode::Pseudocode;

use crate::api::kind::{Kind, Kinds};
use crate::api::object::Object;
use crate::api::request::{Request, Response};
use crate::api::time::{Span, Time};
use crate::client::{Caches, Change, EventDraft, WorkKey};
use arcstr::ArcStr;
use std::sync::Arc;

/// What a pass sees: an owned copy of the cached objects that matter, and nothing about what triggered it.
#[derive(Clone, Debug)]
pub struct Observation {
    /// What is worked on.
    pub key: WorkKey,
    /// When.
    pub now: Time,
    /// The object itself, if the cache has it.
    pub primary: Option<Arc<Object>>,
    /// Everything else that was read, in a fixed order.
    pub related: Vec<Arc<Object>>,
    /// Whether all that earlier passes asked for has arrived in the cache.
    pub expectations_met: bool,
    /// What the controller remembered of earlier passes.
    pub recalled: Recalled,
    /// The kinds that the API server serves, as far as the process knows.
    pub kinds: Kinds,
}

impl Observation {
    /// The related objects of a kind.
    pub fn related(&self, kind: Kind) -> impl Iterator<Item = &Arc<Object>> {
        self.related.iter().filter(move |o| o.kind() == kind)
    }
}

/// What a pass has found and wants, as far as it has got.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Where desired and actual differ.
    pub differences: Vec<Difference>,
    /// Events to record, all since the start of the pass.
    pub events: Vec<EventDraft>,
    /// The next actions, and how they are to be carried out.
    pub actions: Vec<Action>,
    /// How the actions are carried out.
    pub mode: Mode,
    /// What to remember, all since the start of the pass. Goes into [`Memory`] when the pass is over, however it ended.
    pub notes: Vec<Note>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Of what.
    pub what: &'static str,
    /// What is wanted.
    pub desired: Figure,
    /// What is there.
    pub actual: Figure,
}

/// A number or a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A number.
    Int(i64),
    /// A text.
    Text(ArcStr),
}

impl From<i64> for Figure {
    fn from(n: i64) -> Self {
        Figure::Int(n)
    }
}
impl From<i32> for Figure {
    fn from(n: i32) -> Self {
        Figure::Int(n.into())
    }
}
impl From<usize> for Figure {
    fn from(n: usize) -> Self {
        Figure::Int(n as i64)
    }
}
impl From<&str> for Figure {
    fn from(s: &str) -> Self {
        Figure::Text(s.into())
    }
}
impl From<ArcStr> for Figure {
    fn from(s: ArcStr) -> Self {
        Figure::Text(s)
    }
}

/// One intended request.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The request.
    pub request: Request,
    /// What to say if it succeeds, and if it fails: the name of the object in the answer, or the refusal, is put at the end.
    pub report: Option<Arc<Report>>,
}

impl Action {
    /// A request without a report.
    pub fn new(request: Request) -> Action {
        Action { request, report: None }
    }
}

/// Events that tell how an action went.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// About what.
    pub about: crate::api::kind::event::ObjectRef,
    /// Reason and beginning of the message on success (`Created pod: `).
    pub success: Option<(&'static str, &'static str)>,
    /// Reason and beginning of the message on failure (`Error creating: `).
    pub failure: Option<(&'static str, &'static str)>,
}

/// How several actions are carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All at once.
    #[default]
    Parallel,
    /// One, then two, then four …; a failure stops it after the batch in hand. The rest stay unanswered.
    SlowStart,
}

/// What the work queue does with the key afterwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Forget its failures; wait for the next change.
    Done,
    /// Forget its failures; go on with the work after a time.
    After(Span),
    /// Forget its failures; look again after a time, though nothing may be left to do (a deadline). A cluster that waits for this alone has converged.
    Recheck(Span),
    /// Something failed: try again with back-off.
    Retry(String),
}

/// The pass must wait for answers: return it with `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending;

/// One run of a pass: answers so far in, plan out.
#[derive(Debug)]
pub struct Turn<'a> {
    answers: &'a [Round],
    /// What has been found and wanted in this run.
    pub plan: Plan,
}

/// The answers to one set of actions. `None` where slow start never sent the request.
pub type Round = Vec<Option<Response>>;

impl<'a> Turn<'a> {
    /// A run with the answers so far.
    pub fn new(answers: &'a [Round]) -> Turn<'a> {
        Turn { answers, plan: Plan::default() }
    }
    /// Notes a difference.
    pub fn differ(&mut self, what: &'static str, desired: impl Into<Figure>, actual: impl Into<Figure>) {
        self.plan.differences.push(Difference { what, desired: desired.into(), actual: actual.into() });
    }
    /// Records an event (fire and forget, once per pass).
    pub fn event(&mut self, draft: EventDraft) {
        self.plan.events.push(draft);
    }
    /// Remembers something for later passes.
    pub fn remember(&mut self, note: Note) {
        self.plan.notes.push(note);
    }
    /// Carries out one action and waits for its answer.
    pub fn call(&mut self, action: Action) -> Result<&'a Response, Pending> {
        let round = self.all(vec![action], Mode::Parallel)?;
        round.first().and_then(Option::as_ref).ok_or(Pending)
    }
    /// Carries out one request and waits for its answer.
    pub fn request(&mut self, request: Request) -> Result<&'a Response, Pending> {
        self.call(Action::new(request))
    }
    /// Carries out several actions and waits for all their answers. No actions: no wait.
    pub fn all(&mut self, actions: Vec<Action>, mode: Mode) -> Result<&'a [Option<Response>], Pending> {
        if actions.is_empty() {
            return Ok(&[]);
        }
        match self.answers.split_first() {
            Some((round, rest)) => {
                self.answers = rest;
                Ok(round)
            }
            None => {
                self.plan.actions = actions;
                self.plan.mode = mode;
                Err(Pending)
            }
        }
    }
}

/// What a controller may read.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The process's informer caches.
    pub caches: &'a Caches,
    /// What controllers of this process remember between passes. Lost when the process ends.
    pub memory: &'a Memory,
    /// Whether all that earlier passes over this key asked for has arrived in the cache.
    pub expectations_met: bool,
    /// The time.
    pub now: Time,
}

impl View<'_> {
    /// An observation of one object alone.
    pub fn observation(&self, key: &WorkKey, primary: Option<Arc<Object>>) -> Observation {
        Observation {
            key: key.clone(),
            now: self.now,
            primary,
            related: Vec::new(),
            expectations_met: self.expectations_met,
            recalled: Recalled::Nothing,
            kinds: self.caches.kinds().clone(),
        }
    }
}

/// A controller. It holds no state: what it must remember between passes is in [`Memory`]. So copies of a cluster share it.
///
/// The built-in ones are listed in [`registry`]; others can be added to a cluster at run time.
///
/// One that greets every namespace, and again whoever loses the greeting:
///
/// ```
/// use loopscope::api::request::Request;
/// use loopscope::api::{Key, Kind, Object, Span};
/// use loopscope::client::{Change, WorkKey};
/// use loopscope::controller::{Controller, Observation, Outcome, Pending, Turn, View};
/// use loopscope::map;
/// use loopscope::sim::{Cluster, Command, Config, Extension};
/// use std::sync::Arc;
///
/// #[derive(Debug)]
/// struct Greeter;
///
/// impl Controller for Greeter {
///     fn name(&self) -> &str {
///         "greeter"
///     }
///     fn watches(&self) -> &[Kind] {
///         &[Kind::CONFIG_MAP]
///     }
///     fn notify(&self, _: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
///         let namespace = change.object().map(|o| o.meta.namespace.clone()).unwrap_or_default();
///         queue(WorkKey::new(Kind::CONFIG_MAP, Key::new(namespace, "hello")), Span(0));
///     }
///     fn observe(&self, view: &View, key: &WorkKey) -> Observation {
///         view.observation(key, view.caches.get(key.kind, &key.key).cloned())
///     }
///     fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
///         if seen.primary.is_none() {
///             turn.differ("greetings", 1, 0);
///             let meta = map! { "name" => "hello", "namespace" => seen.key.key.namespace.clone() };
///             let greeting = Object::from_map(Kind::CONFIG_MAP, &map! { "metadata" => meta }).expect("a ConfigMap");
///             turn.request(Request::create(greeting))?;
///         }
///         Ok(Outcome::Done)
///     }
/// }
///
/// let mut cluster = Cluster::new(Config::default());
/// cluster.command(Command::Extend(Extension::Controller(Arc::new(Greeter))));
/// assert!(cluster.run_until_converged(cluster.now + Span::secs(60)));
/// assert!(cluster.api.store.get(Kind::CONFIG_MAP, &Key::new("default", "hello")).is_some());
/// ```
pub trait Controller: Send + Sync + std::fmt::Debug {
    /// Its name, as events and logs give it (`replicaset-controller`).
    fn name(&self) -> &str;
    /// How many keys it works on at once.
    fn workers(&self) -> usize {
        5
    }
    /// Kinds whose changes it hears of.
    fn watches(&self) -> &[Kind];
    /// Returns whether it hears of changes of a kind. One that hears of more than it can list says so here.
    fn hears_of(&self, kind: Kind) -> bool {
        self.watches().contains(&kind)
    }
    /// Returns all the kinds that it hears of, of those that are served.
    fn heard_kinds(&self, served: &Kinds) -> Vec<Kind> {
        let listed = self.watches();
        listed.iter().copied().chain(served.all().filter(|kind| !listed.contains(kind) && self.hears_of(*kind))).collect()
    }
    /// Which keys a change concerns, each with a delay. The cache already has the change.
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span));
    /// Reads what a pass needs from the cache.
    fn observe(&self, view: &View, key: &WorkKey) -> Observation;
    /// Compares and decides.
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending>;
    /// Its loop as code, for the page.
    fn pseudocode(&self) -> &Pseudocode {
        &Pseudocode::ANY
    }
    /// How often a failing key is tried before it is dropped; `None` for ever.
    fn max_retries(&self) -> Option<u32> {
        None
    }
    /// The first and the longest wait of a failing key.
    fn back_off(&self) -> (Span, Span) {
        (Span::millis(5), Span::secs(1000))
    }
    /// Whether creations and deletions of pods are awaited (expectations) before the next pass acts.
    fn expects(&self) -> bool {
        false
    }
}
