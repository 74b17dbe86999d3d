//! Deployment. Counterpart: `apps/v1.Deployment`.

mod columns;
mod row;
mod rules;

pub use row::ROW;
pub use rules::{amount, at_most_100_percent, int_or_percent, validate_counts};

use super::condition::Condition;
use super::is_default;
use super::template::{LabelSelector, PodTemplate};
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A number of pods of one template, with rolling updates from one template to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Deployment {
    /// The desired state of the Deployment.
    pub spec: DeploymentSpec,
    /// The state that the controller last observed.
    pub status: DeploymentStatus,
}

/// The desired state of a Deployment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentSpec {
    /// The desired number of pods.
    pub replicas: i32,
    /// Selects the pods of the Deployment.
    pub selector: Arc<LabelSelector>,
    /// The template of the pods.
    pub template: Arc<PodTemplate>,
    /// The strategy for replacing old pods by new ones.
    pub strategy: Strategy,
    /// The seconds for which a pod must be ready to count as available.
    #[serde(skip_serializing_if = "is_default")]
    pub min_ready_seconds: i32,
    /// The number of old ReplicaSets to keep.
    #[serde(skip_serializing_if = "is_default")]
    pub revision_history_limit: Option<i32>,
    /// True if rollouts are paused.
    #[serde(skip_serializing_if = "is_default")]
    pub paused: bool,
    /// The seconds without progress after which a rollout counts as failed.
    #[serde(skip_serializing_if = "is_default")]
    pub progress_deadline_seconds: Option<i32>,
}

impl Default for DeploymentSpec {
    fn default() -> Self {
        DeploymentSpec {
            replicas: 1,
            selector: Default::default(),
            template: Default::default(),
            strategy: Strategy::default(),
            min_ready_seconds: 0,
            revision_history_limit: None,
            paused: false,
            progress_deadline_seconds: None,
        }
    }
}

/// The strategy for replacing old pods by new ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "rollingUpdate", from = "StrategyFields")]
pub enum Strategy {
    /// Deletes all old pods before it creates new ones.
    Recreate,
    /// Replaces pods step by step.
    #[serde(rename_all = "camelCase")]
    RollingUpdate {
        /// The maximum number of pods above the desired number.
        max_surge: IntOrPercent,
        /// The maximum number of pods below the desired number.
        max_unavailable: IntOrPercent,
    },
}

/// A strategy as the API writes it, in which any field can be missing.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct StrategyFields {
    #[serde(rename = "type")]
    type_: ArcStr,
    rolling_update: RollingFields,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RollingFields {
    max_surge: IntOrPercent,
    max_unavailable: IntOrPercent,
}

impl Default for RollingFields {
    fn default() -> Self {
        let quarter = || IntOrPercent::Text("25%".into());
        RollingFields { max_surge: quarter(), max_unavailable: quarter() }
    }
}

impl From<StrategyFields> for Strategy {
    fn from(StrategyFields { type_, rolling_update }: StrategyFields) -> Self {
        match type_.as_str() {
            "Recreate" => Strategy::Recreate,
            _ => Strategy::RollingUpdate { max_surge: rolling_update.max_surge, max_unavailable: rolling_update.max_unavailable },
        }
    }
}

impl Default for Strategy {
    fn default() -> Self {
        StrategyFields::default().into()
    }
}

/// A number or a percentage. Counterpart: `intstr.IntOrString`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum IntOrPercent {
    /// A number, such as `2`.
    Int(i32),
    /// A percentage as text, such as `25%`.
    Text(ArcStr),
}

impl IntOrPercent {
    /// Returns the number, or the percentage of `total`, rounded up or down. Counterpart: `GetScaledValueFromIntOrPercent`.
    pub fn of(&self, total: i32, round_up: bool) -> i32 {
        match self {
            IntOrPercent::Int(i) => *i,
            IntOrPercent::Text(s) => {
                let percent: i64 = s.strip_suffix('%').and_then(|n| n.parse().ok()).unwrap_or(0);
                let product = percent.saturating_mul(i64::from(total));
                (if round_up { (product + 99).div_euclid(100) } else { product.div_euclid(100) }) as i32
            }
        }
    }
}

impl std::fmt::Display for IntOrPercent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            IntOrPercent::Int(number) => number.fmt(f),
            IntOrPercent::Text(text) => text.fmt(f),
        }
    }
}

/// The state of a Deployment that the controller last observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentStatus {
    /// The number of pods of all ReplicaSets of the Deployment.
    #[serde(skip_serializing_if = "is_default")]
    pub replicas: i32,
    /// The number of pods of the newest template.
    #[serde(skip_serializing_if = "is_default")]
    pub updated_replicas: i32,
    /// The number of ready pods.
    #[serde(skip_serializing_if = "is_default")]
    pub ready_replicas: i32,
    /// The number of pods that have been ready for `minReadySeconds`.
    #[serde(skip_serializing_if = "is_default")]
    pub available_replicas: i32,
    /// The number of available pods that are missing from the desired number.
    #[serde(skip_serializing_if = "is_default")]
    pub unavailable_replicas: i32,
    /// The number of pods that are being deleted and have not ended yet.
    #[serde(skip_serializing_if = "is_default")]
    pub terminating_replicas: Option<i32>,
    /// The generation that this status describes.
    #[serde(skip_serializing_if = "is_default")]
    pub observed_generation: i64,
    /// The number of hash collisions, in which the name of a new ReplicaSet belonged to another template already.
    #[serde(skip_serializing_if = "is_default")]
    pub collision_count: Option<i32>,
    /// The conditions of the Deployment.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<Condition>,
}
