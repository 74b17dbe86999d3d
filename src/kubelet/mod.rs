//! One kubelet: a state machine that turns pods bound to its node into containers of a fake runtime, and reports their status. Counterpart: `pkg/kubelet`.
//!
//! The kubelet performs no I/O: the simulator calls it, and it puts requests and wake-ups into an outbox.
//!
//! Simplifications: one worker runs a pod's steps in the order of the real pod worker (sync, terminating, terminated), each at the time at which the real one
//! would see fresh runtime state (at the relist once a second, or on demand after a start). The periodic resync of pods for which there is nothing to do is
//! left out, since it changes nothing. Latencies come from recordings of a real cluster, with jitter: 0.22–0.32 s until the sandbox is ready (volumes
//! included), 0.7 s to pull, up to 0.2 s to stop. The programs in containers are in [`crate::container`]; `guests` starts them, `environment` and `volumes`
//! provide what they see.

mod admission;
mod backoff;
mod config_refs;
mod connections;
mod container_event;
mod environment;
mod eviction;
mod exec;
mod fault_effects;
mod guests;
mod hooks;
mod images;
mod inspect;
mod neighbours;
mod node;
mod pod_actions;
mod probe;
mod resize;
mod runtime;
mod service_links;
mod sessions;
mod start;
mod status;
mod status_manager;
mod sync;
mod termination;
mod volumes;
mod worker;

pub use connections::Contact;
pub use exec::Log;
pub use inspect::{ContainerView, WorkerView};
pub use pod_actions::{Observed, PodActions, compute_pod_actions};
pub use runtime::{Instance, Program, RunState};
pub use sessions::{Ask, SessionNews};

use crate::api::kind::node::Taint;
use crate::api::meta::{Key, StrMap, Uid};
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{Payload, Request, Response, Verb};
use crate::api::time::{Span, Time};
use crate::api::usage::Usage;
use crate::api::watch::{WatchEvent, WatchType};
use crate::client::{EventDraft, Outbox, Recorder, TokenBucket};
use crate::container::files::Tree;
use crate::persistent::{OrdMap, OrdSet};
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::Arc;
use worker::PodWorker;

/// The configuration of one kubelet and its machine.
#[derive(Clone, Debug, PartialEq)]
pub struct KubeletConfig {
    /// The name of the node.
    pub name: ArcStr,
    /// The number of the machine's processors, as a quantity (`4`).
    pub cpu: ArcStr,
    /// The machine's memory, as a quantity (`8Gi`).
    pub memory: ArcStr,
    /// The number of pods that may run on the node.
    pub pods: i64,
    /// The node's labels beyond those that every node has.
    pub labels: StrMap,
    /// The taints with which the node is registered.
    pub taints: Vec<Taint>,
    /// The node's IPv4 address.
    pub ip: u32,
    /// The settings of the container runtime: how long its work takes, and how it behaves.
    pub runtime: RuntimeSettings,
}

impl KubeletConfig {
    /// Returns the configuration of the node with this index, as in the recordings: 4 CPUs, 8Gi, 110 pods, address 10.0.0.11 and up.
    pub fn new(name: &str, index: u32) -> KubeletConfig {
        KubeletConfig {
            name: name.into(),
            cpu: literal!("4"),
            memory: literal!("8Gi"),
            pods: 110,
            labels: StrMap::default(),
            taints: Vec::new(),
            ip: 0x0a00_000b + index,
            runtime: RuntimeSettings::default(),
        }
    }
}

/// The settings of the container runtime: how long its work takes, and how it behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RuntimeSettings {
    /// The time to pull an image of the usual size.
    pub pull: Span,
    /// Set to behave as the fake runtime with which the tests' recordings were made: every image exists unless its name contains `nosuch`, and commands do
    /// little.
    pub recorded: bool,
    /// The least time to mount volumes and create a sandbox.
    pub sandbox: Span,
    /// The largest random time that is added to `sandbox`.
    pub sandbox_jitter: Span,
    /// The longest time that a program takes to stop on SIGTERM, if it handles the signal.
    pub stop: Span,
    /// The interval at which the kubelet lists the runtime's containers (relist).
    pub relist: Span,
}

impl Default for RuntimeSettings {
    fn default() -> Self {
        RuntimeSettings {
            pull: Span::millis(700),
            recorded: false,
            sandbox: Span::millis(220),
            sandbox_jitter: Span::millis(100),
            stop: Span::millis(200),
            relist: Span::secs(1),
        }
    }
}

