//! PodDisruptionBudget. Counterpart: `policy/v1.PodDisruptionBudget`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::deployment::IntOrPercent;
use super::is_default;
use super::template::LabelSelector;
use crate::api::meta::StrMap;
use crate::api::sorted::SortedMap;
use crate::api::time::Time;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

/// The type of the condition that tells whether a pod may be evicted.
pub const DISRUPTION_ALLOWED: &str = "DisruptionAllowed";

/// Limits how many pods of a group may be evicted at the same time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PodDisruptionBudget {
    /// The desired state of the budget.
    pub spec: BudgetSpec,
    /// The state that the controller last observed.
    pub status: BudgetStatus,
}

/// The desired state of a budget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BudgetSpec {
    /// The number of pods that must stay available.
    #[serde(skip_serializing_if = "is_default")]
    pub min_available: Option<IntOrPercent>,
    /// Selects the pods that the budget protects; `None` selects nothing.
    #[serde(skip_serializing_if = "is_default")]
    pub selector: Option<LabelSelector>,
    /// The number of pods that may be unavailable.
    #[serde(skip_serializing_if = "is_default")]
    pub max_unavailable: Option<IntOrPercent>,
    /// The rule for pods that are not ready: `IfHealthyBudget` or `AlwaysAllow`.
    #[serde(skip_serializing_if = "is_default")]
    pub unhealthy_pod_eviction_policy: Option<ArcStr>,
}

/// The state of a budget that the controller last observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BudgetStatus {
    /// The generation that this status describes.
    #[serde(skip_serializing_if = "is_default")]
    pub observed_generation: i64,
    /// The names of pods that were evicted and whose deletion the controller has not seen yet, with the time of the eviction.
    #[serde(skip_serializing_if = "is_default")]
    pub disrupted_pods: SortedMap<ArcStr, Time>,
    /// The number of pods that may be evicted now.
    pub disruptions_allowed: i32,
    /// The number of healthy pods: those that are ready, and neither being deleted nor just evicted.
    pub current_healthy: i32,
    /// The number of pods that must stay healthy.
    pub desired_healthy: i32,
    /// The number of pods that the budget counts.
    pub expected_pods: i32,
    /// The conditions of the PodDisruptionBudget.
    #[serde(skip_serializing_if = "is_default")]
    pub conditions: Vec<BudgetCondition>,
}

/// A condition of a budget. Counterpart: `metav1.Condition`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BudgetCondition {
    /// The type, such as `DisruptionAllowed`.
    #[serde(rename = "type")]
    pub type_: ArcStr,
    /// The status of the condition: `True`, `False` or `Unknown`.
    pub status: ArcStr,
    /// The generation that the condition describes.
    #[serde(skip_serializing_if = "is_default")]
    pub observed_generation: i64,
    /// The time at which the status last changed.
    pub last_transition_time: Option<Time>,
    /// The reason for the status, in one word.
    pub reason: ArcStr,
    /// A message about the status, for people.
    pub message: ArcStr,
}

impl PodDisruptionBudget {
    /// Returns true if the budget counts a pod with these labels.
    pub fn selects(&self, labels: &StrMap) -> bool {
        self.spec.selector.as_ref().is_some_and(|selector| selector.matches(labels))
    }
}

impl BudgetStatus {
    /// Returns the condition DisruptionAllowed, if there is one.
    pub fn condition(&self) -> Option<&BudgetCondition> {
        self.conditions.iter().find(|c| c.type_ == DISRUPTION_ALLOWED)
    }
    /// Sets the condition DisruptionAllowed. Counterpart: `meta.SetStatusCondition`.
    pub fn set_condition(&mut self, allowed: bool, reason: &str, message: &str, now: Time) {
        let status = if allowed { "True" } else { "False" };
        let new = BudgetCondition {
            type_: DISRUPTION_ALLOWED.into(),
            status: status.into(),
            observed_generation: self.observed_generation,
            last_transition_time: Some(now.whole_second()),
            reason: reason.into(),
            message: message.into(),
        };
        match self.conditions.iter_mut().find(|c| c.type_ == DISRUPTION_ALLOWED) {
            Some(old) if old.status == new.status => *old = BudgetCondition { last_transition_time: old.last_transition_time, ..new },
            Some(old) => *old = new,
            None => self.conditions.push(new),
        }
    }
    /// Sets the condition by the number of allowed disruptions. Counterpart: `UpdateDisruptionAllowedCondition`.
    pub fn update_condition(&mut self, now: Time) {
        let allowed = self.disruptions_allowed > 0;
        self.set_condition(allowed, if allowed { "SufficientPods" } else { "InsufficientPods" }, "", now);
    }
}
