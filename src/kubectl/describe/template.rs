//! Parts that the descriptions of workloads share: selector, conditions, pod template.

use super::container::{Statuses, containers};
use super::description::Description;
use super::{list, volume};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};
use crate::kubectl::{Cx, Run};

/// Returns the label selector of a workload in the syntax of the flag `-l`.
pub fn selector_text(spec: &Map) -> String {
    spec.map("selector").and_then(|s| Selector::from_label_selector(s).ok()).map(|s| s.to_string()).unwrap_or_default()
}

/// Writes the number of a workload's pods in each phase. Counterpart: `getPodStatusForController`.
pub fn pods_status(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let pods = list(cx, Kind::POD, &object.meta.namespace)?;
    let own = || pods.iter().filter(|p| p.meta.controller().is_some_and(|o| o.uid == object.meta.uid)).filter_map(|p| p.pod());
    let count = |phase: &str| own().filter(|p| p.status.phase.text() == phase).count();
    let (running, waiting, done, failed) = (count("Running"), count("Pending"), count("Succeeded"), count("Failed"));
    description.line(0, format!("Pods Status:\t{running} Running / {waiting} Waiting / {done} Succeeded / {failed} Failed"));
    Ok(())
}

/// Writes the conditions of a workload, if there are any.
pub fn conditions(description: &mut Description, status: &Map) {
    let conditions = status.list("conditions");
    if conditions.is_empty() {
        return;
    }
    description.line(0, "Conditions:");
    description.line(1, "Type\tStatus\tReason");
    description.line(1, "----\t------\t------");
    for c in conditions.iter().filter_map(Value::as_map) {
        description.line(1, format!("{} \t{}\t{}", c.str("type"), c.str("status"), c.str("reason")));
    }
}

/// Writes a pod template. Counterpart: `DescribePodTemplate`.
pub fn template(description: &mut Description, template: &Map) {
    let empty = Map::new();
    let (metadata, spec) = (template.map("metadata").unwrap_or(&empty), template.map("spec").unwrap_or(&empty));
    description.line(0, "Pod Template:");
    description.labels(1, "Labels", metadata.map("labels").unwrap_or(&empty));
    if let Some(annotations) = metadata.map("annotations").filter(|a| !a.is_empty()) {
        description.annotations(1, "Annotations", annotations);
    }
    description.given(1, "Service Account", spec.str("serviceAccountName"));
    containers(description, "Init Containers", spec.list("initContainers"), Statuses::Template);
    containers(description, "Containers", spec.list("containers"), Statuses::Template);
    volume::volumes(description, 1, spec.list("volumes"));
    spread_constraints(description, 1, spec);
    description.given(1, "Priority Class Name", spec.str("priorityClassName"));
    placement(description, 1, spec);
}

/// Writes the topology spread constraints of a pod spec, if there are any. Counterpart: `describeTopologySpreadConstraints`.
pub fn spread_constraints(description: &mut Description, level: usize, spec: &Map) {
    let mut constraints: Vec<&Map> = spec.list("topologySpreadConstraints").iter().filter_map(Value::as_map).collect();
    constraints.order_by_key(|c| c.str("topologyKey"));
    let selector = |selector: &Map| match Selector::from_label_selector(selector) {
        Ok(selector) if selector.is_empty() => " for selector <none>".to_owned(),
        Ok(selector) => format!(" for selector {selector}"),
        Err(_) => " for selector <error>".to_owned(),
    };
    let text = |c: &&Map| {
        let (key, action, skew) = (c.str("topologyKey"), c.str("whenUnsatisfiable"), c.int("maxSkew").unwrap_or(0));
        format!("{key}:{action} when max skew {skew} is exceeded{}", c.map("labelSelector").map(selector).unwrap_or_default())
    };
    if !constraints.is_empty() {
        description.list(level, "Topology Spread Constraints", &constraints.iter().map(text).collect::<Vec<_>>());
    }
}

/// Writes the node selector and the tolerations of a pod spec.
pub fn placement(description: &mut Description, level: usize, spec: &Map) {
    description.labels(level, "Node-Selectors", spec.map("nodeSelector").unwrap_or(&Map::new()));
    let mut tolerations: Vec<&Map> = spec.list("tolerations").iter().filter_map(Value::as_map).collect();
    tolerations.sort_by_key(|toleration| toleration.str("key"));
    description.list(level, "Tolerations", &tolerations.into_iter().map(toleration).collect::<Vec<_>>());
}

fn toleration(t: &Map) -> String {
    let mut text = t.str("key").to_owned();
    if !t.str("value").is_empty() {
        text.push('=');
        text.push_str(t.str("value"));
    }
    if !t.str("effect").is_empty() {
        text.push(':');
        text.push_str(t.str("effect"));
    }
    if t.str("operator") == "Exists" && t.str("value").is_empty() {
        text.push_str(if text.is_empty() { "op=Exists" } else { " op=Exists" });
    }
    if let Some(seconds) = t.int("tolerationSeconds") {
        text.push_str(&format!(" for {seconds}s"));
    }
    text
}
