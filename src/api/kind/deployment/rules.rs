//! Defaults and validation of Deployments. Counterpart: `pkg/apis/apps/v1/defaults.go` and `pkg/apis/apps/validation`.

use super::super::pod;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{immutable_selector, non_negative, validate_controller_selector};
use crate::api::names;
use crate::api::value::{Map, Value};

/// Fills in the defaults of a Deployment.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    pod::default_template(spec.map_mut("template"));
    spec.insert_default("replicas", 1);
    let strategy = spec.map_mut("strategy");
    if strategy.str("type").is_empty() {
        strategy.insert("type", "RollingUpdate");
    }
    if strategy.str("type") == "RollingUpdate" {
        let rolling = strategy.map_mut("rollingUpdate");
        rolling.insert_default("maxUnavailable", "25%");
        rolling.insert_default("maxSurge", "25%");
    }
    spec.insert_default("revisionHistoryLimit", 10);
    spec.insert_default("progressDeadlineSeconds", 600);
    object.map_mut("status");
}

/// Validates a new Deployment.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    non_negative(spec, "replicas", &path, errors);
    if let Some(selector) = validate_controller_selector(spec, "empty selector is invalid for deployment", &path, errors) {
        pod::validate_template_for("ReplicaSet", spec.map("template"), &selector, &path.child("template"), errors);
    }
    validate_strategy(spec, &path.child("strategy"), errors);
    non_negative(spec, "minReadySeconds", &path, errors);
    non_negative(spec, "revisionHistoryLimit", &path, errors);
    if let Some(deadline) = spec.int("progressDeadlineSeconds") {
        non_negative(spec, "progressDeadlineSeconds", &path, errors);
        if deadline <= spec.int("minReadySeconds").unwrap_or(0) {
            errors.invalid(&path.child("progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds");
        }
    }
}

/// Validates an update of a Deployment.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    validate(new, errors);
    immutable_selector(new, old, errors);
}

/// Validates an update of a Deployment's status. Counterpart: `ValidateDeploymentStatusUpdate`.
pub fn validate_status(new: &Map, old: &Map, errors: &mut Errors) {
    const COUNTS: &[&str] = &[
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    ];
    validate_counts(new, COUNTS, &["updatedReplicas", "readyReplicas", "availableReplicas"], errors);
    let count = |object: &Map| object.at(&["status", "collisionCount"]).and_then(Value::as_int);
    if count(old).is_some_and(|before| count(new).is_none_or(|now| now < before)) {
        errors.invalid(&Path::new("status.collisionCount"), count(new).unwrap_or(0), "cannot be decremented");
    }
}

/// Validates that none of the numbers `counts` in a status is negative, and that none of the numbers `parts` is greater than `replicas`.
pub fn validate_counts(object: &Map, counts: &[&str], parts: &[&str], errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("status"));
    let status = object.map("status").unwrap_or(&empty);
    for key in counts {
        non_negative(status, key, &path, errors);
    }
    let count = |key: &str| status.int(key).unwrap_or(0);
    for key in parts.iter().filter(|key| count(key) > count("replicas")) {
        errors.invalid(&path.child(key), count(key), "cannot be greater than status.replicas");
    }
    if count("availableReplicas") > count("readyReplicas") {
        errors.invalid(&path.child("availableReplicas"), count("availableReplicas"), "cannot be greater than readyReplicas");
    }
}

fn validate_strategy(spec: &Map, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let strategy = spec.map("strategy").unwrap_or(&empty);
    match (strategy.str("type"), strategy.map("rollingUpdate")) {
        ("Recreate", Some(_)) => {
            errors.forbidden(&path.child("rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'");
        }
        ("Recreate", None) => {}
        ("RollingUpdate", None) => errors.required(&path.child("rollingUpdate"), "this should be defaulted and never be nil"),
        ("RollingUpdate", Some(rolling)) => validate_rolling(rolling, &path.child("rollingUpdate"), errors),
        _ => {
            let text = pod::go_json("DeploymentStrategy", spec.get("strategy"));
            let message = format!("Unsupported value: {text}: supported values: \"Recreate\", \"RollingUpdate\"");
            errors.other(crate::api::field::FieldErrorKind::NotSupported, path, message);
        }
    }
}

fn validate_rolling(rolling: &Map, path: &Path, errors: &mut Errors) {
    let (unavailable, surge) = (rolling.get("maxUnavailable"), rolling.get("maxSurge"));
    int_or_percent(unavailable, &path.child("maxUnavailable"), errors);
    int_or_percent(surge, &path.child("maxSurge"), errors);
    if amount(unavailable) == 0 && amount(surge) == 0 {
        let shown = unavailable.cloned().unwrap_or(Value::Int(0));
        errors.invalid(&path.child("maxUnavailable"), shown, "may not be 0 when `maxSurge` is 0");
    }
    at_most_100_percent(unavailable, &path.child("maxUnavailable"), errors);
}

/// Validates a number that must not be negative, or a percentage. Counterpart: `ValidatePositiveIntOrPercent`.
pub fn int_or_percent(value: Option<&Value>, path: &Path, errors: &mut Errors) {
    match value {
        Some(Value::Str(text)) => errors.invalid_each(path, text.as_str(), names::percent(text)),
        Some(Value::Int(number)) if *number < 0 => errors.invalid(path, *number, "must be greater than or equal to 0"),
        _ => {}
    }
}

/// Validates that a percentage is at most 100. Counterpart: `IsNotMoreThan100Percent`.
pub fn at_most_100_percent(value: Option<&Value>, path: &Path, errors: &mut Errors) {
    if let Some(Value::Str(text)) = value
        && names::percent(text).is_empty()
        && amount(value) > 100
    {
        errors.invalid(path, text.as_str(), "must not be greater than 100%");
    }
}

/// Returns the number in a number or percentage, such as 25 for `25%`; 0 if there is none.
pub fn amount(value: Option<&Value>) -> i64 {
    match value {
        Some(Value::Int(number)) => *number,
        Some(Value::Str(text)) => match text.strip_suffix('%').unwrap_or(text) {
            digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().unwrap_or(i64::MAX),
            other => other.parse().unwrap_or(0),
        },
        _ => 0,
    }
}
