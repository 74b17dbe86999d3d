//! Defaults and validation of Services. Counterpart: `pkg/apis/core/v1/defaults.go`, `pkg/registry/core/service` and `pkg/apis/core/validation`.
//!
//! Simplification: the cluster has IPv4 only. The API server allocates addresses and node ports elsewhere (`apiserver`).

use super::super::pod::{self, validate_port, validate_protocol};
use super::addresses::{ip_problems, is_six, validate_changed_addresses, validate_cluster_ips};
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{self, maps};
use crate::api::names;
use crate::api::value::{Map, Value};
use crate::map;

const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";

/// The range of cluster IPs: network and prefix length.
pub const SERVICE_RANGE: ([u8; 4], u32) = ([10, 96, 0, 0], 16);

/// Fills in the defaults of a Service.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    if spec.map("selector").is_some_and(Map::is_empty) {
        spec.remove("selector");
    }
    for (key, text) in [("sessionAffinity", "None"), ("type", "ClusterIP")] {
        if spec.str(key).is_empty() {
            spec.insert(key, text);
        }
    }
    match spec.str("sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => {
            spec.map_mut("sessionAffinityConfig").map_mut("clientIP").insert_default("timeoutSeconds", 10800);
        }
        _ => {}
    }
    for port in spec.get_mut("ports").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
        port.retain(|key, value| key != "name" || value.as_str() != Some(""));
        if port.str("protocol").is_empty() {
            port.insert("protocol", "TCP");
        }
        let unset = port.get("targetPort").is_none_or(|t| matches!(t, Value::Null | Value::Int(0)) || t.as_str() == Some(""));
        if let Some(number) = port.get("port").filter(|_| unset).cloned() {
            port.insert("targetPort", number);
        }
    }
    if externally_accessible(spec) {
        spec.insert_default("externalTrafficPolicy", "Cluster");
    }
    if spec.str("type") == "LoadBalancer" {
        spec.insert_default("allocateLoadBalancerNodePorts", true);
    }
    if matches!(spec.str("type"), "ClusterIP" | "NodePort" | "LoadBalancer") {
        spec.insert_default("internalTrafficPolicy", "Cluster");
    }
    default_addresses(spec);
    object.map_mut("status").map_mut("loadBalancer");
}

fn default_addresses(spec: &mut Map) {
    let address = spec.str("clusterIP").to_owned();
    if !address.is_empty() && spec.list("clusterIPs").is_empty() {
        spec.insert("clusterIPs", vec![address.into()]);
    }
    if spec.str("type") == "ExternalName" {
        return;
    }
    let anything = selects_nothing(spec);
    spec.insert_default("ipFamilyPolicy", if anything { "RequireDualStack" } else { "SingleStack" });
    let mut families = spec.list("ipFamilies").to_vec();
    // A family that follows from an address of the wrong kind is refused with that address.
    if families.is_empty() && !spec.list("clusterIPs").iter().any(is_six) {
        families.push("IPv4".into());
    }
    if anything && families.len() == 1 && spec.str("ipFamilyPolicy") != "SingleStack" {
        families.push(if families[0].as_str() == Some("IPv6") { "IPv4" } else { "IPv6" }.into());
    }
    if !families.is_empty() {
        spec.insert("ipFamilies", families);
    }
}

/// Returns true if a Service is headless and has no selector, so that somebody else decides about its endpoints.
pub(super) fn selects_nothing(spec: &Map) -> bool {
    headless(spec) && spec.map("selector").is_none_or(Map::is_empty)
}

/// Returns true if a Service is headless: its `clusterIPs` are `None`.
pub(super) fn headless(spec: &Map) -> bool {
    matches!(spec.list("clusterIPs"), [Value::Str(one)] if one == "None")
}

fn externally_accessible(spec: &Map) -> bool {
    match spec.str("type") {
        "NodePort" | "LoadBalancer" => true,
        "ClusterIP" => !spec.list("externalIPs").is_empty(),
        _ => false,
    }
}

fn needs_node_port(spec: &Map) -> bool {
    matches!(spec.str("type"), "NodePort" | "LoadBalancer")
}

/// Returns whether load balancers must ask each node for endpoints of a Service. Counterpart: `NeedsHealthCheck`.
pub fn needs_health_port(spec: &Map) -> bool {
    spec.str("type") == "LoadBalancer" && spec.str("externalTrafficPolicy") == "Local"
}

/// Copies a changed `clusterIP` to the start of `clusterIPs`, if only the former was changed, as in a patch.
fn follow_address(spec: &mut Map, before: &Map) {
    let address = Value::from(spec.str("clusterIP"));
    if spec.str("clusterIP") != before.str("clusterIP")
        && spec.get("clusterIPs") == before.get("clusterIPs")
        && let Some(first) = spec.get_mut("clusterIPs").and_then(Value::as_list_mut).and_then(|l| l.first_mut())
    {
        *first = address;
    }
}

