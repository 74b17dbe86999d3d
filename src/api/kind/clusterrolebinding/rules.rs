//! Defaults and validation of bindings in the whole cluster. Counterpart: `ValidateClusterRoleBinding` in `pkg/apis/rbac/validation`.

use super::super::rolebinding::{default_subjects, immutable_role, validate_role_ref, validate_subjects};
use crate::api::field::Errors;
use crate::api::kind::Kind;
use crate::api::meta_rules;
use crate::api::value::Map;

/// Fills in the defaults of a ClusterRoleBinding.
pub fn default(object: &mut Map) {
    default_subjects(object);
}

/// Validates a new ClusterRoleBinding.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_role_ref(object, &["ClusterRole"], errors);
    validate_subjects(object, false, errors);
}

/// Validates an update of a ClusterRoleBinding: the role is immutable.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::CLUSTER_ROLE_BINDING, new, errors);
    validate(new, errors);
    immutable_role(new, old, errors);
}
