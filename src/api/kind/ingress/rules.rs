//! Defaults and validation of Ingresses. Counterpart: `ValidateIngressCreate` in `pkg/apis/networking/validation`.

use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, maps};
use crate::api::names;
use crate::api::schema;
use crate::api::value::{Map, Value};

const CLASS: &str = "kubernetes.io/ingress.class";
const WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Fills in the empty status of an Ingress, which has no other defaults.
pub fn default(object: &mut Map) {
    object.map_mut("status").map_mut("loadBalancer");
}

/// Resets the status of a new Ingress.
pub fn prepare_create(object: &mut Map) {
    let mut status = Map::new();
    schema::encode("networking.v1.IngressStatus", &mut status);
    object.insert("status", status);
}

/// Validates a new Ingress.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_spec(object, None, errors);
    let annotation = object.at(&["metadata", "annotations", CLASS]).and_then(Value::as_str);
    let class = object.at(&["spec", "ingressClassName"]).and_then(Value::as_str);
    if let (Some(annotation), Some(class)) = (annotation, class)
        && annotation != class
    {
        let path = Path::new("annotations").child(CLASS);
        errors.invalid(&path, annotation, "must match `ingressClassName` when both are specified");
    }
}

fn validate_spec(object: &Map, old: Option<&Map>, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    let rules = spec.list("rules");
    let before = old.and_then(|old| old.map("spec")).unwrap_or(&empty);
    let wrong_name = |tls: &Map| !tls.str("secretName").is_empty() && !names::dns_subdomain(tls.str("secretName")).is_empty();
    let keeps_secrets = maps(before.list("tls")).any(|(_, tls)| wrong_name(tls));
    let keeps_wildcards = maps(before.list("rules")).filter(|(_, rule)| rule.str("host").contains('*')).any(|(_, rule)| {
        let mut found = Errors::default();
        validate_http(rule, &path, &mut found);
        !found.is_empty()
    });
    if rules.is_empty() && !spec.has("defaultBackend") {
        errors.invalid(&path, spec.get("rules").cloned().unwrap_or_default(), "either `defaultBackend` or `rules` must be specified");
    }
    if let Some(backend) = spec.map("defaultBackend") {
        validate_backend(backend, &path.child("defaultBackend"), errors);
    }
    for (i, rule) in maps(rules) {
        let path = path.child("rules").index(i);
        validate_rule_host(rule.str("host"), &path.child("host"), errors);
        if !(keeps_wildcards && rule.str("host").contains('*')) {
            validate_http(rule, &path, errors);
        }
    }
    for (i, tls) in maps(spec.list("tls")) {
        let path = path.child("tls").index(i);
        for (j, host) in tls.list("hosts").iter().filter_map(Value::as_str).enumerate() {
            validate_host(host, &path.child("hosts").index(j), errors);
        }
        let secret = tls.str("secretName");
        if !secret.is_empty() && !keeps_secrets {
            errors.invalid_each(&path.child("secretName"), secret, names::dns_subdomain(secret));
        }
    }
    if let Some(class) = spec.get("ingressClassName").and_then(Value::as_str) {
        errors.invalid_each(&path.child("ingressClassName"), class, names::dns_subdomain(class));
    }
}

fn validate_host(host: &str, path: &Path, errors: &mut Errors) {
    if !host.contains('*') {
        return errors.invalid_each(path, host, names::dns_subdomain(host));
    }
    if host.len() > 253 {
        errors.invalid(path, host, "must be no more than 253 characters");
    }
    let valid = host.strip_prefix("*.").is_some_and(|rest| names::dns_subdomain(rest).is_empty());
    if !valid {
        errors.invalid(path, host, WILDCARD);
    }
}

fn validate_rule_host(host: &str, path: &Path, errors: &mut Errors) {
    if host.is_empty() {
        return;
    }
    if names::parse_ip(host).is_some() {
        errors.invalid(path, host, "must be a DNS name, not an IP address");
    }
    validate_host(host, path, errors);
}

fn validate_http(rule: &Map, path: &Path, errors: &mut Errors) {
    let Some(http) = rule.map("http") else { return };
    let path = path.child("http").child("paths");
    if http.list("paths").is_empty() {
        errors.required(&path, "");
    }
    for (i, entry) in maps(http.list("paths")) {
        validate_path(entry, &path.index(i), errors);
    }
}

