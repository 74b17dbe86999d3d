//! The controller manager: informers, queues and workers of all controllers in one process, and the election by which only one of several managers acts.

use super::cluster::Cluster;
use super::config::Config;
use super::election::identity;
use super::pass::Pass;
use super::step::{Call, Process, Timer};
use super::trace::Note;
use crate::api::kind::{Kind, Kinds};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::random::Rng;
use crate::api::request::{Answer, Request, Response};
use crate::api::time::{Span, Time};
use crate::api::watch::WatchType;
use crate::client::leader::Elector;
use crate::client::{Caches, Change, Expectations, Recorder, TokenBucket, WorkKey, WorkQueue, WrittenRevisions};
use crate::controller::registry::Controllers;
use crate::controller::{Controller, Memory, Outcome, Plan, View, pod_gc};
use crate::persistent::OrdMap;
use std::sync::Arc;

/// The interval at which upstream polls whether its caches have synced. The first check of the nodes' heartbeats takes place that much later.
const SYNC_POLL: Span = Span::millis(100);

/// A controller manager process.
#[derive(Clone, Debug)]
pub struct Manager {
    /// The manager's number, from 0.
    pub number: u32,
    /// Set if the manager runs.
    pub alive: bool,
    /// A number that changes with every start and end of the manager. Steps for an earlier incarnation are lost.
    pub incarnation: u32,
    /// Set if the manager is the leader: only then do its informers and controllers run.
    pub leads: bool,
    /// The objects that the manager's informers have received.
    pub caches: Caches,
    /// State that the manager's controllers keep between passes.
    pub memory: Memory,
    /// The state of each controller, in the registry's order.
    pub parts: Vec<ControllerState>,
    /// The passes under way, by their numbers.
    pub passes: OrdMap<u64, Pass>,
    /// The number of the pass begun last.
    pub last_pass: u64,
    /// The pass that ended last, for the page: its number, its plan and its outcome.
    pub ended: Option<(u64, Arc<Plan>, Outcome)>,
    /// The manager's part in leader election.
    pub election: Elector,
    first_lists: Vec<Kind>,
}

/// The state of one controller in a manager.
#[derive(Clone, Debug)]
pub struct ControllerState {
    /// The work queue of the controller.
    pub queue: WorkQueue,
    /// Creations and deletions that the controller has requested and its cache does not show yet.
    pub expectations: Expectations,
    /// Revisions that the controller has written and its caches may not have received yet.
    pub written: WrittenRevisions,
    /// The event recorder of the controller.
    pub recorder: Recorder,
    /// The rate limit of the controller's client.
    pub bucket: TokenBucket,
    /// The rate limit of the client with which the controller records events.
    pub event_bucket: TokenBucket,
    /// The number of workers with a pass under way.
    pub busy: usize,
    /// The time for which a wake-up is set to take delayed keys off the queue; `None` if none is set.
    pub wake_at: Option<Time>,
    /// The number of passes that the controller has begun.
    pub passes: u64,
}

impl ControllerState {
    pub(super) fn new(controller: &dyn Controller, config: &Config) -> ControllerState {
        let client = config.manager.client;
        ControllerState {
            queue: WorkQueue::new(controller.back_off().0, controller.back_off().1),
            expectations: Expectations::default(),
            written: WrittenRevisions::default(),
            recorder: Recorder::new(controller.event_source(), ""),
            bucket: TokenBucket::new(client.per_second, client.burst),
            event_bucket: TokenBucket::new(client.per_second, client.burst),
            busy: 0,
            wake_at: None,
            passes: 0,
        }
    }
}

