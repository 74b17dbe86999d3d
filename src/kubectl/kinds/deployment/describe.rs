//! `kubectl describe` of a Deployment. Counterpart: `describe.DeploymentDescriber`.

use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::template::{conditions, selector_text, template};
use crate::kubectl::describe::{head, labels_and_annotations, list};
use crate::kubectl::{Cx, Run};
use std::sync::Arc;

const HASH: &str = "pod-template-hash";

/// Writes the description of a Deployment.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    let count = |key: &str| status.int(key).unwrap_or(0);
    head(object, description);
    description.line(0, format!("CreationTimestamp:\t{}", object.meta.created.rfc1123()));
    labels_and_annotations(object, description);
    description.line(0, format!("Selector:\t{}", selector_text(spec)));
    description.line(
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
    description.line(0, format!("StrategyType:\t{}", strategy.str("type")));
    description.line(0, format!("MinReadySeconds:\t{}", spec.int("minReadySeconds").unwrap_or(0)));
    if let Some(rolling) = strategy.map("rollingUpdate") {
        let part = |key: &str| rolling.get(key).map(plain).unwrap_or_default();
        let text = format!("{} max unavailable, {} max surge", part("maxUnavailable"), part("maxSurge"));
        description.line(0, format!("RollingUpdateStrategy:\t{text}"));
    }
    template(description, spec.map("template").unwrap_or(&empty));
    conditions(description, status);
    replica_sets(cx, object, spec, description)
}

/// Writes the ReplicaSets of a Deployment: the one of the current template, and the old ones.
fn replica_sets(cx: &mut Cx, object: &Object, spec: &Map, description: &mut Description) -> Run {
    let mut sets: Vec<Arc<Object>> = list(cx, Kind::REPLICA_SET, &object.meta.namespace)?;
    sets.retain(|s| s.meta.controller().is_some_and(|o| o.uid == object.meta.uid));
    sets.order_by_key(|s| (s.meta.created, s.meta.name.clone()));
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
    if sets.is_empty() {
        return Ok(());
    }
    let new = sets.iter().position(|s| is_new(s));
    let old: Vec<String> = sets.iter().enumerate().filter(|(i, _)| Some(*i) != new).map(|(_, s)| text(s)).collect();
    description.line(0, format!("OldReplicaSets:\t{}", if old.is_empty() { "<none>".to_owned() } else { old.join(", ") }));
    description.line(0, format!("NewReplicaSet:\t{}", new.and_then(|i| sets.get(i)).map_or_else(|| "<none>".to_owned(), text)));
    Ok(())
}
