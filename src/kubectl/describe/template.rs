//! Parts that the descriptions of workloads share: selector, conditions, pod template.

use super::container::{Statuses, containers};
use super::page::Page;
use super::volume;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};

/// Returns the selector of a workload as `-l` takes it.
pub fn selector_text(spec: &Map) -> String {
    spec.map("selector").and_then(|s| Selector::from_label_selector(s).ok()).map(|s| s.to_string()).unwrap_or_default()
}

/// Writes the conditions of a workload, if there are any.
pub fn conditions(page: &mut Page, status: &Map) {
    let conditions = status.list("conditions");
    if conditions.is_empty() {
        return;
    }
    page.line(0, "Conditions:");
    page.line(1, "Type\tStatus\tReason");
    page.line(1, "----\t------\t------");
    for c in conditions.iter().filter_map(Value::as_map) {
        page.line(1, format!("{} \t{}\t{}", c.str("type"), c.str("status"), c.str("reason")));
    }
}

/// Writes a pod template. Counterpart: `DescribePodTemplate`.
pub fn template(page: &mut Page, template: &Map) {
    let empty = Map::new();
    let (metadata, spec) = (template.map("metadata").unwrap_or(&empty), template.map("spec").unwrap_or(&empty));
    page.line(0, "Pod Template:");
    page.labels(1, "Labels", metadata.map("labels").unwrap_or(&empty));
    if let Some(annotations) = metadata.map("annotations").filter(|a| !a.is_empty()) {
        page.annotations(1, "Annotations", annotations);
    }
    if !spec.str("serviceAccountName").is_empty() {
        page.line(1, format!("Service Account:\t{}", spec.str("serviceAccountName")));
    }
    containers(page, "Init Containers", spec.list("initContainers"), Statuses::Template);
    containers(page, "Containers", spec.list("containers"), Statuses::Template);
    volume::volumes(page, 1, spec.list("volumes"));
    placement(page, 1, spec);
}

/// Writes the node selector and the tolerations of a pod spec.
pub fn placement(page: &mut Page, level: usize, spec: &Map) {
    page.labels(level, "Node-Selectors", spec.map("nodeSelector").unwrap_or(&Map::new()));
    let tolerations: Vec<String> = spec.list("tolerations").iter().filter_map(Value::as_map).map(toleration).collect();
    page.list(level, "Tolerations", &tolerations);
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
