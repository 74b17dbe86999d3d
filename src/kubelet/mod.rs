//! One kubelet: a state machine that turns pods bound to its node into containers of a fake runtime, and reports. Counterpart: `pkg/kubelet`.
//!
//! It never acts itself: it is called and fills an outbox. Simplifications: one worker handles a pod's steps in the order of the real pod worker (sync,
//! terminating, terminated), each at the time at which the real one would see fresh runtime state (the relist once a second, or on demand after a start);
//! the regular resync of pods for which nothing is to be done is left out, since it changes nothing.
//! Latencies inside are taken from the recordings and jittered: 0.22–0.32 s until the sandbox is ready (volumes), 0.7 s to pull, up to 0.2 s to stop.

mod admission;
mod backoff;
mod config_refs;
mod exec;
mod faults;
mod images;
mod inspect;
mod node;
mod pod_actions;
mod probe;
mod runtime;
mod say;
mod status;
mod status_manager;
mod sync;
mod termination;
mod worker;

pub use exec::{Log, Ran};
pub use faults::ContainerView;
pub use inspect::Work;
pub use pod_actions::{Observed, PodActions, compute_pod_actions};
pub use runtime::{Instance, Program, RunState};

use crate::api::kind::node::Taint;
use crate::api::meta::{StrMap, Uid};
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{Payload, Request, Response, Verb};
use crate::api::time::{Span, Time};
use crate::api::watch::{WatchEvent, WatchType};
use crate::client::{EventDraft, Outbox, Recorder, TokenBucket};
use crate::persistent::{OrdMap, OrdSet};
use crate::text;
use crate::text::Str;
use std::sync::Arc;
use worker::PodWorker;

/// What a kubelet is told about its machine.
#[derive(Clone, Debug, PartialEq)]
pub struct KubeletConfig {
    /// The node's name.
    pub name: Str,
    /// Processors, as a quantity.
    pub cpu: Str,
    /// Memory, as a quantity.
    pub memory: Str,
    /// How many pods may run.
    pub pods: i64,
    /// Labels beyond those that every node has.
    pub labels: StrMap,
    /// Taints to register with.
    pub taints: Vec<Taint>,
    /// The node's address.
    pub ip: u32,
    /// How the runtime behaves.
    pub runtime: RuntimeSettings,
}

impl KubeletConfig {
    /// A node as in the recordings: 4 cpu, 8Gi, 110 pods, address 10.0.0.11 and up.
    pub fn new(name: &str, index: u32) -> KubeletConfig {
        KubeletConfig {
            name: name.into(),
            cpu: text!("4"),
            memory: text!("8Gi"),
            pods: 110,
            labels: StrMap::default(),
            taints: Vec::new(),
            ip: 0x0a00_000b + index,
            runtime: RuntimeSettings::default(),
        }
    }
}

/// How long the runtime takes for what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RuntimeSettings {
    /// To pull an image.
    pub pull: Span,
    /// To mount volumes and make a sandbox, at least.
    pub sandbox: Span,
    /// How much more that may take.
    pub sandbox_jitter: Span,
    /// To stop a program that heeds SIGTERM, at most.
    pub stop: Span,
    /// Between two looks at the runtime.
    pub relist: Span,
}

impl Default for RuntimeSettings {
    fn default() -> Self {
        RuntimeSettings {
            pull: Span::millis(700),
            sandbox: Span::millis(220),
            sandbox_jitter: Span::millis(100),
            stop: Span::millis(200),
            relist: Span::secs(1),
        }
    }
}

/// A time to wake up for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timer {
    /// Renew the lease and look at the node's status.
    Heartbeat,
    /// The node has become ready after its start.
    NodeReady,
    /// A pod's worker has something to do; the number tells a wake-up from one that was overtaken.
    Sync(Uid, u32),
    /// A pod's sandbox is ready, or an image has been pulled.
    Step(Uid, u32),
    /// A container ends.
    Exit {
        /// Of which pod.
        pod: Uid,
        /// Which entry of its spec.
        container: u8,
        /// The runtime's number of it.
        number: u32,
        /// Its exit code.
        code: i32,
    },
    /// A probe is due.
    Probe {
        /// Of which pod.
        pod: Uid,
        /// Which of its probes.
        slot: u8,
        /// Tells it from one that was overtaken.
        seq: u32,
        /// Whether it only goes on as it has: an answer like the last one changes nothing.
        steady: bool,
    },
    /// The status manager looks at a pod again.
    Reconcile(Uid),
    /// A pod has been active for as long as it may.
    Deadline(Uid),
}

