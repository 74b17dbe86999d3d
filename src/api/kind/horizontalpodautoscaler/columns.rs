//! The columns that `kubectl get` shows for HorizontalPodAutoscaler objects.

use super::HorizontalPodAutoscaler;
use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The columns that `kubectl get` shows for HorizontalPodAutoscalers.
pub const COLUMNS: &[Column] =
    &[column("Name"), column("Reference"), column("Targets"), column("MinPods"), column("MaxPods"), column("Replicas"), column("Age")];

/// The number of metrics that the TARGETS column shows.
const SHOWN: usize = 2;

/// Returns the cells of a HorizontalPodAutoscaler's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(autoscaler) = object.horizontal_pod_autoscaler() else { return Vec::new() };
    let (spec, target) = (&autoscaler.spec, &autoscaler.spec.scale_target_ref);
    vec![
        (&object.meta.name).into(),
        format!("{}/{}", target.kind, target.name).into(),
        metrics_text(autoscaler).into(),
        spec.min_replicas.map_or_else(|| "<unset>".to_owned(), |n| n.to_string()).into(),
        spec.max_replicas.into(),
        autoscaler.status.current_replicas.into(),
        since(object.meta.created, now).into(),
    ]
}

/// Returns the metrics as the TARGETS column shows them, each as `current/target`. Counterpart: `formatHPAMetrics`.
pub fn metrics_text(autoscaler: &HorizontalPodAutoscaler) -> String {
    let metrics = autoscaler.spec.raw().list("metrics");
    if metrics.is_empty() {
        return "<none>".to_owned();
    }
    let text = |(i, metric): (usize, &Value)| {
        let Some(metric) = metric.as_map() else { return "<unknown type>".to_owned() };
        let Some(source) = source(metric) else { return "<unknown type>".to_owned() };
        let (current, target) = (current_of(autoscaler, i, metric), target_of(source));
        match metric.str("type") {
            "Resource" | "ContainerResource" => format!("{}: {current}/{target}", source.str("name")),
            "Pods" => format!("{current}/{target}"),
            _ if source.at(&["target", "averageValue"]).is_some() => format!("{current}/{target} (avg)"),
            _ => format!("{current}/{target}"),
        }
    };
    let mut texts: Vec<String> = metrics.iter().enumerate().map(text).collect();
    let more = texts.len().saturating_sub(SHOWN);
    texts.truncate(SHOWN);
    if more > 0 { format!("{} + {more} more...", texts.join(", ")) } else { texts.join(", ") }
}

fn source(metric: &Map) -> Option<&Map> {
    let key = match metric.str("type") {
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        "Pods" => "pods",
        "Object" => "object",
        "External" => "external",
        _ => return None,
    };
    metric.map(key)
}

/// Returns the current value of the metric with this index in the spec, or `<unknown>`.
pub fn current_of(autoscaler: &HorizontalPodAutoscaler, index: usize, metric: &Map) -> String {
    let status = autoscaler.status.current_metrics.get(index).and_then(source);
    let current = status.and_then(|s| s.map("current"));
    let wants_percent = source(metric).is_some_and(|s| s.at(&["target", "averageUtilization"]).is_some());
    let key = ["averageValue", "value"];
    let found = if wants_percent {
        current.and_then(|c| c.int("averageUtilization")).map(|n| format!("{n}%"))
    } else {
        current.and_then(|c| key.iter().find_map(|key| c.get(key))).map(Value::plain_text)
    };
    found.unwrap_or_else(|| "<unknown>".to_owned())
}

/// Returns the target value of a metric's source as text.
pub fn target_of(source: &Map) -> String {
    let empty = Map::new();
    let target = source.map("target").unwrap_or(&empty);
    match (target.get("averageValue"), target.int("averageUtilization"), target.get("value")) {
        (Some(value), ..) => value.plain_text(),
        (None, Some(percent), _) => format!("{percent}%"),
        (None, None, Some(value)) => value.plain_text(),
        _ => "<auto>".to_owned(),
    }
}
