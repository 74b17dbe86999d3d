//! The pod status, kept small: a running pod of one container takes about 250 bytes here. Counterpart: `core/v1.PodStatus`.
//!
//! Fields that follow from others or from the spec (`qosClass`, `podIPs`, a container's `resources` …) are not kept: [`super::Pod`] adds them when it is
//! encoded.

use super::container_status::ContainerStatus;
use crate::api::kind::format::{ipv4, small_count};
use crate::api::kind::is_default;
use crate::api::time::Time;
use crate::api::value::Map;
use arcstr::ArcStr;
use serde::{Deserialize, Deserializer, Serialize};
use std::sync::Arc;

/// The last observed state of a pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// The pod's phase.
    pub phase: Phase,
    /// The generation that the kubelet has acted on; 0 means none.
    #[serde(with = "small_count", skip_serializing_if = "is_default")]
    pub observed_generation: u32,
    /// The IPv4 address of the node; 0 means none.
    #[serde(rename = "hostIP", with = "ipv4", skip_serializing_if = "is_default")]
    pub host_ip: u32,
    /// The IPv4 address of the pod; 0 means none.
    #[serde(rename = "podIP", with = "ipv4", skip_serializing_if = "is_default")]
    pub pod_ip: u32,
    /// The time at which the kubelet accepted the pod.
    #[serde(skip_serializing_if = "is_default")]
    pub start_time: Option<Time>,
    /// The conditions of the Pod.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<PodCondition>,
    /// The statuses of the containers.
    #[serde(skip_serializing_if = "is_default")]
    pub container_statuses: Vec<ContainerStatus>,
    /// The statuses of the init containers.
    #[serde(skip_serializing_if = "is_default")]
    pub init_container_statuses: Vec<ContainerStatus>,
    /// Rarely used fields, boxed to keep the status small.
    #[serde(flatten, deserialize_with = "extra_status")]
    pub rare: Option<Box<ExtraStatus>>,
}

/// Status fields that few pods have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExtraStatus {
    /// The reason for the pod's phase, in one word.
    #[serde(skip_serializing_if = "is_default")]
    pub reason: ArcStr,
    /// The reason for the pod's phase, in a sentence.
    #[serde(skip_serializing_if = "is_default")]
    pub message: ArcStr,
    /// The node on which the scheduler preempts other pods for this one.
    #[serde(skip_serializing_if = "is_default")]
    pub nominated_node_name: ArcStr,
    /// The statuses of the ephemeral containers.
    #[serde(skip_serializing_if = "is_default")]
    pub ephemeral_container_statuses: Vec<ContainerStatus>,
    /// The resources that containers really have, by their names, where these differ from the spec's.
    #[serde(skip)]
    pub actual_resources: Vec<(ArcStr, Map)>,
    /// All other fields, as written.
    #[serde(flatten)]
    pub other: Map,
}

/// Status fields that [`super::Pod`] adds when a pod is encoded.
const DERIVED_FIELDS: [&str; 5] = ["qosClass", "hostIPs", "podIPs", "resources", "allocatedResources"];

fn extra_status<'de, D: Deserializer<'de>>(fields: D) -> Result<Option<Box<ExtraStatus>>, D::Error> {
    let mut rare = ExtraStatus::deserialize(fields)?;
    rare.other.retain(|key, _| !DERIVED_FIELDS.contains(&key));
    Ok((!is_default(&rare)).then(|| Box::new(rare)))
}

/// The phase of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "ArcStr")]
pub enum Phase {
    /// Not all containers have been started yet.
    #[default]
    Pending,
    /// At least one container runs.
    Running,
    /// All containers ended successfully.
    Succeeded,
    /// All containers ended, at least one with a failure.
    Failed,
    /// The state of the node is not known.
    Unknown,
}

