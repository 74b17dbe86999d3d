//! ReplicaSet. Counterpart: `apps/v1.ReplicaSet`.

mod columns;
mod row;
mod rules;

use super::condition::Condition;
use super::is_default;
use super::template::{LabelSelector, PodTemplate};
pub use columns::{COLUMNS, set_cells};
pub use row::ROW;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A number of pods of one template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplicaSet {
    /// The desired state of the ReplicaSet.
    pub spec: ReplicaSetSpec,
    /// The state that the controller last observed.
    pub status: ReplicaSetStatus,
}

/// The desired state of a ReplicaSet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetSpec {
    /// The desired number of pods.
    pub replicas: i32,
    /// The seconds for which a pod must be ready to count as available.
    #[serde(skip_serializing_if = "is_default")]
    pub min_ready_seconds: i32,
    /// Selects the pods of the ReplicaSet.
    pub selector: Arc<LabelSelector>,
    /// The template of new pods.
    pub template: Arc<PodTemplate>,
}

impl Default for ReplicaSetSpec {
    fn default() -> Self {
        ReplicaSetSpec { replicas: 1, min_ready_seconds: 0, selector: Default::default(), template: Default::default() }
    }
}

/// The state of a ReplicaSet that the controller last observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetStatus {
    /// The number of active pods.
    pub replicas: i32,
    /// The number of active pods that have all labels of the template.
    #[serde(skip_serializing_if = "is_default")]
    pub fully_labeled_replicas: i32,
    /// The number of active pods that are ready.
    #[serde(skip_serializing_if = "is_default")]
    pub ready_replicas: i32,
    /// The number of active pods that have been ready for `minReadySeconds`.
    #[serde(skip_serializing_if = "is_default")]
    pub available_replicas: i32,
    /// The number of pods that are being deleted and have not ended yet.
    #[serde(skip_serializing_if = "is_default")]
    pub terminating_replicas: Option<i32>,
    /// The generation that this status describes.
    #[serde(skip_serializing_if = "is_default")]
    pub observed_generation: i64,
    /// The conditions of the ReplicaSet.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
}
