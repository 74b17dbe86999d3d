//! The kubelet's own Node object and its lease. Counterpart: `kubelet_node_status.go`, `nodestatus/setters.go` and `component-helpers/apimachinery/lease`.

use super::{Call, Core, Cx, Timer};
use crate::api::kind::condition::{self, Condition};
use crate::api::kind::event::{ObjectRef, RefUid};
use crate::api::kind::lease::{Lease, LeaseSpec};
use crate::api::kind::node::{Node, Taint};
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
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::Arc;

const LEASE_NAMESPACE: &str = "kube-node-lease";
const HEARTBEAT: Span = Span::secs(10);
/// The time after which the kubelet writes a node status again that did not change.
const REPORT_PERIOD: Span = Span::secs(300);
/// The lateness of a heartbeat from which on the kubelet reports its container runtime as down.
const RUNTIME_SILENCE: Span = Span::secs(30);
/// The number of heartbeats between two checks of the list of images in the node's status.
const IMAGE_BEATS: u32 = 3;
/// The number of heartbeats after which the event recorder drops old events.
const RECORDER_BEATS: u32 = 30;

/// The message of the Ready condition while the kubelet starts.
const STARTING: &str = "CSINode is not yet initialized";
/// The message of the Ready condition after the kubelet was frozen.
const RUNTIME_DOWN: &str = "container runtime is down";

/// The pressure conditions: their type, their reason and message when there is no pressure, and the reason of the event about it.
const PRESSURES: [(&str, &str, &str, &str); 3] = [
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID"),
];

/// The kubelet's knowledge of its Node object and lease.
#[derive(Clone, Debug, Default)]
pub struct NodeState {
    object: Option<Arc<Object>>,
    lease: Option<Arc<Object>>,
    /// The message of the Ready condition if the node is not ready; `""` if it is.
    unready: ArcStr,
    next_beat: Time,
    reported: Time,
    beats: u32,
    images_reported: usize,
    unschedulable: bool,
    /// Set once the next heartbeat is planned.
    heartbeat_planned: bool,
    /// Set after a write of the node failed. Others may have changed the node meanwhile, so the kubelet reads it again.
    write_failed: bool,
}

impl NodeState {
    /// Clears the state when the kubelet's process ends.
    pub fn stop(&mut self) {
        *self = NodeState::default();
    }
}