fn validate_path(entry: &Map, path: &Path, errors: &mut Errors) {
    let (text, text_path) = (entry.str("path"), path.child("path"));
    let Some(kind) = entry.get("pathType").and_then(Value::as_str) else {
        return errors.required(&path.child("pathType"), "pathType must be specified");
    };
    match kind {
        "Exact" | "Prefix" => {
            if !text.starts_with('/') {
                errors.invalid(&text_path, text, "must be an absolute path");
            }
            for sequence in ["//", "/./", "/../", "%2f", "%2F"].iter().filter(|s| text.contains(**s)) {
                errors.invalid(&text_path, text, &format!("must not contain '{sequence}'"));
            }
            for end in ["/..", "/."].iter().filter(|s| text.ends_with(**s)) {
                errors.invalid(&text_path, text, &format!("cannot end with '{end}'"));
            }
        }
        "ImplementationSpecific" => {
            if !text.is_empty() && !text.starts_with('/') {
                errors.invalid(&text_path, text, "must be an absolute path");
            }
        }
        _ => errors.not_supported(&path.child("pathType"), kind, &["Exact", "ImplementationSpecific", "Prefix"]),
    }
    let empty = Map::new();
    validate_backend(entry.map("backend").unwrap_or(&empty), &path.child("backend"), errors);
}

fn validate_backend(backend: &Map, path: &Path, errors: &mut Errors) {
    let service = match (backend.map("resource"), backend.map("service")) {
        (Some(_), Some(_)) => return errors.invalid(path, "", "cannot set both resource and service backends"),
        (None, None) => return errors.invalid(path, "", "resource or service backend is required"),
        (Some(resource), None) => return validate_reference(resource, &path.child("resource"), errors),
        (None, Some(service)) => service,
    };
    let (name, empty) = (service.str("name"), Map::new());
    if name.is_empty() {
        errors.required(&path.child("service.name"), "");
    } else {
        errors.invalid_each(&path.child("service.name"), name, names::dns_label(name));
    }
    let port = service.map("port").unwrap_or(&empty);
    let (port_name, number) = (port.str("name"), port.int("number").unwrap_or(0));
    match (port_name.is_empty(), number) {
        (false, 0) => errors.invalid_each(&path.child("service.port.name"), port_name, names::port_name(port_name)),
        (false, _) => errors.invalid(path, "", "cannot set both port name & port number"),
        (true, 0) => errors.required(path, "port name or number is required"),
        (true, number) => errors.invalid_each(&path.child("service.port.number"), number, names::port_number(number)),
    }
}

fn validate_reference(resource: &Map, path: &Path, errors: &mut Errors) {
    if let Some(group) = resource.get("apiGroup").and_then(Value::as_str) {
        errors.invalid_each(&path.child("apiGroup"), group, names::dns_subdomain(group));
    }
    for key in ["kind", "name"] {
        match resource.str(key) {
            "" => errors.required(&path.child(key), ""),
            text => errors.invalid_each(&path.child(key), text, names::path_segment(text, false)),
        }
    }
}

/// Validates an update of an Ingress. Mistakes that the old object already has in names of secrets and in rules for wildcard hosts are not reported.
/// Counterpart: `ValidateIngressUpdate`.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::INGRESS, new, errors);
    validate_spec(new, Some(old), errors);
}

/// Validates an update of an Ingress's status. Counterpart: `ValidateIngressLoadBalancerStatus`.
pub fn validate_status(new: &Map, old: &Map, errors: &mut Errors) {
    let ingress = |object: &Map| object.at(&["status", "loadBalancer", "ingress"]).and_then(Value::as_list).unwrap_or(&[]).to_vec();
    let known: Vec<Value> = ingress(old).iter().filter_map(|point| point.get("ip").cloned()).collect();
    for (i, point) in maps(&ingress(new)) {
        let path = Path::new("status.loadBalancer.ingress").index(i);
        let (ip, host) = (point.str("ip"), point.str("hostname"));
        if !ip.is_empty() && !known.iter().any(|k| k.as_str() == Some(ip)) {
            errors.invalid_each(&path.child("ip"), ip, names::ip(ip));
        }
        if !host.is_empty() {
            errors.invalid_each(&path.child("hostname"), host, names::dns_subdomain(host));
            if names::parse_ip(host).is_some() {
                errors.invalid(&path.child("hostname"), host, "must be a DNS name, not an IP address");
            }
        }
    }
}
