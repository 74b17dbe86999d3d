//! The pages of a Deployment and of a ReplicaSet.

use super::container::{Statuses, containers};
use super::page::{Page, plain};
use super::{Cx, Run, controlled_by, head, labels_and_annotations, list, pod, volume};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};
use crate::order;
use std::sync::Arc;

const HASH: &str = "pod-template-hash";

/// Writes the page of a Deployment.
pub fn deployment(cx: &mut Cx, object: &Object, page: &mut Page) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    let count = |key: &str| status.int(key).unwrap_or(0);
    head(object, page);
    page.line(0, format!("CreationTimestamp:\t{}", object.meta.created.rfc1123()));
    labels_and_annotations(object, page);
    page.line(0, format!("Selector:\t{}", selector_text(spec)));
    page.line(
        0,
        format!(
            "Replicas:\t{} desired | {} updated | {} total | {} available | {} unavailable",
            spec.int("replicas").unwrap_or(1),
            count("updatedReplicas"),
            count("replicas"),
            count("availableReplicas"),
            count("unavailableReplicas")
        ),
    );
    let strategy = spec.map("strategy").unwrap_or(&empty);
    page.line(0, format!("StrategyType:\t{}", strategy.str("type")));
    page.line(0, format!("MinReadySeconds:\t{}", spec.int("minReadySeconds").unwrap_or(0)));
    if let Some(rolling) = strategy.map("rollingUpdate") {
        let part = |key: &str| rolling.get(key).map(plain).unwrap_or_default();
        let text = format!("{} max unavailable, {} max surge", part("maxUnavailable"), part("maxSurge"));
        page.line(0, format!("RollingUpdateStrategy:\t{text}"));
    }
    template(page, spec.map("template").unwrap_or(&empty));
    conditions(page, status);
    replica_sets(cx, object, spec, page)
}

fn selector_text(spec: &Map) -> String {
    spec.map("selector").and_then(|s| Selector::from_label_selector(s).ok()).map(|s| s.to_string()).unwrap_or_default()
}

fn conditions(page: &mut Page, status: &Map) {
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

/// The sets of a Deployment: the one of the current template, and the others.
fn replica_sets(cx: &mut Cx, object: &Object, spec: &Map, page: &mut Page) -> Run {
    let mut sets: Vec<Arc<Object>> = list(cx, Kind::REPLICA_SET, &object.meta.namespace)?;
    sets.retain(|s| s.meta.controller().is_some_and(|o| o.uid == object.meta.uid));
    order::sort_by_key(&mut sets, |s| (s.meta.created, s.meta.uid));
    let is_new = |set: &Object| {
        let mut template = set.to_map().at(&["spec", "template"]).cloned().unwrap_or_default();
        if let Some(labels) = template.as_map_mut().map(|t| t.map_mut("metadata").map_mut("labels")) {
            labels.remove(HASH);
        }
        Some(&template) == spec.get("template")
    };
    let text = |set: &Arc<Object>| {
        let tree = set.to_map();
        let number = |path: &[&str]| tree.at(path).and_then(Value::as_int).unwrap_or(0);
        format!("{} ({}/{} replicas created)", set.meta.name, number(&["status", "replicas"]), number(&["spec", "replicas"]))
    };
    let new = sets.iter().position(|s| is_new(s));
    let old: Vec<String> = sets.iter().enumerate().filter(|(i, _)| Some(*i) != new).map(|(_, s)| text(s)).collect();
    page.line(0, format!("OldReplicaSets:\t{}", if old.is_empty() { "<none>".to_owned() } else { old.join(", ") }));
    page.line(0, format!("NewReplicaSet:\t{}", new.and_then(|i| sets.get(i)).map_or_else(|| "<none>".to_owned(), text)));
    Ok(())
}

/// Writes the page of a ReplicaSet.
pub fn replica_set(cx: &mut Cx, object: &Object, page: &mut Page) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    head(object, page);
    page.line(0, format!("Selector:\t{}", selector_text(spec)));
    labels_and_annotations(object, page);
    controlled_by(object, page);
    let (current, wanted) = (status.int("replicas").unwrap_or(0), spec.int("replicas").unwrap_or(1));
    page.line(0, format!("Replicas:\t{current} current / {wanted} desired"));
    let pods = list(cx, Kind::POD, &object.meta.namespace)?;
    let own = || pods.iter().filter(|p| p.meta.controller().is_some_and(|o| o.uid == object.meta.uid)).filter_map(|p| p.pod());
    let count = |phase: &str| own().filter(|p| p.status.phase.text() == phase).count();
    let (running, waiting, done, failed) = (count("Running"), count("Pending"), count("Succeeded"), count("Failed"));
    page.line(0, format!("Pods Status:\t{running} Running / {waiting} Waiting / {done} Succeeded / {failed} Failed"));
    template(page, spec.map("template").unwrap_or(&empty));
    let conditions = status.list("conditions");
    if !conditions.is_empty() {
        self::conditions(page, status);
    }
    Ok(())
}

/// Writes the part about a pod template.
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
    pod::placement(page, 1, spec);
}
