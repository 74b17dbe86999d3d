//! Defaults and validation of ReplicaSets. Counterpart: `pkg/apis/apps/v1/defaults.go` and `pkg/apis/apps/validation`.

use super::super::deployment::validate_counts;
use super::super::pod;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{immutable_selector, non_negative, validate_controller_selector};
use crate::api::value::Map;

/// Fills in the defaults of a ReplicaSet.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    pod::default_template(spec.map_mut("template"));
    spec.insert_default("replicas", 1);
    object.map_mut("status").insert_default("replicas", 0);
}

/// Validates a new ReplicaSet.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    non_negative(spec, "replicas", &path, errors);
    non_negative(spec, "minReadySeconds", &path, errors);
    // The API server says "deployment" for ReplicaSets, too.
    if let Some(selector) = validate_controller_selector(spec, "empty selector is invalid for deployment", &path, errors) {
        pod::validate_template_for("ReplicaSet", spec.map("template"), &selector, &path.child("template"), errors);
    }
}

/// Validates an update of a ReplicaSet.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    validate(new, errors);
    immutable_selector(new, old, errors);
}

/// Validates an update of a ReplicaSet's status. Counterpart: `ValidateReplicaSetStatus`.
pub fn validate_status(new: &Map, _old: &Map, errors: &mut Errors) {
    const COUNTS: &[&str] =
        &["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration", "terminatingReplicas"];
    validate_counts(new, COUNTS, &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], errors);
}
