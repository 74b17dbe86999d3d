//! HorizontalPodAutoscaler. Counterpart: `autoscaling/v2.HorizontalPodAutoscaler`.

mod columns;
mod row;
mod rules;
mod v1;

pub use columns::{current_of, metrics_text, target_of};
pub use row::ROW;

use super::condition::Condition;
use super::format::null_if_empty;
use super::is_default;
use super::written::AsWritten;
use crate::api::time::Time;
use crate::api::value::Map;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

/// Changes the number of a workload's replicas by what they use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HorizontalPodAutoscaler {
    /// The desired state, kept as written.
    pub spec: AsWritten<AutoscalerSpec>,
    /// The state that the controller last observed.
    pub status: AutoscalerStatus,
}

/// The parts of an autoscaler's spec that the controller acts on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoscalerSpec {
    /// The workload to scale.
    pub scale_target_ref: TargetRef,
    /// The least number of replicas.
    pub min_replicas: Option<i32>,
    /// The largest number of replicas.
    pub max_replicas: i32,
    /// The metrics; the one that wants most decides.
    pub metrics: Vec<Metric>,
    /// The rules for how fast to scale.
    pub behavior: Option<Behavior>,
}

/// A reference to the workload to scale.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetRef {
    /// Group and version.
    pub api_version: ArcStr,
    /// The kind.
    pub kind: ArcStr,
    /// The name.
    pub name: ArcStr,
}

/// One metric. Only those of the resources of pods are simulated; the others are kept as written.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metric {
    /// `Resource`, `ContainerResource`, `Pods`, `Object` or `External`
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// A resource of whole pods.
    pub resource: Option<ResourceMetric>,
    /// A resource of one container of each pod.
    pub container_resource: Option<ResourceMetric>,
    /// A metric of pods.
    pub pods: Option<Map>,
    /// A metric of another object.
    pub object: Option<Map>,
    /// A metric from outside.
    pub external: Option<Map>,
}

/// A resource that pods use.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ResourceMetric {
    /// `cpu` or `memory`
    pub name: ArcStr,
    /// The container; empty for whole pods.
    pub container: ArcStr,
    /// The target.
    pub target: Target,
}

/// The target of a metric.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Target {
    /// The percentage of the requests.
    pub average_utilization: Option<i32>,
    /// The amount per pod.
    pub average_value: Option<ArcStr>,
}

/// The rules for how fast to scale.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Behavior {
    /// The rules for more replicas.
    pub scale_up: Rules,
    /// The rules for fewer replicas.
    pub scale_down: Rules,
}

/// The rules for one direction.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rules {
    /// The seconds for which recommendations are remembered.
    pub stabilization_window_seconds: Option<i32>,
    /// `Max`, `Min` or `Disabled`
    pub select_policy: Option<ArcStr>,
    /// The policies.
    pub policies: Vec<Policy>,
    /// The part of the target within which nothing is changed.
    pub tolerance: Option<ArcStr>,
}

/// A limit on the change in a period.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// `Pods` or `Percent`
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// The number of pods, or the percentage.
    pub value: i32,
    /// The period in seconds.
    pub period_seconds: i32,
}

/// The state of an autoscaler that the controller last observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoscalerStatus {
    /// The generation that this status describes.
    #[serde(skip_serializing_if = "is_default")]
    pub observed_generation: Option<i64>,
    /// The time at which the number of replicas was last changed.
    #[serde(skip_serializing_if = "is_default")]
    pub last_scale_time: Option<Time>,
    /// The number of replicas that the controller last saw.
    #[serde(skip_serializing_if = "is_default")]
    pub current_replicas: i32,
    /// The number of replicas that it last wanted.
    pub desired_replicas: i32,
    /// The metrics that it last saw.
    #[serde(with = "null_if_empty")]
    pub current_metrics: Vec<Map>,
    /// Conditions.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
}
