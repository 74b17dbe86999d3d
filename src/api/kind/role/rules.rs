//! Validation of roles. Counterpart: `pkg/apis/rbac/validation`.

use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, maps};
use crate::api::value::Map;

/// Validates a new Role.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_rules(object, true, errors);
}

/// Validates the rules of a role. Rules of a namespace cannot be about URL paths. Counterpart: `ValidatePolicyRule`.
pub fn validate_rules(object: &Map, namespaced: bool, errors: &mut Errors) {
    for (i, rule) in maps(object.list("rules")) {
        let path = Path::new("rules").index(i);
        if rule.list("verbs").is_empty() {
            errors.required(&path.child("verbs"), "verbs must contain at least one value");
        }
        let urls = rule.list("nonResourceURLs");
        if !urls.is_empty() {
            let path = path.child("nonResourceURLs");
            if namespaced {
                errors.invalid(&path, urls.to_vec(), "namespaced rules cannot apply to non-resource URLs");
            }
            if ["apiGroups", "resources", "resourceNames"].iter().any(|key| !rule.list(key).is_empty()) {
                errors.invalid(&path, urls.to_vec(), "rules cannot apply to both regular resources and non-resource URLs");
            }
            continue;
        }
        if rule.list("apiGroups").is_empty() {
            errors.required(&path.child("apiGroups"), "resource rules must supply at least one api group");
        }
        if rule.list("resources").is_empty() {
            errors.required(&path.child("resources"), "resource rules must supply at least one resource");
        }
    }
}

/// Validates an update of a Role.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::ROLE, new, errors);
    validate(new, errors);
}
