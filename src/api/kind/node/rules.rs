//! Defaults and validation of Nodes. Counterpart: `pkg/apis/core/v1/defaults.go` and `pkg/apis/core/validation`.

use super::super::Kind;
use super::super::pod::{self, quantity_value, validate_taint_effect};
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::meta_rules::{self, maps};
use crate::api::names;
use crate::api::value::{Map, Value};
use crate::map;

/// Fills in the defaults of a Node.
pub fn default(object: &mut Map) {
    default_ranges(object.map_mut("spec"));
    let status = object.map_mut("status");
    if let Some(capacity) = status.get("capacity").cloned() {
        status.insert_default("allocatable", capacity);
    }
    // These are structs in Go, so they are encoded even if they are empty.
    status.map_mut("daemonEndpoints").map_mut("kubeletEndpoint").insert_default("Port", 0);
    let info = status.map_mut("nodeInfo");
    for key in INFO {
        info.insert_default(key, "");
    }
}

/// Keeps `podCIDR` and the first of `podCIDRs` alike. Counterpart: the conversion of `NodeSpec`.
fn default_ranges(spec: &mut Map) {
    let (one, first) = (spec.get("podCIDR").cloned(), spec.list("podCIDRs").first().cloned());
    match (one.filter(|v| v.as_str().is_some_and(|r| !r.is_empty())), first) {
        (Some(one), first) if first.as_ref() != Some(&one) => spec.insert("podCIDRs", vec![one]),
        (None, Some(first)) => spec.insert("podCIDR", first),
        _ => {}
    }
}

const INFO: &[&str] = &[
    "architecture",
    "bootID",
    "containerRuntimeVersion",
    "kernelVersion",
    "kubeProxyVersion",
    "kubeletVersion",
    "machineID",
    "operatingSystem",
    "osImage",
    "systemUUID",
];

/// Adds the taint that keeps pods away from a new node until it is ready. Counterpart: the admission plugin TaintNodesByCondition.
pub fn admit_node(object: &mut Map) {
    let taint: Value = map! { "key" => "node.kubernetes.io/not-ready", "effect" => "NoSchedule" }.into();
    let spec = object.map_mut("spec");
    let mut taints = spec.list("taints").to_vec();
    let same = |t: &Value| t.get("key") == taint.get("key") && t.get("effect") == taint.get("effect");
    if !taints.iter().any(same) {
        taints.push(taint);
        spec.insert("taints", taints);
    }
}

/// Validates a new Node.
pub fn validate(object: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let spec = object.map("spec").unwrap_or(&empty);
    validate_taints(spec, errors);
    validate_amounts(object, errors);
    let (ranges, path) = (spec.list("podCIDRs"), Path::new("spec.podCIDRs"));
    for (i, range) in ranges.iter().filter_map(Value::as_str).enumerate() {
        errors.invalid_each(&path.index(i), range, names::cidr(range));
    }
    let families = ranges.iter().filter_map(Value::as_str).filter(|r| r.contains(':')).count();
    if ranges.len() > 1 && (ranges.len() > 2 || families != 1) {
        errors.invalid(&path, ranges.to_vec(), "may specify no more than one CIDR for each IP family");
    }
}

/// Validates an update of a Node.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::NODE, new, errors);
    validate(new, errors);
    validate_amounts(new, errors);
    let addresses = new.map("status").map_or(&[][..], |s| s.list("addresses"));
    for (i, address) in addresses.iter().enumerate() {
        if addresses.iter().take(i).any(|a| a == address) {
            let text = |key| address.get(key).map_or_else(|| "\"\"".to_owned(), json::to_string);
            let shown = format!("{{\"Type\":{},\"Address\":{}}}", text("type"), text("address"));
            errors.duplicate_text(&Path::new("status.addresses").index(i), &shown, "");
        }
    }
    let empty = Map::new();
    let (spec, before) = (new.map("spec").unwrap_or(&empty), old.map("spec").unwrap_or(&empty));
    let ranges = before.list("podCIDRs");
    if !ranges.is_empty() && ranges != spec.list("podCIDRs") {
        errors.forbidden(&Path::new("spec.podCIDRs"), "node updates may not change podCIDR except from \"\" to valid");
    }
    let id = before.str("providerID");
    if !id.is_empty() && id != spec.str("providerID") {
        errors.forbidden(&Path::new("spec.providerID"), "node updates may not change providerID except from \"\" to valid");
    }
    validate_taints(spec, errors);
    if spec.str("externalID") != before.str("externalID") {
        errors.forbidden(&Path::new("spec.externalID"), "may not be updated");
    }
}

/// Validates the taints of a node. The API server reports mistakes at a path below the metadata.
fn validate_taints(spec: &Map, errors: &mut Errors) {
    let path = Path::new("metadata.taints");
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (i, taint) in maps(spec.list("taints")) {
        let path = path.index(i);
        let [key, value, effect] = ["key", "value", "effect"].map(|k| taint.str(k));
        errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
        let problems = names::label_value(value);
        if !problems.is_empty() {
            errors.invalid(&path.child("value"), value, &problems.join(";"));
        }
        if effect.is_empty() {
            errors.required(&path.child("effect"), "");
        } else {
            validate_taint_effect(effect, &path.child("effect"), errors);
        }
        if seen.contains(&(key, effect)) {
            let text = pod::go_json("Taint", Some(&taint.clone().into()));
            errors.duplicate_text(&path, &text, "taints must be unique by key and effect pair");
        } else {
            seen.push((key, effect));
        }
    }
}

fn validate_amounts(object: &Map, errors: &mut Errors) {
    for list in ["capacity", "allocatable"] {
        for (name, value) in object.map("status").and_then(|s| s.map(list)).into_iter().flat_map(Map::iter) {
            quantity_value(name, value, &Path::new("status").child(list).child(name), errors);
        }
    }
}