/// The purpose of a wake-up that the kubelet has asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timer {
    /// Renews the node's lease and checks the node's status.
    Heartbeat,
    /// Reports the node as ready at the end of the kubelet's start.
    NodeReady,
    /// Runs a pod's worker. A number other than the worker's `wake_seq` marks an outdated wake-up.
    Sync(Uid, u32),
    /// Ends a worker's wait for a pod's sandbox, an image or a hook. A number other than the worker's `step_seq` marks an outdated wake-up.
    Step(Uid, u32),
    /// Ends a container.
    Exit {
        /// The uid of the pod.
        pod: Uid,
        /// The index of the container, init containers first.
        container: u8,
        /// The number of the container's instance; a later instance has another number.
        number: u32,
        /// The exit code with which the container ends.
        code: i32,
    },
    /// Runs a probe of a container.
    Probe {
        /// The uid of the pod.
        pod: Uid,
        /// The index of the probe among all probes of the pod.
        slot: u8,
        /// The sequence number of the wake-up; a number other than the probe's own marks an outdated wake-up.
        seq: u32,
        /// Set if another result like the last one would change nothing. A cluster in which only such probes go on counts as converged.
        steady: bool,
    },
    /// Resumes the processes of a container.
    Process {
        /// The uid of the pod.
        pod: Uid,
        /// The index of the container, init containers first.
        container: u8,
        /// The number of the container's instance; a later instance has another number.
        number: u32,
        /// The sequence number of the wake-up; a number other than the planned one marks an outdated one.
        seq: u32,
        /// Set if the container has run for minutes. A cluster in which only such containers go on counts as converged.
        steady: bool,
    },
    /// Sends a container its stop signal, after its preStop hook.
    Signal {
        /// The uid of the pod.
        pod: Uid,
        /// The index of the container, init containers first.
        container: u8,
        /// The number of the container's instance.
        number: u32,
    },
    /// Reads the ConfigMaps and Secrets in a pod's volumes again. A number other than the worker's `refresh_seq` marks an outdated wake-up.
    Volumes(Uid, u32),
    /// Compares a pod's status with the one that this kubelet last wrote.
    Reconcile(Uid),
    /// Fails a pod whose `activeDeadlineSeconds` are over.
    Deadline(Uid),
}

/// The purpose of a request, which tells how to handle the answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Writes a pod's status.
    PodStatus(Uid),
    /// Removes the object of a pod that has ended.
    PodDelete(Uid),
    /// Reads a ConfigMap or Secret for a container's environment or a pod's volume. Holds the pod's uid and the worker's `step_seq`.
    Reference(Uid, u32),
    /// Reads a ConfigMap or Secret in a pod's volume again.
    Refresh(Uid),
    /// Records an event. For a patch that raises the count of an Event, holds that Event, so that it can be created again if it has expired.
    Event(Option<Arc<Object>>),
    /// Creates the node object.
    CreateNode,
    /// Reads the node object.
    GetNode,
    /// Writes the node's status.
    NodeStatus,
    /// Creates the node's lease.
    CreateLease,
    /// Reads the node's lease.
    GetLease,
    /// Renews the node's lease.
    RenewLease,
}

/// The context of one call of the kubelet: the time, random numbers, and the outputs to fill.
pub struct Cx<'a> {
    /// The time of the call.
    pub now: Time,
    /// The kubelet's random number generator.
    pub rng: &'a mut Rng,
    /// Receives the requests to send and the wake-ups to plan.
    pub out: &'a mut Outbox<Call, Timer>,
    /// Receives the network requests of processes that leave their pod.
    pub asks: &'a mut Vec<Ask>,
    /// Receives the output and the ends of sessions that people have opened.
    pub told: &'a mut Vec<SessionNews>,
}

/// One kubelet with its container runtime.
#[derive(Clone, Debug)]
pub struct Kubelet {
    pods: OrdMap<Uid, Arc<PodWorker>>,
    core: Core,
}

/// The state of a kubelet without its pod workers, so that one worker and this state can be borrowed mutably at the same time.
#[derive(Clone, Debug)]
struct Core {
    config: Arc<KubeletConfig>,
    index: u32,
    recorder: Recorder,
    requests: TokenBucket,
    events: TokenBucket,
    node: node::NodeState,
    images: OrdSet<ArcStr>,
    /// The node's own files, which pods see through hostPath volumes.
    host: Tree,
    registry_down: bool,
    /// The Services of the cluster, of which new containers get environment variables.
    services: OrdMap<Key, Arc<Object>>,
    /// The images that are being pulled one after the other, each with the time at which its pull ends.
    pulling: Vec<(ArcStr, Time)>,
    next_container: u32,
    next_ip: u32,
    /// The addresses in use: bit n stands for address n of the node's range.
    addresses: [u64; 4],
    /// The random offset, in microseconds, within each relist period at which the container runtime is listed.
    relist_phase: i64,
    /// The random offset, in microseconds, within each second at which waiting pod workers run and statuses are compared.
    sync_phase: i64,
}