impl Core {
    pub(super) fn start_node(&mut self, cx: &mut Cx) {
        self.node = NodeState::default();
        self.node.unready = literal!(STARTING);
        self.record_node_event("Starting", "Starting kubelet.".into(), cx);
        self.record_pressures(cx);
        let object = self.new_node(cx.now);
        self.send(cx.now + Core::jitter(60, 100, cx), Call::CreateNode, Request::create(object), cx);
    }
    /// Takes over a node that has been registered and ready for a long time: plans heartbeats, the first at a random time.
    pub(super) fn resume_ready(&mut self, node: Arc<Object>, cx: &mut Cx) {
        self.node = NodeState { object: Some(node), reported: cx.now, heartbeat_planned: true, ..NodeState::default() };
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
        let mut node = Node::default();
        node.spec.taints.clone_from(&config.taints);
        self.fill_status(&mut node, now);
        // The fields that the node IPAM controller and the TTL controller would add.
        let range = Value::from(format!("{}/24", ip_text(0x0af4_0000 + (self.index << 8))));
        node.spec.other.insert("podCIDRs", vec![range.clone()]);
        node.spec.other.insert("podCIDR", range);
        let annotations = [("node.alpha.kubernetes.io/ttl".into(), "0".into())].into_iter().collect::<StrMap>();
        let meta = Meta { name: config.name.clone(), labels, annotations, ..Meta::default() };
        Object { meta, body: Body::Node(node.into()) }
    }
    /// Fills in the status of a Node object.
    fn fill_status(&self, node: &mut Node, now: Time) {
        let config = &self.config;
        let mut capacity = map! {
            "cpu" => &config.cpu, "ephemeral-storage" => self.storage(), "memory" => &config.memory, "pods" => config.pods.to_string()
        };
        // Extended resources are set by others.
        let extended = node.status.capacity.iter().filter(|(name, _)| name.contains('/'));
        extended.for_each(|(name, amount)| capacity.insert(name.clone(), amount.clone()));
        node.status.capacity = capacity;
        if node.status.allocatable.raw != node.status.capacity {
            node.status.allocatable = node.status.capacity.clone().into();
        }
        for (type_, reason, message, _) in PRESSURES {
            let keep = !self.node.unready.is_empty() && condition::find(&node.status.conditions, type_).is_some();
            set_condition(&mut node.status.conditions, type_, (!keep).then_some(("False", reason, message)), now);
        }
        let ready = match self.node.unready.as_str() {
            "" => ("True", "KubeletReady", "kubelet is posting ready status"),
            why => ("False", "KubeletNotReady", why),
        };
        set_condition(&mut node.status.conditions, "Ready", Some(ready), now);
        self.fill_info(&mut node.status.other);
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
            let image = |name: &ArcStr| Value::from(map! { "names" => vec![name.into()], "sizeBytes" => self.image_bytes(name) });
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
                self.node.write_failed = false;
                if self.node.unready == STARTING {
                    self.report(cx);
                    self.registered(cx);
                } else if !self.conditions_hold() {
                    self.report(cx);
                }
            }
            // A start that cannot read its node begins again by creating it.
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
            (Call::RenewLease | Call::NodeStatus | Call::GetNode, None) => self.node.write_failed = true,
            _ => {}
        }
    }
    fn get_node(&mut self, cx: &mut Cx) {
        let get = Request::new(Verb::Get, Kind::NODE, "", self.config.name.clone());
        self.send(cx.now, Call::GetNode, get, cx);
    }
    fn registered(&mut self, cx: &mut Cx) {
        self.node.reported = cx.now;
        self.node.unschedulable = self.node.object.as_ref().and_then(|o| o.node()).is_some_and(|n| n.spec.unschedulable);
        self.record_pressures(cx);
        self.renew(cx);
        let ready_at = cx.now + Core::jitter(220, 280, cx);
        cx.out.wake(ready_at, Timer::NodeReady);
        if !self.node.heartbeat_planned {
            self.node.heartbeat_planned = true;
            self.plan_heartbeat(cx);
        }
    }
    fn plan_heartbeat(&mut self, cx: &mut Cx) {
        // As in the real kubelet, the interval between renewals of the lease has up to 4 % of jitter.
        self.node.next_beat = cx.now + HEARTBEAT + Core::jitter(0, 400, cx);
        cx.out.wake(self.node.next_beat, Timer::Heartbeat);
    }
    /// Reports the node as ready at the end of the kubelet's start.
    pub(super) fn node_ready(&mut self, cx: &mut Cx) {
        if self.node.unready.is_empty() || self.node.object.is_none() {
            return;
        }
        self.node.unready = ArcStr::default();
        self.report(cx);
    }
    /// Renews the lease, and writes the node's status if it changed or was last written five minutes ago.
    pub(super) fn heartbeat(&mut self, cx: &mut Cx) {
        if cx.now < self.node.next_beat {
            // The wake-up is an outdated one of the kubelet's last process.
            return;
        }
        let late = cx.now - self.node.next_beat;
        self.plan_heartbeat(cx);
        self.renew(cx);
        self.node.beats = self.node.beats.wrapping_add(1);
        self.record_schedulable(cx);
        if self.node.beats.is_multiple_of(RECORDER_BEATS) {
            self.recorder.sweep(cx.now);
        }
        if late > RUNTIME_SILENCE {
            // Real kubelets that were frozen mostly report the runtime as down for one heartbeat, and sometimes are ready at once.
            if cx.rng.below(4) > 0 {
                self.node.unready = literal!(RUNTIME_DOWN);
            }
            return self.get_node(cx);
        }
        if self.node.write_failed {
            self.get_node(cx);
        }
        if self.node.unready == RUNTIME_DOWN {
            self.node.unready = ArcStr::default();
        }
        let images = self.node.beats.is_multiple_of(IMAGE_BEATS) && self.node.images_reported != self.images.len();
        let node = self.node.object.as_ref().and_then(|o| o.node());
        let capacity = node.is_some_and(|n| n.status.allocatable.raw != n.status.capacity);
        if images || capacity || cx.now - self.node.reported >= REPORT_PERIOD || !self.conditions_hold() {
            self.report(cx);
        }
    }
    /// Returns whether the node's conditions are as this kubelet would write them now.
    fn conditions_hold(&self) -> bool {
        let Some(node) = self.node.object.as_ref().and_then(|o| o.node()) else { return true };
        let ready = if self.node.unready.is_empty() { "True" } else { "False" };
        node.status.conditions.iter().all(|c| match c.type_.as_str() {
            "Ready" => c.status == ready,
            "MemoryPressure" | "DiskPressure" | "PIDPressure" => c.status == "False",
            _ => true,
        })
    }
    /// Writes the node's status, and records events about changed conditions.
    fn report(&mut self, cx: &mut Cx) {
        let Some(old) = self.node.object.clone() else { return };
        let mut object = Object::clone(&old);
        let (Some(before), Some(node)) = (old.node(), object.node_mut()) else { return };
        self.fill_status(node, cx.now);
        let changed = |type_: &str| {
            let status = |n: &Node| condition::find(&n.status.conditions, type_).map(|c| c.status.clone());
            status(before) != status(node)
        };
        let pressures: Vec<_> = PRESSURES.into_iter().filter(|p| changed(p.0)).collect();
        let ready = changed("Ready");
        for (.., event) in pressures {
            self.record_node_status(event, cx);
        }
        if ready {
            self.record_node_status(if self.node.unready.is_empty() { "NodeReady" } else { "NodeNotReady" }, cx);
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
                namespace: literal!(LEASE_NAMESPACE),
                owners: Some(vec![owner].into()),
                ..Meta::default()
            };
            let spec = LeaseSpec {
                holder_identity: Some(self.config.name.clone()),
                lease_duration_seconds: Some(40),
                renew_time: Some(now),
                ..LeaseSpec::default()
            };
            let create = Request::create(Object { meta, body: Body::Lease(Lease { spec }.into()) });
            return self.send(now, Call::CreateLease, create, cx);
        };
        let mut object = Object::clone(known);
        if let Some(lease) = object.lease_mut() {
            lease.spec.holder_identity = Some(self.config.name.clone());
            lease.spec.renew_time = Some(now);
        }
        self.send(now, Call::RenewLease, Request::update(object), cx);
    }
    /// Keeps the version of the node object in a watch event.
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
    /// Returns the node's labels, or the configured ones before the node object is known.
    pub(super) fn node_labels(&self) -> &StrMap {
        self.node.object.as_ref().map_or(&self.config.labels, |o| &o.meta.labels)
    }
    /// Returns the node's taints, or the configured ones before the node object is known.
    pub(super) fn node_taints(&self) -> &[Taint] {
        self.node.object.as_ref().and_then(|o| o.node()).map_or(&self.config.taints, |node| &node.spec.taints)
    }
    /// Returns the size of the node's disk, for what pods write without a volume. The nodes of the recordings have none.
    pub(super) fn storage(&self) -> ArcStr {
        if self.config.runtime.recorded { literal!("0") } else { literal!("61202244Ki") }
    }
    fn record_schedulable(&mut self, cx: &mut Cx) {
        let Some(node) = self.node.object.as_ref().and_then(|o| o.node()) else { return };
        if node.spec.unschedulable != self.node.unschedulable {
            self.node.unschedulable = node.spec.unschedulable;
            self.record_node_status(if self.node.unschedulable { "NodeNotSchedulable" } else { "NodeSchedulable" }, cx);
        }
    }
    fn record_pressures(&mut self, cx: &mut Cx) {
        for (.., event) in PRESSURES {
            self.record_node_status(event, cx);
        }
    }
    fn record_node_status(&mut self, reason: &'static str, cx: &mut Cx) {
        let message = format!("Node {} status is now: {reason}", self.config.name);
        self.record_node_event(reason, message.into(), cx);
    }
    /// Records an event about the node. As with real kubelets, the event refers to the node without its uid.
    fn record_node_event(&mut self, reason: &'static str, message: ArcStr, cx: &mut Cx) {
        let about = ObjectRef {
            kind: literal!("Node"),
            name: self.config.name.clone(),
            uid: RefUid::Absent,
            api_version: literal!("v1"),
            ..ObjectRef::default()
        };
        let draft = EventDraft { about, warning: false, reason: ArcStr::from(reason), message };
        self.record(draft, Span::millis(2), cx);
    }
}

/// Sets the heartbeat time of a condition, and its status, reason and message if `content` gives them.
fn set_condition(conditions: &mut Vec<Condition>, type_: &str, content: Option<(&str, &str, &str)>, now: Time) {
    let i = conditions.iter().position(|c| c.type_ == type_).unwrap_or_else(|| {
        conditions.push(Condition { type_: type_.into(), ..Condition::default() });
        conditions.len() - 1
    });
    let Some(condition) = conditions.get_mut(i) else { return };
    condition.last_heartbeat_time = Some(now.whole_second());
    let Some((status, reason, message)) = content else { return };
    if condition.status != status {
        condition.status = status.into();
        condition.last_transition_time = Some(now.whole_second());
    }
    if condition.reason != reason || condition.message != message {
        (condition.reason, condition.message) = (reason.into(), message.into());
    }
}