/// A request that is under way.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// A pod's status.
    PodStatus(Uid),
    /// The removal of a pod that has ended.
    PodDelete(Uid),
    /// A look at something that a container's environment refers to: pod, and which step asked.
    Reference(Uid, u32),
    /// An event; one that is counted up comes along, to be made anew if it has expired.
    Event(Option<Arc<Object>>),
    /// The node's registration.
    CreateNode,
    /// A look at the node.
    GetNode,
    /// The node's status.
    NodeStatus,
    /// The lease's creation.
    CreateLease,
    /// A look at the lease.
    GetLease,
    /// The lease's renewal.
    RenewLease,
}

/// What a call of the kubelet works with.
pub struct Cx<'a> {
    /// The time.
    pub now: Time,
    /// Randomness.
    pub rng: &'a mut Rng,
    /// Where requests and wake-ups go.
    pub out: &'a mut Outbox<Call, Timer>,
}

/// One kubelet with its runtime.
#[derive(Clone, Debug)]
pub struct Kubelet {
    pods: OrdMap<Uid, Arc<PodWorker>>,
    core: Core,
}

/// All of a kubelet but its pods, so that a pod's worker and the rest can be borrowed side by side.
#[derive(Clone, Debug)]
struct Core {
    config: Arc<KubeletConfig>,
    index: u32,
    recorder: Recorder,
    requests: TokenBucket,
    events: TokenBucket,
    node: node::NodeState,
    images: OrdSet<Str>,
    registry_down: bool,
    /// Images that are being pulled, one after the other, and when each is there.
    pulling: Vec<(Str, Time)>,
    next_container: u32,
    next_ip: u32,
    /// Bit n: address n of the node's range is in use.
    addresses: [u64; 4],
    /// The part of a second at which the runtime is listed.
    relist_phase: i64,
    /// The part of a second at which workers that wait are looked at.
    sync_phase: i64,
}

impl Kubelet {
    /// A kubelet that has not been started yet.
    pub fn new(config: Arc<KubeletConfig>, index: u32) -> Kubelet {
        let recorder = Recorder::new("kubelet", &config.name);
        let core = Core {
            config,
            index,
            recorder,
            requests: TokenBucket::new(50, 100),
            events: TokenBucket::new(50, 100),
            node: node::NodeState::default(),
            images: OrdSet::new(),
            registry_down: false,
            pulling: Vec::new(),
            next_container: 1,
            next_ip: 2,
            addresses: [0; 4],
            relist_phase: 0,
            sync_phase: 0,
        };
        Kubelet { pods: OrdMap::new(), core }
    }
    /// The node's name.
    pub fn name(&self) -> &Str {
        &self.core.config.name
    }
    /// The process starts: it registers its node. The simulator lists pods next.
    pub fn start(&mut self, cx: &mut Cx) {
        self.core.relist_phase = cx.rng.below(1_000_000) as i64;
        self.core.sync_phase = cx.rng.below(1_000_000) as i64;
        self.core.start_node(cx);
    }
    /// The node object of a kubelet that has long been up.
    pub fn ready_node(&self, now: Time) -> Object {
        self.core.new_node(now)
    }
    /// The kubelet of a cluster that has long been up: its node is registered and ready. The simulator lists pods next.
    pub fn resume_ready(&mut self, node: Arc<Object>, cx: &mut Cx) {
        self.core.relist_phase = cx.rng.below(1_000_000) as i64;
        self.core.sync_phase = cx.rng.below(1_000_000) as i64;
        self.core.resume_ready(node, cx);
    }
    /// All pods of this node, after a list.
    pub fn pods_listed(&mut self, pods: &[Arc<Object>], cx: &mut Cx) {
        let gone: Vec<Uid> = self.pods.keys().filter(|uid| !pods.iter().any(|p| p.meta.uid == **uid)).copied().collect();
        for uid in gone {
            self.pod_gone(uid, cx);
        }
        for pod in pods {
            self.pod_seen(pod, cx);
        }
    }
    /// A pod of this node appeared, changed or went.
    pub fn pod_event(&mut self, event: &WatchEvent, cx: &mut Cx) {
        match event.type_ {
            WatchType::Deleted => self.pod_gone(event.object.meta.uid, cx),
            _ => self.pod_seen(&event.object, cx),
        }
    }
    /// The node's own object changed. The kubelet works without this too; with it, it notices at once what others wrote.
    pub fn node_event(&mut self, event: &WatchEvent) {
        self.core.node_seen(event);
    }
    /// The server has answered.
    pub fn answered(&mut self, call: Call, response: &Response, cx: &mut Cx) {
        match call {
            Call::PodStatus(uid) => self.on_pod(uid, |core, w| core.status_answered(w, response, cx)),
            Call::PodDelete(uid) => match response.refusal() {
                Some(status) if status.code != 404 => self.on_pod(uid, |core, w| core.retry_delete(w, cx)),
                _ => {}
            },
            Call::Reference(uid, seq) => self.on_pod(uid, |core, w| {
                if w.step_seq == seq {
                    core.looked_up(w, response, cx);
                }
            }),
            Call::Event(counted) => self.core.event_answered(counted, response, cx),
            _ => self.core.node_answered(&call, response, cx),
        }
    }
    /// A wake-up.
    pub fn timer(&mut self, timer: Timer, cx: &mut Cx) {
        match timer {
            Timer::Heartbeat => self.core.heartbeat(cx),
            Timer::NodeReady => self.core.node_ready(cx),
            Timer::Sync(uid, seq) => self.on_pod(uid, |core, w| {
                if w.take_wake(seq) {
                    core.sync(w, cx);
                }
            }),
            Timer::Step(uid, seq) => self.on_pod(uid, |core, w| {
                if w.step_seq == seq {
                    core.step(w, cx);
                }
            }),
            Timer::Exit { pod, container, number, code } => {
                self.on_pod(pod, |core, w| core.container_exits(w, container as usize, number, code, cx))
            }
            Timer::Probe { pod, slot, seq, .. } => self.on_pod(pod, |core, w| core.probe_due(w, slot as usize, seq, cx)),
            Timer::Reconcile(uid) => self.on_pod(uid, |core, w| core.reconcile_status(w, cx)),
            Timer::Deadline(uid) => self.on_pod(uid, |core, w| core.deadline_passed(w, cx)),
        }
    }

