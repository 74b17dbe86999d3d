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
