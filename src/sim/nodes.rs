//! Nodes: each is a kubelet process that the simulator calls, freezes, cuts off or ends.

use super::cluster::Cluster;
use super::step::{Call, Entry, Process, Timer};
use crate::api::kind::node::Taint;
use crate::api::kind::priorityclass::SYSTEM_CLASSES;
use crate::api::kind::{Body, Kind};
use crate::api::meta::StrMap;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{Answer, Payload, Request, Response, Verb};
use crate::api::time::{Span, Time};
use crate::api::watch::{WatchEvent, WatchType};
use crate::api::{Key, Meta};
use crate::client::Outbox;
use crate::kubelet::{self, Ask, Cx, Kubelet, KubeletConfig, SessionNews};
use crate::map;
use crate::persistent::Vector;
use arcstr::ArcStr;
use std::sync::Arc;

/// A node: its machine, and its kubelet process.
#[derive(Clone, Debug)]
pub struct NodeProcess {
    /// The node's name.
    pub name: ArcStr,
    /// Set if the kubelet runs.
    pub alive: bool,
    /// Set if the node's machine has power.
    pub powered: bool,
    /// Set if a fault has frozen the node.
    pub frozen: bool,
    /// A number that changes with every start and end of the kubelet. Steps for an earlier incarnation are lost.
    pub incarnation: u32,
    /// The state of the kubelet, with its container runtime.
    pub kubelet: Kubelet,
    /// The revision that the kubelet's watch of pods has reached; `None` until they have been listed.
    pub heard: Option<u64>,
    /// The revision that the kubelet's watch of its own Node object has reached; `None` until that has been listed.
    pub node_heard: Option<u64>,
    /// The way in which the kubelet will start next.
    start: Start,
    rng: Rng,
    /// The steps that reached the node while it was frozen; they happen when it goes on.
    held: Vector<Entry>,
}

/// The circumstances in which a kubelet starts.
#[derive(Clone, Debug)]
enum Start {
    /// The kubelet starts for the first time, and registers its node.
    Fresh,
    /// The kubelet belongs to a cluster that has long been up; with the Node object as it is stored.
    Ready(Arc<Object>),
    /// The kubelet starts again after its process ended.
    Again,
    /// The kubelet starts after its machine lost power, so all containers are gone.
    PowerOn,
}

/// The namespaces that every cluster begins with.
const FIRST_NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

