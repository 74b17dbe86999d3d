//! Defaults and validation. Counterpart: `pkg/apis/core/v1/defaults.go` and `pkg/apis/core/validation`.

use super::super::pod;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::non_negative;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};

/// Fills in the defaults.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    if spec.has("template") {
        pod::default_template(spec.map_mut("template"));
    }
    let labels = spec.at(&["template", "metadata", "labels"]).and_then(Value::as_map).filter(|l| !l.is_empty()).cloned();
    spec.insert_default("replicas", 1);
    if let Some(labels) = labels {
        if spec.map("selector").is_none_or(Map::is_empty) {
            spec.insert("selector", labels.clone());
        }
        let metadata = object.map_mut("metadata");
        if metadata.map("labels").is_none_or(Map::is_empty) {
            metadata.insert("labels", labels);
        }
    }
    object.map_mut("status").insert_default("replicas", 0);
}

/// Validates a new object. Counterpart: `ValidateReplicationControllerSpec`.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    non_negative(spec, "minReadySeconds", &path, errors);
    let selector = spec.map("selector").unwrap_or(&empty);
    if selector.is_empty() {
        errors.required(&path.child("selector"), "");
    }
    non_negative(spec, "replicas", &path, errors);
    match spec.map("template") {
        None => errors.required(&path.child("template"), ""),
        template => {
            let selector = Selector::from_labels(selector);
            pod::validate_template_for("ReplicationController", template, &selector, &path.child("template"), errors);
        }
    }
}

/// Validates an update.
pub fn validate_update(new: &Map, _: &Map, errors: &mut Errors) {
    validate(new, errors);
}

/// Validates an update of the status. Counterpart: `ValidateReplicationControllerStatus`.
pub fn validate_status(new: &Map, _: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("status"));
    let status = new.map("status").unwrap_or(&empty);
    for key in ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"] {
        non_negative(status, key, &path, errors);
    }
    let count = |key: &str| status.int(key).unwrap_or(0);
    for key in ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] {
        if count(key) > count("replicas") {
            errors.invalid(&path.child(key), count(key), "cannot be greater than status.replicas");
        }
    }
    if count("availableReplicas") > count("readyReplicas") {
        errors.invalid(&path.child("availableReplicas"), count("availableReplicas"), "cannot be greater than readyReplicas");
    }
}