impl Manager {
    /// Creates a manager that has not been started.
    pub fn new(number: u32, config: &Config, controllers: &Controllers, kinds: Kinds) -> Manager {
        let mut memory = Memory::default();
        memory.health.grace = Span::secs(config.manager.node_grace_seconds.max(1));
        Manager {
            number,
            alive: false,
            incarnation: 0,
            leads: false,
            caches: Caches::new(kinds),
            memory,
            parts: controllers.iter().map(|c| ControllerState::new(&**c, config)).collect(),
            passes: OrdMap::new(),
            last_pass: 0,
            ended: None,
            election: Elector::new("kube-controller-manager", &identity(number, 0), Rng::new(config.seed, 10 + u64::from(number))),
            first_lists: Vec::new(),
        }
    }
    /// Returns the revision that the manager's cache of a kind has reached; `None` until the first list has arrived.
    pub fn heard(&self, kind: Kind) -> Option<u64> {
        let cache = self.caches.of(kind);
        cache.synced.then_some(cache.revision)
    }
    /// Returns a view of the data that the manager's controllers may read.
    pub fn view(&self, now: Time) -> View<'_> {
        View { caches: &self.caches, memory: &self.memory, expectations_met: true, now }
    }
    /// True if the manager leads and the first lists of all its informers have arrived.
    pub fn is_synced(&self) -> bool {
        self.leads && self.first_lists.is_empty()
    }
}