/// Keeps allocated values that an update leaves out, and drops fields that the new type does not use. Counterparts: `PatchAllocatedValues` and
/// `dropTypeDependentFields`.
pub fn prepare_update(new: &mut Map, old: &Map) {
    let empty = Map::new();
    let before = old.map("spec").unwrap_or(&empty);
    let spec = new.map_mut("spec");
    let (needs_ip, had_ip) = (spec.str("type") != "ExternalName", before.str("type") != "ExternalName");
    if needs_ip && had_ip {
        if spec.str("clusterIP").is_empty() {
            keep(spec, before, "clusterIP");
        }
        if spec.list("clusterIPs").is_empty() && spec.str("clusterIP") == before.str("clusterIP") {
            keep(spec, before, "clusterIPs");
        }
        follow_address(spec, before);
    }
    if had_ip && !needs_ip {
        for key in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] {
            drop_unchanged(spec, before, key);
        }
    }
    if needs_node_port(spec) && needs_node_port(before) {
        keep_node_ports(spec, before);
    } else if needs_node_port(before) {
        let ports = maps(before.list("ports")).filter_map(|(_, p)| p.int("nodePort")).collect::<Vec<_>>();
        for port in spec.get_mut("ports").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
            if port.int("nodePort").is_some_and(|n| ports.contains(&n)) {
                port.remove("nodePort");
            }
        }
    }
    if !externally_accessible(spec) && externally_accessible(before) {
        drop_unchanged(spec, before, "externalTrafficPolicy");
    }
    if spec.str("type") != "LoadBalancer" && before.str("type") == "LoadBalancer" {
        drop_unchanged(spec, before, "allocateLoadBalancerNodePorts");
        drop_unchanged(spec, before, "loadBalancerClass");
    }
    match (needs_health_port(spec), needs_health_port(before)) {
        (true, true) if spec.int("healthCheckNodePort").unwrap_or(0) == 0 => keep(spec, before, "healthCheckNodePort"),
        (false, true) => drop_unchanged(spec, before, "healthCheckNodePort"),
        _ => {}
    }
    default_addresses(spec);
}

fn keep(spec: &mut Map, before: &Map, key: &'static str) {
    if let Some(value) = before.get(key) {
        spec.insert(key, value.clone());
    }
}

fn drop_unchanged(spec: &mut Map, before: &Map, key: &str) {
    if spec.get(key) == before.get(key) {
        spec.remove(key);
    }
}

fn keep_node_ports(spec: &mut Map, before: &Map) {
    let mut used: Vec<i64> = maps(spec.list("ports")).filter_map(|(_, p)| p.int("nodePort")).collect();
    for port in spec.get_mut("ports").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
        if port.int("nodePort").unwrap_or(0) != 0 {
            continue;
        }
        let same = |p: &Map| p.get("port") == port.get("port") && p.str("protocol") == port.str("protocol");
        let old = maps(before.list("ports")).find(|(_, p)| same(p)).and_then(|(_, p)| p.int("nodePort"));
        if let Some(number) = old.filter(|n| *n != 0 && !used.contains(n)) {
            used.push(number);
            port.insert("nodePort", number);
        }
    }
}

/// Validates a new Service.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_service(object, None, errors);
}

