//! The pod status, kept small: a running pod of one container takes about 250 bytes here. Counterpart: `core/v1.PodStatus`.

use super::spec::PodSpec;
use crate::api::meta::{mix, unmix};
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::map;
use crate::text::Str;
use std::sync::Arc;

/// What was last observed of a pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodStatus {
    /// Where it stands in its life.
    pub phase: Phase,
    /// The generation the kubelet has acted on; 0 is none.
    pub observed_generation: u32,
    /// IPv4 address of the node, 0 is none.
    pub host_ip: u32,
    /// IPv4 address of the pod, 0 is none.
    pub pod_ip: u32,
    /// When the kubelet took it up.
    pub start: Option<Time>,
    /// Conditions.
    pub conditions: Vec<PodCondition>,
    /// Containers.
    pub containers: Vec<ContainerStatus>,
    /// Init containers.
    pub init_containers: Vec<ContainerStatus>,
    /// Rarely used fields.
    pub rare: Option<Box<RareStatus>>,
}

/// Status fields that few pods have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RareStatus {
    /// Why the whole pod is in its phase.
    pub reason: Str,
    /// The same in words.
    pub message: Str,
    /// The node where room is being made for it.
    pub nominated_node: Str,
    /// Anything else that was written, kept verbatim.
    pub other: Map,
}

/// Where a pod stands in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Not all containers have been started yet.
    #[default]
    Pending,
    /// At least one container runs.
    Running,
    /// All ended well.
    Succeeded,
    /// All ended, at least one badly.
    Failed,
    /// The node's state is not known.
    Unknown,
}

impl Phase {
    /// As the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            Phase::Pending => "Pending",
            Phase::Running => "Running",
            Phase::Succeeded => "Succeeded",
            Phase::Failed => "Failed",
            Phase::Unknown => "Unknown",
        }
    }
    fn parse(s: &str) -> Phase {
        match s {
            "Running" => Phase::Running,
            "Succeeded" => Phase::Succeeded,
            "Failed" => Phase::Failed,
            "Unknown" => Phase::Unknown,
            _ => Phase::Pending,
        }
    }
    /// Whether nothing of it will run again.
    pub fn is_terminal(self) -> bool {
        matches!(self, Phase::Succeeded | Phase::Failed)
    }
}

/// The type of a pod condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConditionType {
    /// The sandbox is there.
    PodReadyToStartContainers,
    /// Init containers are done.
    Initialized,
    /// Requests may be sent to it.
    Ready,
    /// All containers are ready.
    ContainersReady,
    /// It has a node.
    PodScheduled,
    /// It is about to be removed by the system.
    DisruptionTarget,
    /// Another type, named in the detail.
    Other,
}

const CONDITION_NAMES: [(&str, ConditionType); 6] = [
    ("PodReadyToStartContainers", ConditionType::PodReadyToStartContainers),
    ("Initialized", ConditionType::Initialized),
    ("Ready", ConditionType::Ready),
    ("ContainersReady", ConditionType::ContainersReady),
    ("PodScheduled", ConditionType::PodScheduled),
    ("DisruptionTarget", ConditionType::DisruptionTarget),
];

/// True, false or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// `True`
    True,
    /// `False`
    False,
    /// `Unknown`
    Unknown,
}

impl Truth {
    /// As the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            Truth::True => "True",
            Truth::False => "False",
            Truth::Unknown => "Unknown",
        }
    }
}

impl From<bool> for Truth {
    fn from(b: bool) -> Truth {
        if b { Truth::True } else { Truth::False }
    }
}

/// One condition of a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct PodCondition {
    /// Its type.
    pub type_: ConditionType,
    /// Whether it holds.
    pub status: Truth,
    /// The generation it is about, 0 is none.
    pub observed_generation: u32,
    /// When the status last changed.
    pub last_transition: Time,
    /// Reason and message, where there are any.
    pub detail: Option<Arc<ConditionDetail>>,
}

/// Why a condition is as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConditionDetail {
    /// The type's name, for types the engine has no word for.
    pub type_name: Str,
    /// In one word.
    pub reason: Str,
    /// In a sentence.
    pub message: Str,
}

