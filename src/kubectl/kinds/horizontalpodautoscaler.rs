//! `kubectl describe` of a HorizontalPodAutoscaler. Counterpart: `describe.HorizontalPodAutoscalerDescriber`.

use crate::api::kind::horizontalpodautoscaler::{current_of, target_of};
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a HorizontalPodAutoscaler.
pub fn describe(_: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let Some(autoscaler) = object.horizontal_pod_autoscaler() else { return Ok(()) };
    let (spec, status) = (&autoscaler.spec, &autoscaler.status);
    head(object, description);
    labels_and_annotations(object, description);
    description.line(0, format!("CreationTimestamp:\t{}", object.meta.created.rfc1123()));
    description.line(0, format!("Reference:\t{}/{}", spec.scale_target_ref.kind, spec.scale_target_ref.name));
    description.line(0, "Metrics:\t( current / target )");
    for (i, metric) in spec.raw().list("metrics").iter().enumerate().filter_map(|(i, m)| Some((i, m.as_map()?))) {
        let current = current_of(autoscaler, i, metric);
        let amount = status
            .current_metrics
            .get(i)
            .and_then(|m| m.at(&["resource", "current", "averageValue"]).or(m.at(&["containerResource", "current", "averageValue"])));
        let current = match amount.filter(|_| current.ends_with('%')) {
            Some(amount) => format!("{current} ({})", amount.plain_text()),
            None => current,
        };
        description.line(1, format!("{}:\t{current} / {}", title(metric), target(metric)));
    }
    description.line(0, format!("Min replicas:\t{}", spec.min_replicas.map_or_else(|| "<unset>".to_owned(), |n| n.to_string())));
    description.line(0, format!("Max replicas:\t{}", spec.max_replicas));
    if let Some(behavior) = spec.raw().map("behavior") {
        description.line(0, "Behavior:");
        for (direction, key) in [("Scale Up", "scaleUp"), ("Scale Down", "scaleDown")] {
            if let Some(rules) = behavior.map(key) {
                direction_lines(description, direction, rules);
            }
        }
    }
    description.line(
        0,
        format!("{} pods:\t{} current / {} desired", spec.scale_target_ref.kind, status.current_replicas, status.desired_replicas),
    );
    if !status.conditions.is_empty() {
        description.line(0, "Conditions:");
        description.line(1, "Type\tStatus\tReason\tMessage");
        description.line(1, "----\t------\t------\t-------");
        for c in &status.conditions {
            description.line(1, format!("{}\t{}\t{}\t{}", c.type_, c.status, c.reason, c.message));
        }
    }
    Ok(())
}

fn source(metric: &Map) -> &Map {
    static EMPTY: Map = Map::new();
    ["resource", "containerResource", "pods", "object", "external"].iter().find_map(|key| metric.map(key)).unwrap_or(&EMPTY)
}

fn target(metric: &Map) -> String {
    target_of(source(metric))
}

fn title(metric: &Map) -> String {
    let source = source(metric);
    let name = source.at(&["metric", "name"]).and_then(Value::as_str).unwrap_or("");
    let percent = source.at(&["target", "averageValue"]).is_none();
    let share = if percent { "  (as a percentage of request)" } else { "" };
    let kind = if percent { "target value" } else { "target average value" };
    match metric.str("type") {
        "Resource" => format!("resource {} on pods{share}", source.str("name")),
        "ContainerResource" => format!("resource {} of container \"{}\" on pods{share}", source.str("name"), source.str("container")),
        "Pods" => format!("{name:?} on pods"),
        "Object" => {
            let object = source.map("describedObject");
            let part = |key: &str| object.map_or("", |o| o.str(key));
            format!("\"{name}\" on {}/{} ({kind})", part("kind"), part("name"))
        }
        "External" => format!("{name:?} ({kind})"),
        other => format!("<unknown metric type {other:?}>"),
    }
}

fn direction_lines(description: &mut Description, direction: &str, rules: &Map) {
    description.line(1, format!("{direction}:"));
    if let Some(seconds) = rules.int("stabilizationWindowSeconds") {
        description.line(2, format!("Stabilization Window: {seconds} seconds"));
    }
    let select = Some(rules.str("selectPolicy")).filter(|s| !s.is_empty()).unwrap_or("Max");
    if !rules.list("policies").is_empty() {
        description.line(2, format!("Select Policy: {select}"));
        description.line(2, "Policies:");
        for policy in rules.list("policies").iter().filter_map(Value::as_map) {
            let number = |key: &str| policy.int(key).unwrap_or(0);
            description.line(
                3,
                format!("- Type: {}\tValue: {}\tPeriod: {} seconds", policy.str("type"), number("value"), number("periodSeconds")),
            );
        }
    }
}
