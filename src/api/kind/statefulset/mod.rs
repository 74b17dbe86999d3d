//! StatefulSet. Counterpart: `apps/v1.StatefulSet`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::condition::Condition;
use super::deployment::IntOrPercent;
use super::is_default;
use super::template::{LabelSelector, PodTemplate};
use crate::api::value::Map;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Runs pods with lasting names and storage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatefulSet {
    /// The desired state of the StatefulSet.
    pub spec: StatefulSetSpec,
    /// The state that the controller last observed.
    pub status: StatefulSetStatus,
}

/// The desired state of a StatefulSet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetSpec {
    /// The desired number of pods.
    pub replicas: i32,
    /// Selects the pods of the StatefulSet.
    pub selector: Arc<LabelSelector>,
    /// The template of the pods.
    pub template: Arc<PodTemplate>,
    /// The templates of the PersistentVolumeClaims that each pod gets, as written.
    #[serde(skip_serializing_if = "is_default")]
    pub volume_claim_templates: Vec<Map>,
    /// The name of the Service that gives the pods their host names.
    pub service_name: ArcStr,
    /// The order in which pods are started and stopped.
    pub pod_management_policy: PodManagementPolicy,
    /// The strategy for replacing old pods by new ones.
    pub update_strategy: UpdateStrategy,
    /// The number of old revisions to keep.
    #[serde(skip_serializing_if = "is_default")]
    pub revision_history_limit: Option<i32>,
    /// The seconds for which a pod must be ready to count as available.
    #[serde(skip_serializing_if = "is_default")]
    pub min_ready_seconds: i32,
    /// The policy for the PersistentVolumeClaims of pods that are gone.
    #[serde(skip_serializing_if = "is_default")]
    pub persistent_volume_claim_retention_policy: Option<RetentionPolicy>,
    /// The numbering of the pods; `None` if it starts with 0.
    #[serde(skip_serializing_if = "is_default")]
    pub ordinals: Option<Ordinals>,
}

impl Default for StatefulSetSpec {
    fn default() -> Self {
        StatefulSetSpec {
            replicas: 1,
            selector: Default::default(),
            template: Default::default(),
            volume_claim_templates: Vec::new(),
            service_name: ArcStr::default(),
            pod_management_policy: PodManagementPolicy::default(),
            update_strategy: UpdateStrategy::default(),
            revision_history_limit: None,
            min_ready_seconds: 0,
            persistent_volume_claim_retention_policy: None,
            ordinals: None,
        }
    }
}

/// The order in which pods are started and stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PodManagementPolicy {
    /// The controller starts and stops pods one after the other; each waits for the one before.
    #[default]
    OrderedReady,
    /// The controller starts and stops all pods at once.
    Parallel,
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
    /// The controller replaces old pods, beginning with the highest ordinal.
    #[default]
    RollingUpdate,
    /// The controller replaces an old pod only after somebody has deleted it.
    OnDelete,
}

/// The parameters of a StatefulSet's rolling updates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdate {
    /// The number of pods, counted from the lowest ordinal, that keep the old template.
    #[serde(skip_serializing_if = "is_default")]
    pub partition: Option<i32>,
    /// The number of pods that may be unavailable during the update. Only with the feature gate `MaxUnavailableStatefulSet`, which is off by default.
    #[serde(skip_serializing_if = "is_default")]
    pub max_unavailable: Option<IntOrPercent>,
}

/// The policy for the PersistentVolumeClaims of pods that are gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetentionPolicy {
    /// The policy that applies when the StatefulSet is deleted.
    pub when_deleted: Retention,
    /// The policy that applies when the StatefulSet is scaled down.
    pub when_scaled: Retention,
}

/// The choice between keeping and deleting claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Retention {
    /// The claims are kept.
    #[default]
    Retain,
    /// The claims are deleted.
    Delete,
}

/// The numbering of the pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ordinals {
    /// The ordinal of the first pod.
    pub start: i32,
}

impl StatefulSetSpec {
    /// Returns the ordinal of the first pod. Counterpart: `getStartOrdinal`.
    pub fn start(&self) -> i64 {
        self.ordinals.map_or(0, |ordinals| i64::from(ordinals.start))
    }
    /// Returns the number of pods, counted from [`StatefulSetSpec::start`], that a rolling update leaves alone.
    pub fn partition(&self) -> i64 {
        self.update_strategy.rolling_update.as_ref().and_then(|rolling| rolling.partition).unwrap_or(0).into()
    }
    /// Returns the number of pods that a rolling update may make unavailable, at least 1; `None` if the field is missing, as always where the feature gate is
    /// off. Counterpart: `getStatefulSetMaxUnavailable`.
    pub fn max_unavailable(&self) -> Option<usize> {
        let most = self.update_strategy.rolling_update.as_ref()?.max_unavailable.as_ref()?;
        Some(most.of(self.replicas, false).max(1) as usize)
    }
}

/// The state of a StatefulSet that the controller last observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetStatus {
    /// The generation that this status describes.
    #[serde(skip_serializing_if = "is_default")]
    pub observed_generation: i64,
    /// The number of pods of the StatefulSet.
    pub replicas: i32,
    /// The number of ready pods.
    #[serde(skip_serializing_if = "is_default")]
    pub ready_replicas: i32,
    /// The number of pods of the current revision.
    #[serde(skip_serializing_if = "is_default")]
    pub current_replicas: i32,
    /// The number of pods of the revision to which the set is updated.
    #[serde(skip_serializing_if = "is_default")]
    pub updated_replicas: i32,
    /// The number of pods that have been ready for `minReadySeconds`.
    pub available_replicas: i32,
    /// The name of the revision of pods that are not updated yet.
    #[serde(skip_serializing_if = "is_default")]
    pub current_revision: ArcStr,
    /// The name of the revision of updated pods.
    #[serde(skip_serializing_if = "is_default")]
    pub update_revision: ArcStr,
    /// The number of hash collisions, in which the name of a new revision belonged to another state already.
    #[serde(skip_serializing_if = "is_default")]
    pub collision_count: Option<i32>,
    /// The conditions of the StatefulSet.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
}
