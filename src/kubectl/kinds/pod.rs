//! `kubectl describe` of a Pod. Counterpart: `describe.PodDescriber`.

use crate::api::duration::since;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::container::{self, Statuses};
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::template::placement;
use crate::kubectl::describe::{controlled_by, head, labels_and_annotations, volume};
use crate::kubectl::{Cx, Run};

/// Writes the description of a Pod.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    head(object, description);
    description.line(0, format!("Priority:\t{}", spec.int("priority").unwrap_or(0)));
    if !spec.str("priorityClassName").is_empty() {
        description.line(0, format!("Priority Class Name:\t{}", spec.str("priorityClassName")));
    }
    description.line(0, format!("Service Account:\t{}", spec.str("serviceAccountName")));
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
    for (title, key) in [("Reason", "reason"), ("Message", "message")] {
        if !status.str(key).is_empty() {
            description.line(0, format!("{title}:\t{}", status.str(key)));
        }
    }
    addresses(status, description);
    controlled_by(object, description);
    let statuses = Statuses::Of(status.list("initContainerStatuses"));
    container::containers(description, "Init Containers", spec.list("initContainers"), statuses);
    container::containers(description, "Containers", spec.list("containers"), Statuses::Of(status.list("containerStatuses")));
    conditions(status, description);
    volume::volumes(description, 0, spec.list("volumes"));
    if !status.str("qosClass").is_empty() {
        description.line(0, format!("QoS Class:\t{}", status.str("qosClass")));
    }
    placement(description, 0, spec);
    Ok(())
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
