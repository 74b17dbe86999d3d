//! One small world for single components: a store, an API server that answers without asking much, and somebody who listens.
//!
//! | file | what |
//! | --- | --- |
//! | `server` | requests and their answers, in few words |
//! | `manager` | controllers with their caches and work queues, and a pass from beginning to end |
//! | `node` | a kubelet with its messages and wake-ups |
//! | `lines` | requests and statuses as one line each |
//! | `objects` | objects from a few words |
//!
//! A test puts objects into the world, lets it [`World::settle`] or [`World::run`], and reads what was asked for ([`World::take_log`]), what was
//! told ([`World::told`]) and what a pod went through ([`World::life`]). Controllers and the scheduler hear of a change at once, a kubelet 3 ms later.

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
/// How often the node controller looks at all nodes.
const MONITOR: Span = Span::secs(5);

pub struct World {
    pub now: Time,
    pub store: Store,
    /// Requests whose line begins so are refused, as often as it says.
    pub refuse: Vec<(&'static str, usize, Status)>,
    /// What was asked for and told, one line each.
    pub log: Vec<String>,
    /// Every state of a pod that was stored: when, which, and what it says.
    pub writes: Vec<(Time, ArcStr, String)>,
    /// Every event: when, about what, and what it says.
    pub events: Vec<(Time, ArcStr, String)>,
    names: u64,

    controllers: Vec<(&'static dyn Controller, loopscope::client::WorkQueue)>,
    pub caches: Caches,
    pub memory: Memory,
    pub expectations_met: bool,
    /// Whether the caches hear of nothing for now.
    pub deaf: bool,

    pub scheduler: Scheduler,

    pub kubelet: Kubelet,
    /// What the kubelet waits for, and what is on its way to it or from it.
    pub queue: BTreeMap<(Time, u64), node::Item>,
    /// Whether the kubelet stands still.
    pub frozen: bool,
    /// How often the kubelet was called.
    pub calls: u64,
    /// News of sessions.
    pub told: Vec<loopscope::kubelet::SessionNews>,
    order: u64,
    rng: Rng,
}

impl World {
    /// A world with these controllers. Its kubelet has not been started.
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
    /// What happened since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }
    /// An object by its name, whatever its namespace.
    pub fn find(&self, kind: Kind, name: &str) -> Option<Arc<Object>> {
        self.store.all(kind).find(|o| o.meta.name == name).cloned()
    }
    /// An object that must be there.
    pub fn get(&self, kind: Kind, name: &str) -> Arc<Object> {
        self.find(kind, name).unwrap_or_else(|| panic!("no {} {name}", kind.row().singular))
    }
    /// All objects of a kind, by name.
    pub fn all(&self, kind: Kind) -> Vec<Arc<Object>> {
        self.store.range(kind, "", None).cloned().collect()
    }
    /// Writes an object as its author would. One that is being deleted and that nothing holds any more goes.
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
    /// Changes an object as somebody else would.
    pub fn change(&mut self, kind: Kind, name: &str, change: impl FnOnce(&mut Object)) -> Arc<Object> {
        let mut object = Object::clone(&self.get(kind, name));
        change(&mut object);
        self.put(object)
    }
    /// Takes an object out of the store, whatever holds it.
    pub fn remove(&mut self, kind: Kind, name: &str) {
        let key = self.get(kind, name).key();
        if let Some(change) = self.store.remove(kind, &key, self.now) {
            self.hear(&change);
        }
    }
    /// Everybody hears of a change.
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
    /// The next moment at which something is due.
    fn next_at(&self) -> Option<Time> {
        let kubelet = self.queue.first_key_value().map(|((at, _), _)| *at).filter(|_| !self.frozen);
        let monitor = self.watches_nodes().then(|| Time((self.now.0 / MONITOR.0 + 1) * MONITOR.0));
        [kubelet, monitor, self.next_key_at()].into_iter().flatten().min()
    }
    /// What was told about something, each with its type.
    pub fn told(&self, name: &str) -> Vec<&str> {
        self.events.iter().filter(|(_, about, _)| about == name).map(|(.., text)| text.as_str()).collect()
    }
    fn tell(&mut self, about: &ArcStr, type_: &str, reason: &str, message: &str) {
        self.log.push(format!("event {about} {reason}: {message}"));
        self.events.push((self.now, about.clone(), format!("{type_} {reason}: {message}")));
    }
    /// The states in which a pod was stored, repeated ones once.
    pub fn life(&self, name: &str) -> Vec<String> {
        let mut lines: Vec<String> = self.writes.iter().filter(|(_, n, _)| n == name).map(|(.., text)| text.clone()).collect();
        lines.dedup();
        lines
    }
    /// The seconds since the start at which a state was stored that contains some words.
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