impl PodCondition {
    /// A condition without a reason.
    pub fn new(type_: ConditionType, status: impl Into<Truth>, now: Time) -> Self {
        PodCondition { type_, status: status.into(), observed_generation: 0, last_transition: now.whole_second(), detail: None }
    }
    /// The same with a reason and a message.
    pub fn because(mut self, reason: &str, message: impl Into<Str>) -> Self {
        self.detail = Some(Arc::new(ConditionDetail { type_name: Str::default(), reason: reason.into(), message: message.into() }));
        self
    }
    /// The type's name.
    pub fn type_name(&self) -> &str {
        match CONDITION_NAMES.iter().find(|(_, t)| *t == self.type_) {
            Some((name, _)) => name,
            None => self.detail.as_ref().map_or("", |d| &d.type_name),
        }
    }
    /// The reason, or `""`.
    pub fn reason(&self) -> &str {
        self.detail.as_ref().map_or("", |d| &d.reason)
    }
    /// The message, or `""`.
    pub fn message(&self) -> &str {
        self.detail.as_ref().map_or("", |d| &d.message)
    }
    fn to_value(&self) -> Value {
        let mut m = map! {
            "type" => self.type_name(),
            "status" => self.status.text(),
            "lastProbeTime" => Value::Null,
            "lastTransitionTime" => self.last_transition.rfc3339(),
        };
        for (key, text) in [("reason", self.reason()), ("message", self.message())] {
            if !text.is_empty() {
                m.insert(key, text);
            }
        }
        if self.observed_generation != 0 {
            m.insert("observedGeneration", self.observed_generation);
        }
        m.into()
    }
    fn from_value(v: &Value) -> Option<PodCondition> {
        let m = v.as_map()?;
        let name = m.str("type");
        let known = CONDITION_NAMES.iter().find(|(n, _)| *n == name).map(|(_, t)| *t);
        let detail = ConditionDetail {
            type_name: if known.is_some() { Str::default() } else { name.into() },
            reason: m.str("reason").into(),
            message: m.str("message").into(),
        };
        Some(PodCondition {
            type_: known.unwrap_or(ConditionType::Other),
            status: match m.str("status") {
                "True" => Truth::True,
                "False" => Truth::False,
                _ => Truth::Unknown,
            },
            observed_generation: m.int("observedGeneration").unwrap_or(0) as u32,
            last_transition: Time::parse(m.str("lastTransitionTime")).unwrap_or_default(),
            detail: (detail != ConditionDetail::default()).then(|| Arc::new(detail)),
        })
    }
}

/// What was last observed of a container.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContainerStatus {
    /// Its name.
    pub name: Str,
    /// Its image as the spec names it.
    pub image: Str,
    /// Whether the image has been resolved (`imageID` is then shown).
    pub image_resolved: bool,
    /// Its state.
    pub state: ContainerState,
    /// Its state before the last restart.
    pub last_state: Option<Box<ContainerState>>,
    /// Whether it passes its readiness probe.
    pub ready: bool,
    /// Whether it has passed its startup probe.
    pub started: bool,
    /// How often it was started again.
    pub restarts: u32,
    /// Number of the runtime's container, 0 is none; shown as 64 hexadecimal digits.
    pub container: u64,
}

/// The state of a container.
#[derive(Clone, Debug, PartialEq)]
pub enum ContainerState {
    /// Not running yet, or not again yet.
    Waiting {
        /// Why.
        reason: Str,
        /// In words.
        message: Str,
    },
    /// Running.
    Running {
        /// Since when.
        started: Time,
    },
    /// Ended.
    Terminated(Box<Terminated>),
}

impl Default for ContainerState {
    fn default() -> Self {
        ContainerState::Waiting { reason: Str::default(), message: Str::default() }
    }
}

/// How a container ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terminated {
    /// Exit code.
    pub exit_code: i32,
    /// `Completed`, `Error` …
    pub reason: Str,
    /// In words.
    pub message: Str,
    /// When it was started.
    pub started: Option<Time>,
    /// When it ended.
    pub finished: Option<Time>,
    /// The runtime's container.
    pub container: u64,
}

