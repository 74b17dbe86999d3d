//! Defaults and validation of EndpointSlices. Counterpart: `pkg/apis/discovery/v1/defaults.go` and `pkg/apis/discovery/validation`.

use super::super::pod::validate_protocol;
use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, maps};
use crate::api::names;
use crate::api::value::{Map, Value};

const TYPES: &[&str] = &["FQDN", "IPv4", "IPv6"];

/// Fills in the defaults of an EndpointSlice.
pub fn default(object: &mut Map) {
    for port in object.get_mut("ports").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
        port.insert_default("name", "");
        port.insert_default("protocol", "TCP");
    }
}

/// Validates a new EndpointSlice.
pub fn validate(object: &Map, errors: &mut Errors) {
    let kind = object.str("addressType");
    validate_type(kind, errors);
    validate_ports(object.list("ports"), errors);
    validate_endpoints(object.list("endpoints"), kind, errors);
}

fn validate_type(kind: &str, errors: &mut Errors) {
    if kind.is_empty() {
        errors.required(&Path::new("addressType"), "");
    } else if !TYPES.contains(&kind) {
        errors.not_supported(&Path::new("addressType"), kind, TYPES);
    }
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
            validate_address(address, kind, &address_path, j, errors);
        }
        if let Some(name) = endpoint.get("nodeName").and_then(Value::as_str) {
            errors.invalid_each(&path.child("nodeName"), name, names::dns_subdomain(name));
        }
        let topology = endpoint.map("deprecatedTopology");
        if let Some(labels) = topology.filter(|t| t.len() > 16) {
            errors.too_many(&path.child("deprecatedTopology"), labels.len(), 16);
        }
        meta_rules::validate_labels(topology, &path.child("deprecatedTopology"), errors);
        if let Some(name) = endpoint.get("hostname").and_then(Value::as_str) {
            errors.invalid_each(&path.child("hostname"), name, names::dns_label(name));
        }
        if let Some(hints) = endpoint.map("hints") {
            validate_hints(hints, &path.child("hints"), errors);
        }
    }
}

fn validate_hints(hints: &Map, path: &Path, errors: &mut Errors) {
    for list in ["forZones", "forNodes"] {
        let rule = if list == "forZones" { names::label_value } else { names::dns_subdomain };
        let (hints, path) = (hints.list(list), path.child(list));
        if hints.len() > 8 {
            return errors.too_many(&path, hints.len(), 8);
        }
        let mut seen: Vec<&str> = Vec::new();
        for (i, hint) in maps(hints) {
            let (name, path) = (hint.str("name"), path.index(i).child("name"));
            if seen.contains(&name) {
                errors.duplicate(&path, name);
            }
            seen.push(name);
            errors.invalid_each(&path, name, rule(name));
        }
    }
}

fn validate_address(address: &str, kind: &str, list: &Path, i: usize, errors: &mut Errors) {
    let path = list.index(i);
    match kind {
        "IPv4" | "IPv6" => {
            let problems = if kind == "IPv4" { names::ip(address) } else { names::canonical_ip(address) };
            if !problems.is_empty() {
                return errors.invalid_each(&path, address, problems);
            }
            if names::parse_ip(address).is_some_and(|ip| ip.is_ipv4() != (kind == "IPv4")) {
                errors.invalid(list, address, &format!("must be an {kind} address"));
            }
            errors.invalid_each(&path, address, names::special_ip(address));
        }
        "FQDN" => validate_full_name(address, &path, errors),
        _ => {}
    }
}

/// Validates a fully qualified domain name, which has at least one dot. Counterpart: `IsFullyQualifiedDomainName`.
fn validate_full_name(address: &str, path: &Path, errors: &mut Errors) {
    if address.is_empty() {
        return errors.required(path, "");
    }
    let name = address.strip_suffix('.').unwrap_or(address);
    let problems = names::dns_subdomain(name);
    if !problems.is_empty() {
        return errors.invalid(path, name, &problems.join(","));
    }
    if !name.contains('.') {
        return errors.invalid(path, name, "should be a domain with at least two segments separated by dots");
    }
    if let Some((label, problems)) = name.split('.').map(|l| (l, names::dns_label(l))).find(|(_, p)| !p.is_empty()) {
        errors.invalid(path, label, &problems.join(","));
    }
}

fn validate_ports(ports: &[Value], errors: &mut Errors) {
    let path = Path::new("ports");
    if ports.len() > 20_000 {
        return errors.too_many(&path, ports.len(), 20_000);
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

/// Validates an update of an EndpointSlice.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::ENDPOINT_SLICE, new, errors);
    validate_type(new.str("addressType"), errors);
    validate_ports(new.list("ports"), errors);
    if new.list("endpoints") != old.list("endpoints") {
        validate_endpoints(new.list("endpoints"), new.str("addressType"), errors);
    }
    if new.str("addressType") != old.str("addressType") {
        errors.invalid(&Path::new("addressType"), new.str("addressType"), "field is immutable");
    }
}
