//! Validation of affinity to nodes and to other pods.

use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{maps, validate_label_selector};
use crate::api::names;
use crate::api::value::{Map, Value};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Validates node affinity, pod affinity and pod anti-affinity.
pub(super) fn validate_affinity(affinity: &Map, path: &Path, errors: &mut Errors) {
    if let Some(node) = affinity.map("nodeAffinity") {
        validate_node_affinity(node, &path.child("nodeAffinity"), errors);
    }
    for key in ["podAffinity", "podAntiAffinity"] {
        let Some(pods) = affinity.map(key) else { continue };
        let path = path.child(key);
        for (i, term) in maps(pods.list(REQUIRED)) {
            validate_pod_term(term, &path.child(REQUIRED).index(i), errors);
        }
        for (i, weighted) in maps(pods.list(PREFERRED)) {
            let path = path.child(PREFERRED).index(i);
            validate_weight(weighted, &path, errors);
            let empty = Map::new();
            validate_pod_term(weighted.map("podAffinityTerm").unwrap_or(&empty), &path.child("podAffinityTerm"), errors);
        }
    }
}

fn validate_weight(term: &Map, path: &Path, errors: &mut Errors) {
    let weight = term.int("weight").unwrap_or(0);
    if !(1..=100).contains(&weight) {
        errors.invalid(&path.child("weight"), weight, "must be in the range 1-100");
    }
}

fn validate_node_affinity(node: &Map, path: &Path, errors: &mut Errors) {
    if let Some(required) = node.map(REQUIRED) {
        validate_node_selector(required, true, &path.child(REQUIRED), errors);
    }
    for (i, term) in maps(node.list(PREFERRED)) {
        let path = path.child(PREFERRED).index(i);
        validate_weight(term, &path, errors);
        if let Some(preference) = term.map("preference") {
            validate_node_term(preference, false, &path.child("preference"), errors);
        }
    }
}

/// Validates node selector terms, of which a node must match one. With `strict`, values that no label can have are reported, too.
pub fn validate_node_selector(selector: &Map, strict: bool, path: &Path, errors: &mut Errors) {
    let (terms, path) = (selector.list("nodeSelectorTerms"), path.child("nodeSelectorTerms"));
    if terms.is_empty() {
        return errors.required(&path, "must have at least one node selector term");
    }
    for (i, term) in maps(terms) {
        validate_node_term(term, strict, &path.index(i), errors);
    }
}

fn validate_node_term(term: &Map, strict: bool, path: &Path, errors: &mut Errors) {
    for (i, requirement) in maps(term.list("matchExpressions")) {
        validate_node_requirement(requirement, strict, &path.child("matchExpressions").index(i), errors);
    }
    for (i, requirement) in maps(term.list("matchFields")) {
        validate_field_requirement(requirement, &path.child("matchFields").index(i), errors);
    }
}

fn validate_node_requirement(requirement: &Map, strict: bool, path: &Path, errors: &mut Errors) {
    let (operator, values, key) = (requirement.str("operator"), requirement.list("values"), requirement.str("key"));
    let values_path = path.child("values");
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            errors.required(&values_path, "must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            errors.forbidden(&values_path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        "Gt" | "Lt" if values.len() != 1 => {
            errors.required(&values_path, "must be specified single value when `operator` is 'Lt' or 'Gt'");
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        _ => errors.invalid(&path.child("operator"), operator, "not a valid selector operator"),
    }
    errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
    // Preferred terms may name values that no label can have.
    for (i, value) in values.iter().filter_map(Value::as_str).enumerate().filter(|_| strict) {
        errors.invalid_each(&values_path.index(i), value, names::label_value(value));
    }
}

fn validate_field_requirement(requirement: &Map, path: &Path, errors: &mut Errors) {
    let (operator, values, key) = (requirement.str("operator"), requirement.list("values"), requirement.str("key"));
    match operator {
        "In" | "NotIn" if values.len() != 1 => {
            let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            errors.required(&path.child("values"), detail);
        }
        "In" | "NotIn" => {}
        _ => errors.invalid(&path.child("operator"), operator, "not a valid selector operator"),
    }
    if key != "metadata.name" {
        return errors.invalid(&path.child("key"), key, "not a valid field selector key");
    }
    for (i, value) in values.iter().filter_map(Value::as_str).enumerate() {
        errors.invalid_each(&path.child("values").index(i), value, names::dns_subdomain(value));
    }
}

fn validate_pod_term(term: &Map, path: &Path, errors: &mut Errors) {
    for key in ["labelSelector", "namespaceSelector"] {
        validate_label_selector(term.map(key), &path.child(key), errors);
    }
    for namespace in term.list("namespaces").iter().filter_map(Value::as_str) {
        errors.invalid_each(&path.child("namespace"), namespace, names::dns_label(namespace));
    }
    validate_label_keys(term, path, errors);
    let key = term.str("topologyKey");
    if key.is_empty() {
        errors.required(&path.child("topologyKey"), "can not be empty");
    }
    errors.invalid_each(&path.child("topologyKey"), key, names::qualified_name(key));
}

/// Validates the keys of labels whose values come from the pod itself. Counterpart: `ValidateMatchLabelKeysAndMismatchLabelKeys`.
pub(super) fn validate_label_keys(term: &Map, path: &Path, errors: &mut Errors) {
    let selector = term.map("labelSelector");
    for list in ["matchLabelKeys", "mismatchLabelKeys"] {
        let keys = term.list(list);
        if keys.is_empty() {
            continue;
        }
        if selector.is_none() {
            errors.forbidden(&path.child(list), "must not be specified when labelSelector is not set");
            continue;
        }
        for (i, key) in keys.iter().filter_map(Value::as_str).enumerate() {
            errors.invalid_each(&path.child(list).index(i), key, names::qualified_name(key));
        }
    }
    if let Some(selector) = selector {
        let mut known: Vec<&str> = selector.map("matchLabels").into_iter().flat_map(Map::iter).map(|(key, _)| key.as_str()).collect();
        for (_, expression) in maps(selector.list("matchExpressions")) {
            let key = expression.str("key");
            // The API server leaves out the name of the list here.
            let place = term.list("matchLabelKeys").iter().rposition(|k| k.as_str() == Some(key));
            if let Some(i) = place.filter(|_| known.contains(&key)) {
                errors.invalid(&path.index(i), key, "exists in both matchLabelKeys and labelSelector");
            }
            known.push(key);
        }
    }
    for (i, key) in term.list("matchLabelKeys").iter().enumerate() {
        if term.list("mismatchLabelKeys").contains(key) {
            let path = path.child("matchLabelKeys").index(i);
            errors.invalid(&path, key.clone(), "exists in both matchLabelKeys and mismatchLabelKeys");
        }
    }
}