    /// Runs a step on a pod's worker, and lets the worker go once nothing is left of its pod.
    fn on_pod(&mut self, uid: Uid, run: impl FnOnce(&mut Core, &mut PodWorker)) {
        let Some(worker) = self.pods.get_mut(&uid) else { return };
        let worker = Arc::make_mut(worker);
        run(&mut self.core, worker);
        if worker.gone && !worker.any_running() {
            self.pods.remove(&uid);
        }
    }
    fn pod_seen(&mut self, pod: &Arc<Object>, cx: &mut Cx) {
        let uid = pod.meta.uid;
        if pod.pod().is_none_or(|p| p.node != self.core.config.name) {
            return;
        }
        if self.pods.contains_key(&uid) {
            return self.on_pod(uid, |core, w| core.pod_changed(w, pod, cx));
        }
        let mut worker = PodWorker::new(pod.clone(), cx.now);
        match self.refuse(pod) {
            Some((reason, message)) => self.core.reject(&mut worker, reason, message, cx),
            None => self.core.pod_added(&mut worker, cx),
        }
        self.pods.insert(uid, Arc::new(worker));
    }
    fn pod_gone(&mut self, uid: Uid, cx: &mut Cx) {
        self.on_pod(uid, |core, w| core.pod_removed(w, cx));
    }
}

impl Core {
    /// The next time, after `t`, at which the runtime is listed.
    fn next_relist(&self, t: Time) -> Time {
        next_tick(self.config.runtime.relist.0.max(1), self.relist_phase, t)
    }
    /// The first time, not before `t`, at which workers that wait are looked at.
    fn sync_tick(&self, t: Time) -> Time {
        next_tick(1_000_000, self.sync_phase, Time(t.0 - 1))
    }
    /// Has a pod's worker woken, unless it will be woken before that anyway.
    fn wake(&self, w: &mut PodWorker, at: Time, cx: &mut Cx) {
        let at = at.max(cx.now);
        if w.wake.is_none_or(|planned| at < planned) {
            w.wake = Some(at);
            w.wake_seq = w.wake_seq.wrapping_add(1);
            cx.out.wake(at, Timer::Sync(w.uid(), w.wake_seq));
        }
    }
    fn send(&mut self, at: Time, call: Call, request: Request, cx: &mut Cx) {
        let at = self.requests.reserve(at.max(cx.now));
        cx.out.send(at, call, request);
    }
    /// Records an event, some time after now.
    fn record(&mut self, draft: EventDraft, delay: Span, cx: &mut Cx) {
        let at = cx.now + delay;
        if let Some(request) = self.recorder.record(draft, at) {
            let at = self.events.reserve(at);
            let counted = match &request.payload {
                Payload::Object(event) if request.verb == Verb::Patch => Some(event.clone()),
                _ => None,
            };
            cx.out.send(at, Call::Event(counted), request);
        }
    }
    fn event_answered(&mut self, counted: Option<Arc<Object>>, response: &Response, cx: &mut Cx) {
        if let Some(event) = response.object() {
            self.recorder.recorded(event);
        } else if let Some(event) = counted.filter(|_| response.code() == 404) {
            let at = self.events.reserve(cx.now);
            cx.out.send(at, Call::Event(None), Request::create(Arc::unwrap_or_clone(event)));
        }
    }
    /// A number of milliseconds between two.
    fn jitter(low: i64, high: i64, cx: &mut Cx) -> Span {
        Span(low * 1000 + cx.rng.below(((high - low) * 1000).max(0) as u64 + 1) as i64)
    }
}

fn next_tick(period: i64, phase: i64, after: Time) -> Time {
    Time((after.0 - phase).div_euclid(period) * period + period + phase)
}