impl Kubelet {
    /// Creates a kubelet that has not been started yet.
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
            host: volumes::node_files(),
            registry_down: false,
            services: OrdMap::new(),
            pulling: Vec::new(),
            next_container: 1,
            next_ip: 2,
            addresses: [0; 4],
            relist_phase: 0,
            sync_phase: 0,
        };
        Kubelet { pods: OrdMap::new(), core }
    }
    /// Sets the Services of the cluster, of which containers that start get environment variables.
    pub fn set_services(&mut self, services: OrdMap<Key, Arc<Object>>) {
        self.core.services = services;
    }
    /// Returns the usage of every pod on the node, given the cpu that a pod needs for the requests that it answers, in thousandths of a core.
    pub fn usages(&self, requests_milli: impl Fn(&Key) -> i64) -> Vec<(Uid, Usage)> {
        self.pods.iter().map(|(uid, w)| (*uid, self.core.usage(w, requests_milli(&w.object.meta.key())))).collect()
    }
    /// Returns the name of the node.
    pub fn name(&self) -> &ArcStr {
        &self.core.config.name
    }
    /// Starts the kubelet's process, which registers its node. The simulator lists the node's pods next.
    pub fn start(&mut self, cx: &mut Cx) {
        self.core.relist_phase = cx.rng.below(1_000_000) as i64;
        self.core.sync_phase = cx.rng.below(1_000_000) as i64;
        self.core.start_node(cx);
    }
    /// Returns the node object of a kubelet that has been running for a long time.
    pub fn ready_node(&self, now: Time) -> Object {
        self.core.new_node(now)
    }
    /// Starts the kubelet's process as if it had been running for a long time, with its node registered and ready. The simulator lists the node's pods next.
    pub fn resume_ready(&mut self, node: Arc<Object>, cx: &mut Cx) {
        self.core.relist_phase = cx.rng.below(1_000_000) as i64;
        self.core.sync_phase = cx.rng.below(1_000_000) as i64;
        self.core.resume_ready(node, cx);
    }
    /// Handles a list of all pods of this node.
    pub fn pods_listed(&mut self, pods: &[Arc<Object>], cx: &mut Cx) {
        let gone: Vec<Uid> = self.pods.keys().filter(|uid| !pods.iter().any(|p| p.meta.uid == **uid)).copied().collect();
        for uid in gone {
            self.pod_gone(uid, cx);
        }
        for pod in pods {
            self.pod_seen(pod, cx);
        }
    }
    /// Handles a watch event about a pod of this node.
    pub fn pod_event(&mut self, event: &WatchEvent, cx: &mut Cx) {
        match event.type_ {
            WatchType::Deleted => self.pod_gone(event.object.meta.uid, cx),
            _ => self.pod_seen(&event.object, cx),
        }
    }
    /// Handles a watch event about the node itself. The kubelet also works without such events, but then learns later what others wrote to the node.
    pub fn node_event(&mut self, event: &WatchEvent) {
        self.core.node_seen(event);
    }
    /// Handles the answer to a request.
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
            Call::Refresh(uid) => self.on_pod(uid, |core, w| core.refreshed(w, response)),
            Call::Event(counted) => self.core.event_answered(counted, response, cx),
            _ => self.core.node_answered(&call, response, cx),
        }
    }
    /// Handles a wake-up.
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
            Timer::Process { pod, container, number, seq, .. } => {
                self.on_pod(pod, |core, w| core.guest_due(w, container as usize, number, seq, cx))
            }
            Timer::Signal { pod, container, number } => self.on_pod(pod, |core, w| core.signal_guest(w, container as usize, number, cx)),
            Timer::Volumes(uid, seq) => self.on_pod(uid, |core, w| core.refresh_volumes(w, seq, cx)),
            Timer::Reconcile(uid) => self.on_pod(uid, |core, w| core.reconcile_status(w, cx)),
            Timer::Deadline(uid) => self.on_pod(uid, |core, w| core.deadline_passed(w, cx)),
        }
    }

    /// Runs a function on a pod's worker, and drops the worker once its pod is gone and no container runs.
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
        if let Some(worker) = self.pods.get(&uid) {
            let had = worker.spec().filter(|_| worker.resize_wanted(pod)).cloned();
            let wanted = had.is_some();
            self.on_pod(uid, |core, w| {
                if wanted {
                    w.extra().had = had;
                }
                core.pod_changed(w, pod, cx);
            });
            if wanted {
                self.resize(uid, cx);
            }
            return;
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
        self.retry_resizes(cx);
    }
}

impl Core {
    /// Returns the next time after `t` at which the kubelet lists the runtime's containers.
    fn next_relist(&self, t: Time) -> Time {
        next_tick(self.config.runtime.relist.0.max(1), self.relist_phase, t)
    }
    /// Returns the first time, not before `t`, at which waiting pod workers are run.
    fn sync_tick(&self, t: Time) -> Time {
        next_tick(1_000_000, self.sync_phase, Time(t.0 - 1))
    }
    /// Plans a wake-up of a pod's worker at a time, unless an earlier one is planned.
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
    /// Records an event after a delay.
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
    /// Draws a random duration between `low` and `high` milliseconds.
    fn jitter(low: i64, high: i64, cx: &mut Cx) -> Span {
        Span(low * 1000 + cx.rng.below(((high - low) * 1000).max(0) as u64 + 1) as i64)
    }
}

fn next_tick(period: i64, phase: i64, after: Time) -> Time {
    Time((after.0 - phase).div_euclid(period) * period + period + phase)
}
