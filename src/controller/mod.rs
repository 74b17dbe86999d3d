//! Controllers: observe, diff, act. A controller is a pure function: its input is an [`Observation`], its output a [`Plan`].
//!
//! `reconcile` reads like the real controller's sync function, in which each write waits for its answer. It stays pure by being run again from
//! the start with all answers so far: the first write without an answer is the plan's next action. So a crash, a lost answer or a refusal can
//! happen between any two actions, and the page can show the pass at every point.
//!
//! `registry` lists the controllers and says how to add one; each has the file or folder of its name. The other files are for several of them:
//!
//! | file | what |
//! | --- | --- |
//! | `available`, `halt` | when a pod counts as available; how a job or set waits |
//! | `adoption`, `owned_pods` | which pods belong to an owner |
//! | `history` | the revisions of a workload |
//! | `memory` | what controllers remember between passes |
//! | `pseudocode` | their loops as the page shows them |

pub mod adoption;
pub mod available;
pub mod cronjob;
pub mod daemonset;
pub mod deployment;
pub mod disruption;
pub mod endpointslice;
pub mod garbage_collector;
pub mod halt;
pub mod history;
pub mod ingress;
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

/// The input of a pass (one reconcile): an owned copy of the cached objects that matter, and nothing about what triggered the pass.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The key from the work queue that the pass works on.
    pub key: WorkKey,
    /// The time at which the pass read the cache.
    pub now: Time,
    /// The object that the key names, if the cache has it.
    pub primary: Option<Arc<Object>>,
    /// All other objects that the controller read, in a fixed order.
    pub related: Vec<Arc<Object>>,
    /// Set if the cache shows all creations and deletions that earlier passes over this key asked for (expectations).
    pub expectations_met: bool,
    /// The part of the controller's [`Memory`] of earlier passes that this pass needs.
    pub recalled: RememberedState,
    /// The kinds that the API server serves, as far as the process knows.
    pub kinds: Kinds,
}

impl Observation {
    /// Returns all objects that the controller read, the primary one first.
    pub fn objects(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.primary.iter().chain(&self.related)
    }
    /// Returns the related objects of a kind.
    pub fn related(&self, kind: Kind) -> impl Iterator<Item = &Arc<Object>> {
        self.related.iter().filter(move |o| o.kind() == kind)
    }
}

/// The differences that a pass has found so far, and the writes that it wants. Built by a [`Turn`].
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The differences between the desired and the actual state, for the page to show.
    pub differences: Vec<Difference>,
    /// All events that the pass wants to record, from its start on.
    pub events: Vec<EventDraft>,
    /// The actions to send next: the first of the pass that have no answers yet.
    pub actions: Vec<Action>,
    /// The order in which the actions are sent.
    pub mode: Mode,
    /// All changes that the pass makes to the controllers' [`Memory`], from its start on. They are applied when the pass is over, however it ended.
    pub memory_updates: Vec<MemoryUpdate>,
}

/// One difference between the desired and the actual state.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The thing that differs, such as `pods`.
    pub what: &'static str,
    /// The desired count or state.
    pub desired: Figure,
    /// The actual count or state.
    pub actual: Figure,
}

/// One side of a [`Difference`]: a number or a string.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A count, such as a number of pods.
    Int(i64),
    /// A state in words, such as `Bound`.
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

/// One request to the API server that a controller intends to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The request to send.
    pub request: Request,
    /// The events to record about the API server's answer, if any. The name of the object in the answer, or the refusal, is appended to the event's message.
    pub report: Option<Arc<Report>>,
}

impl Action {
    /// Creates an action that records no event about its answer.
    pub fn new(request: Request) -> Action {
        Action { request, report: None }
    }
}

/// The events that report whether an action succeeded or failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The object that the events are about.
    pub about: crate::api::kind::event::ObjectRef,
    /// The reason of the event that is recorded if the action succeeds, and the beginning of the event's message (`Created pod: `); `None` for no event.
    pub success: Option<(&'static str, &'static str)>,
    /// The reason of the event that is recorded if the action fails, and the beginning of the event's message (`Error creating: `); `None` for no event.
    pub failure: Option<(&'static str, &'static str)>,
}

/// The order in which the simulator sends several actions of one plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Sends all actions at once.
    #[default]
    Parallel,
    /// Sends one action, then two, then four …; after a failure no further batch is sent, and the rest stay unanswered. Counterpart: `slowStartBatch`.
    SlowStart,
}

/// The result of a pass, which tells the work queue what to do with the key.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Success: the queue forgets the key's failures, and the next change brings the key back.
    Done,
    /// Success so far: the queue forgets the key's failures and brings the key back after this time, because work is left.
    After(Span),
    /// Success: the queue forgets the key's failures and brings the key back after this time to check a deadline, though there may be nothing to do. A cluster
    /// that only waits for such checks has converged.
    Recheck(Span),
    /// Failure, with its reason: the queue brings the key back after its back-off.
    Retry(String),
}

/// Signals that the pass waits for answers to its requests; `reconcile` passes it on with `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending;