impl Phase {
    /// Returns the phase as the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            Phase::Pending => "Pending",
            Phase::Running => "Running",
            Phase::Succeeded => "Succeeded",
            Phase::Failed => "Failed",
            Phase::Unknown => "Unknown",
        }
    }
    /// Returns true if no container of the pod will run again.
    pub fn is_terminal(self) -> bool {
        matches!(self, Phase::Succeeded | Phase::Failed)
    }
}

impl From<ArcStr> for Phase {
    fn from(text: ArcStr) -> Phase {
        match text.as_str() {
            "Running" => Phase::Running,
            "Succeeded" => Phase::Succeeded,
            "Failed" => Phase::Failed,
            "Unknown" => Phase::Unknown,
            _ => Phase::Pending,
        }
    }
}

/// The type of a pod condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConditionType {
    /// The pod's sandbox exists, so containers can be started.
    PodReadyToStartContainers,
    /// The init containers have finished.
    Initialized,
    /// Services may send requests to the pod.
    Ready,
    /// All containers are ready.
    ContainersReady,
    /// The pod is bound to a node.
    PodScheduled,
    /// Kubernetes is about to remove the pod, for example by preemption or eviction.
    DisruptionTarget,
    /// The end of one container restarts all of them.
    AllContainersRestarting,
    /// Another type, whose name is in [`ConditionDetail`].
    Other,
}

const CONDITION_NAMES: [(&str, ConditionType); 7] = [
    ("PodReadyToStartContainers", ConditionType::PodReadyToStartContainers),
    ("Initialized", ConditionType::Initialized),
    ("Ready", ConditionType::Ready),
    ("ContainersReady", ConditionType::ContainersReady),
    ("PodScheduled", ConditionType::PodScheduled),
    ("DisruptionTarget", ConditionType::DisruptionTarget),
    ("AllContainersRestarting", ConditionType::AllContainersRestarting),
];

/// The status of a condition. Counterpart: `core/v1.ConditionStatus`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConditionStatus {
    /// The condition holds.
    True,
    /// The condition does not hold.
    False,
    /// Nobody knows whether the condition holds.
    #[default]
    #[serde(other)]
    Unknown,
}

impl ConditionStatus {
    /// Returns the status as the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            ConditionStatus::True => "True",
            ConditionStatus::False => "False",
            ConditionStatus::Unknown => "Unknown",
        }
    }
}

impl From<bool> for ConditionStatus {
    fn from(b: bool) -> ConditionStatus {
        if b { ConditionStatus::True } else { ConditionStatus::False }
    }
}

/// A condition of a pod. A cluster holds several for each pod, so known types and empty reasons take no strings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "ConditionFields", into = "ConditionFields")]
pub struct PodCondition {
    /// The condition's type.
    pub type_: ConditionType,
    /// The condition's status.
    pub status: ConditionStatus,
    /// The generation that the condition describes; 0 means none.
    pub observed_generation: u32,
    /// The time at which the status last changed.
    pub last_transition_time: Time,
    /// The reason and message, and the name of a rare type, if there are any.
    pub detail: Option<Arc<ConditionDetail>>,
}

/// The reason and message of a condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConditionDetail {
    /// The name of a type that [`ConditionType`] does not list.
    pub type_name: ArcStr,
    /// The reason for the status, in one word.
    pub reason: ArcStr,
    /// The message about the status, in a sentence.
    pub message: ArcStr,
}