/// Validates a new or an updated Service. Addresses that the old object has are not validated again. Counterpart: `validateService`.
fn validate_service(object: &Map, old: Option<&Map>, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    let before = old.and_then(|old| old.map("spec")).unwrap_or(&empty);
    let annotation = |key: &str| object.at(&["metadata", "annotations", key]).and_then(Value::as_str);
    if let (Some(mode), Some(hints)) = (annotation(TOPOLOGY_MODE), annotation(TOPOLOGY_HINTS))
        && mode != hints
    {
        let detail = format!("must match annotations[{TOPOLOGY_HINTS}] when both are specified");
        errors.invalid(&Path::new("metadata.annotations").key(TOPOLOGY_MODE), mode, &detail);
    }
    let (kind, ports) = (spec.str("type"), spec.list("ports"));
    if ports.is_empty() && !headless(spec) && kind != "ExternalName" {
        errors.required(&path.child("ports"), "");
    }
    validate_type(spec, kind, &path, errors);
    let mut seen: Vec<&str> = Vec::new();
    for (i, port) in maps(ports) {
        validate_service_port(port, ports.len() > 1, &mut seen, &path.child("ports").index(i), errors);
    }
    meta_rules::validate_labels(spec.map("selector"), &path.child("selector"), errors);
    validate_affinity(spec, &path, errors);
    if kind != "ExternalName" {
        validate_cluster_ips(spec, before, &path, errors);
    }
    for (i, address) in spec.list("externalIPs").iter().filter_map(Value::as_str).enumerate() {
        let path = path.child("externalIPs").index(i);
        let problems = ip_problems(address, before.list("externalIPs"));
        let problems = if problems.is_empty() { names::special_ip(address) } else { problems };
        errors.invalid_each(&path, address, problems);
    }
    if !matches!(kind, "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort") {
        errors.not_supported(&path.child("type"), kind, &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
    }
    validate_unique_ports(ports, kind, &path.child("ports"), errors);
    validate_load_balancer(object, old, spec, &path, errors);
    validate_traffic(spec, &path, errors);
}

fn validate_type(spec: &Map, kind: &str, path: &Path, errors: &mut Errors) {
    match kind {
        "LoadBalancer" | "NodePort" if headless(spec) => {
            let detail = format!("may not be set to 'None' for {kind} services");
            errors.invalid(&path.child("clusterIPs").index(0), "None", &detail);
        }
        "ExternalName" => {
            for (key, set) in [
                ("clusterIPs", !spec.list("clusterIPs").is_empty()),
                ("ipFamilies", !spec.list("ipFamilies").is_empty()),
                ("ipFamilyPolicy", spec.has("ipFamilyPolicy")),
            ] {
                if set {
                    errors.forbidden(&path.child(key), "may not be set for ExternalName services");
                }
            }
            let name = spec.str("externalName");
            let name = name.strip_suffix('.').unwrap_or(name);
            if name.is_empty() {
                errors.required(&path.child("externalName"), "");
            } else {
                errors.invalid_each(&path.child("externalName"), name, names::dns_subdomain(name));
            }
        }
        _ => {}
    }
}

fn validate_service_port<'a>(port: &'a Map, named: bool, seen: &mut Vec<&'a str>, path: &Path, errors: &mut Errors) {
    let name = port.str("name");
    if name.is_empty() {
        if named {
            errors.required(&path.child("name"), "");
        }
    } else {
        errors.invalid_each(&path.child("name"), name, names::dns_label(name));
        if seen.contains(&name) {
            errors.duplicate(&path.child("name"), name);
        } else {
            seen.push(name);
        }
    }
    let number = port.int("port").unwrap_or(0);
    errors.invalid_each(&path.child("port"), number, names::port_number(number));
    validate_protocol(port.str("protocol"), &path.child("protocol"), errors);
    validate_port(port.get("targetPort"), &path.child("targetPort"), errors);
    if let Some(protocol) = port.get("appProtocol").and_then(Value::as_str) {
        errors.invalid_each(&path.child("appProtocol"), protocol, names::qualified_name(protocol));
    }
}

fn validate_affinity(spec: &Map, path: &Path, errors: &mut Errors) {
    match spec.str("sessionAffinity") {
        "None" => {}
        "ClientIP" => {
            let timeout = spec.at(&["sessionAffinityConfig", "clientIP", "timeoutSeconds"]).and_then(Value::as_int);
            if let Some(seconds) = timeout.filter(|s| !(1..=86400).contains(s)) {
                let path = path.child("sessionAffinityConfig.clientIP.timeoutSeconds");
                errors.invalid(&path, seconds, "must be greater than 0 and less than 86400");
            }
        }
        other => errors.not_supported(&path.child("sessionAffinity"), other, &["ClientIP", "None"]),
    }
}

fn validate_unique_ports(ports: &[Value], kind: &str, path: &Path, errors: &mut Errors) {
    let ports: Vec<&Map> = maps(ports).map(|(_, p)| p).collect();
    let node_port = |p: &Map| p.int("nodePort").unwrap_or(0);
    for (i, _) in ports.iter().enumerate().filter(|(_, p)| kind == "ClusterIP" && node_port(p) != 0) {
        errors.forbidden(&path.index(i).child("nodePort"), "may not be used when `type` is 'ClusterIP'");
    }
    for (i, port) in ports.iter().enumerate().filter(|(_, p)| node_port(p) != 0) {
        if ports.iter().take(i).any(|p| node_port(p) == node_port(port) && p.str("protocol") == port.str("protocol")) {
            errors.duplicate(&path.index(i).child("nodePort"), node_port(port));
        }
    }
    for (i, port) in ports.iter().enumerate() {
        if ports.iter().take(i).any(|p| p.int("port") == port.int("port") && p.str("protocol") == port.str("protocol")) {
            let key = map! { "protocol" => port.str("protocol"), "port" => port.int("port").unwrap_or(0) };
            let text = pod::go_json("ServicePort", Some(&key.into())).replace("\"TargetPort\":null", "\"TargetPort\":0");
            errors.duplicate_text(&path.index(i), &text, "");
        }
    }
}

