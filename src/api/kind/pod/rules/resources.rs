//! Validation of requests and limits.

use super::super::totals::{amounts, container_totals};
use super::spec::Scope;
use crate::api::field::{Errors, FieldErrorKind, Path};
use crate::api::meta_rules::maps;
use crate::api::names;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};

/// The names of resources without a domain prefix that the API server knows.
const STANDARD: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];
/// The names of resources that are counted in whole numbers.
const WHOLE: &[&str] = &[
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

/// Returns true for names of huge pages, whatever their size.
pub fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

/// Returns true if requests of a resource may be below its limit.
pub fn is_overcommit_allowed(name: &str) -> bool {
    is_native(name) && !is_huge_page(name)
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

fn is_extended(name: &str) -> bool {
    !is_native(name) && !name.starts_with("requests.") && names::qualified_name(&format!("requests.{name}")).is_empty()
}

/// Validates the name of a resource: a known one, or one with a domain prefix. Returns true if it is valid.
pub fn resource_name(name: &str, path: &Path, errors: &mut Errors) -> bool {
    let problems = names::qualified_name(name);
    let valid = problems.is_empty();
    errors.invalid_each(path, name, problems);
    if valid && !name.contains('/') && !STANDARD.contains(&name) && !is_huge_page(name) && !name.starts_with("requests.hugepages-") {
        errors.invalid(path, name, "must be a standard resource type or fully qualified");
        return false;
    }
    valid
}

/// Validates the name of a resource of a container.
pub fn container_name(name: &str, path: &Path, errors: &mut Errors) {
    resource_name(name, path, errors);
    if !name.contains('/') {
        if !matches!(name, "cpu" | "memory" | "ephemeral-storage") && !is_huge_page(name) {
            errors.invalid(path, name, "must be a standard resource for containers");
        }
    } else if !is_native(name) && !is_extended(name) {
        errors.invalid(path, name, "doesn't follow extended resource name standard");
    }
}

/// Validates the name of a resource of the pod as a whole.
pub(super) fn pod_level_name(name: &str, path: &Path, errors: &mut Errors) {
    if resource_name(name, path, errors) && !matches!(name, "cpu" | "memory") && !is_huge_page(name) {
        errors.not_supported(path, name, &["cpu", "hugepages-", "memory"]);
    }
}

fn quantity(value: &Value) -> Option<Quantity> {
    value.as_str().and_then(|text| Quantity::parse(text).ok())
}

/// Validates an amount of a resource: not negative, and whole if the resource is counted.
pub fn quantity_value(name: &str, value: &Value, path: &Path, errors: &mut Errors) {
    let Some(amount) = quantity(value) else { return };
    if amount < Quantity::ZERO {
        errors.invalid(path, value.clone(), "must be greater than or equal to 0");
    }
    if (WHOLE.contains(&name) || is_extended(name)) && amount.milli_value() % 1000 != 0 {
        errors.invalid(path, value.clone(), "must be an integer");
    }
}

fn huge_page_value(name: &str, value: &Value, path: &Path, errors: &mut Errors) {
    let size = name.strip_prefix("hugepages-").and_then(|size| Quantity::parse(size).ok());
    if let (Some(size), Some(amount)) = (size, quantity(value))
        && (size.nano() <= 0 || amount.nano() % size.nano() != 0)
    {
        let detail = format!("{} is not positive integer multiple of {name}", value.as_str().unwrap_or(""));
        errors.invalid(path, value.clone(), &detail);
    }
}

/// Validates the requests and limits of a container or of a pod as a whole; `name_rule` validates the names of the resources.
pub fn validate_requirements(requirements: &Map, name_rule: fn(&str, &Path, &mut Errors), scope: &Scope, path: &Path, errors: &mut Errors) {
    static EMPTY: Map = Map::new();
    let limits = requirements.map("limits").unwrap_or(&EMPTY);
    let requests = requirements.map("requests").unwrap_or(&EMPTY);
    let (limits_path, requests_path) = (path.child("limits"), path.child("requests"));
    for (name, value) in limits.iter() {
        amount(name, value, name_rule, &limits_path.key(name), errors);
        if is_huge_page(name) {
            huge_page_value(name, value, &limits_path.key(name), errors);
        }
    }
    for (name, value) in requests.iter() {
        amount(name, value, name_rule, &requests_path.key(name), errors);
        let overcommit = is_overcommit_allowed(name);
        match (limits.get(name), quantity(value)) {
            (Some(limit), Some(request)) => {
                let Some(most) = quantity(limit) else { continue };
                let limit = limit.as_str().unwrap_or("");
                if request != most && !overcommit {
                    errors.invalid(&requests_path, value.clone(), &format!("must be equal to {name} limit of {limit}"));
                } else if request > most {
                    errors.invalid(&requests_path, value.clone(), &format!("must be less than or equal to {name} limit of {limit}"));
                }
            }
            (None, _) if !overcommit => errors.required(&limits_path, "Limit must be set for non overcommitable resources"),
            _ => {}
        }
        if is_huge_page(name) {
            huge_page_value(name, value, &requests_path.key(name), errors);
        }
    }
    let any = |test: fn(&str) -> bool| limits.iter().chain(requests.iter()).any(|(name, _)| test(name));
    if any(is_huge_page) && !any(|name| matches!(name, "cpu" | "memory")) {
        errors.forbidden(path, "HugePages require cpu or memory");
    }
    validate_claims(requirements.list("claims"), scope, &path.child("claims"), errors);
}

/// Validates the requests and limits of the pod as a whole. Counterparts: `validatePodResources`, `validatePodResourceConsistency`.
pub(super) fn validate_pod_level(requirements: &Map, scope: &Scope, path: &Path, errors: &mut Errors) {
    if scope.spec.map("os").is_some_and(|os| os.str("name") == "windows") {
        return errors.forbidden(path, "may not be set for a windows pod");
    }
    if requirements.has("claims") {
        errors.forbidden(&path.child("claims"), "claims may not be set for Resources at pod-level");
    }
    validate_requirements(requirements, pod_level_name, scope, path, errors);
    for part in ["requests", "limits"] {
        for (name, sum) in container_totals(scope.spec, part) {
            let Some(own) = requirements.map(part).and_then(|m| m.get(&name)).and_then(quantity) else { continue };
            if sum > own && (part == "requests" || is_huge_page(&name)) {
                let detail = format!("must be greater than or equal to aggregate container {part} of {sum}");
                errors.invalid(&path.child(part).key(&name), own.to_string(), &detail);
            }
        }
    }
    for (i, container) in maps(scope.spec.list("containers")) {
        for (name, limit) in amounts(container.map("resources").and_then(|r| r.map("limits"))) {
            let Some(own) = requirements.map("limits").and_then(|m| m.get(&name)).and_then(quantity) else { continue };
            if limit > own {
                let path = path.child("containers").index(i).key(&name).child("limits");
                errors.invalid(&path, limit.to_string(), &format!("must be less than or equal to pod limits of {own}"));
            }
        }
    }
}

fn amount(name: &str, value: &Value, name_rule: fn(&str, &Path, &mut Errors), path: &Path, errors: &mut Errors) {
    name_rule(name, path, errors);
    quantity_value(name, value, path, errors);
}

fn validate_claims(claims: &[Value], scope: &Scope, path: &Path, errors: &mut Errors) {
    let known: Vec<&str> = maps(scope.spec.list("resourceClaims")).map(|(_, c)| c.str("name")).filter(|n| !n.is_empty()).collect();
    let mut seen: Vec<String> = Vec::new();
    for (i, claim) in maps(claims) {
        let (path, name, request) = (path.index(i), claim.str("name"), claim.str("request"));
        if name.is_empty() {
            errors.required(&path, "");
            continue;
        }
        // A claim and its requests are referred to once: either the claim as a whole, or some of its requests.
        if seen.iter().any(|key| key == name) {
            errors.duplicate(&path, name);
        } else {
            let key = if request.is_empty() { name.to_owned() } else { format!("{name}/{request}") };
            if !request.is_empty() {
                errors.invalid_each(&path.child("request"), request, names::dns_label(request));
            }
            if seen.contains(&key) {
                errors.duplicate(&path, key.as_str());
            } else if request.is_empty() {
                for _ in seen.iter().filter(|key| key.split_once('/').is_some_and(|(claim, _)| claim == name)) {
                    errors.duplicate(&path, name);
                }
            }
            seen.push(key);
        }
        if !known.contains(&name) {
            let which = if known.is_empty() { " which is empty".to_owned() } else { format!(": {}", known.join(", ")) };
            let message = format!("Not found: {name:?}: must be one of the names in pod.spec.resourceClaims{which}");
            errors.other(FieldErrorKind::NotFound, &path, message);
        }
    }
}
