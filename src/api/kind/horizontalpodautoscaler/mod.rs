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

/// Scales a workload by the resources that its pods use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HorizontalPodAutoscaler {
    /// The desired state, with the tree as it was written.
    pub spec: AsWritten<AutoscalerSpec>,
    /// The state that the controller last observed.
    pub status: AutoscalerStatus,
}

/// The parts of an autoscaler's spec that the controller acts on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoscalerSpec {
    /// A reference to the workload to scale.
    pub scale_target_ref: TargetRef,
    /// The least number of replicas of the workload.
    pub min_replicas: Option<i32>,
    /// The largest number of replicas of the workload.
    pub max_replicas: i32,
    /// The metrics to scale by; the one that asks for the most replicas decides.
    pub metrics: Vec<Metric>,
    /// The rules for how fast to scale the workload.
    pub behavior: Option<Behavior>,
}

/// A reference to the workload to scale.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetRef {
    /// The workload's API version.
    pub api_version: ArcStr,
    /// The workload's kind.
    pub kind: ArcStr,
    /// The workload's name.
    pub name: ArcStr,
}

/// One metric to scale by. Only metrics about the resources of pods are simulated; the others are kept as written.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metric {
    /// The type of the metric: `Resource`, `ContainerResource`, `Pods`, `Object` or `External`.
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// A resource of whole pods.
    pub resource: Option<ResourceMetric>,
    /// A resource of one container of each pod.
    pub container_resource: Option<ResourceMetric>,
    /// A custom metric of the pods, which is not simulated.
    pub pods: Option<Map>,
    /// A metric of another object, which is not simulated.
    pub object: Option<Map>,
    /// A metric from outside the cluster, which is not simulated.
    pub external: Option<Map>,
}

/// A resource that pods use.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ResourceMetric {
    /// The name of the resource: `cpu` or `memory`.
    pub name: ArcStr,
    /// The container; empty for whole pods.
    pub container: ArcStr,
    /// The value that the metric should have.
    pub target: Target,
}

/// The value that a metric should have, in one of two forms.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Target {
    /// The average use as a percentage of the pods' requests.
    pub average_utilization: Option<i32>,
    /// The average amount per pod, such as `500m`.
    pub average_value: Option<ArcStr>,
}

/// The rules for how fast to scale.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Behavior {
    /// The rules for adding replicas.
    pub scale_up: Rules,
    /// The rules for removing replicas.
    pub scale_down: Rules,
}

/// The rules for scaling in one direction.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rules {
    /// The seconds for which earlier recommendations are still taken into account.
    pub stabilization_window_seconds: Option<i32>,
    /// Which policy decides: the one that allows the greatest change (`Max`, the default) or the smallest (`Min`); `Disabled` turns off scaling in this direction.
    pub select_policy: Option<ArcStr>,
    /// The limits on how much may change in a period.
    pub policies: Vec<Policy>,
    /// The deviation from the target that does not lead to scaling, as a fraction such as `0.1`.
    pub tolerance: Option<ArcStr>,
}

/// A limit on how many replicas are added or removed in a period.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// The unit of the value: `Pods` or `Percent`.
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// The number of replicas, or the percentage of them, that may be added or removed in the period.
    pub value: i32,
    /// The length of the period in seconds.
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
    /// The number of replicas that the controller last observed.
    #[serde(skip_serializing_if = "is_default")]
    pub current_replicas: i32,
    /// The number of replicas that the controller last asked for.
    pub desired_replicas: i32,
    /// The current values of the metrics, as the controller last observed them.
    #[serde(with = "null_if_empty")]
    pub current_metrics: Vec<Map>,
    /// The conditions of the HorizontalPodAutoscaler.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
}