fn validate_load_balancer(object: &Map, old: Option<&Map>, spec: &Map, path: &Path, errors: &mut Errors) {
    const ONLY: &str = "may only be used when `type` is 'LoadBalancer'";
    const KEY: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
    let balancer = spec.str("type") == "LoadBalancer";
    let ranges = spec.list("loadBalancerSourceRanges");
    if !ranges.is_empty() {
        let path = path.child("LoadBalancerSourceRanges");
        if !balancer {
            errors.forbidden(&path, ONLY);
        }
        let before = old.and_then(|old| old.map("spec")).map_or(&[][..], |spec| spec.list("loadBalancerSourceRanges"));
        let known: Vec<&str> = before.iter().filter_map(Value::as_str).map(str::trim).collect();
        for (i, range) in ranges.iter().filter_map(Value::as_str).map(str::trim).enumerate().filter(|(_, r)| !known.contains(r)) {
            errors.invalid_each(&path.index(i), range, names::cidr(range));
        }
    } else if let Some(text) = object.at(&["metadata", "annotations", KEY]).and_then(Value::as_str) {
        let path = Path::new("metadata.annotations").key(KEY);
        if !balancer {
            errors.forbidden(&path, ONLY);
        }
        let same = old.is_some_and(|old| old.at(&["metadata", "annotations", KEY]) == object.at(&["metadata", "annotations", KEY]));
        for range in text.trim().split(',').map(str::trim).filter(|_| !text.trim().is_empty() && !same) {
            errors.invalid_each(&path, range, names::cidr(range));
        }
    }
    if spec.has("allocateLoadBalancerNodePorts") && !balancer {
        errors.forbidden(&path.child("allocateLoadBalancerNodePorts"), ONLY);
    }
    validate_balancer_class(spec, path, errors);
}

fn validate_balancer_class(spec: &Map, path: &Path, errors: &mut Errors) {
    let Some(class) = spec.get("loadBalancerClass").and_then(Value::as_str) else { return };
    let path = path.child("loadBalancerClass");
    if spec.str("type") == "LoadBalancer" {
        errors.invalid_each(&path, class, names::qualified_name(class));
    } else {
        errors.forbidden(&path, "may only be used when `type` is 'LoadBalancer'");
    }
}

fn validate_traffic(spec: &Map, path: &Path, errors: &mut Errors) {
    const POLICIES: &[&str] = &["Cluster", "Local"];
    let external = spec.str("externalTrafficPolicy");
    let external_path = path.child("externalTrafficPolicy");
    if !externally_accessible(spec) {
        if !external.is_empty() {
            errors.invalid(&external_path, external, "may only be set for externally-accessible services");
        }
    } else if external.is_empty() {
        errors.required(&external_path, "");
    } else if !POLICIES.contains(&external) {
        errors.not_supported(&external_path, external, POLICIES);
    }
    let health = spec.int("healthCheckNodePort").unwrap_or(0);
    let health_path = path.child("healthCheckNodePort");
    if !needs_health_port(spec) {
        if health != 0 {
            let detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
            errors.invalid(&health_path, health, detail);
        }
    } else if health != 0 {
        errors.invalid_each(&health_path, health, names::port_number(health));
    }
    if let Some(policy) = spec.get("internalTrafficPolicy").and_then(Value::as_str).filter(|p| !POLICIES.contains(p)) {
        errors.not_supported(&path.child("internalTrafficPolicy"), policy, POLICIES);
    }
    const DISTRIBUTIONS: &[&str] = &["PreferClose", "PreferSameZone", "PreferSameNode"];
    if let Some(text) = spec.get("trafficDistribution").and_then(Value::as_str).filter(|t| !DISTRIBUTIONS.contains(t)) {
        errors.not_supported(&path.child("trafficDistribution"), text, DISTRIBUTIONS);
    }
}

/// Validates an update of a Service, after [`prepare_update`].
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let (spec, before) = (new.map("spec").unwrap_or(&empty), old.map("spec").unwrap_or(&empty));
    if spec.str("type") != "ExternalName" && before.str("type") != "ExternalName" {
        validate_changed_addresses(spec, before, &path, errors);
    }
    if spec.str("type") == "LoadBalancer"
        && before.str("type") == "LoadBalancer"
        && spec.get("loadBalancerClass") != before.get("loadBalancerClass")
    {
        let class = spec.get("loadBalancerClass").cloned().unwrap_or_default();
        errors.invalid(&path.child("loadBalancerClass"), class, "may not change once set");
    }
    validate_balancer_class(spec, &path, errors);
    if needs_health_port(spec) && needs_health_port(before) && spec.get("healthCheckNodePort") != before.get("healthCheckNodePort") {
        errors.forbidden(&path.child("healthCheckNodePort"), "field is immutable");
    }
    validate_service(new, Some(old), errors);
}
