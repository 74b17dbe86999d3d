//! Validation of ResourceQuotas. Counterpart: `ValidateResourceQuota` in `pkg/apis/core/validation`.

use super::super::pod::{is_huge_page, quantity_value, resource_name};
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::meta_rules::{self, maps};
use crate::api::sorted::SortedSet;
use crate::api::value::{Map, Value};

/// The names of the resources without a domain prefix that quotas can limit.
const STANDARD: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
];
const SCOPES: &[&str] = &[
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];
const COMPUTE: &[&str] = &["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const EXISTS_ONLY: &str = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, \
ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name) || is_huge_page(name) || name.starts_with("requests.hugepages-")
}

/// Returns true if a quota with this scope can limit a resource.
fn is_valid_for(scope: &str, resource: &str) -> bool {
    match scope {
        "Terminating" | "NotTerminating" | "NotBestEffort" | "PriorityClass" | "CrossNamespacePodAffinity" => {
            resource == "pods" || COMPUTE.contains(&resource)
        }
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => matches!(resource, "persistentvolumeclaims" | "requests.storage"),
        _ => true,
    }
}

/// Validates a new ResourceQuota.
pub fn validate(object: &Map, errors: &mut Errors) {
    let empty = Map::new();
    validate_spec(object.map("spec").unwrap_or(&empty), &Path::new("spec"), errors);
}

/// Validates amounts of resources, and the names of these resources. Counterparts: `ValidateResourceQuotaResourceName`, `ValidateResourceQuantityValue`.
fn validate_amounts(amounts: Option<&Map>, path: &Path, errors: &mut Errors) {
    for (name, value) in amounts.into_iter().flat_map(Map::iter) {
        let path = path.key(name);
        resource_name(name, &path, errors);
        if !name.contains('/') && !is_standard(name) {
            errors.invalid(&path, name.as_str(), "must be a standard resource for quota");
        }
        quantity_value(name, value, &path, errors);
    }
}

/// Validates an update of a ResourceQuota's status. Counterpart: `ValidateResourceQuotaStatusUpdate`.
pub fn validate_status(new: &Map, _old: &Map, errors: &mut Errors) {
    for part in ["hard", "used"] {
        let amounts = new.at(&["status", part]).and_then(Value::as_map);
        validate_amounts(amounts, &Path::new("status").child(part), errors);
    }
}

fn validate_spec(spec: &Map, path: &Path, errors: &mut Errors) {
    validate_amounts(spec.map("hard"), &path.child("hard"), errors);
    validate_scopes(spec, &path.child("scopes"), errors);
    if let Some(selector) = spec.map("scopeSelector") {
        validate_selector(spec, selector, &path.child("scopeSelector").child("matchExpressions"), errors);
    }
}

/// Returns one item for each standard resource among the hard limits that a quota with this scope cannot limit.
fn unfit<'a>(spec: &'a Map, scope: &'a str) -> impl Iterator<Item = ()> + 'a {
    let names = spec.map("hard").into_iter().flat_map(Map::iter).map(|(name, _)| name);
    names.filter(move |name| is_standard(name) && !is_valid_for(scope, name)).map(|_| ())
}

/// Returns for each pair of scopes that exclude each other whether both are there.
fn scope_conflicts(scopes: &[&str]) -> [bool; 2] {
    [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]].map(|pair| pair.iter().all(|s| scopes.contains(s)))
}

fn validate_scopes(spec: &Map, path: &Path, errors: &mut Errors) {
    let list = spec.list("scopes");
    let scopes: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
    for scope in &scopes {
        if !SCOPES.contains(scope) {
            errors.invalid(path, list.to_vec(), "unsupported scope");
        }
        unfit(spec, scope).for_each(|()| errors.invalid(path, list.to_vec(), "unsupported scope applied to resource"));
    }
    for _ in scope_conflicts(&scopes).iter().filter(|c| **c) {
        errors.invalid(path, list.to_vec(), "conflicting scopes");
    }
}

fn validate_selector(spec: &Map, selector: &Map, path: &Path, errors: &mut Errors) {
    let mut scopes: Vec<&str> = Vec::new();
    for (_, requirement) in maps(selector.list("matchExpressions")) {
        let (scope, operator, values) = (requirement.str("scopeName"), requirement.str("operator"), requirement.list("values"));
        if !SCOPES.contains(&scope) {
            errors.invalid(&path.child("scopeName"), scope, "unsupported scope");
        }
        unfit(spec, scope).for_each(|()| errors.invalid_text(path, &selector_text(selector), "unsupported scope applied to resource"));
        let plain = matches!(scope, "BestEffort" | "NotBestEffort" | "Terminating" | "NotTerminating" | "CrossNamespacePodAffinity");
        if plain && operator != "Exists" {
            errors.invalid(&path.child("operator"), operator, EXISTS_ONLY);
        }
        match operator {
            "In" | "NotIn" if values.is_empty() => {
                errors.required(&path.child("values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
                errors.invalid(&path.child("values"), values.to_vec(), detail);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => errors.invalid(&path.child("operator"), operator, "not a valid selector operator"),
        }
        scopes.push(scope);
    }
    let given = spec.list("scopes");
    let shown = if given.is_empty() { Value::Null } else { given.to_vec().into() };
    for _ in scope_conflicts(&scopes).iter().filter(|c| **c) {
        errors.invalid(path, shown.clone(), "conflicting scopes");
    }
}

/// Encodes a scope selector as the API server encodes its internal Go struct, whose fields have no JSON names.
fn selector_text(selector: &Map) -> String {
    let texts = maps(selector.list("matchExpressions")).map(|(_, r)| {
        let values = r.get("values").map_or_else(|| "null".to_owned(), json::to_string_html);
        format!("{{\"ScopeName\":{:?},\"Operator\":{:?},\"Values\":{values}}}", r.str("scopeName"), r.str("operator"))
    });
    format!("{{\"MatchExpressions\":[{}]}}", texts.collect::<Vec<_>>().join(","))
}

/// Validates an update of a ResourceQuota: the scopes are immutable.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    validate(new, errors);
    let scopes = |object: &Map| -> (SortedSet<String>, Value) {
        let list = object.map("spec").map_or(&[][..], |s| s.list("scopes"));
        let shown = if list.is_empty() { Value::Null } else { list.to_vec().into() };
        (list.iter().filter_map(Value::as_str).map(str::to_owned).collect(), shown)
    };
    let ((new, shown), (old, _)) = (scopes(new), scopes(old));
    if new != old {
        errors.invalid(&Path::new("spec.scopes"), shown, meta_rules::IMMUTABLE);
    }
}
