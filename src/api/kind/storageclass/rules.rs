//! Defaults and validation of StorageClasses. Counterpart: `pkg/apis/storage/v1/defaults.go` and `pkg/apis/storage/validation`.

use super::super::persistentvolumeclaim::immutable;
use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, maps};
use crate::api::names;
use crate::api::order::Order;
use crate::api::sorted::SortedMap;
use crate::api::value::{Map, Value};

const PARAMETERS: usize = 512;
const PARAMETERS_SIZE: usize = 256 * 1024;
const RECLAIM_POLICIES: &[&str] = &["Delete", "Retain"];
const BINDING_MODES: &[&str] = &["Immediate", "WaitForFirstConsumer"];

/// Fills in the defaults of a StorageClass.
pub fn default(object: &mut Map) {
    object.insert_default("provisioner", "");
    object.insert_default("reclaimPolicy", "Delete");
    object.insert_default("volumeBindingMode", "Immediate");
}

/// Validates a new StorageClass. Counterpart: `ValidateStorageClass`.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (provisioner, path) = (object.str("provisioner"), Path::new("provisioner"));
    if provisioner.is_empty() {
        errors.required(&path, "");
    } else {
        let lower = provisioner.to_ascii_lowercase();
        errors.invalid_each(&path, lower.as_str(), names::qualified_name(&lower));
    }
    validate_parameters(object.map("parameters"), &Path::new("parameters"), errors);
    let policy = object.str("reclaimPolicy");
    if !policy.is_empty() && !RECLAIM_POLICIES.contains(&policy) {
        errors.not_supported(&Path::new("reclaimPolicy"), policy, RECLAIM_POLICIES);
    }
    let mode = object.str("volumeBindingMode");
    if !BINDING_MODES.contains(&mode) {
        errors.not_supported(&Path::new("volumeBindingMode"), mode, BINDING_MODES);
    }
    validate_topologies(object.list("allowedTopologies"), &Path::new("allowedTopologies"), errors);
}

fn validate_parameters(parameters: Option<&Map>, path: &Path, errors: &mut Errors) {
    let Some(parameters) = parameters else { return };
    if parameters.len() > PARAMETERS {
        return errors.too_long(path, PARAMETERS);
    }
    if parameters.has("") {
        errors.invalid(path, "", "field can not be empty.");
    }
    let size: usize = parameters.iter().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum();
    if size > PARAMETERS_SIZE {
        errors.too_long(path, PARAMETERS_SIZE);
    }
}

fn validate_topologies(terms: &[Value], path: &Path, errors: &mut Errors) {
    // Upstream compares each term not only with the terms before it, but also with as many empty terms as there are terms.
    let mut seen: Vec<SortedMap<&str, Vec<&str>>> = Vec::new();
    for (i, term) in maps(terms) {
        let path = path.index(i).child("matchLabelExpressions");
        let mut keys: SortedMap<&str, Vec<&str>> = SortedMap::new();
        for (i, expression) in maps(term.list("matchLabelExpressions")) {
            let (path, key) = (path.index(i), expression.str("key"));
            let values = validate_values(expression.list("values"), &path.child("values"), errors);
            errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
            if keys.insert(key, values).is_some() {
                errors.duplicate(&path.child("key"), key);
            }
        }
        let duplicates = if keys.is_empty() { terms.len() } else { 0 } + seen.iter().filter(|other| **other == keys).count();
        for _ in 0..duplicates {
            errors.duplicate(&path, "");
        }
        seen.push(keys);
    }
}

fn validate_values<'a>(values: &'a [Value], path: &Path, errors: &mut Errors) -> Vec<&'a str> {
    if values.is_empty() {
        errors.required(path, "");
    }
    let mut known: Vec<&str> = Vec::new();
    for (i, value) in values.iter().filter_map(Value::as_str).enumerate() {
        if known.contains(&value) {
            errors.duplicate(&path.index(i), value);
        } else {
            known.push(value);
        }
    }
    known.order();
    known
}

/// Validates an update of a StorageClass. Counterpart: `ValidateStorageClassUpdate`.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::STORAGE_CLASS, new, errors);
    validate(new, errors);
    for key in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
        immutable(new, old, key, &Path::new(key), errors);
    }
}
