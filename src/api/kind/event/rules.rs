//! Defaults and validation of Events. Counterpart: `pkg/apis/core/validation/events.go`, as it treats the core group's events.

use crate::api::field::{Errors, Path};
use crate::api::names;
use crate::api::value::{Map, Value};

/// Fills in the defaults of an Event.
pub fn default(_object: &mut Map) {}

/// Validates a new Event.
pub fn validate(object: &Map, errors: &mut Errors) {
    let namespace = object.at(&["metadata", "namespace"]).and_then(Value::as_str).unwrap_or("");
    let involved = object.at(&["involvedObject", "namespace"]).and_then(Value::as_str).unwrap_or("");
    let new_style = object.get("eventTime").is_some_and(|t| !t.is_null());
    let agrees = match (new_style, involved) {
        (false, "") => matches!(namespace, "" | "default"),
        (false, _) => involved == namespace,
        (true, "") => matches!(namespace, "default" | "kube-system"),
        (true, _) => true,
    };
    if !agrees {
        errors.invalid(&Path::new("involvedObject.namespace"), involved, "does not match event.namespace");
    }
    if new_style {
        validate_new_style(object, errors);
    }
    errors.invalid_each(&Path::new("namespace"), namespace, names::dns_subdomain(namespace));
}

fn validate_new_style(object: &Map, errors: &mut Errors) {
    let controller = object.str("reportingComponent");
    let path = Path::new("reportingComponent");
    if controller.is_empty() {
        errors.required(&path, "");
    }
    errors.invalid_each(&path, controller, names::qualified_name(controller));
    for key in ["reportingInstance", "action", "reason"] {
        let text = object.str(key);
        if text.is_empty() {
            errors.required(&Path::new(key), "");
        }
        if text.len() > 128 {
            errors.invalid(&Path::new(key), "", "can have at most 128 characters");
        }
    }
    if object.str("message").len() > 1024 {
        errors.invalid(&Path::new("message"), "", "can have at most 1024 characters");
    }
}

/// Validates an update of an Event.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    validate(new, errors);
}
