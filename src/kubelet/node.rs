//! The node's own object and its lease. Counterpart: `kubelet_node_status.go`, `nodestatus/setters.go` and `component-helpers/apimachinery/lease`.

use super::images::IMAGE_BYTES;
use super::{Call, Core, Cx, Timer};
use crate::api::kind::condition::{self, Condition};
use crate::api::kind::event::{ObjectRef, RefUid};
use crate::api::kind::lease::Lease;
use crate::api::kind::node::Node;
use crate::api::kind::pod::ip_text;
use crate::api::kind::{Body, Kind};
use crate::api::meta::{Meta, OwnerRef, StrMap};
use crate::api::object::Object;
use crate::api::request::{Request, Response, Verb};
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use crate::api::watch::{WatchEvent, WatchType};
use crate::client::EventDraft;
use crate::map;
use crate::text;
use crate::text::Str;
use std::sync::Arc;

const LEASE_NAMESPACE: &str = "kube-node-lease";
const HEARTBEAT: Span = Span::secs(10);
/// A status that did not change is written again after this long.
const REPORT_PERIOD: Span = Span::secs(300);
/// A kubelet that comes this late to a heartbeat has not heard from its runtime for too long.
const RUNTIME_SILENCE: Span = Span::secs(30);
/// The list of images is looked at every so many heartbeats.
const IMAGE_BEATS: u32 = 3;
/// Events said long ago are forgotten every so many heartbeats.
const RECORDER_BEATS: u32 = 30;

/// Why a node is not ready while its kubelet starts.
const STARTING: &str = "CSINode is not yet initialized";
/// Why a node is not ready after its kubelet was frozen.
const RUNTIME_DOWN: &str = "container runtime is down";

/// The pressure conditions: type, reason, message, event.
const PRESSURES: [(&str, &str, &str, &str); 3] = [
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID"),
];

/// What a kubelet knows of its node's object.
#[derive(Clone, Debug, Default)]
pub struct NodeState {
    object: Option<Arc<Object>>,
    lease: Option<Arc<Object>>,
    /// Why the node is not ready, `""` when it is.
    unready: Str,
    next_beat: Time,
    reported: Time,
    beats: u32,
    images_reported: usize,
    unschedulable: bool,
    /// Whether a heartbeat is planned.
    beating: bool,
    /// Whether the server may not have heard from this kubelet, and may have written something else meanwhile.
    silent: bool,
}

impl NodeState {
    /// The process has ended: no heartbeat is planned any more.
    pub fn stop(&mut self) {
        *self = NodeState::default();
    }
}

