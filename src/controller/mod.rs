//! Controllers: observe, diff, act. A controller is pure: its input is an [`Observation`], its output a [`Plan`].
//!
//! `reconcile` reads like the real controller's sync function, in which each write waits for its answer. It stays pure by being run again from
//! the start with all answers so far: the first write without an answer is the plan's next action. So a crash, a lost answer or a refusal can
//! happen between any two actions, and the page can show the pass at every point.

pub mod available;
pub mod claim;
pub mod cronjob;
pub mod daemonset;
pub mod deployment;
pub mod disruption;
pub mod endpointslice;
pub mod garbage_collector;
pub mod halt;
pub mod history;
pub mod job;
mod memory;
pub mod namespace;
pub mod node_lifecycle;
pub mod owned_pods;
pub mod persistentvolume;
pub mod pod_gc;
pub mod podautoscaler;
mod pseudocode;
pub mod registry;
pub mod replicaset;
pub mod replication;
pub mod resource_quota;
pub mod serviceaccount;
pub mod statefulset;
pub mod taint_eviction;
pub mod ttl_after_finished;

pub use memory::{Memory, MemoryUpdate, RememberedState};
pub use pseudocode::Pseudocode;
pub use replicaset::Trigger;

use crate::api::kind::{Kind, Kinds};
use crate::api::object::Object;
use crate::api::request::{Request, Response};
use crate::api::time::{Span, Time};
use crate::client::{Caches, Change, EventDraft, WorkKey};
use arcstr::ArcStr;
use std::sync::Arc;

/// The input of a pass: an owned copy of the cached objects that matter, and nothing about what triggered it.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The key that the pass works on.
    pub key: WorkKey,
    /// The time of the observation.
    pub now: Time,
    /// The object that the key names, if the cache has it.
    pub primary: Option<Arc<Object>>,
    /// All other objects that the controller read, in a fixed order.
    pub related: Vec<Arc<Object>>,
    /// Set if the cache shows everything that earlier passes asked for (expectations).
    pub expectations_met: bool,
    /// State that the controller kept from earlier passes.
    pub recalled: RememberedState,
    /// The kinds that the API server serves, as far as the process knows.
    pub kinds: Kinds,
}

impl Observation {
    /// All objects that the controller read: the primary one first.
    pub fn objects(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.primary.iter().chain(&self.related)
    }
    /// The related objects of a kind.
    pub fn related(&self, kind: Kind) -> impl Iterator<Item = &Arc<Object>> {
        self.related.iter().filter(move |o| o.kind() == kind)
    }
}

/// The differences that a pass has found so far, and the writes that it wants.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The differences between the desired and the actual state.
    pub differences: Vec<Difference>,
    /// All events to record since the start of the pass.
    pub events: Vec<EventDraft>,
    /// The next actions.
    pub actions: Vec<Action>,
    /// The order in which the actions are sent.
    pub mode: Mode,
    /// All changes to the memory since the start of the pass. They go into [`Memory`] when the pass is over, however it ended.
    pub memory_updates: Vec<MemoryUpdate>,
}

/// One difference between the desired and the actual state.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The thing that differs, such as `pods`.
    pub what: &'static str,
    /// The desired value.
    pub desired: Figure,
    /// The actual value.
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
    /// Events for success and failure, if any. The name of the object in the answer, or the refusal, is appended to the message.
    pub report: Option<Arc<Report>>,
}

impl Action {
    /// A request without a report.
    pub fn new(request: Request) -> Action {
        Action { request, report: None }
    }
}

/// Events that report how an action ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The object that the events are about.
    pub about: crate::api::kind::event::ObjectRef,
    /// Reason and beginning of the message on success (`Created pod: `).
    pub success: Option<(&'static str, &'static str)>,
    /// Reason and beginning of the message on failure (`Error creating: `).
    pub failure: Option<(&'static str, &'static str)>,
}

/// The order in which several actions are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All at once.
    #[default]
    Parallel,
    /// One, then two, then four …; after a failure no further batch is sent, and the rest stay unanswered. Counterpart: `slowStartBatch`.
    SlowStart,
}

/// The result of a pass, which tells the work queue what to do with the key.
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

/// Signals that the pass waits for answers; `reconcile` passes it on with `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending;

/// One run of `reconcile`: it gets the answers so far and fills in a plan.
#[derive(Debug)]
pub struct Turn<'a> {
    answers: &'a [Round],
    /// The plan, as far as this run has got.
    pub plan: Plan,
}

/// The answers to one set of actions. `None` where slow start never sent the request.
pub type Round = Vec<Option<Response>>;