/// `containerd://` and 64 digits made from a container's number, which can be read back from them.
pub fn container_id(n: u64) -> String {
    let mut text = String::from("containerd://");
    let mut x = n;
    for _ in 0..4 {
        x = mix(x);
        text.push_str(&format!("{x:016x}"));
    }
    text
}

fn container_number(id: &str) -> u64 {
    let digits = id.strip_prefix("containerd://").and_then(|d| d.get(..16));
    digits.and_then(|d| u64::from_str_radix(d, 16).ok()).map_or(0, unmix)
}

impl ContainerState {
    /// As a tree: `{running: {startedAt: …}}`.
    pub fn to_map(&self) -> Map {
        match self {
            ContainerState::Waiting { reason, message } => {
                let mut m = Map::new();
                for (key, text) in [("reason", reason), ("message", message)] {
                    if !text.is_empty() {
                        m.insert(key, text);
                    }
                }
                map! { "waiting" => m }
            }
            ContainerState::Running { started } => map! { "running" => map! { "startedAt" => started.rfc3339() } },
            ContainerState::Terminated(t) => {
                let mut m = map! { "exitCode" => t.exit_code };
                for (key, text) in [("reason", &t.reason), ("message", &t.message)] {
                    if !text.is_empty() {
                        m.insert(key, text);
                    }
                }
                let time = |t: Option<Time>| t.map_or(Value::Null, |t| t.rfc3339().into());
                m.insert("startedAt", time(t.started));
                m.insert("finishedAt", time(t.finished));
                if t.container != 0 {
                    m.insert("containerID", container_id(t.container));
                }
                map! { "terminated" => m }
            }
        }
    }
    fn from_map(m: &Map) -> Option<ContainerState> {
        if let Some(r) = m.map("running") {
            return Some(ContainerState::Running { started: Time::parse(r.str("startedAt")).unwrap_or_default() });
        }
        if let Some(t) = m.map("terminated") {
            return Some(ContainerState::Terminated(Box::new(Terminated {
                exit_code: t.int("exitCode").unwrap_or(0) as i32,
                reason: t.str("reason").into(),
                message: t.str("message").into(),
                started: Time::parse(t.str("startedAt")),
                finished: Time::parse(t.str("finishedAt")),
                container: container_number(t.str("containerID")),
            })));
        }
        m.map("waiting").map(|w| ContainerState::Waiting { reason: w.str("reason").into(), message: w.str("message").into() })
    }
}

impl ContainerStatus {
    fn to_value(&self, resources: Option<&Value>, token: Option<&str>) -> Value {
        let mut m = map! {
            "name" => &self.name,
            "image" => &self.image,
            "imageID" => if self.image_resolved { self.image.as_str() } else { "" },
            "state" => self.state.to_map(),
            "lastState" => self.last_state.as_ref().map(|s| s.to_map()).unwrap_or_default(),
            "ready" => self.ready,
            "started" => self.started,
            "restartCount" => self.restarts,
        };
        if self.container != 0 {
            m.insert("containerID", container_id(self.container));
            m.insert("resources", resources.cloned().unwrap_or_else(|| Map::new().into()));
        }
        if let Some(token) = token {
            let mount = map! {
                "name" => token,
                "mountPath" => super::TOKEN_PATH,
                "readOnly" => true,
                "recursiveReadOnly" => "Disabled",
            };
            m.insert("volumeMounts", vec![mount.into()]);
        }
        m.into()
    }
    fn from_value(v: &Value) -> Option<ContainerStatus> {
        let m = v.as_map()?;
        Some(ContainerStatus {
            name: m.str("name").into(),
            image: m.str("image").into(),
            image_resolved: !m.str("imageID").is_empty(),
            state: m.map("state").and_then(ContainerState::from_map).unwrap_or_default(),
            last_state: m.map("lastState").and_then(ContainerState::from_map).map(Box::new),
            ready: m.bool("ready"),
            started: m.bool("started"),
            restarts: m.int("restartCount").unwrap_or(0) as u32,
            container: container_number(m.str("containerID")),
        })
    }
}

/// An IPv4 address's text.
pub fn ip_text(ip: u32) -> String {
    let [a, b, c, d] = ip.to_be_bytes();
    format!("{a}.{b}.{c}.{d}")
}