impl Core {
    pub(super) fn start_node(&mut self, cx: &mut Cx) {
        self.node = NodeState::default();
        self.node.unready = text!(STARTING);
        self.node_event_record("Starting", "Starting kubelet.".into(), cx);
        self.tell_pressures(cx);
        let object = self.new_node(cx.now);
        self.send(cx.now + Core::jitter(60, 100, cx), Call::CreateNode, Request::create(object), cx);
    }
    /// The node has long been registered and ready: only heartbeats remain, the first at a random moment.
    pub(super) fn resume_ready(&mut self, node: Arc<Object>, cx: &mut Cx) {
        self.node = NodeState { object: Some(node), reported: cx.now, beating: true, ..NodeState::default() };
        self.node.next_beat = cx.now + Core::jitter(0, HEARTBEAT.0 / 1000, cx);
        cx.out.wake(self.node.next_beat, Timer::Heartbeat);
    }
    pub(super) fn new_node(&self, now: Time) -> Object {
        let config = &self.config;
        let mut labels = config.labels.clone();
        for (key, value) in [
            ("beta.kubernetes.io/arch", "amd64"),
            ("beta.kubernetes.io/os", "linux"),
            ("kubernetes.io/arch", "amd64"),
            ("kubernetes.io/hostname", config.name.as_str()),
            ("kubernetes.io/os", "linux"),
        ] {
            if labels.get(key).is_none() {
                labels = labels.with(key, value);
            }
        }
        let mut node = Node { taints: config.taints.clone(), ..Node::default() };
        self.fill_status(&mut node, now);
        // What the controllers for address ranges and for the caching of secrets would add.
        let range = Value::from(format!("{}/24", ip_text(0x0af4_0000 + (self.index << 8))));
        node.other_spec.insert("podCIDRs", vec![range.clone()]);
        node.other_spec.insert("podCIDR", range);
        let annotations = [("node.alpha.kubernetes.io/ttl".into(), "0".into())].into_iter().collect::<StrMap>();
        let meta = Meta { name: config.name.clone(), labels, annotations, ..Meta::default() };
        Object { meta, body: Body::Node(Box::new(node)) }
    }
    /// Writes what this kubelet knows into a node's status.
    fn fill_status(&self, node: &mut Node, now: Time) {
        let config = &self.config;
        node.capacity =
            map! { "cpu" => &config.cpu, "ephemeral-storage" => "0", "memory" => &config.memory, "pods" => config.pods.to_string() };
        if node.allocatable != node.capacity {
            node.set_allocatable(node.capacity.clone());
        }
        for (type_, reason, message, _) in PRESSURES {
            let keep = !self.node.unready.is_empty() && condition::find(&node.conditions, type_).is_some();
            set_condition(&mut node.conditions, type_, (!keep).then_some(("False", reason, message)), now);
        }
        let ready = match self.node.unready.as_str() {
            "" => ("True", "KubeletReady", "kubelet is posting ready status"),
            why => ("False", "KubeletNotReady", why),
        };
        set_condition(&mut node.conditions, "Ready", Some(ready), now);
        self.fill_info(&mut node.other_status);
    }
    fn fill_info(&self, status: &mut Map) {
        let config = &self.config;
        let address = |type_: &str, address: String| Value::from(map! { "type" => type_, "address" => address });
        status.insert("addresses", vec![address("InternalIP", ip_text(config.ip)), address("Hostname", config.name.to_string())]);
        status.insert("daemonEndpoints", map! { "kubeletEndpoint" => map! { "Port" => 21_001 + i64::from(self.index) } });
        let mut info = map! {
            "kernelVersion" => "6.1.0-18-amd64",
            "osImage" => "Debian GNU/Linux 12 (bookworm)",
            "containerRuntimeVersion" => "containerd://2.1.4",
            "kubeletVersion" => "v1.36.4",
            "operatingSystem" => "linux",
            "architecture" => "amd64",
        };
        for key in ["machineID", "systemUUID", "bootID", "kubeProxyVersion"] {
            info.insert(key, "");
        }
        status.insert("nodeInfo", info);
        let features = [
            "ExtendWebSocketsToKubelet",
            "InPlacePodLevelResourcesVerticalScaling",
            "InPlacePodVerticalScalingInitContainers",
            "RestartAllContainersOnContainerExits",
        ];
        status.insert("declaredFeatures", features.into_iter().map(Value::from).collect::<Vec<_>>());
        if !self.images.is_empty() {
            let image = |name: &Str| Value::from(map! { "names" => vec![name.into()], "sizeBytes" => IMAGE_BYTES });
            let mut images: Vec<Value> = self.images.iter().skip(self.images.len().saturating_sub(50)).map(image).collect();
            images.reverse();
            status.insert("images", images);
        }
    }
    pub(super) fn node_answered(&mut self, call: &Call, response: &Response, cx: &mut Cx) {
        let taken = response.refusal().is_some_and(|s| s.code == 409);
        match (call, response.object()) {
            (Call::CreateNode, Some(node)) => {
                self.node.object = Some(node.clone());
                self.registered(cx);
            }
            (Call::CreateNode, None) if taken => self.get_node(cx),
            (Call::CreateNode, None) => {
                let object = self.new_node(cx.now);
                self.send(cx.now + Span::millis(400), Call::CreateNode, Request::create(object), cx);
            }
            (Call::GetNode, Some(node)) => {
                self.node.object = Some(node.clone());
                self.node.silent = false;
                if self.node.unready == STARTING {
                    self.report(cx);
                    self.registered(cx);
                } else if !self.conditions_hold() {
                    self.report(cx);
                }
            }
            // A start that cannot find out about its node begins again.
            (Call::GetNode, None) if self.node.unready == STARTING && self.node.object.is_none() => {
                let object = self.new_node(cx.now);
                self.send(cx.now + Span::millis(400), Call::CreateNode, Request::create(object), cx);
            }
            (Call::NodeStatus, Some(node)) => self.keep_node(node),
            (Call::CreateLease | Call::GetLease | Call::RenewLease, Some(lease)) => {
                self.node.lease = Some(lease.clone());
                if *call == Call::GetLease {
                    self.renew(cx);
                }
            }
            (Call::CreateLease | Call::RenewLease, None) if taken => {
                let get = Request::new(Verb::Get, Kind::LEASE, LEASE_NAMESPACE, self.config.name.clone());
                self.send(cx.now, Call::GetLease, get, cx);
            }
            (Call::RenewLease | Call::GetLease, None) if response.code() == 404 => self.node.lease = None,
            (Call::RenewLease | Call::NodeStatus | Call::GetNode, None) => self.node.silent = true,
            _ => {}
        }
    }
    fn get_node(&mut self, cx: &mut Cx) {
        let get = Request::new(Verb::Get, Kind::NODE, "", self.config.name.clone());
        self.send(cx.now, Call::GetNode, get, cx);
    }
    fn registered(&mut self, cx: &mut Cx) {
        self.node.reported = cx.now;
        self.node.unschedulable = self.node.object.as_ref().and_then(|o| o.node()).is_some_and(|n| n.unschedulable);
        self.tell_pressures(cx);
        self.renew(cx);
        let ready_at = cx.now + Core::jitter(220, 280, cx);
        cx.out.wake(ready_at, Timer::NodeReady);
        if !self.node.beating {
            self.node.beating = true;
            self.plan_heartbeat(cx);
        }
    }
    fn plan_heartbeat(&mut self, cx: &mut Cx) {
        // The real lease is renewed with up to 4 % of jitter.
        self.node.next_beat = cx.now + HEARTBEAT + Core::jitter(0, 400, cx);
        cx.out.wake(self.node.next_beat, Timer::Heartbeat);
    }
    /// The node is ready once its start is over.
    pub(super) fn node_ready(&mut self, cx: &mut Cx) {
        if self.node.unready.is_empty() || self.node.object.is_none() {
            return;
        }
        self.node.unready = Str::default();
        self.report(cx);
    }
    /// Renews the lease and writes the status if it changed, or after five minutes.
    pub(super) fn heartbeat(&mut self, cx: &mut Cx) {
        if cx.now < self.node.next_beat {
            // A wake-up from before the process ended.
            return;
        }
        let late = cx.now - self.node.next_beat;
        self.plan_heartbeat(cx);
        self.renew(cx);
        self.node.beats = self.node.beats.wrapping_add(1);
        self.tell_schedulable(cx);
        if self.node.beats.is_multiple_of(RECORDER_BEATS) {
            self.recorder.sweep(cx.now);
        }
        if late > RUNTIME_SILENCE {
            // Both ways were seen of real kubelets that were frozen: down for a round first (mostly), or ready at once.
            if cx.rng.below(4) > 0 {
                self.node.unready = text!(RUNTIME_DOWN);
            }
            return self.get_node(cx);
        }
        if self.node.silent {
            self.get_node(cx);
        }
        if self.node.unready == RUNTIME_DOWN {
            self.node.unready = Str::default();
        }
        let images = self.node.beats.is_multiple_of(IMAGE_BEATS) && self.node.images_reported != self.images.len();
        if images || cx.now - self.node.reported >= REPORT_PERIOD || !self.conditions_hold() {
            self.report(cx);
        }
    }
    /// Whether the node's object says what this kubelet would say.
    fn conditions_hold(&self) -> bool {
        let Some(node) = self.node.object.as_ref().and_then(|o| o.node()) else { return true };
        let ready = if self.node.unready.is_empty() { "True" } else { "False" };
        node.conditions.iter().all(|c| match c.type_.as_str() {
            "Ready" => c.status == ready,
            "MemoryPressure" | "DiskPressure" | "PIDPressure" => c.status == "False",
            _ => true,
        })
    }
    /// Sends the node's status, and tells what has changed in it.
    fn report(&mut self, cx: &mut Cx) {
        let Some(old) = self.node.object.clone() else { return };
        let mut object = Object::clone(&old);
        let (Some(before), Some(node)) = (old.node(), object.node_mut()) else { return };
        self.fill_status(node, cx.now);
        let changed = |type_: &str| {
            let status = |n: &Node| condition::find(&n.conditions, type_).map(|c| c.status.clone());
            status(before) != status(node)
        };
        let pressures: Vec<_> = PRESSURES.into_iter().filter(|p| changed(p.0)).collect();
        let ready = changed("Ready");
        for (.., event) in pressures {
            self.tell_status(event, cx);
        }
        if ready {
            self.tell_status(if self.node.unready.is_empty() { "NodeReady" } else { "NodeNotReady" }, cx);
        }
        self.node.reported = cx.now;
        self.node.images_reported = self.images.len();
        self.send(cx.now + Core::jitter(2, 6, cx), Call::NodeStatus, Request::patch_status(object), cx);
    }
    fn renew(&mut self, cx: &mut Cx) {
        let now = cx.now;
        let Some(known) = &self.node.lease else {
            let Some(uid) = self.node.object.as_ref().map(|o| o.meta.uid) else { return };
            let owner =
                OwnerRef { controller: None, block_owner_deletion: None, ..OwnerRef::controller("v1", "Node", &self.config.name, uid) };
            let meta = Meta {
                name: self.config.name.clone(),
                namespace: text!(LEASE_NAMESPACE),
                owners: Some(vec![owner].into()),
                ..Meta::default()
            };
            let lease = Lease { holder: self.config.name.clone(), duration_seconds: Some(40), renewed: Some(now), ..Lease::default() };
            let create = Request::create(Object { meta, body: Body::Lease(Box::new(lease)) });
            return self.send(now, Call::CreateLease, create, cx);
        };
        let mut object = Object::clone(known);
        if let Some(lease) = object.lease_mut() {
            lease.holder = self.config.name.clone();
            lease.renewed = Some(now);
        }
        self.send(now, Call::RenewLease, Request::update(object), cx);
    }
    /// The node's object as someone wrote it.
    pub(super) fn node_seen(&mut self, event: &WatchEvent) {
        if event.object.meta.name == self.config.name && event.type_ != WatchType::Deleted {
            self.keep_node(&event.object);
        }
    }
    fn keep_node(&mut self, node: &Arc<Object>) {
        let version = |o: &Arc<Object>| o.meta.resource_version;
        if self.node.object.as_ref().is_none_or(|known| version(known) <= version(node) || known.meta.uid != node.meta.uid) {
            self.node.object = Some(node.clone());
        }
    }
    /// The node's labels, as far as known.
    pub(super) fn node_labels(&self) -> &StrMap {
        self.node.object.as_ref().map_or(&self.config.labels, |o| &o.meta.labels)
    }
    fn tell_schedulable(&mut self, cx: &mut Cx) {
        let Some(node) = self.node.object.as_ref().and_then(|o| o.node()) else { return };
        if node.unschedulable != self.node.unschedulable {
            self.node.unschedulable = node.unschedulable;
            self.tell_status(if self.node.unschedulable { "NodeNotSchedulable" } else { "NodeSchedulable" }, cx);
        }
    }
    fn tell_pressures(&mut self, cx: &mut Cx) {
        for (.., event) in PRESSURES {
            self.tell_status(event, cx);
        }
    }
    fn tell_status(&mut self, reason: &'static str, cx: &mut Cx) {
        let message = format!("Node {} status is now: {reason}", self.config.name);
        self.node_event_record(reason, message.into(), cx);
    }
    /// Kubelets speak of their node by name alone.
    fn node_event_record(&mut self, reason: &'static str, message: Str, cx: &mut Cx) {
        let about = ObjectRef {
            kind: text!("Node"),
            name: self.config.name.clone(),
            uid: RefUid::Absent,
            api_version: text!("v1"),
            ..ObjectRef::default()
        };
        let draft = EventDraft { about, warning: false, reason: Str::new(reason), message };
        self.record(draft, Span::millis(2), cx);
    }
}

/// Sets a condition, or only its heartbeat.
fn set_condition(conditions: &mut Vec<Condition>, type_: &str, say: Option<(&str, &str, &str)>, now: Time) {
    let i = conditions.iter().position(|c| c.type_ == type_).unwrap_or_else(|| {
        conditions.push(Condition { type_: type_.into(), ..Condition::default() });
        conditions.len() - 1
    });
    let Some(condition) = conditions.get_mut(i) else { return };
    condition.last_heartbeat = Some(now.whole_second());
    let Some((status, reason, message)) = say else { return };
    if condition.status != status {
        condition.status = status.into();
        condition.last_transition = Some(now.whole_second());
    }
    if condition.reason != reason || condition.message != message {
        (condition.reason, condition.message) = (reason.into(), message.into());
    }
}
