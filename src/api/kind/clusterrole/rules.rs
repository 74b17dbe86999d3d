//! Validation of cluster roles. Counterpart: `ValidateClusterRole` in `pkg/apis/rbac/validation`.

use super::super::role::validate_rules;
use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, maps, validate_label_selector};
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};

/// Validates a new ClusterRole.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_rules(object, false, errors);
    let Some(aggregation) = object.map("aggregationRule") else { return };
    let path = Path::new("aggregationRule.clusterRoleSelectors");
    let selectors = aggregation.list("clusterRoleSelectors");
    if selectors.is_empty() {
        errors.required(&path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
    }
    for (i, selector) in maps(selectors) {
        validate_label_selector(Some(selector), &path.index(i), errors);
        if Selector::from_label_selector(selector).is_err() {
            errors.invalid(&path.index(i), Value::Null, "invalid label selector.");
        }
    }
}

/// Validates an update of a ClusterRole.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::CLUSTER_ROLE, new, errors);
    validate(new, errors);
}
