//! Defaults and validation of Leases. Counterpart: `pkg/apis/coordination/validation`.

use crate::api::field::{Errors, Path};
use crate::api::meta_rules::non_negative;
use crate::api::value::Map;

/// Drops the fields of a Lease that are `null`, and those of the feature CoordinatedLeaderElection, which is off; there are no defaults.
pub fn default(object: &mut Map) {
    object.map_mut("spec").retain(|key, value| !value.is_null() && !matches!(key, "strategy" | "preferredHolder"));
}

/// Validates a new Lease.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    if let Some(seconds) = spec.int("leaseDurationSeconds").filter(|s| *s <= 0) {
        errors.invalid(&path.child("leaseDurationSeconds"), seconds, "must be greater than 0");
    }
    non_negative(spec, "leaseTransitions", &path, errors);
}

/// Validates an update of a Lease.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    validate(new, errors);
}
