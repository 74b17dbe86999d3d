//! ReplicaSet. Counterpart: `apps/v1.ReplicaSet`.

mod columns;
mod row;
mod rules;

use super::condition::Condition;
use super::is_default;
use super::template::{LabelSelector, PodTemplate};
pub use row::ROW;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Wants a number of pods made from a template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplicaSet {
    /// What is wanted.
    pub spec: ReplicaSetSpec,
    /// What the controller last saw.
    pub status: ReplicaSetStatus,
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetSpec {
    /// The number of pods that are wanted.
    pub replicas: i32,
    /// The seconds a pod must be ready to count as available.
    #[serde(skip_serializing_if = "is_default")]
    pub min_ready_seconds: i32,
    /// Selects the pods that count.
    pub selector: Arc<LabelSelector>,
    /// The form of new pods.
    pub template: Arc<PodTemplate>,
}

impl Default for ReplicaSetSpec {
    fn default() -> Self {
        ReplicaSetSpec { replicas: 1, min_ready_seconds: 0, selector: Default::default(), template: Default::default() }
    }
}

/// What the controller last saw.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetStatus {
    /// Active pods.
    pub replicas: i32,
    /// Active pods that have all labels of the template.
    #[serde(skip_serializing_if = "is_default")]
    pub fully_labeled_replicas: i32,
    /// Active pods that are ready.
    #[serde(skip_serializing_if = "is_default")]
    pub ready_replicas: i32,
    /// Active pods ready for long enough.
    #[serde(skip_serializing_if = "is_default")]
    pub available_replicas: i32,
    /// Pods being deleted that have not ended yet.
    #[serde(skip_serializing_if = "is_default")]
    pub terminating_replicas: Option<i32>,
    /// The generation this status is about.
    #[serde(skip_serializing_if = "is_default")]
    pub observed_generation: i64,
    /// Conditions.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
}
