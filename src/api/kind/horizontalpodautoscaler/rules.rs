//! Defaults and validation of HorizontalPodAutoscalers. Counterpart: `pkg/apis/autoscaling/v2/defaults.go` and `pkg/apis/autoscaling/validation`.

use super::super::pod::{amount, container_resource_name, quantity_value};
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{maps, non_negative};
use crate::api::names;
use crate::api::value::{Map, Value};
use crate::map;

const TYPES: &[&str] = &["ContainerResource", "External", "Object", "Pods", "Resource"];
const SOURCES: &[(&str, &str)] = &[
    ("Object", "object"),
    ("External", "external"),
    ("Pods", "pods"),
    ("Resource", "resource"),
    ("ContainerResource", "containerResource"),
];
const MOST_STABILIZATION: i64 = 3600;
const LONGEST_PERIOD: i64 = 1800;

/// Fills in the defaults of a HorizontalPodAutoscaler. Counterpart: `SetDefaults_HorizontalPodAutoscaler`.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    spec.insert_default("minReplicas", 1);
    if spec.list("metrics").is_empty() {
        let target = map! { "type" => "Utilization", "averageUtilization" => 80 };
        let metric = map! { "type" => "Resource", "resource" => map! { "name" => "cpu", "target" => target } };
        spec.insert("metrics", vec![metric.into()]);
    }
    if spec.has("behavior") {
        let policy = |type_: &str, value: i64| Value::Map(map! { "type" => type_, "value" => value, "periodSeconds" => 15 });
        let behavior = spec.map_mut("behavior");
        let up = behavior.map_mut("scaleUp");
        up.insert_default("stabilizationWindowSeconds", 0);
        up.insert_default("selectPolicy", "Max");
        up.insert_default("policies", vec![policy("Pods", 4), policy("Percent", 100)]);
        let down = behavior.map_mut("scaleDown");
        down.insert_default("selectPolicy", "Max");
        down.insert_default("policies", vec![policy("Percent", 100)]);
    }
    let status = object.map_mut("status");
    status.insert_default("desiredReplicas", 0);
    status.insert_default("currentMetrics", Value::Null);
}

/// The strictness with which the API version of a reference is validated. Counterpart: `CrossVersionObjectReferenceValidationOptions`.
#[derive(Clone, Copy)]
enum Version {
    /// The API version must name a group.
    Grouped,
    /// The API version must have the form `VERSION` or `GROUP/VERSION`.
    Formed,
    /// The API version is not validated.
    Any,
}

/// Validates a new autoscaler.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_spec(object, None, errors);
}

/// Validates an update of a HorizontalPodAutoscaler. References that were wrong in the old object already are not refused. Counterpart:
/// `validationOptionsForHorizontalPodAutoscaler`.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    validate_spec(new, Some(old), errors);
}

/// Validates the spec of an autoscaler. Counterpart: `validateHorizontalPodAutoscalerSpec`.
fn validate_spec(object: &Map, old: Option<&Map>, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    let before = old.and_then(|old| old.map("spec"));
    let target = spec.map("scaleTargetRef").unwrap_or(&empty);
    let same = |old: &Map| ["apiVersion", "kind"].iter().all(|key| old.str(key) == target.str(key));
    let target_version = match before.map(|b| b.map("scaleTargetRef").unwrap_or(&empty)) {
        Some(old) if same(old) => Version::Any,
        _ if target.str("kind") == "ReplicationController" => Version::Formed,
        _ => Version::Grouped,
    };
    let known_bad = |metric: &Map| {
        metric.str("type") == "Object"
            && metric.map("object").is_some_and(|object| {
                let described = object.map("describedObject").unwrap_or(&empty);
                version_problem(described.str("apiVersion"), Version::Formed).is_some()
            })
    };
    let object_version =
        if before.is_some_and(|b| maps(b.list("metrics")).any(|(_, m)| known_bad(m))) { Version::Any } else { Version::Formed };
    let lowest = if before.is_some_and(|b| b.int("minReplicas") == Some(0)) { 0 } else { 1 };
    let (least, most) = (spec.int("minReplicas"), spec.int("maxReplicas").unwrap_or(0));
    if let Some(least) = least.filter(|n| *n < lowest) {
        errors.invalid(&path.child("minReplicas"), least, &format!("must be greater than or equal to {lowest}"));
    }
    if most == 0 {
        errors.required(&path.child("maxReplicas"), "must be set and greater than 0");
    } else if most < 0 {
        errors.invalid(&path.child("maxReplicas"), most, "must be greater than or equal to 1");
    }
    if least.is_some_and(|least| most < least) {
        errors.invalid(&path.child("maxReplicas"), most, "must be greater than or equal to `minReplicas`");
    }
    validate_reference(target, target_version, &path.child("scaleTargetRef"), errors);
    for (i, metric) in maps(spec.list("metrics")) {
        validate_metric(metric, object_version, &path.child("metrics").index(i), errors);
    }
    let outside = spec.list("metrics").iter().filter_map(Value::as_map).any(|m| matches!(m.str("type"), "Object" | "External"));
    if least == Some(0) && !outside {
        let detail = "must specify at least one Object or External metric to support scaling to zero replicas";
        errors.forbidden(&path.child("metrics"), detail);
    }
    if let Some(behavior) = spec.map("behavior") {
        for key in ["scaleUp", "scaleDown"] {
            if let Some(rules) = behavior.map(key) {
                validate_rules(rules, &path.child("behavior").child(key), errors);
            }
        }
    }
}

