//! Defaults and validation.

use crate::api::field::Errors;
use crate::api::value::Map;

/// Fills defaults in.
pub fn default(_object: &mut Map) {}

/// Finds what is wrong with a new object.
pub fn validate(_object: &Map, _errors: &mut Errors) {}

/// Finds what is wrong with a change.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    validate(new, errors);
}

/// Fills defaults into a pod spec (of a pod or of a template).
pub fn default_pod_spec(_spec: &mut Map) {}

/// Fills defaults into a pod template.
pub fn default_template(_template: &mut Map) {}

/// Finds what is wrong with a pod spec.
pub fn validate_pod_spec(_spec: &Map, _path: &crate::api::field::Path, _errors: &mut Errors) {}

/// Finds what is wrong with a pod template.
pub fn validate_template(_template: &Map, _path: &crate::api::field::Path, _errors: &mut Errors) {}
/// What admission adds.
pub fn admit_pod_spec(_spec: &mut Map) {}