impl Cluster {
    /// Returns the kinds that a controller manager watches: those that at least one controller handles.
    pub(super) fn watched_by_controllers(&self) -> Vec<Kind> {
        self.api.kinds.all().filter(|kind| self.controllers.iter().any(|c| c.hears_of(*kind))).collect()
    }
    pub(super) fn manager_woken(&mut self, n: u32, timer: &Timer) -> Note {
        match timer {
            Timer::Start => self.start_manager(n),
            Timer::Elect => self.elect(Process::Manager(n)),
            Timer::Queue(controller) => {
                // A wake-up that comes after an earlier one took its place must not set another, or their number would grow for ever.
                let wake_at = &mut self.managers[n as usize].parts[*controller as usize].wake_at;
                if wake_at.take_if(|at| *at <= self.now).is_some() {
                    self.start_workers(n, *controller);
                }
            }
            Timer::Observe(pass) => return self.observe(n, *pass),
            Timer::Diff(pass) => return self.diff(n, *pass),
            Timer::MonitorNodes => self.monitor_nodes(n),
            Timer::SweepPods => self.sweep_pods(n),
            Timer::Resync => self.resync(n),
            _ => {}
        }
        Note::Plain
    }
    fn start_manager(&mut self, n: u32) {
        let config = self.config.clone();
        let manager = &mut self.managers[n as usize];
        if manager.alive {
            return;
        }
        let incarnation = manager.incarnation + 1;
        *manager = Manager::new(n, &config, &self.controllers, self.api.kinds.clone());
        manager.incarnation = incarnation;
        manager.alive = true;
        manager.election = Elector::new(
            "kube-controller-manager",
            &identity(n, incarnation),
            Rng::new(config.seed, (u64::from(incarnation) << 16) | (10 + u64::from(n))),
        );
        self.wake(Process::Manager(n), self.now, Timer::Elect);
    }
    pub(super) fn crash_manager(&mut self, n: u32) {
        let manager = &mut self.managers[n as usize];
        manager.alive = false;
        manager.leads = false;
        manager.incarnation += 1;
        manager.passes = OrdMap::new();
        self.close_watches(Process::Manager(n));
    }
    /// Makes a manager the leader: its informers list, its timers start.
    pub(super) fn lead_manager(&mut self, n: u32) {
        // Elections are background work; the work of a new leader is not.
        self.background = false;
        let watched = self.watched_by_controllers();
        let manager = &mut self.managers[n as usize];
        manager.leads = true;
        manager.first_lists.clone_from(&watched);
        let process = Process::Manager(n);
        for kind in watched {
            self.start_reflector(process, kind);
        }
        self.wake(process, self.now + SYNC_POLL, Timer::MonitorNodes);
        self.wake(process, self.now + pod_gc::PERIOD, Timer::SweepPods);
        if self.config.manager.resync_seconds > 0 {
            self.wake(process, self.now + Span::secs(self.config.manager.resync_seconds), Timer::Resync);
        }
    }
    pub(super) fn manager_answered(&mut self, n: u32, call: &Call, request: &Arc<Request>, response: &Arc<Response>) {
        match call {
            Call::List(kind) => match &response.result {
                Ok(Answer::List(listing)) => {
                    let changes = self.managers[n as usize].caches.of_mut(*kind).replace(&listing.items, listing.revision);
                    self.managers[n as usize].first_lists.retain(|k| k != kind);
                    self.open_watch(Process::Manager(n), *kind, listing.revision);
                    changes.iter().for_each(|change| self.tell_controllers(n, change));
                    if self.managers[n as usize].is_synced() {
                        (0..self.controllers.len() as u32).for_each(|c| self.start_workers(n, c));
                    }
                }
                _ => self.retry_reflector(Process::Manager(n), *kind),
            },
            Call::Action(pass, index) => self.action_answered(n, *pass, *index, response),
            Call::Event(controller) => {
                let part = &mut self.managers[n as usize].parts[*controller as usize];
                match &response.result {
                    Ok(_) => response.object().into_iter().for_each(|event| part.recorder.recorded(event)),
                    Err(status) if status.code == 404 => {
                        if let Some(again) = part.recorder.missing((**request).clone()) {
                            self.send(Process::Manager(n), self.now, Call::Event(*controller), again);
                        }
                    }
                    Err(_) => {}
                }
            }
            Call::Lease => self.lease_answered(Process::Manager(n), request, response),
            _ => {}
        }
    }
    pub(super) fn manager_heard(&mut self, n: u32, type_: WatchType, revision: u64, object: &Arc<Object>) {
        let cache = self.managers[n as usize].caches.of_mut(object.kind());
        let change = cache.apply(type_, object, revision);
        self.tell_controllers(n, &change);
    }
    /// Runs the event handlers for a change: expectations first, then the handler of each controller. Then workers take what was queued.
    fn tell_controllers(&mut self, n: u32, change: &Change) {
        let now = self.now;
        let manager = &mut self.managers[n as usize];
        let Some(object) = change.object() else { return };
        let kind = object.kind();
        if kind == Kind::POD {
            meet_expectations(manager, &self.controllers, change);
        }
        let mut touched = Vec::new();
        for i in self.controllers.hearing_of(kind).iter().copied() {
            if notify(manager, i as usize, &*self.controllers[i as usize], change, now) {
                touched.push(i);
            }
        }
        for controller in touched {
            self.start_workers(n, controller);
        }
    }
    /// Runs one controller's event handler for a change, without starting workers.
    pub(super) fn tell_controller(&mut self, n: u32, index: usize, change: &Change) {
        if let Some(controller) = self.controllers.get(index) {
            notify(&mut self.managers[n as usize], index, &**controller, change, self.now);
        }
    }
    /// Hands queued keys to free workers, each of which begins a pass, and sets a wake-up for keys that are delayed.
    pub(super) fn start_workers(&mut self, n: u32, controller: u32) {
        let now = self.now;
        let Some(rules) = self.controllers.get(controller as usize) else { return };
        let manager = &mut self.managers[n as usize];
        let synced = manager.is_synced();
        let Manager { parts, passes, last_pass, .. } = manager;
        let part = &mut parts[controller as usize];
        part.queue.advance(now);
        let mut begun = Vec::new();
        while synced && part.busy < rules.workers() {
            let Some(key) = part.queue.take() else { break };
            part.busy += 1;
            part.passes += 1;
            *last_pass += 1;
            passes.insert(*last_pass, Pass::new(controller, key, now));
            begun.push(*last_pass);
        }
        let wake_at = part.queue.next_due().filter(|due| part.wake_at.is_none_or(|set| *due < set));
        if let Some(at) = wake_at {
            part.wake_at = Some(at);
        }
        self.stats.reconciles += begun.len() as u64;
        for pass in begun {
            self.wake(Process::Manager(n), now, Timer::Observe(pass));
        }
        if let Some(at) = wake_at {
            self.wake(Process::Manager(n), at, Timer::Queue(controller));
        }
    }
    /// Adds keys to the queue of a controller, given by name, and starts workers.
    fn enqueue(&mut self, n: u32, controller: &str, keys: Vec<WorkKey>) {
        let Some(controller) = self.controllers.index_of(controller).filter(|_| !keys.is_empty()) else { return };
        for key in keys {
            self.managers[n as usize].parts[controller].queue.add(key);
        }
        self.start_workers(n, controller as u32);
    }
    fn monitor_nodes(&mut self, n: u32) {
        let (now, period) = (self.now, Span::secs(self.config.manager.node_monitor_seconds.max(1)));
        let manager = &mut self.managers[n as usize];
        if manager.is_synced() {
            let keys = manager.memory.health.monitor(&manager.caches, now);
            self.enqueue(n, "node-controller", keys);
        }
        self.wake(Process::Manager(n), now + period, Timer::MonitorNodes);
    }
    fn sweep_pods(&mut self, n: u32) {
        let now = self.now;
        let manager = &mut self.managers[n as usize];
        manager.parts.iter_mut().for_each(|part| part.recorder.sweep(now));
        if manager.is_synced() {
            let key = pod_gc::sweep(&manager.caches);
            self.enqueue(n, "pod-garbage-collector", key.into_iter().collect());
        }
        self.wake(Process::Manager(n), self.now + pod_gc::PERIOD, Timer::SweepPods);
    }
    /// Hands all cached objects to the controllers again, as an informer's resync does.
    fn resync(&mut self, n: u32) {
        let manager = &self.managers[n as usize];
        if manager.is_synced() {
            let mut kinds: Vec<Kind> = manager.caches.kinds().all().filter(|kind| kind.row().resynced).collect();
            kinds.order_by_key(|kind| (kind.row().rank, *kind));
            let changes: Vec<Change> = kinds
                .iter()
                .flat_map(|kind| manager.caches.of(*kind).all())
                .map(|o| Change { old: Some(o.clone()), new: Some(o.clone()) })
                .collect();
            changes.iter().for_each(|change| self.tell_controllers(n, change));
        }
        self.wake(Process::Manager(n), self.now + Span::secs(self.config.manager.resync_seconds), Timer::Resync);
    }
}