impl PodCondition {
    /// Creates a condition without a reason.
    pub fn new(type_: ConditionType, status: impl Into<ConditionStatus>, now: Time) -> Self {
        PodCondition { type_, status: status.into(), observed_generation: 0, last_transition_time: now.whole_second(), detail: None }
    }
    /// Returns the condition with a reason and a message.
    pub fn with_reason(mut self, reason: &str, message: impl Into<ArcStr>) -> Self {
        self.detail = Some(Arc::new(ConditionDetail { type_name: ArcStr::default(), reason: reason.into(), message: message.into() }));
        self
    }
    /// Creates a condition of a type that [`ConditionType`] does not list.
    pub fn named(type_name: &'static str, reason: &str, message: impl Into<ArcStr>, now: Time) -> Self {
        let detail = ConditionDetail { type_name: type_name.into(), reason: reason.into(), message: message.into() };
        PodCondition { detail: Some(Arc::new(detail)), ..PodCondition::new(ConditionType::Other, true, now) }
    }
    /// Returns the name of the condition's type.
    pub fn type_name(&self) -> &str {
        match CONDITION_NAMES.iter().find(|(_, t)| *t == self.type_) {
            Some((name, _)) => name,
            None => self.detail.as_ref().map_or("", |d| &d.type_name),
        }
    }
    /// Returns the condition's reason, or `""`.
    pub fn reason(&self) -> &str {
        self.detail.as_ref().map_or("", |d| &d.reason)
    }
    /// Returns the condition's message, or `""`.
    pub fn message(&self) -> &str {
        self.detail.as_ref().map_or("", |d| &d.message)
    }
}

/// A pod condition as the API writes it.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ConditionFields {
    #[serde(rename = "type")]
    type_: ArcStr,
    status: ConditionStatus,
    /// Always `null`: no component writes it any more, but the API still shows it.
    last_probe_time: Option<Time>,
    last_transition_time: Time,
    #[serde(skip_serializing_if = "is_default")]
    reason: ArcStr,
    #[serde(skip_serializing_if = "is_default")]
    message: ArcStr,
    #[serde(with = "small_count", skip_serializing_if = "is_default")]
    observed_generation: u32,
}

impl From<PodCondition> for ConditionFields {
    fn from(c: PodCondition) -> Self {
        ConditionFields {
            type_: c.type_name().into(),
            status: c.status,
            last_probe_time: None,
            last_transition_time: c.last_transition_time,
            reason: c.reason().into(),
            message: c.message().into(),
            observed_generation: c.observed_generation,
        }
    }
}

impl From<ConditionFields> for PodCondition {
    fn from(fields: ConditionFields) -> Self {
        let known = CONDITION_NAMES.iter().find(|(name, _)| fields.type_ == *name).map(|(_, type_)| *type_);
        let type_name = if known.is_some() { ArcStr::default() } else { fields.type_ };
        let detail = ConditionDetail { type_name, reason: fields.reason, message: fields.message };
        PodCondition {
            type_: known.unwrap_or(ConditionType::Other),
            status: fields.status,
            observed_generation: fields.observed_generation,
            last_transition_time: fields.last_transition_time,
            detail: (!is_default(&detail)).then(|| Arc::new(detail)),
        }
    }
}

/// Formats an IPv4 address that is kept as a number.
pub fn ip_text(ip: u32) -> String {
    let [a, b, c, d] = ip.to_be_bytes();
    format!("{a}.{b}.{c}.{d}")
}

/// Parses an IPv4 address into a number; returns 0 if the text is not one.
pub fn ip_parse(text: &str) -> u32 {
    text.parse::<std::net::Ipv4Addr>().map_or(0, u32::from)
}

impl PodStatus {
    /// Returns the condition of the given type, if the pod has it.
    pub fn condition(&self, type_: ConditionType) -> Option<&PodCondition> {
        self.conditions.iter().find(|c| c.type_ == type_)
    }
    /// Returns true if the pod's Ready condition is `True`.
    pub fn is_ready(&self) -> bool {
        self.condition(ConditionType::Ready).is_some_and(|c| c.status == ConditionStatus::True)
    }
    /// Returns the reason for the pod's phase, or `""`.
    pub fn reason(&self) -> &str {
        self.rare.as_ref().map_or("", |r| &r.reason)
    }
    /// Returns the message about the pod's phase, or `""`.
    pub fn message(&self) -> &str {
        self.rare.as_ref().map_or("", |r| &r.message)
    }
    /// Returns the node on which the scheduler preempts other pods for this one, or `""`.
    pub fn nominated_node(&self) -> &str {
        self.rare.as_ref().map_or("", |r| &r.nominated_node_name)
    }
}