impl<'a> Turn<'a> {
    /// Starts a run with the answers so far.
    pub fn new(answers: &'a [Round]) -> Turn<'a> {
        Turn { answers, plan: Plan::default() }
    }
    /// Adds a difference to the plan.
    pub fn differ(&mut self, what: &'static str, desired: impl Into<Figure>, actual: impl Into<Figure>) {
        self.plan.differences.push(Difference { what, desired: desired.into(), actual: actual.into() });
    }
    /// Adds an event to the plan. It is sent once per pass, and nobody waits for the answer.
    pub fn event(&mut self, draft: EventDraft) {
        self.plan.events.push(draft);
    }
    /// Adds a change of the memory, for later passes, to the plan.
    pub fn remember(&mut self, update: MemoryUpdate) {
        self.plan.memory_updates.push(update);
    }
    /// Returns the answer to an action. If there is none yet, plans the action and returns `Pending`.
    pub fn call(&mut self, action: Action) -> Result<&'a Response, Pending> {
        let round = self.all(vec![action], Mode::Parallel)?;
        round.first().and_then(Option::as_ref).ok_or(Pending)
    }
    /// Returns the answer to a request. If there is none yet, plans the request and returns `Pending`.
    pub fn request(&mut self, request: Request) -> Result<&'a Response, Pending> {
        self.call(Action::new(request))
    }
    /// Returns the answers to several actions. If there are none yet, plans the actions and returns `Pending`. No actions: no wait.
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

/// The data that a controller may read.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The process's informer caches.
    pub caches: &'a Caches,
    /// State that the controllers of this process keep between passes. Lost when the process ends.
    pub memory: &'a Memory,
    /// Set if the cache shows everything that earlier passes over this key asked for (expectations).
    pub expectations_met: bool,
    /// The current time.
    pub now: Time,
}

impl View<'_> {
    /// Returns an observation without related objects.
    pub fn observation(&self, key: &WorkKey, primary: Option<Arc<Object>>) -> Observation {
        Observation {
            key: key.clone(),
            now: self.now,
            primary,
            related: Vec::new(),
            expectations_met: self.expectations_met,
            recalled: RememberedState::Nothing,
            kinds: self.caches.kinds().clone(),
        }
    }
}

/// A controller. It has no state of its own, so copies of a cluster share it: what it must remember between passes is in [`Memory`].
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
    /// Returns its name, as events and logs give it (`replicaset-controller`).
    fn name(&self) -> &str;
    /// Returns the component that its events name.
    fn event_source(&self) -> &str {
        self.name()
    }
    /// Returns the number of keys that it works on at once.
    fn workers(&self) -> usize {
        5
    }
    /// Returns the kinds whose changes it hears of.
    fn watches(&self) -> &[Kind];
    /// Returns whether it hears of changes of a kind. A controller whose kinds are not known in advance overrides this.
    fn hears_of(&self, kind: Kind) -> bool {
        self.watches().contains(&kind)
    }
    /// Returns all served kinds that it hears of.
    fn heard_kinds(&self, served: &Kinds) -> Vec<Kind> {
        let listed = self.watches();
        listed.iter().copied().chain(served.all().filter(|kind| !listed.contains(kind) && self.hears_of(*kind))).collect()
    }
    /// Queues the keys that a change concerns, each with a delay. The cache already has the change. Counterpart: an informer's event handlers.
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span));
    /// Reads what a pass needs from the cache.
    fn observe(&self, view: &View, key: &WorkKey) -> Observation;
    /// Compares the desired with the actual state and decides what to do. Counterpart: a controller's sync handler.
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending>;
    /// Returns its loop as pseudocode, for the page.
    fn pseudocode(&self) -> &'static Pseudocode {
        Pseudocode::of(self.name())
    }
    /// Returns how often a failing key is retried before it is dropped; `None` means for ever.
    fn max_retries(&self) -> Option<u32> {
        None
    }
    /// Returns the first and the longest delay of a failing key.
    fn back_off(&self) -> (Span, Span) {
        (Span::millis(5), Span::secs(1000))
    }
    /// Returns whether the next pass waits until the cache shows the pods that were created and deleted (expectations).
    fn expects(&self) -> bool {
        false
    }
    /// Returns whether the next pass over a key waits until the cache of a kind is as new as what earlier passes wrote (read your own writes). The
    /// configuration can switch this off. Counterpart: `pkg/controller/util/consistency`.
    fn own_writes(&self, _kind: Kind) -> bool {
        false
    }
}