/// Runs the event handler of a controller for a change. Returns whether the handler queued anything.
fn notify(manager: &mut Manager, index: usize, controller: &dyn Controller, change: &Change, now: Time) -> bool {
    let Manager { caches, memory, parts, .. } = manager;
    let queue = &mut parts[index].queue;
    let view = View { caches, memory, expectations_met: true, now };
    let mut is_queued = false;
    controller.notify(&view, change, &mut |key, delay| {
        is_queued = true;
        queue.add_after(key, delay, now);
    });
    is_queued
}

/// Marks the creation or deletion of a pod as observed in the expectations of its owner.
fn meet_expectations(manager: &mut Manager, controllers: &Controllers, change: &Change) {
    let Some(pod) = change.object() else { return };
    let appeared = change.old.is_none() && change.new.is_some();
    let going = change.new.is_none() || pod.meta.is_deleting();
    if !appeared && !going {
        return;
    }
    let Some(owner) = pod.meta.controller() else { return };
    let Some(kind) = manager.caches.kinds().of_owner(owner) else { return };
    let key = WorkKey::new(kind, crate::api::Key { namespace: pod.meta.namespace.clone(), name: owner.name.clone() });
    for (i, controller) in controllers.iter().enumerate() {
        if controller.expects() {
            let expectations = &mut manager.parts[i].expectations;
            if going {
                expectations.deletion_observed(&key, pod.meta.uid);
            } else {
                expectations.creation_observed(&key);
            }
        }
    }
}
