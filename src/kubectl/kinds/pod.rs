//! `kubectl describe` of a Pod. Counterpart: `describe.PodDescriber`.

use crate::api::duration::since;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::container::{self, Statuses};
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::template::{placement, spread_constraints};
use crate::kubectl::describe::{controlled_by, head, labels_and_annotations, volume};
use crate::kubectl::{Cx, Run};

/// Writes the description of a Pod.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    head(object, description);
    description.line(0, format!("Priority:\t{}", spec.int("priority").unwrap_or(0)));
    description.given(0, "Priority Class Name", spec.str("priorityClassName"));
    description.given(0, "Runtime Class Name", spec.str("runtimeClassName"));
    description.given(0, "Service Account", spec.str("serviceAccountName"));
    match spec.str("nodeName") {
        "" => description.line(0, "Node:\t<none>"),
        node => description.line(0, format!("Node:\t{node}/{}", status.str("hostIP"))),
    }
    if let Some(start) = Time::parse(status.str("startTime")) {
        description.line(0, format!("Start Time:\t{}", start.rfc1123()));
    }
    labels_and_annotations(object, description);
    let ended = matches!(status.str("phase"), "Succeeded" | "Failed");
    match object.meta.deletion.filter(|_| !ended) {
        Some(deletion) => {
            description.line(0, format!("Status:\tTerminating (lasts {})", since(deletion.at, cx.now)));
            description.line(0, format!("Termination Grace Period:\t{}s", deletion.grace_seconds));
        }
        None => description.line(0, format!("Status:\t{}", status.str("phase"))),
    }
    description.given(0, "Reason", status.str("reason"));
    description.given(0, "Message", status.str("message"));
    container::seccomp(description, [0, 0], spec);
    addresses(status, description);
    controlled_by(object, description);
    description.given(0, "NominatedNodeName", status.str("nominatedNodeName"));
    if let Some(resources) = spec.map("resources") {
        description.line(0, "Resources:");
        description.amounts(1, "Limits", resources.map("limits"));
        description.amounts(1, "Requests", resources.map("requests"));
    }
    for (title, list, statuses) in [
        ("Init Containers", "initContainers", "initContainerStatuses"),
        ("Containers", "containers", "containerStatuses"),
        ("Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"),
    ] {
        container::containers(description, title, spec.list(list), Statuses::Of(status.list(statuses), object));
    }
    readiness_gates(spec, status, description);
    conditions(status, description);
    volume::volumes(description, 0, spec.list("volumes"));
    description.given(0, "QoS Class", status.str("qosClass"));
    placement(description, 0, spec);
    spread_constraints(description, 0, spec);
    Ok(())
}

fn readiness_gates(spec: &Map, status: &Map, description: &mut Description) {
    let gates = spec.list("readinessGates");
    if gates.is_empty() {
        return;
    }
    description.line(0, "Readiness Gates:");
    description.line(1, "Type\tStatus");
    for gate in gates.iter().filter_map(|gate| gate.get("conditionType")?.as_str()) {
        let condition = status.list("conditions").iter().filter_map(Value::as_map).find(|c| c.str("type") == gate);
        description.line(1, format!("{gate} \t{} ", condition.map_or("<none>", |c| c.str("status"))));
    }
}

fn addresses(status: &Map, description: &mut Description) {
    description.line(0, format!("IP:\t{}", status.str("podIP")));
    if status.list("podIPs").is_empty() {
        description.line(0, "IPs:\t<none>");
        return;
    }
    description.line(0, "IPs:");
    for ip in status.list("podIPs").iter().filter_map(|ip| ip.get("ip")?.as_str()) {
        description.line(1, format!("IP:\t{ip}"));
    }
}

fn conditions(status: &Map, description: &mut Description) {
    let conditions = status.list("conditions");
    if conditions.is_empty() {
        return;
    }
    description.line(0, "Conditions:");
    description.line(1, "Type\tStatus");
    for condition in conditions.iter().filter_map(Value::as_map) {
        description.line(1, format!("{} \t{} ", condition.str("type"), condition.str("status")));
    }
}
