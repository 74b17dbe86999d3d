//! Defaults and validation of IngressClasses. Counterparts: `SetDefaults_IngressClass`, `ValidateIngressClass`.

use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules;
use crate::api::names;
use crate::api::value::{Map, Value};

/// Fills in the defaults of an IngressClass: its parameters have the scope `Cluster`.
pub fn default(object: &mut Map) {
    if let Some(parameters) = object.map_mut("spec").get_mut("parameters").and_then(Value::as_map_mut) {
        parameters.insert_default("scope", "Cluster");
    }
}

/// Validates a new IngressClass.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    let (controller, controller_path) = (spec.str("controller"), path.child("controller"));
    if controller.len() > 250 {
        errors.too_long(&controller_path, 250);
    }
    match controller.split_once('/') {
        _ if controller.is_empty() => errors.required(&controller_path, ""),
        Some((domain, rest)) if !domain.is_empty() && !rest.is_empty() => {
            errors.invalid_each(&controller_path, domain, names::dns_subdomain(domain));
            if !rest.chars().all(|c| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c)) {
                let detail = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
                errors.invalid(&controller_path, rest, detail);
            }
        }
        _ => errors.invalid(&controller_path, controller, "must be a domain-prefixed path (such as \"acme.io/foo\")"),
    }
    if let Some(parameters) = spec.map("parameters") {
        validate_parameters(parameters, &path.child("parameters"), errors);
    }
}

fn validate_parameters(parameters: &Map, path: &Path, errors: &mut Errors) {
    if let Some(group) = parameters.get("apiGroup").and_then(Value::as_str) {
        errors.invalid_each(&path.child("apiGroup"), group, names::dns_subdomain(group));
    }
    for key in ["kind", "name"] {
        match parameters.str(key) {
            "" => errors.required(&path.child(key), ""),
            text => errors.invalid_each(&path.child(key), text, names::path_segment(text, false)),
        }
    }
    let namespace = parameters.get("namespace").and_then(Value::as_str);
    match (parameters.get("scope").and_then(Value::as_str), namespace) {
        (None, _) => errors.required(&path.child("scope"), ""),
        (Some("Namespace"), None) => errors.required(&path.child("namespace"), "`parameters.scope` is set to 'Namespace'"),
        (Some("Namespace"), Some(name)) => errors.invalid_each(&path.child("namespace"), name, names::dns_label(name)),
        (Some("Cluster"), Some(_)) => errors.forbidden(&path.child("namespace"), "`parameters.scope` is set to 'Cluster'"),
        (Some("Cluster"), None) => {}
        (Some(other), _) => errors.not_supported(&path.child("scope"), other, &["Cluster", "Namespace"]),
    }
}

/// Validates an update of an IngressClass: the controller is immutable.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    let controller = |object: &Map| object.at(&["spec", "controller"]).and_then(Value::as_str).unwrap_or("").to_owned();
    if controller(new) != controller(old) {
        errors.invalid(&Path::new("spec.controller"), controller(new), meta_rules::IMMUTABLE);
    }
    meta_rules::validate(Kind::INGRESS_CLASS, new, errors);
    validate(new, errors);
}