fn segment(value: &str, path: &Path, errors: &mut Errors) {
    if value.is_empty() {
        errors.required(path, "");
    } else {
        errors.invalid_each(path, value, names::path_segment(value, false));
    }
}

/// Validates a reference to a workload. Counterpart: `ValidateCrossVersionObjectReference`.
fn validate_reference(reference: &Map, rule: Version, path: &Path, errors: &mut Errors) {
    segment(reference.str("kind"), &path.child("kind"), errors);
    segment(reference.str("name"), &path.child("name"), errors);
    let version = reference.str("apiVersion");
    if let Some(problem) = version_problem(version, rule) {
        errors.invalid(&path.child("apiVersion"), version, &problem);
    }
}

/// Returns the reason why the API version of a reference is invalid, if it is. Counterpart: `ValidateAPIVersion`.
fn version_problem(version: &str, rule: Version) -> Option<String> {
    let grouped = version.split_once('/').is_some_and(|(group, _)| !group.is_empty());
    match rule {
        Version::Any => None,
        _ if version.matches('/').count() > 1 => Some(format!("unexpected GroupVersion string: {version}")),
        Version::Grouped if !grouped => Some("apiVersion must specify API group".to_owned()),
        Version::Grouped | Version::Formed => None,
    }
}

fn validate_rules(rules: &Map, path: &Path, errors: &mut Errors) {
    let place = path.child("stabilizationWindowSeconds");
    match rules.int("stabilizationWindowSeconds") {
        Some(n) if n < 0 => errors.invalid(&place, n, "must be greater than or equal to zero"),
        Some(n) if n > MOST_STABILIZATION => {
            errors.invalid(&place, n, &format!("must be less than or equal to {MOST_STABILIZATION}"));
        }
        _ => {}
    }
    if let Some(policy) = rules.get("selectPolicy").and_then(Value::as_str)
        && !matches!(policy, "Max" | "Min" | "Disabled")
    {
        errors.not_supported(&path.child("selectPolicy"), policy, &["Disabled", "Max", "Min"]);
    }
    let place = path.child("policies");
    if rules.list("policies").is_empty() {
        errors.required(&place, "must specify at least one Policy");
    }
    for (i, policy) in maps(rules.list("policies")) {
        let place = place.index(i);
        if !matches!(policy.str("type"), "Pods" | "Percent") {
            errors.not_supported(&place.child("type"), policy.str("type"), &["Percent", "Pods"]);
        }
        for key in ["value", "periodSeconds"] {
            let n = policy.int(key).unwrap_or(0);
            if n <= 0 {
                errors.invalid(&place.child(key), n, "must be greater than zero");
            }
        }
        if let Some(n) = policy.int("periodSeconds").filter(|n| *n > LONGEST_PERIOD) {
            errors.invalid(&place.child("periodSeconds"), n, &format!("must be less than or equal to {LONGEST_PERIOD}"));
        }
    }
    if let Some(tolerance) = rules.get("tolerance") {
        quantity_value("", tolerance, &path.child("tolerance"), errors);
    }
}

