//! Defaults and validation of RoleBindings, shared with ClusterRoleBindings. Counterparts: `pkg/apis/rbac/v1/defaults.go`, `pkg/apis/rbac/validation`.

use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, maps, ordered};
use crate::api::names;
use crate::api::value::{Map, Value};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Fills in the defaults of a RoleBinding.
pub fn default(object: &mut Map) {
    default_subjects(object);
}

/// Fills in the API groups of a binding's role and subjects.
pub fn default_subjects(object: &mut Map) {
    let role = object.map_mut("roleRef");
    if role.str("apiGroup").is_empty() {
        role.insert("apiGroup", GROUP);
    }
    for subject in object.get_mut("subjects").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
        if subject.str("apiGroup").is_empty() && matches!(subject.str("kind"), "User" | "Group") {
            subject.insert("apiGroup", GROUP);
        }
    }
}

/// Validates a new RoleBinding.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_role_ref(object, &["Role", "ClusterRole"], errors);
    validate_subjects(object, true, errors);
}

/// Validates a binding's reference to its role, which must be of one of the given kinds.
pub fn validate_role_ref(object: &Map, kinds: &[&str], errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("roleRef"));
    let role = object.map("roleRef").unwrap_or(&empty);
    let [group, kind, name] = ["apiGroup", "kind", "name"].map(|key| role.str(key));
    if group != GROUP {
        errors.not_supported(&path.child("apiGroup"), group, &[GROUP]);
    }
    if !kinds.contains(&kind) {
        errors.not_supported(&path.child("kind"), kind, kinds);
    }
    if name.is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        errors.invalid_each(&path.child("name"), name, names::path_segment(name, false));
    }
}

/// Validates the subjects of a binding. With `namespaced` unset, a service account must name its namespace. Counterpart: `ValidateRoleBindingSubject`.
pub fn validate_subjects(object: &Map, namespaced: bool, errors: &mut Errors) {
    for (i, subject) in maps(object.list("subjects")) {
        let path = Path::new("subjects").index(i);
        let [name, kind, group] = ["name", "kind", "apiGroup"].map(|key| subject.str(key));
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        }
        match kind {
            "ServiceAccount" => {
                if !name.is_empty() {
                    errors.invalid_each(&path.child("name"), name, names::dns_subdomain(name));
                }
                if !group.is_empty() {
                    errors.not_supported(&path.child("apiGroup"), group, &[""]);
                }
                if !namespaced && subject.str("namespace").is_empty() {
                    errors.required(&path.child("namespace"), "");
                }
            }
            "User" | "Group" if group != GROUP => errors.not_supported(&path.child("apiGroup"), group, &[GROUP]),
            "User" | "Group" => {}
            _ => errors.not_supported(&path.child("kind"), kind, &["ServiceAccount", "User", "Group"]),
        }
    }
}

/// Validates an update of a RoleBinding: the role is immutable.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::ROLE_BINDING, new, errors);
    validate(new, errors);
    immutable_role(new, old, errors);
}

/// Reports a change of a binding's role.
pub fn immutable_role(new: &Map, old: &Map, errors: &mut Errors) {
    if new.get("roleRef") != old.get("roleRef") {
        let shown = new.map("roleRef").map_or_else(|| "null".to_owned(), |role| ordered(role, &["apiGroup", "kind", "name"]));
        let go = shown.replace("\"apiGroup\"", "\"APIGroup\"").replace("\"kind\"", "\"Kind\"").replace("\"name\"", "\"Name\"");
        errors.invalid_text(&Path::new("roleRef"), &go, "cannot change roleRef");
    }
}
