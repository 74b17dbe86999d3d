//! `kubectl describe` of a Pod. Counterpart: `describe.PodDescriber`.

use crate::api::duration::since;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::container::{self, Statuses};
use crate::kubectl::describe::page::Page;
use crate::kubectl::describe::template::placement;
use crate::kubectl::describe::{controlled_by, head, labels_and_annotations, volume};
use crate::kubectl::{Cx, Run};

/// Writes the description of a Pod.
pub fn describe(cx: &mut Cx, object: &Object, page: &mut Page) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    head(object, page);
    page.line(0, format!("Priority:\t{}", spec.int("priority").unwrap_or(0)));
    if !spec.str("priorityClassName").is_empty() {
        page.line(0, format!("Priority Class Name:\t{}", spec.str("priorityClassName")));
    }
    page.line(0, format!("Service Account:\t{}", spec.str("serviceAccountName")));
    match spec.str("nodeName") {
        "" => page.line(0, "Node:\t<none>"),
        node => page.line(0, format!("Node:\t{node}/{}", status.str("hostIP"))),
    }
    if let Some(start) = Time::parse(status.str("startTime")) {
        page.line(0, format!("Start Time:\t{}", start.rfc1123()));
    }
    labels_and_annotations(object, page);
    let ended = matches!(status.str("phase"), "Succeeded" | "Failed");
    match object.meta.deletion.filter(|_| !ended) {
        Some(deletion) => {
            page.line(0, format!("Status:\tTerminating (lasts {})", since(deletion.at, cx.now)));
            page.line(0, format!("Termination Grace Period:\t{}s", deletion.grace_seconds));
        }
        None => page.line(0, format!("Status:\t{}", status.str("phase"))),
    }
    for (title, key) in [("Reason", "reason"), ("Message", "message")] {
        if !status.str(key).is_empty() {
            page.line(0, format!("{title}:\t{}", status.str(key)));
        }
    }
    addresses(status, page);
    controlled_by(object, page);
    let statuses = Statuses::Of(status.list("initContainerStatuses"));
    container::containers(page, "Init Containers", spec.list("initContainers"), statuses);
    container::containers(page, "Containers", spec.list("containers"), Statuses::Of(status.list("containerStatuses")));
    conditions(status, page);
    volume::volumes(page, 0, spec.list("volumes"));
    if !status.str("qosClass").is_empty() {
        page.line(0, format!("QoS Class:\t{}", status.str("qosClass")));
    }
    placement(page, 0, spec);
    Ok(())
}

fn addresses(status: &Map, page: &mut Page) {
    page.line(0, format!("IP:\t{}", status.str("podIP")));
    if status.list("podIPs").is_empty() {
        page.line(0, "IPs:\t<none>");
        return;
    }
    page.line(0, "IPs:");
    for ip in status.list("podIPs").iter().filter_map(|ip| ip.get("ip")?.as_str()) {
        page.line(1, format!("IP:\t{ip}"));
    }
}

fn conditions(status: &Map, page: &mut Page) {
    let conditions = status.list("conditions");
    if conditions.is_empty() {
        return;
    }
    page.line(0, "Conditions:");
    page.line(1, "Type\tStatus");
    for condition in conditions.iter().filter_map(Value::as_map) {
        page.line(1, format!("{} \t{} ", condition.str("type"), condition.str("status")));
    }
}
