//! Defaults and validation of PriorityClasses. Counterpart: `pkg/apis/scheduling/v1/defaults.go` and `pkg/apis/scheduling/validation`.

use super::SYSTEM_CLASSES;
use crate::api::field::{Errors, Path};
use crate::api::value::{Map, Value};

/// The highest value of a class that is not one of the system's.
const HIGHEST: i64 = 1_000_000_000;
const SYSTEM_PREFIX: &str = "system-";
const POLICIES: [&str; 2] = ["Never", "PreemptLowerPriority"];

/// Fills in the defaults of a PriorityClass.
pub fn default(object: &mut Map) {
    object.insert_default("value", 0);
    object.insert_default("preemptionPolicy", "PreemptLowerPriority");
}

/// Validates a new PriorityClass. Counterpart: `ValidatePriorityClass`.
pub fn validate(object: &Map, errors: &mut Errors) {
    let name = object.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
    let value = object.int("value").unwrap_or(0);
    if name.starts_with(SYSTEM_PREFIX) {
        if let Some(problem) = system_problem(name, value, object.bool("globalDefault")) {
            let detail = format!("priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use only. error: {problem}");
            errors.forbidden(&Path::new("metadata.name"), &detail);
        }
    } else if value > HIGHEST {
        errors.forbidden(&Path::new("value"), &format!("maximum allowed value of a user defined priority is {HIGHEST}"));
    }
    if let Some(policy) = object.get("preemptionPolicy").and_then(Value::as_str) {
        let path = Path::new("preemptionPolicy");
        if policy.is_empty() {
            errors.required(&path, "");
        } else if !POLICIES.contains(&policy) {
            errors.not_supported(&path, policy, &["PreemptLowerPriority", "Never"]);
        }
    }
}

/// Returns the reason why a class with the name prefix of system classes is invalid, if it is. Counterpart: `IsKnownSystemPriorityClass`.
fn system_problem(name: &str, value: i64, global_default: bool) -> Option<String> {
    let Some((_, known, _)) = SYSTEM_CLASSES.iter().find(|(n, ..)| *n == name) else {
        return Some(format!("{name} is not a known system priority class"));
    };
    if i64::from(*known) != value {
        return Some(format!("value of {name} PriorityClass must be {known}"));
    }
    global_default.then(|| format!("globalDefault of {name} PriorityClass must be false"))
}

/// Validates an update of a PriorityClass. Counterpart: `ValidatePriorityClassUpdate`.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    if new.int("value").unwrap_or(0) != old.int("value").unwrap_or(0) {
        errors.forbidden(&Path::new("value"), "may not be changed in an update.");
    }
    if new.get("preemptionPolicy") != old.get("preemptionPolicy") {
        let value = new.get("preemptionPolicy").cloned().unwrap_or(Value::Null);
        errors.invalid(&Path::new("preemptionPolicy"), value, "field is immutable");
    }
}