/// One run of `reconcile`: takes the answers so far and fills in a plan. A pass consists of several such runs, each with more answers.
#[derive(Debug)]
pub struct Turn<'a> {
    answers: &'a [Round],
    /// The plan, as far as this run has got.
    pub plan: Plan,
}

/// The answers to the actions of one plan, in their order; `None` where slow start never sent the request.
pub type Round = Vec<Option<Response>>;

impl<'a> Turn<'a> {
    /// Starts a run of `reconcile` with the answers that the pass has received so far.
    pub fn new(answers: &'a [Round]) -> Turn<'a> {
        Turn { answers, plan: Plan::default() }
    }
    /// Adds a difference between the desired and the actual state to the plan, for the page to show.
    pub fn differ(&mut self, what: &'static str, desired: impl Into<Figure>, actual: impl Into<Figure>) {
        self.plan.differences.push(Difference { what, desired: desired.into(), actual: actual.into() });
    }
    /// Adds an event to the plan. It is recorded once per pass, and the pass does not wait for the answer.
    pub fn event(&mut self, draft: EventDraft) {
        self.plan.events.push(draft);
    }
    /// Adds a change to the plan that goes into the controllers' [`Memory`] when this pass is over, for later passes to read.
    pub fn remember(&mut self, update: MemoryUpdate) {
        self.plan.memory_updates.push(update);
    }
    /// Returns the answer to an action. If the pass has no answer yet, plans the action and returns `Pending`.
    pub fn call(&mut self, action: Action) -> Result<&'a Response, Pending> {
        let round = self.all(vec![action], Mode::Parallel)?;
        round.first().and_then(Option::as_ref).ok_or(Pending)
    }
    /// Returns the answer to a request. If the pass has no answer yet, plans the request and returns `Pending`.
    pub fn request(&mut self, request: Request) -> Result<&'a Response, Pending> {
        self.call(Action::new(request))
    }
    /// Returns the answers to several actions. If the pass has none yet, plans the actions and returns `Pending`. Without actions, returns an empty list at
    /// once.
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

/// The data that a controller may read when it handles a change or begins a pass.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The informer caches of the controller manager's process.
    pub caches: &'a Caches,
    /// State that the controllers of this process keep between passes. It is lost when the process ends.
    pub memory: &'a Memory,
    /// Set if the cache shows all creations and deletions that earlier passes over this key asked for (expectations).
    pub expectations_met: bool,
    /// The current time.
    pub now: Time,
}

impl View<'_> {
    /// Returns an observation of a key and its object, without related objects.
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

/// A controller. It has no state of its own, so copies of a cluster share it: the state that it keeps between passes is in [`Memory`].
///
/// The built-in controllers are listed in [`registry`]; others can be added to a cluster at run time.
///
/// An example: a controller that creates a ConfigMap `hello` in every namespace, and creates it again whenever it is deleted:
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
    /// Returns the controller's name, as events and logs show it (`replicaset-controller`).
    fn name(&self) -> &str;
    /// Returns the component name that the controller's events carry as their source.
    fn event_source(&self) -> &str {
        self.name()
    }
    /// Returns the number of keys that the controller works on at the same time.
    fn workers(&self) -> usize {
        5
    }
    /// Returns the kinds that the controller watches.
    fn watches(&self) -> &[Kind];
    /// Returns whether [`Controller::notify`] is called for changes of a kind. A controller whose kinds are not known in advance overrides this.
    fn hears_of(&self, kind: Kind) -> bool {
        self.watches().contains(&kind)
    }
    /// Returns all served kinds for whose changes [`Controller::notify`] is called.
    fn heard_kinds(&self, served: &Kinds) -> Vec<Kind> {
        let listed = self.watches();
        listed.iter().copied().chain(served.all().filter(|kind| !listed.contains(kind) && self.hears_of(*kind))).collect()
    }
    /// Queues the keys that a change concerns, each with a delay. The cache already has the change. Counterpart: an informer's event handlers.
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span));
    /// Reads the objects that a pass over a key needs from the cache.
    fn observe(&self, view: &View, key: &WorkKey) -> Observation;
    /// Compares the desired with the actual state and decides what to do. Counterpart: a controller's sync handler.
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending>;
    /// Returns the controller's loop as pseudocode, for the page to show.
    fn pseudocode(&self) -> &'static Pseudocode {
        Pseudocode::of(self.name())
    }
    /// Returns how often a failing key is retried before the queue drops it; `None` means for ever.
    fn max_retries(&self) -> Option<u32> {
        None
    }
    /// Returns the first and the longest delay before a failing key is retried.
    fn back_off(&self) -> (Span, Span) {
        (Span::millis(5), Span::secs(1000))
    }
    /// Returns whether passes wait until the cache shows the pods that earlier passes over the key created and deleted (expectations).
    fn expects(&self) -> bool {
        false
    }
    /// Returns whether the next pass over a key waits until the cache of a kind is as new as the last write of earlier passes (read your own writes). The
    /// configuration can switch this off. Counterpart: `pkg/controller/util/consistency`.
    fn own_writes(&self, _kind: Kind) -> bool {
        false
    }
}
