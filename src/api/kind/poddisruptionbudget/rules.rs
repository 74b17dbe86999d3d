//! Defaults and validation of PodDisruptionBudgets. Counterpart: `pkg/apis/policy/validation`.

use super::super::deployment::{at_most_100_percent, int_or_percent};
use super::super::pod;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{non_negative, validate_conditions, validate_label_selector};
use crate::api::value::{Map, Value};

/// Fills in those fields of a PodDisruptionBudget that the API server encodes even if they are empty.
pub fn default(object: &mut Map) {
    object.map_mut("spec");
    let status = object.map_mut("status");
    for key in ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] {
        status.insert_default(key, 0);
    }
}

/// Validates a budget. Counterpart: `ValidatePodDisruptionBudgetSpec`.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    if spec.has("minAvailable") && spec.has("maxUnavailable") {
        let text = pod::go_json("PodDisruptionBudgetSpec", object.get("spec"));
        errors.invalid_text(&path, &text, "minAvailable and maxUnavailable cannot be both set");
    }
    for key in ["minAvailable", "maxUnavailable"] {
        int_or_percent(spec.get(key), &path.child(key), errors);
        at_most_100_percent(spec.get(key), &path.child(key), errors);
    }
    validate_label_selector(spec.map("selector"), &path.child("selector"), errors);
    if let Some(policy) = spec.get("unhealthyPodEvictionPolicy").and_then(Value::as_str)
        && !matches!(policy, "AlwaysAllow" | "IfHealthyBudget")
    {
        errors.not_supported(&path.child("unhealthyPodEvictionPolicy"), policy, &["AlwaysAllow", "IfHealthyBudget"]);
    }
}

/// Validates an update of a PodDisruptionBudget's status.
pub fn validate_status(new: &Map, _: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("status"));
    let status = new.map("status").unwrap_or(&empty);
    validate_conditions(status.list("conditions"), &path.child("conditions"), errors);
    for key in ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] {
        non_negative(status, key, &path, errors);
    }
}
