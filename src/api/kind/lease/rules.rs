//! Defaults and validation of Leases. Counterpart: `pkg/apis/coordination/validation`.

use crate::api::field::{Errors, Path};
use crate::api::meta_rules::non_negative;
use crate::api::names;
use crate::api::value::{Map, Value};

/// Drops the fields of a Lease that are `null`; there are no defaults.
pub fn default(object: &mut Map) {
    object.map_mut("spec").retain(|_, value| !value.is_null());
}

/// Validates a new Lease.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    if let Some(seconds) = spec.int("leaseDurationSeconds").filter(|s| *s <= 0) {
        errors.invalid(&path.child("leaseDurationSeconds"), seconds, "must be greater than 0");
    }
    non_negative(spec, "leaseTransitions", &path, errors);
    let strategy = spec.get("strategy").and_then(Value::as_str);
    if let Some(strategy) = strategy {
        // The API server repeats the field's name in the path.
        let path = path.child("strategy").child("strategy");
        if strategy.contains('/') {
            errors.invalid_each(&path, strategy, names::qualified_name(strategy));
        } else if strategy != "OldestEmulationVersion" {
            errors.not_supported(&path, strategy, &["OldestEmulationVersion"]);
        }
    }
    if !spec.str("preferredHolder").is_empty() && strategy.is_none_or(str::is_empty) {
        errors.forbidden(&path.child("preferredHolder"), "may only be specified if `strategy` is defined");
    }
}

/// Validates an update of a Lease.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    validate(new, errors);
}
