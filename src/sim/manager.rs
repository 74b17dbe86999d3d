//! The controller manager: informers, queues and workers of all controllers in one process, and the election that lets only one of several act.

use super::cluster::Cluster;
use super::config::Config;
use super::election::identity;
use super::pass::Pass;
use super::step::{Call, Process, Timer};
use super::trace::Note;
use crate::api::kind::{Kind, Kinds};
use crate::api::object::Object;
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

/// Whoever waits for the caches to be filled looks so often. Nodes are looked at for the first time right after.
const SYNC_POLL: Span = Span::millis(100);

/// A controller manager.
#[derive(Clone, Debug)]
pub struct Manager {
    /// Its number.
    pub number: u32,
    /// Whether it runs.
    pub alive: bool,
    /// How often it was started.
    pub incarnation: u32,
    /// Whether it is the leader: only then do its informers and controllers run.
    pub leads: bool,
    /// What its informers have heard.
    pub caches: Caches,
    /// What its controllers remember.
    pub memory: Memory,
    /// The part of each controller, in the registry's order.
    pub parts: Vec<Part>,
    /// Passes in hand.
    pub passes: OrdMap<u64, Pass>,
    /// The number of the pass begun last.
    pub last_pass: u64,
    /// The pass that ended last: its number, its plan and what comes of its key, for those who look.
    pub ended: Option<(u64, Arc<Plan>, Outcome)>,
    /// Leader election.
    pub election: Elector,
    first_lists: Vec<Kind>,
}

/// What one controller has of its own in a manager.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its queue.
    pub queue: WorkQueue,
    /// What it has asked for and not yet seen.
    pub expectations: Expectations,
    /// What it has written and its caches may not have heard of yet.
    pub written: WrittenRevisions,
    /// Its event recorder.
    pub recorder: Recorder,
    /// Its client's rate limit.
    pub bucket: TokenBucket,
    /// The rate limit of its event client.
    pub event_bucket: TokenBucket,
    /// Workers with a pass in hand.
    pub busy: usize,
    /// For when a wake-up for delayed keys is set.
    pub wake_at: Option<Time>,
    /// Passes begun.
    pub passes: u64,
}

impl Part {
    pub(super) fn new(controller: &dyn Controller, config: &Config) -> Part {
        let client = config.manager.client;
        Part {
            queue: WorkQueue::new(controller.back_off().0, controller.back_off().1),
            expectations: Expectations::default(),
            written: WrittenRevisions::default(),
            recorder: Recorder::new(controller.name(), ""),
            bucket: TokenBucket::new(client.per_second, client.burst),
            event_bucket: TokenBucket::new(client.per_second, client.burst),
            busy: 0,
            wake_at: None,
            passes: 0,
        }
    }
}

impl Manager {
    /// A manager that has not been started.
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
            parts: controllers.iter().map(|c| Part::new(&**c, config)).collect(),
            passes: OrdMap::new(),
            last_pass: 0,
            ended: None,
            election: Elector::new("kube-controller-manager", &identity(number, 0), Rng::new(config.seed, 10 + u64::from(number))),
            first_lists: Vec::new(),
        }
    }
    /// The revision up to which its cache of a kind has heard, once it has been listed.
    pub fn heard(&self, kind: Kind) -> Option<u64> {
        let cache = self.caches.of(kind);
        cache.synced.then_some(cache.revision)
    }
    /// What its controllers may read.
    pub fn view(&self, now: Time) -> View<'_> {
        View { caches: &self.caches, memory: &self.memory, expectations_met: true, now }
    }
    /// Whether all first lists have arrived.
    pub fn is_synced(&self) -> bool {
        self.leads && self.first_lists.is_empty()
    }
}

impl Cluster {
    /// Kinds that a controller manager watches: those that any of its controllers hears of.
    pub(super) fn watched_by_controllers(&self) -> Vec<Kind> {
        self.api.kinds.all().filter(|kind| self.controllers.iter().any(|c| c.hears_of(*kind))).collect()
    }
    pub(super) fn manager_woken(&mut self, n: u32, timer: &Timer) -> Note {
        match timer {
            Timer::Start => self.start_manager(n),
            Timer::Elect => self.elect(Process::Manager(n)),
            Timer::Queue(controller) => {
                // A wake-up that was overtaken by an earlier one must not plan another, or there would be ever more of them.
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
    /// The manager has become leader: its informers list, its timers start.
    pub(super) fn lead_manager(&mut self, n: u32) {
        // Elections belong to the background; what a new leader does is work.
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
    /// Event handlers: expectations first, then each controller's own, then workers take up what is queued.
    fn tell_controllers(&mut self, n: u32, change: &Change) {
        let now = self.now;
        let manager = &mut self.managers[n as usize];
        let Some(object) = change.object() else { return };
        let kind = object.kind();
        if kind == Kind::POD {
            meet_expectations(manager, &self.controllers, change);
        }
        let mut touched = Vec::new();
        for (i, controller) in self.controllers.iter().enumerate() {
            if controller.hears_of(kind) && notify(manager, i, &**controller, change, now) {
                touched.push(i as u32);
            }
        }
        for controller in touched {
            self.start_workers(n, controller);
        }
    }
    /// Tells one controller of a change; nobody is started for it.
    pub(super) fn tell_controller(&mut self, n: u32, index: usize, change: &Change) {
        if let Some(controller) = self.controllers.get(index) {
            notify(&mut self.managers[n as usize], index, &**controller, change, self.now);
        }
    }
    /// Hands keys to free workers, and sets a wake-up for keys that are delayed.
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
    /// Adds keys to a controller's queue from outside an event handler.
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
    /// Hands everything in the caches to the controllers again, though nothing has changed.
    fn resync(&mut self, n: u32) {
        let manager = &self.managers[n as usize];
        if manager.is_synced() {
            let mut kinds: Vec<Kind> = manager.caches.kinds().all().filter(|kind| kind.row().resynced).collect();
            kinds.sort_by_key(|kind| (kind.row().rank, *kind));
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

/// Runs the event handler of a controller. Returns whether it queued anything.
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

/// Ticks off what a pod's appearance or going was awaited for.
fn meet_expectations(manager: &mut Manager, controllers: &Controllers, change: &Change) {
    let Some(pod) = change.object() else { return };
    let Some(owner) = pod.meta.controller() else { return };
    let Some(kind) = manager.caches.kinds().of_owner(owner) else { return };
    let key = WorkKey::new(kind, crate::api::Key { namespace: pod.meta.namespace.clone(), name: owner.name.clone() });
    let appeared = change.old.is_none() && change.new.is_some();
    let going = change.new.is_none() || pod.meta.is_deleting();
    for (i, controller) in controllers.iter().enumerate() {
        if controller.expects() {
            let expectations = &mut manager.parts[i].expectations;
            if going {
                expectations.deletion_observed(&key, pod.meta.uid);
            } else if appeared {
                expectations.creation_observed(&key);
            }
        }
    }
}