/// Validates a metric. Counterpart: `validateMetricSpec`.
fn validate_metric(metric: &Map, version: Version, path: &Path, errors: &mut Errors) {
    let type_ = metric.str("type");
    if type_.is_empty() {
        errors.required(&path.child("type"), "must specify a metric source type");
    }
    if !TYPES.contains(&type_) {
        errors.not_supported(&path.child("type"), type_, TYPES);
    }
    let present: Vec<&str> = SOURCES.iter().map(|(_, key)| *key).filter(|key| metric.has(key)).collect();
    if let Some(first) = present.first() {
        let empty = Map::new();
        validate_source(first, metric.map(first).unwrap_or(&empty), version, &path.child(first), errors);
    }
    let expected = SOURCES.iter().find(|(name, _)| *name == type_).map(|(_, key)| *key);
    match expected {
        Some(key) if !metric.has(key) => errors.required(&path.child(key), "must populate information for the given metric source"),
        Some(_) => {}
        None => errors.not_supported(&path.child("type"), type_, TYPES),
    }
    if present.len() != 1 {
        for key in present.iter().filter(|key| Some(**key) != expected) {
            errors.forbidden(&path.child(key), "must populate the given metric source only");
        }
    }
}

fn validate_source(key: &str, source: &Map, version: Version, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let (target, place) = (source.map("target").unwrap_or(&empty), path.child("target"));
    match key {
        "resource" | "containerResource" => {
            if source.str("name").is_empty() {
                errors.required(&path.child("name"), "must specify a resource name");
            } else if key == "containerResource" {
                container_resource_name(source.str("name"), &path.child("name"), errors);
            }
            let container = source.str("container");
            if key == "containerResource" {
                if container.is_empty() {
                    errors.required(&path.child("container"), "must specify a container");
                } else {
                    errors.invalid_each(&path.child("container"), container, names::dns_label(container));
                }
            }
        }
        _ => {
            if key == "object" {
                validate_reference(source.map("describedObject").unwrap_or(&empty), version, &path.child("describedObject"), errors);
            }
            let name = source.at(&["metric", "name"]).and_then(Value::as_str).unwrap_or("");
            let place = path.child("metric").child("name");
            if name.is_empty() {
                errors.required(&place, "must specify a metric name");
            } else {
                errors.invalid_each(&place, name, names::path_segment(name, false));
            }
        }
    }
    validate_target(target, &place, errors);
    let has = |key: &str| target.has(key);
    match key {
        "pods" if !has("averageValue") => errors.required(&place.child("averageValue"), "must specify a positive target averageValue"),
        "object" if !has("value") && !has("averageValue") => {
            errors.required(&place.child("averageValue"), "must set either a target value or averageValue");
        }
        "external" if !has("value") && !has("averageValue") => {
            errors.required(&place.child("averageValue"), "must set either a target value for metric or a per-pod target");
        }
        "external" if has("value") && has("averageValue") => {
            errors.forbidden(&place.child("value"), "may not set both a target value for metric and a per-pod target");
        }
        "resource" | "containerResource" if !has("averageUtilization") && !has("averageValue") => {
            errors.required(&place.child("averageUtilization"), "must set either a target raw value or a target utilization");
        }
        "resource" | "containerResource" if has("averageUtilization") && has("averageValue") => {
            errors.forbidden(&place.child("averageValue"), "may not set both a target raw value and a target utilization");
        }
        _ => {}
    }
}

fn validate_target(target: &Map, path: &Path, errors: &mut Errors) {
    let type_ = target.str("type");
    if type_.is_empty() {
        errors.required(&path.child("type"), "must specify a metric target type");
    }
    if !matches!(type_, "Utilization" | "Value" | "AverageValue") {
        errors.invalid(&path.child("type"), type_, "must be either Utilization, Value, or AverageValue");
    }
    for key in ["value", "averageValue"] {
        if let Some(value) = target.get(key).filter(|v| amount(v).is_none_or(|q| q.milli_value() <= 0)) {
            errors.invalid(&path.child(key), value.clone(), "must be positive");
        }
    }
    if let Some(n) = target.int("averageUtilization").filter(|n| *n < 1) {
        errors.invalid(&path.child("averageUtilization"), n, "must be greater than 0");
    }
}

/// Validates an update of a HorizontalPodAutoscaler's status.
pub fn validate_status(new: &Map, _: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("status"));
    let status = new.map("status").unwrap_or(&empty);
    non_negative(status, "currentReplicas", &path, errors);
    non_negative(status, "desiredReplicas", &path, errors);
}