/// The address a text names, 0 if it names none.
pub fn ip_parse(text: &str) -> u32 {
    text.parse::<std::net::Ipv4Addr>().map_or(0, u32::from)
}

impl PodStatus {
    /// The condition of a type.
    pub fn condition(&self, type_: ConditionType) -> Option<&PodCondition> {
        self.conditions.iter().find(|c| c.type_ == type_)
    }
    /// Whether the Ready condition holds.
    pub fn is_ready(&self) -> bool {
        self.condition(ConditionType::Ready).is_some_and(|c| c.status == Truth::True)
    }
    /// Why the whole pod is in its phase.
    pub fn reason(&self) -> &str {
        self.rare.as_ref().map_or("", |r| &r.reason)
    }
    /// The same in words.
    pub fn message(&self) -> &str {
        self.rare.as_ref().map_or("", |r| &r.message)
    }
    /// The node where room is being made for it.
    pub fn nominated_node(&self) -> &str {
        self.rare.as_ref().map_or("", |r| &r.nominated_node)
    }
    pub(super) fn to_map(&self, spec: &PodSpec, token: Option<&str>) -> Map {
        let mut m = self.rare.as_ref().map(|r| r.other.clone()).unwrap_or_default();
        m.insert("phase", self.phase.text());
        m.insert("qosClass", spec.qos.text());
        if self.observed_generation != 0 {
            m.insert("observedGeneration", self.observed_generation);
        }
        if !self.conditions.is_empty() {
            m.insert("conditions", self.conditions.iter().map(PodCondition::to_value).collect::<Vec<_>>());
        }
        for (one, many, ip) in [("hostIP", "hostIPs", self.host_ip), ("podIP", "podIPs", self.pod_ip)] {
            if ip != 0 {
                m.insert(one, ip_text(ip));
                m.insert(many, vec![map! { "ip" => ip_text(ip) }.into()]);
            }
        }
        if let Some(t) = self.start {
            m.insert("startTime", t.rfc3339());
        }
        for (key, list, specs) in
            [("containerStatuses", &self.containers, "containers"), ("initContainerStatuses", &self.init_containers, "initContainers")]
        {
            if !list.is_empty() {
                let of = |name: &str| spec.raw.list(specs).iter().find(|c| c.get("name").and_then(Value::as_str) == Some(name));
                let all = list.iter().map(|c| c.to_value(of(&c.name).and_then(|c| c.get("resources")), token));
                m.insert(key, all.collect::<Vec<_>>());
                m.insert("resources", Map::new());
            }
        }
        if let Some(r) = &self.rare {
            for (key, text) in [("reason", &r.reason), ("message", &r.message), ("nominatedNodeName", &r.nominated_node)] {
                if !text.is_empty() {
                    m.insert(key, text);
                }
            }
        }
        m
    }
    pub(super) fn from_map(m: Option<&Map>) -> PodStatus {
        let Some(m) = m else { return PodStatus::default() };
        let containers = |key| m.list(key).iter().filter_map(ContainerStatus::from_value).collect();
        let mut other = m.clone();
        other.retain(|k, _| {
            !matches!(
                k,
                "phase"
                    | "qosClass"
                    | "observedGeneration"
                    | "conditions"
                    | "hostIP"
                    | "hostIPs"
                    | "podIP"
                    | "podIPs"
                    | "startTime"
                    | "containerStatuses"
                    | "initContainerStatuses"
                    | "resources"
                    | "reason"
                    | "message"
                    | "nominatedNodeName"
            )
        });
        let rare = RareStatus {
            reason: m.str("reason").into(),
            message: m.str("message").into(),
            nominated_node: m.str("nominatedNodeName").into(),
            other,
        };
        PodStatus {
            phase: Phase::parse(m.str("phase")),
            observed_generation: m.int("observedGeneration").unwrap_or(0) as u32,
            host_ip: ip_parse(m.str("hostIP")),
            pod_ip: ip_parse(m.str("podIP")),
            start: Time::parse(m.str("startTime")),
            conditions: m.list("conditions").iter().filter_map(PodCondition::from_value).collect(),
            containers: containers("containerStatuses"),
            init_containers: containers("initContainerStatuses"),
            rare: (rare != RareStatus::default()).then(|| Box::new(rare)),
        }
    }
}