impl Cluster {
    /// Returns the name of the node with this number; empty if there is none.
    pub(super) fn node_name(&self, n: u32) -> ArcStr {
        self.nodes.get(n as usize).map(|k| k.name.clone()).unwrap_or_default()
    }
    /// Returns the number of the node with this name.
    pub fn node_number(&self, name: &str) -> Option<u32> {
        self.node_numbers.get(name).copied()
    }
    pub(super) fn bootstrap_namespaces(&mut self) {
        for name in FIRST_NAMESPACES {
            let meta = Meta { name: name.into(), ..Meta::default() };
            let request = Request::create(Object { meta, body: Body::Namespace(Box::default()) });
            self.api.handle(&request, self.now);
        }
    }
    /// Creates the priority classes of the system, and the default storage class if the configuration asks for it.
    pub(super) fn bootstrap_classes(&mut self) {
        let mut classes = Vec::new();
        for (name, value, description) in SYSTEM_CLASSES {
            let tree = map! { "metadata" => map! { "name" => name }, "value" => value, "description" => description };
            classes.push((Kind::PRIORITY_CLASS, tree));
        }
        if self.config.default_storage_class > 0 {
            let annotations = map! { "storageclass.kubernetes.io/is-default-class" => "true" };
            let tree = map! {
                "metadata" => map! { "name" => "standard", "annotations" => annotations },
                "provisioner" => "rancher.io/local-path",
                "reclaimPolicy" => "Delete",
                "volumeBindingMode" => "WaitForFirstConsumer",
            };
            classes.push((Kind::STORAGE_CLASS, tree));
        }
        for (kind, tree) in classes {
            let mut request = Request::new(Verb::Create, kind, "", "");
            request.payload = Payload::Tree(Box::new(tree.into()));
            self.api.handle(&request, self.now);
        }
    }
    /// Creates the API server's own Service `kubernetes` and its EndpointSlice, if they are missing.
    pub(super) fn bootstrap_service(&mut self) {
        let port = map! { "name" => "https", "port" => 443, "protocol" => "TCP", "targetPort" => 6443 };
        let labels = map! { "component" => "apiserver", "provider" => "kubernetes" };
        let service = map! {
            "metadata" => map! { "name" => "kubernetes", "labels" => labels },
            "spec" => map! { "clusterIP" => "10.96.0.1", "ports" => vec![port.into()], "sessionAffinity" => "None", "type" => "ClusterIP" },
        };
        let endpoint = map! { "addresses" => vec!["10.0.0.1".into()], "conditions" => map! { "ready" => true } };
        let port = map! { "name" => "https", "port" => 6443, "protocol" => "TCP" };
        let slice = map! {
            "metadata" => map! { "name" => "kubernetes", "labels" => map! { "kubernetes.io/service-name" => "kubernetes" } },
            "addressType" => "IPv4",
            "endpoints" => vec![endpoint.into()],
            "ports" => vec![port.into()],
        };
        for (kind, tree) in [(Kind::SERVICE, service), (Kind::ENDPOINT_SLICE, slice)] {
            let mut request = Request::new(Verb::Create, kind, "default", "");
            request.payload = Payload::Tree(Box::new(tree.into()));
            // If the object exists, the API server refuses the request and nothing changes.
            let handled = self.api.handle(&request, self.now);
            self.publish(&handled.changes);
        }
    }
    fn kubelet_config(&self, name: &str, n: u32) -> KubeletConfig {
        let group = &self.config.nodes;
        let mut config = KubeletConfig::new(name, n);
        config.cpu = group.cpu.as_str().into();
        config.memory = group.memory.as_str().into();
        config.pods = i64::from(group.pods);
        config.labels = group.labels.iter().filter_map(|l| l.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect::<StrMap>();
        config.taints = group.taints.iter().filter_map(|t| parse_taint(t)).collect();
        config.runtime.pull = Span::millis(self.config.runtime.pull_ms.max(0));
        config.runtime.recorded = self.config.runtime.recorded;
        config
    }
    fn make_node(&mut self, name: &str) -> Option<u32> {
        let n = self.nodes.len() as u32;
        let name: ArcStr = if name.is_empty() { format!("node-{}", n + 1).into() } else { name.into() };
        if self.node_numbers.contains_key(&name) {
            return None;
        }
        let kubelet = Kubelet::new(Arc::new(self.kubelet_config(&name, n)), n);
        let rng = Rng::new(self.config.seed, 1000 + u64::from(n));
        let process = NodeProcess {
            name: name.clone(),
            alive: false,
            powered: true,
            frozen: false,
            incarnation: 0,
            kubelet,
            heard: None,
            node_heard: None,
            start: Start::Fresh,
            rng,
            held: Vector::new(),
        };
        self.nodes.push_back(Arc::new(process));
        self.node_numbers.insert(name, n);
        Some(n)
    }
    /// Adds a node that has been up for a while: registered, ready, and with no taints but those of the configuration.
    pub(super) fn add_ready_node(&mut self) {
        let Some(n) = self.make_node("") else { return };
        let object = self.nodes[n as usize].kubelet.ready_node(self.now);
        let taints = object.node().map(|node| node.spec.taints.clone()).unwrap_or_default();
        let handled = self.api.handle(&Request::create(object), self.now);
        if let Some(created) = handled.response.object() {
            let mut untainted = (**created).clone();
            if let Some(node) = untainted.node_mut() {
                node.spec.taints = taints;
            }
            let handled = self.api.handle(&Request::update(untainted), self.now);
            if let (Some(node), Some(process)) = (handled.response.object(), self.nodes.get_mut(n as usize)) {
                Arc::make_mut(process).start = Start::Ready(node.clone());
            }
        }
        self.wake(Process::Kubelet(n), self.now, Timer::Start);
    }
    pub(super) fn add_node(&mut self, name: &str) {
        if let Some(n) = self.make_node(name) {
            self.wake(Process::Kubelet(n), self.now, Timer::Start);
        }
    }
    /// Calls a kubelet with `act`, then queues the requests and timers that it asks for.
    pub(super) fn on_kubelet(&mut self, n: u32, act: impl FnOnce(&mut Kubelet, &mut Cx)) {
        let Some(process) = self.nodes.get_mut(n as usize) else { return };
        let process = Arc::make_mut(process);
        let mut out: Outbox<kubelet::Call, kubelet::Timer> = Outbox::default();
        let (mut asks, mut told) = (Vec::new(), Vec::new());
        let mut cx = Cx { now: self.now, rng: &mut process.rng, out: &mut out, asks: &mut asks, told: &mut told };
        process.kubelet.set_services(self.traffic.rules.newest().services().clone());
        act(&mut process.kubelet, &mut cx);
        // If the kubelet process is down, its containers continue, but nobody sends requests or sets timers.
        if process.alive {
            self.deliver_for_kubelet(n, out, asks, told);
        }
    }
    /// Queues the requests and timers of a kubelet, sends the network requests of its containers, and passes on the output of their sessions.
    fn deliver_for_kubelet(&mut self, n: u32, out: Outbox<kubelet::Call, kubelet::Timer>, asks: Vec<Ask>, told: Vec<SessionNews>) {
        for send in out.sends {
            self.send(Process::Kubelet(n), send.at, Call::Kubelet(send.call), send.request);
        }
        for (at, timer) in out.wakes {
            self.wake(Process::Kubelet(n), at, Timer::Kubelet(timer));
        }
        for ask in asks {
            // A network request is decided at the moment it is sent; the process continues when the answer has arrived.
            let answer = self.send_over_network(&Arc::new(ask.request.clone()));
            self.on_kubelet(n, move |k, cx| k.network_answered(&ask, answer, cx));
        }
        for news in told {
            self.session_told(news);
        }
    }
    pub(super) fn kubelet_woken(&mut self, n: u32, timer: &Timer) {
        match timer {
            Timer::Start => self.start_kubelet(n),
            Timer::Kubelet(timer) => self.on_kubelet(n, |k, cx| k.timer(*timer, cx)),
            _ => {}
        }
    }
    fn start_kubelet(&mut self, n: u32) {
        let registry_up = self.registry_up;
        let Some(process) = self.nodes.get_mut(n as usize) else { return };
        if process.alive || !process.powered {
            return;
        }
        let process = Arc::make_mut(process);
        process.alive = true;
        process.incarnation += 1;
        process.heard = None;
        process.node_heard = None;
        process.kubelet.registry_down(!registry_up);
        let start = std::mem::replace(&mut process.start, Start::Again);
        self.on_kubelet(n, |k, cx| match start {
            Start::Fresh => k.start(cx),
            Start::Ready(node) => k.resume_ready(node, cx),
            Start::Again => k.restart(cx),
            Start::PowerOn => k.power_on(cx),
        });
        self.start_reflector(Process::Kubelet(n), Kind::POD);
    }
    pub(super) fn kubelet_answered(&mut self, n: u32, call: &Call, response: &Arc<Response>) {
        match call {
            Call::List(Kind::POD) => match &response.result {
                Ok(Answer::List(listing)) => {
                    self.kubelet_has_heard(n, Kind::POD, listing.revision);
                    self.on_kubelet(n, |k, cx| k.pods_listed(&listing.items, cx));
                    self.open_watch(Process::Kubelet(n), Kind::POD, listing.revision);
                    // A kubelet reads its Node object when it starts, so only later changes matter.
                    if self.nodes.get(n as usize).is_some_and(|k| k.node_heard.is_none()) {
                        self.kubelet_has_heard(n, Kind::NODE, listing.revision);
                        self.open_watch(Process::Kubelet(n), Kind::NODE, listing.revision);
                    }
                }
                _ => self.retry_reflector(Process::Kubelet(n), Kind::POD),
            },
            Call::List(kind) => match &response.result {
                Ok(Answer::List(listing)) => {
                    for object in &listing.items {
                        self.kubelet_heard(n, WatchType::Modified, listing.revision, object);
                    }
                    self.kubelet_has_heard(n, *kind, listing.revision);
                    self.open_watch(Process::Kubelet(n), *kind, listing.revision);
                }
                _ => self.retry_reflector(Process::Kubelet(n), *kind),
            },
            Call::Kubelet(call) => self.on_kubelet(n, |k, cx| k.answered(call.clone(), response, cx)),
            _ => {}
        }
    }
    pub(super) fn kubelet_heard(&mut self, n: u32, type_: WatchType, revision: u64, object: &Arc<Object>) {
        self.kubelet_has_heard(n, object.kind(), revision);
        let event = WatchEvent { type_, revision, object: object.clone() };
        self.on_kubelet(n, |k, cx| match event.object.kind() {
            Kind::NODE => k.node_event(&event),
            _ => k.pod_event(&event, cx),
        });
    }
    pub(super) fn kubelet_has_heard(&mut self, n: u32, kind: Kind, revision: u64) {
        if let Some(process) = self.nodes.get_mut(n as usize).map(Arc::make_mut) {
            *(if kind == Kind::NODE { &mut process.node_heard } else { &mut process.heard }) = Some(revision);
        }
    }
    /// Keeps a step that reached a frozen node until the node goes on.
    pub(super) fn hold(&mut self, process: Process, entry: Entry) {
        if let Process::Kubelet(n) = process
            && let Some(process) = self.nodes.get_mut(n as usize)
        {
            Arc::make_mut(process).held.push_back(entry);
        }
    }
    pub(super) fn freeze_node(&mut self, n: u32) {
        if let Some(process) = self.nodes.get_mut(n as usize) {
            Arc::make_mut(process).frozen = true;
        }
    }
    pub(super) fn thaw_node(&mut self, n: u32) {
        let Some(process) = self.nodes.get_mut(n as usize).filter(|p| p.frozen) else { return };
        let process = Arc::make_mut(process);
        process.frozen = false;
        while let Some(entry) = process.held.pop_front() {
            self.queue.push(self.now, entry);
        }
    }
    /// Ends the kubelet process of a node; its containers continue.
    pub(super) fn crash_kubelet(&mut self, n: u32) {
        if let Some(process) = self.nodes.get_mut(n as usize) {
            let process = Arc::make_mut(process);
            process.alive = false;
            process.incarnation += 1;
            process.held = Vector::new();
        }
        self.break_sessions(n);
    }
    pub(super) fn crash_node(&mut self, n: u32) {
        self.crash_kubelet(n);
        self.close_watches(Process::Kubelet(n));
        let now = self.now;
        if let Some(process) = self.nodes.get_mut(n as usize) {
            let process = Arc::make_mut(process);
            process.powered = false;
            process.frozen = false;
            process.start = Start::PowerOn;
            process.kubelet.power_off(now);
        }
    }
    pub(super) fn restart_node(&mut self, n: u32) {
        if let Some(process) = self.nodes.get_mut(n as usize) {
            Arc::make_mut(process).powered = true;
        }
        self.wake(Process::Kubelet(n), self.now, Timer::Start);
    }
    pub(super) fn kill_containers(&mut self, namespace: &str, pod: &str, container: Option<&str>, exit_code: i32) {
        let Some(object) = self.stored_pod(namespace, pod) else { return };
        let Some(n) = object.pod().and_then(|p| self.node_number(&p.node)) else { return };
        let names: Vec<ArcStr> = object.pod().map(|p| p.spec.containers.iter().map(|c| c.name.clone()).collect()).unwrap_or_default();
        for name in names.iter().filter(|name| container.is_none_or(|c| *name == c)) {
            self.on_kubelet(n, |k, cx| {
                k.kill_container(object.meta.uid, name, exit_code, cx);
            });
        }
    }
    /// True if images can be pulled.
    pub fn registry_is_up(&self) -> bool {
        self.registry_up
    }
    pub(super) fn set_registry(&mut self, up: bool) {
        self.registry_up = up;
        for n in 0..self.nodes.len() {
            if let Some(process) = self.nodes.get_mut(n) {
                Arc::make_mut(process).kubelet.registry_down(!up);
            }
        }
    }
    pub(super) fn set_probe_file(&mut self, namespace: &str, pod: &str, path: &str, there: bool) {
        let Some(object) = self.stored_pod(namespace, pod) else { return };
        let Some(n) = object.pod().and_then(|p| self.node_number(&p.node)) else { return };
        self.on_kubelet(n, |k, _| k.set_exec_probe(object.meta.uid, path, there));
    }
    pub(super) fn set_images(&mut self, node: &str, images: &[String]) {
        let Some(n) = self.node_number(node) else { return };
        if let Some(process) = self.nodes.get_mut(n as usize) {
            Arc::make_mut(process).kubelet.set_images(images.iter().map(ArcStr::from));
        }
    }
    /// Returns the Node object with this name from the store; `None` if there is none.
    pub fn stored_node(&self, name: &str) -> Option<&Arc<Object>> {
        self.api.store.get(Kind::NODE, &Key::new("", name))
    }
}

fn parse_taint(text: &str) -> Option<Taint> {
    let (rest, effect) = text.rsplit_once(':')?;
    let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
    Some(Taint { key: key.into(), value: value.into(), effect: effect.into(), time_added: None::<Time> })
}
