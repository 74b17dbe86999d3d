//! Defaults and validation of ReplicationControllers. Counterpart: `pkg/apis/core/v1/defaults.go` and `pkg/apis/core/validation`.

use super::super::deployment::validate_counts;
use super::super::pod;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::non_negative;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};

/// Fills in the defaults of a ReplicationController.
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

/// Validates a new ReplicationController. Counterpart: `ValidateReplicationControllerSpec`.
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

/// Validates an update of a ReplicationController.
pub fn validate_update(new: &Map, _: &Map, errors: &mut Errors) {
    validate(new, errors);
}

/// Validates an update of a ReplicationController's status. Counterpart: `ValidateReplicationControllerStatus`.
pub fn validate_status(new: &Map, _: &Map, errors: &mut Errors) {
    const COUNTS: &[&str] = &["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"];
    validate_counts(new, COUNTS, &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], errors);
}
