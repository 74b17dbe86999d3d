//! A small fake world for tests of single components: a store, an API server that accepts almost every request, and the component under test, which
//! receives the changes.
//!
//! | file | contents |
//! | --- | --- |
//! | `server` | requests and their answers, simplified |
//! | `manager` | controllers with their caches and work queues, and a pass from beginning to end |
//! | `node` | a kubelet with its messages and wake-ups |
//! | `lines` | requests and statuses as one line each |
//! | `objects` | objects from a few words |
//!
//! A test puts objects into the world, lets the world [`World::settle`] or [`World::run`], and then reads the requests ([`World::take_log`]), the
//! Events ([`World::told`]) and the states of a pod ([`World::life`]). Controllers and the scheduler receive a change at once, a kubelet 3 ms later.

mod lines;
mod manager;
mod node;
pub mod objects;
mod server;

use arcstr::ArcStr;
use loopscope::api::random::Rng;
use loopscope::api::status::Status;
use loopscope::api::{Kind, Object, Span, Time, Uid};
use loopscope::client::Caches;
use loopscope::controller::{Controller, Memory};
use loopscope::kubelet::Kubelet;
use loopscope::scheduler::Scheduler;
use loopscope::store::{Change, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The moment at which every world begins: a whole minute.
pub const START: Time = Time(1_800_000_000_000_000);
/// The interval at which the node controller checks all nodes.
const MONITOR: Span = Span::secs(5);

pub struct World {
    pub now: Time,
    pub store: Store,
    /// The requests that the server refuses: how the request's line begins, how often it is refused, and the refusal.
    pub refuse: Vec<(&'static str, usize, Status)>,
    /// The requests and Events since the log was last taken, one line each.
    pub log: Vec<String>,
    /// Every state of a pod that was stored: the time, the pod's name, and the state as a line.
    pub writes: Vec<(Time, ArcStr, String)>,
    /// Every Event: the time, the name of its object, and its text.
    pub events: Vec<(Time, ArcStr, String)>,
    names: u64,

    controllers: Vec<(&'static dyn Controller, loopscope::client::WorkQueue)>,
    pub caches: Caches,
    pub memory: Memory,
    pub expectations_met: bool,
    /// True if the caches receive no changes for now.
    pub deaf: bool,

    pub scheduler: Scheduler,

    pub kubelet: Kubelet,
    /// The kubelet's wake-ups, and the messages that are on their way to or from the kubelet.
    pub queue: BTreeMap<(Time, u64), node::Item>,
    /// True if the kubelet is frozen.
    pub frozen: bool,
    /// The number of times that the kubelet has been called.
    pub calls: u64,
    /// The kubelet's news about exec and attach sessions.
    pub told: Vec<loopscope::kubelet::SessionNews>,
    order: u64,
    rng: Rng,
}

impl World {
    /// Creates a world with these controllers. Its kubelet has not been started.
    pub fn new(controllers: &[&'static dyn Controller]) -> World {
        let mut caches = Caches::default();
        Kind::built_in().for_each(|kind| drop(caches.of_mut(kind).replace(&[], 0)));
        World {
            now: START,
            store: Store::default(),
            refuse: Vec::new(),
            log: Vec::new(),
            writes: Vec::new(),
            events: Vec::new(),
            names: 0,
            controllers: controllers.iter().map(|c| (*c, manager::queue(*c))).collect(),
            caches,
            memory: Memory::default(),
            expectations_met: true,
            deaf: false,
            scheduler: Scheduler::default(),
            kubelet: node::kubelet(),
            queue: BTreeMap::new(),
            frozen: false,
            calls: 0,
            told: Vec::new(),
            order: 0,
            rng: Rng::new(7, 1),
        }
    }
    /// Returns the log since the last call, and empties it.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }
    /// Returns the object with a name, whatever its namespace.
    pub fn find(&self, kind: Kind, name: &str) -> Option<Arc<Object>> {
        self.store.all(kind).find(|o| o.meta.name == name).cloned()
    }
    /// Returns the object with a name. Panics if there is none.
    pub fn get(&self, kind: Kind, name: &str) -> Arc<Object> {
        self.find(kind, name).unwrap_or_else(|| panic!("no {} {name}", kind.row().singular))
    }
    /// Returns all objects of a kind, ordered by name.
    pub fn all(&self, kind: Kind) -> Vec<Arc<Object>> {
        self.store.range(kind, "", None).cloned().collect()
    }
    /// Creates or updates an object as its author would. An object that is being deleted and has no finalizer left is removed, unless it is a pod.
    pub fn put(&mut self, mut object: Object) -> Arc<Object> {
        if object.meta.uid == Uid(0) {
            object.meta.uid = self.store.next_uid();
            object.meta.generation = object.meta.generation.max(1);
            if object.meta.created == Time(0) {
                object.meta.created = self.now.whole_second();
            }
        }
        let held = match object.namespace() {
            Some(namespace) => !namespace.spec.finalizers.is_empty(),
            None => object.kind() == Kind::POD || !object.meta.finalizers().is_empty(),
        };
        let change = self.store.put(object, self.now);
        let object = change.object.clone();
        if object.meta.is_deleting() && !held {
            self.remove(object.kind(), &object.meta.name);
        } else {
            self.hear(&change);
        }
        object
    }
    /// Changes an object as some other client would.
    pub fn change(&mut self, kind: Kind, name: &str, change: impl FnOnce(&mut Object)) -> Arc<Object> {
        let mut object = Object::clone(&self.get(kind, name));
        change(&mut object);
        self.put(object)
    }
    /// Removes an object from the store, whatever finalizers it has.
    pub fn remove(&mut self, kind: Kind, name: &str) {
        let key = self.get(kind, name).key();
        if let Some(change) = self.store.remove(kind, &key, self.now) {
            self.hear(&change);
        }
    }
    /// Hands a change to all components.
    fn hear(&mut self, change: &Change) {
        self.note(change);
        self.controllers_hear(change);
        self.scheduler_hears(change);
        self.kubelet_hears(change);
    }
    fn scheduler_hears(&mut self, change: &Change) {
        let after = (change.type_ != loopscope::api::watch::WatchType::Deleted).then_some(&change.object);
        match change.object.kind() {
            Kind::POD => self.scheduler.pod_changed(change.old.as_ref(), after, self.now),
            Kind::NODE => self.scheduler.node_changed(change.old.as_deref(), after.map(|o| &**o), self.now),
            _ => {}
        }
    }
    /// Lets time pass.
    pub fn run(&mut self, seconds: f64) {
        let end = Time(self.now.0 + (seconds * 1e6) as i64);
        while let Some(at) = self.next_at().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.kubelet_acts();
            if self.now.0 % MONITOR.0 == 0 {
                self.monitor();
            }
            while self.work() {}
        }
        self.now = end;
    }
    /// Returns the next moment at which something is due.
    fn next_at(&self) -> Option<Time> {
        let kubelet = self.queue.first_key_value().map(|((at, _), _)| *at).filter(|_| !self.frozen);
        let monitor = self.watches_nodes().then(|| Time((self.now.0 / MONITOR.0 + 1) * MONITOR.0));
        [kubelet, monitor, self.next_key_at()].into_iter().flatten().min()
    }
    /// Returns the texts of the Events about the object with a name, each beginning with its type.
    pub fn told(&self, name: &str) -> Vec<&str> {
        self.events.iter().filter(|(_, about, _)| about == name).map(|(.., text)| text.as_str()).collect()
    }
    fn tell(&mut self, about: &ArcStr, type_: &str, reason: &str, message: &str) {
        self.log.push(format!("event {about} {reason}: {message}"));
        self.events.push((self.now, about.clone(), format!("{type_} {reason}: {message}")));
    }
    /// Returns the states in which a pod was stored, without immediate repetitions.
    pub fn life(&self, name: &str) -> Vec<String> {
        let mut lines: Vec<String> = self.writes.iter().filter(|(_, n, _)| n == name).map(|(.., text)| text.clone()).collect();
        lines.dedup();
        lines
    }
    /// Returns the seconds since [`START`] of the moments at which a state of the pod was stored whose line contains some words.
    pub fn times(&self, name: &str, contains: &str) -> Vec<f64> {
        let of_pod = self.writes.iter().filter(|(_, n, _)| n == name);
        of_pod.filter(|(.., text)| text.contains(contains)).map(|(t, ..)| (*t - START).0 as f64 / 1e6).collect()
    }
    fn note(&mut self, change: &Change) {
        if let Some(text) = lines::state(change) {
            self.writes.push((self.now, change.object.meta.name.clone(), text));
        }
    }
}
