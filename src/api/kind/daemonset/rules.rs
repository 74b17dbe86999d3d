//! Defaults and validation of DaemonSets. Counterpart: `pkg/apis/apps/v1/defaults.go`, `pkg/apis/apps/validation` and `pkg/registry/apps/daemonset`.

use super::super::deployment::{amount, at_most_100_percent, int_or_percent};
use super::super::pod;
use crate::api::field::{Errors, FieldErrorKind, Path};
use crate::api::json;
use crate::api::meta_rules::{immutable_selector, non_negative, selector_text, validate_label_selector};
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};

/// The annotation that counts the changes of the template. Counterpart: `DeprecatedTemplateGeneration`.
pub const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Fills in the defaults of a DaemonSet.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    pod::default_template(spec.map_mut("template"));
    let strategy = spec.map_mut("updateStrategy");
    if strategy.str("type").is_empty() {
        strategy.insert("type", "RollingUpdate");
    }
    if strategy.str("type") == "RollingUpdate" {
        let rolling = strategy.map_mut("rollingUpdate");
        rolling.insert_default("maxUnavailable", 1);
        rolling.insert_default("maxSurge", 0);
    }
    spec.insert_default("revisionHistoryLimit", 10);
    let status = object.map_mut("status");
    for key in ["currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady"] {
        status.insert_default(key, 0);
    }
}

fn template_generation(object: &Map) -> i64 {
    let annotation = object.at(&["metadata", "annotations", TEMPLATE_GENERATION]).and_then(Value::as_str);
    annotation.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn set_template_generation(object: &mut Map, generation: i64) {
    object.map_mut("metadata").map_mut("annotations").insert(TEMPLATE_GENERATION, generation.to_string());
}

/// Sets the annotation that counts the changes of the template to at least 1.
pub fn prepare_create(object: &mut Map) {
    let generation = template_generation(object).max(1);
    set_template_generation(object, generation);
}

/// Updates the annotation that counts the changes of the template. Its value in the new object is ignored.
pub fn prepare_update(new: &mut Map, old: &Map) {
    let changed = new.at(&["spec", "template"]) != old.at(&["spec", "template"]);
    set_template_generation(new, template_generation(old) + i64::from(changed));
}

/// Validates a new DaemonSet. Counterpart: `ValidateDaemonSetSpec`.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    let selector = spec.map("selector");
    validate_label_selector(selector, &path.child("selector"), errors);
    let parsed = selector.map_or_else(|| Ok(Selector::nothing()), Selector::from_label_selector);
    let labels = spec.at(&["template", "metadata", "labels"]).and_then(Value::as_map);
    if parsed.is_ok_and(|selector| !selector.matches_map(labels.unwrap_or(&empty))) {
        let shown = labels.map_or(Value::Null, |l| l.clone().into());
        errors.invalid(&path.child("template.metadata.labels"), shown, "`selector` does not match template `labels`");
    }
    let is_empty = |s: &&Map| s.map("matchLabels").is_none_or(Map::is_empty) && s.list("matchExpressions").is_empty();
    if let Some(selector) = selector.filter(is_empty) {
        errors.invalid_text(&path.child("selector"), &selector_text(selector), "empty selector is invalid for daemonset");
    }
    let template = spec.map("template").unwrap_or(&empty);
    pod::validate_template(template, &path.child("template"), errors);
    let pod_spec = template.map("spec").unwrap_or(&empty);
    if pod_spec.str("restartPolicy") != "Always" {
        errors.not_supported(&path.child("template.spec.restartPolicy"), pod_spec.str("restartPolicy"), &["Always"]);
    }
    if pod_spec.has("activeDeadlineSeconds") {
        errors.forbidden(&path.child("template.spec.activeDeadlineSeconds"), "activeDeadlineSeconds in DaemonSet is not Supported");
    }
    non_negative(spec, "minReadySeconds", &path, errors);
    validate_strategy(spec.map("updateStrategy").unwrap_or(&empty), &path.child("updateStrategy"), errors);
    non_negative(spec, "revisionHistoryLimit", &path, errors);
}

/// Validates an update of a DaemonSet. Counterpart: `ValidateDaemonSetUpdate`.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    immutable_selector(new, old, errors);
    validate(new, errors);
}

/// Validates the update strategy of a DaemonSet. Counterpart: `ValidateDaemonSetUpdateStrategy`.
fn validate_strategy(strategy: &Map, path: &Path, errors: &mut Errors) {
    match (strategy.str("type"), strategy.map("rollingUpdate")) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => errors.required(&path.child("rollingUpdate"), ""),
        ("RollingUpdate", Some(rolling)) => validate_rolling(rolling, &path.child("rollingUpdate"), errors),
        (type_, rolling) => {
            let rolling = rolling.map_or_else(|| "null".to_owned(), rolling_text);
            let text = format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", json::to_string_html(&type_.into()));
            let message = format!("Unsupported value: {text}: supported values: \"RollingUpdate\", \"OnDelete\"");
            errors.other(FieldErrorKind::NotSupported, path, message);
        }
    }
}

/// Encodes the parameters of a rolling update as the API server shows its internal struct.
fn rolling_text(rolling: &Map) -> String {
    let part = |key: &str| rolling.get(key).map_or_else(|| "0".to_owned(), json::to_string);
    format!("{{\"MaxUnavailable\":{},\"MaxSurge\":{}}}", part("maxUnavailable"), part("maxSurge"))
}

fn validate_rolling(rolling: &Map, path: &Path, errors: &mut Errors) {
    let (unavailable, surge) = (rolling.get("maxUnavailable"), rolling.get("maxSurge"));
    let (unavailable_path, surge_path) = (path.child("maxUnavailable"), path.child("maxSurge"));
    int_or_percent(unavailable, &unavailable_path, errors);
    int_or_percent(surge, &surge_path, errors);
    at_most_100_percent(unavailable, &unavailable_path, errors);
    at_most_100_percent(surge, &surge_path, errors);
    match (amount(unavailable) != 0, amount(surge) != 0) {
        (true, true) => {
            let shown = surge.cloned().unwrap_or_default();
            errors.invalid(&surge_path, shown, "may not be set when maxUnavailable is non-zero");
        }
        (false, false) => errors.required(&unavailable_path, "cannot be 0 when maxSurge is 0"),
        _ => {}
    }
}

/// Validates an update of a DaemonSet's status. Counterpart: `ValidateDaemonSetStatusUpdate`.
pub fn validate_status(new: &Map, old: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("status"));
    let (status, old) = (new.map("status").unwrap_or(&empty), old.map("status").unwrap_or(&empty));
    for key in [
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    ] {
        non_negative(status, key, &path, errors);
    }
    let count = status.int("collisionCount").unwrap_or(0);
    if old.int("collisionCount").is_some_and(|before| count < before) {
        errors.invalid(&path.child("collisionCount"), count, "cannot be decremented");
    }
}
