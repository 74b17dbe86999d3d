//! Defaults and validation. Counterpart: `pkg/apis/discovery/v1/defaults.go` and `pkg/apis/discovery/validation`.

use super::super::pod::validate_protocol;
use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, maps};
use crate::api::names;
use crate::api::value::{Map, Value};

const TYPES: &[&str] = &["FQDN", "IPv4", "IPv6"];

/// Fills in the defaults.
pub fn default(object: &mut Map) {
    for port in object.get_mut("ports").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
        port.insert_default("name", "");
        port.insert_default("protocol", "TCP");
    }
}

/// Validates a new object.
pub fn validate(object: &Map, errors: &mut Errors) {
    let kind = object.str("addressType");
    if kind.is_empty() {
        errors.required(&Path::new("addressType"), "");
    } else if !TYPES.contains(&kind) {
        errors.not_supported(&Path::new("addressType"), kind, TYPES);
    }
    validate_endpoints(object.list("endpoints"), kind, errors);
    validate_ports(object.list("ports"), errors);
}

fn validate_endpoints(endpoints: &[Value], kind: &str, errors: &mut Errors) {
    let path = Path::new("endpoints");
    if endpoints.len() > 1000 {
        return errors.too_many(&path, endpoints.len(), 1000);
    }
    for (i, endpoint) in maps(endpoints) {
        let path = path.index(i);
        let (addresses, address_path) = (endpoint.list("addresses"), path.child("addresses"));
        if addresses.is_empty() {
            errors.required(&address_path, "must contain at least 1 address");
        } else if addresses.len() > 100 {
            errors.too_many(&address_path, addresses.len(), 100);
        }
        for (j, address) in addresses.iter().filter_map(Value::as_str).enumerate() {
            validate_address(address, kind, &address_path.index(j), errors);
        }
        for key in ["nodeName", "hostname"] {
            if let Some(name) = endpoint.get(key).and_then(Value::as_str) {
                let problems = if key == "hostname" { names::dns_label(name) } else { names::dns_subdomain(name) };
                errors.invalid_each(&path.child(key), name, problems);
            }
        }
        let topology = endpoint.map("deprecatedTopology");
        if let Some(labels) = topology.filter(|t| t.len() > 16) {
            errors.too_many(&path.child("deprecatedTopology"), labels.len(), 16);
        }
        meta_rules::validate_labels(topology, &path.child("deprecatedTopology"), errors);
    }
}

fn validate_address(address: &str, kind: &str, path: &Path, errors: &mut Errors) {
    let parsed = names::parse_ip(address);
    match kind {
        "IPv4" | "IPv6" => {
            if parsed.is_none_or(|ip| ip.is_ipv4() != (kind == "IPv4")) {
                errors.invalid(path, address, if kind == "IPv4" { "must be a valid IPv4 address" } else { "must be a valid IPv6 address" });
            }
            errors.invalid_each(path, address, names::special_ip(address));
        }
        "FQDN" => {
            let name = address.strip_suffix('.').unwrap_or(address);
            if name.is_empty() {
                return errors.required(path, "");
            }
            let problems = names::dns_subdomain(name);
            let dotted = name.contains('.') || !problems.is_empty();
            errors.invalid_each(path, name, problems);
            if !dotted {
                errors.invalid(path, name, "should be a domain with at least two segments separated by dots");
            }
        }
        _ => {}
    }
}

fn validate_ports(ports: &[Value], errors: &mut Errors) {
    let path = Path::new("ports");
    if ports.len() > 100 {
        return errors.too_many(&path, ports.len(), 100);
    }
    let mut seen: Vec<&str> = Vec::new();
    for (i, port) in maps(ports) {
        let (path, name) = (path.index(i), port.str("name"));
        if !name.is_empty() {
            errors.invalid_each(&path.child("name"), name, names::dns_label(name));
        }
        if seen.contains(&name) {
            errors.duplicate(&path.child("name"), name);
        }
        seen.push(name);
        validate_protocol(port.str("protocol"), &path.child("protocol"), errors);
        if let Some(protocol) = port.get("appProtocol").and_then(Value::as_str) {
            errors.invalid_each(&path.child("appProtocol"), protocol, names::qualified_name(protocol));
        }
    }
}

/// Validates an update.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::ENDPOINT_SLICE, new, errors);
    validate(new, errors);
    if new.str("addressType") != old.str("addressType") {
        errors.invalid(&Path::new("addressType"), new.str("addressType"), "field is immutable");
    }
}
