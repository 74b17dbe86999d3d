//! Validation of ControllerRevisions. Counterpart: `ValidateControllerRevisionCreate` and `ValidateControllerRevisionUpdate` in `pkg/apis/apps/validation`.

use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::value::{Map, Value};

/// Fills in the defaults of a ControllerRevision.
pub fn default(object: &mut Map) {
    object.insert_default("revision", 0);
}

/// Validates a new ControllerRevision.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_revision(object, errors);
    match object.get("data") {
        None | Some(Value::Null) => errors.required(&Path::new("data"), "data is mandatory"),
        Some(Value::Map(_)) => {}
        Some(_) => errors.required(&Path::new("data"), "data must be a valid JSON object"),
    }
}

/// Validates an update of a ControllerRevision.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    validate_revision(new, errors);
    let data = |object: &Map| object.get("data").cloned().unwrap_or_default();
    if data(new) != data(old) {
        errors.invalid_text(&Path::new("data"), &json::to_string_html(&data(new)), "field is immutable");
    }
}

fn validate_revision(object: &Map, errors: &mut Errors) {
    if let Some(revision) = object.int("revision").filter(|revision| *revision < 0) {
        errors.invalid(&Path::new("revision"), revision, "must be greater than or equal to 0");
    }
}
