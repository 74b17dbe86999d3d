//! Defaults and validation of Namespaces. Counterpart: `pkg/registry/core/namespace/strategy.go` and `pkg/apis/core/validation`.

use super::super::Kind;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{self, validate_known_finalizer};
use crate::api::names;
use crate::api::value::{Map, Value};

/// Fills in the defaults of a Namespace: the label with the namespace's name, the `kubernetes` finalizer and the phase.
pub fn default(object: &mut Map) {
    let meta = object.map_mut("metadata");
    let name = meta.str("name").to_owned();
    if !name.is_empty() {
        meta.map_mut("labels").insert("kubernetes.io/metadata.name", name);
    }
    let spec = object.map_mut("spec");
    let mut finalizers = spec.list("finalizers").to_vec();
    let deleting = object.at(&["metadata", "deletionTimestamp"]).is_some();
    if !deleting && !finalizers.iter().any(|f| f.as_str() == Some("kubernetes")) {
        finalizers.push("kubernetes".into());
        object.map_mut("spec").insert("finalizers", finalizers);
    }
    let status = object.map_mut("status");
    if status.str("phase").is_empty() {
        status.insert("phase", "Active");
    }
}

/// Keeps the finalizers in the spec, which only the subresource `finalize` changes.
pub fn prepare_update(new: &mut Map, old: &Map) {
    let spec = new.map_mut("spec");
    spec.remove("finalizers");
    if let Some(finalizers) = old.at(&["spec", "finalizers"]) {
        spec.insert("finalizers", finalizers.clone());
    }
}

/// Validates a new Namespace.
pub fn validate(object: &Map, errors: &mut Errors) {
    let path = Path::new("spec.finalizers");
    let finalizers = object.map("spec").map_or(&[][..], |s| s.list("finalizers"));
    for finalizer in finalizers.iter().filter_map(Value::as_str) {
        errors.invalid_each(&path, finalizer, names::qualified_name(finalizer));
        validate_known_finalizer(finalizer, &path, errors);
    }
}

/// Validates an update of a Namespace. Counterpart: `namespaceStrategy.ValidateUpdate`.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::NAMESPACE, new, errors);
    validate(new, errors);
}

/// Validates an update of a Namespace's status. Counterpart: `ValidateNamespaceStatusUpdate`.
pub fn validate_status(new: &Map, _old: &Map, errors: &mut Errors) {
    let (phase, path) = (new.at(&["status", "phase"]).and_then(Value::as_str).unwrap_or(""), Path::new("status.Phase"));
    if new.at(&["metadata", "deletionTimestamp"]).is_none() {
        if phase != "Active" {
            errors.invalid(&path, phase, "may only be 'Active' if `deletionTimestamp` is empty");
        }
    } else if phase != "Terminating" {
        errors.invalid(&path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
    }
}
