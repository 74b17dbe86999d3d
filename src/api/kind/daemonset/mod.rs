//! DaemonSet. Counterpart: `apps/v1.DaemonSet`.

mod columns;
mod row;
mod rules;

pub use row::ROW;
pub use rules::TEMPLATE_GENERATION;

use super::condition::Condition;
use super::deployment::IntOrPercent;
use super::is_default;
use super::template::{LabelSelector, PodTemplate};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Runs one pod on every node, or on every node with certain labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DaemonSet {
    /// The desired state of the DaemonSet.
    pub spec: DaemonSetSpec,
    /// The state that the controller last observed.
    pub status: DaemonSetStatus,
}

/// The desired state of a DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetSpec {
    /// Selects the pods of the DaemonSet.
    pub selector: Arc<LabelSelector>,
    /// The template of the pods.
    pub template: Arc<PodTemplate>,
    /// The strategy for replacing old pods by new ones.
    pub update_strategy: UpdateStrategy,
    /// The seconds for which a pod must be ready to count as available.
    #[serde(skip_serializing_if = "is_default")]
    pub min_ready_seconds: i32,
    /// The number of old revisions to keep.
    #[serde(skip_serializing_if = "is_default")]
    pub revision_history_limit: Option<i32>,
}

/// The strategy for replacing old pods by new ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateStrategy {
    /// The type of the strategy.
    #[serde(rename = "type")]
    pub type_: UpdateStrategyType,
    /// The parameters of rolling updates, if the type is `RollingUpdate`.
    #[serde(skip_serializing_if = "is_default")]
    pub rolling_update: Option<RollingUpdate>,
}

/// The type of an update strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpdateStrategyType {
    /// The controller replaces old pods, a few at a time.
    #[default]
    RollingUpdate,
    /// The controller replaces an old pod only after somebody has deleted it.
    OnDelete,
}

/// The parameters of a DaemonSet's rolling updates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdate {
    /// The number of nodes that may be without an available pod during the update.
    #[serde(skip_serializing_if = "is_default")]
    pub max_unavailable: Option<IntOrPercent>,
    /// The number of nodes that may have an old and a new pod during the update.
    #[serde(skip_serializing_if = "is_default")]
    pub max_surge: Option<IntOrPercent>,
}

impl UpdateStrategy {
    fn count(&self, part: fn(&RollingUpdate) -> &Option<IntOrPercent>, nodes: i32) -> i32 {
        match (&self.rolling_update, self.type_) {
            (Some(rolling), UpdateStrategyType::RollingUpdate) => part(rolling).as_ref().map_or(0, |n| n.of(nodes, true)),
            _ => 0,
        }
    }
    /// Returns how many nodes may be without an available pod. Counterpart: `UnavailableCount`.
    pub fn unavailable(&self, nodes: i32) -> i32 {
        self.count(|rolling| &rolling.max_unavailable, nodes)
    }
    /// Returns how many nodes may have two pods. Counterpart: `SurgeCount`.
    pub fn surge(&self, nodes: i32) -> i32 {
        self.count(|rolling| &rolling.max_surge, nodes)
    }
}

/// The state of a DaemonSet that the controller last observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetStatus {
    /// The number of nodes that should have a pod and have one.
    pub current_number_scheduled: i32,
    /// The number of nodes that have a pod although they should not.
    pub number_misscheduled: i32,
    /// The number of nodes that should have a pod.
    pub desired_number_scheduled: i32,
    /// The number of nodes with a ready pod.
    pub number_ready: i32,
    /// The generation that this status describes.
    #[serde(skip_serializing_if = "is_default")]
    pub observed_generation: i64,
    /// The number of nodes with a pod of the newest template.
    #[serde(skip_serializing_if = "is_default")]
    pub updated_number_scheduled: i32,
    /// The number of nodes with an available pod.
    #[serde(skip_serializing_if = "is_default")]
    pub number_available: i32,
    /// The number of nodes that should have an available pod and do not.
    #[serde(skip_serializing_if = "is_default")]
    pub number_unavailable: i32,
    /// The number of hash collisions, in which the name of a new revision belonged to another template already.
    #[serde(skip_serializing_if = "is_default")]
    pub collision_count: Option<i32>,
    /// The conditions of the DaemonSet.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
}
