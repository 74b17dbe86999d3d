//! The version `autoscaling/v1`, which knows one metric and keeps all else in annotations. Counterpart: `pkg/apis/autoscaling/v1/conversion.go`.
//!
//! Simplification: the annotations hold metrics and conditions in the form of `autoscaling/v2`.

use super::super::OtherVersion;
use crate::api::json;
use crate::api::value::{Map, Value};
use crate::map;

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// The entry for `autoscaling/v1` in the kind's row, with its conversions.
pub const V1: OtherVersion =
    OtherVersion { version: "v1", api_version: "autoscaling/v1", schema: "autoscaling.v1.HorizontalPodAutoscaler", to_own, from_own };

fn is_cpu(metric: &Map) -> bool {
    let resource = metric.map("resource");
    metric.str("type") == "Resource" && resource.is_some_and(|r| r.str("name") == "cpu")
}

/// Removes an annotation and returns the value that is encoded in it as JSON.
fn taken(object: &mut Map, key: &str) -> Option<Value> {
    let annotations = object.map_mut("metadata").get_mut("annotations").and_then(Value::as_map_mut)?;
    let text = annotations.take(key)?;
    if annotations.is_empty() {
        object.map_mut("metadata").remove("annotations");
    }
    json::parse(text.as_str()?).ok()
}

/// Converts an object from `autoscaling/v1` to `autoscaling/v2`. One without any metric gets the default one of `autoscaling/v2`.
fn to_own(object: &mut Map) {
    let [metrics, _, _, behavior] = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR].map(|key| taken(object, key));
    let spec = object.map_mut("spec");
    let mut all = metrics.and_then(|m| m.as_list().map(<[Value]>::to_vec)).unwrap_or_default();
    if let Some(percentage) = spec.take("targetCPUUtilizationPercentage").filter(|p| !p.is_null()) {
        let target = map! { "type" => "Utilization", "averageUtilization" => percentage };
        all.push(map! { "type" => "Resource", "resource" => map! { "name" => "cpu", "target" => target } }.into());
    }
    if !all.is_empty() {
        spec.insert("metrics", all);
    }
    if let Some(behavior) = behavior {
        spec.insert("behavior", behavior);
    }
    if let Some(status) = object.get_mut("status").and_then(Value::as_map_mut) {
        status.remove("currentCPUUtilizationPercentage");
        status.remove("observedGeneration");
    }
}

/// Converts an object from `autoscaling/v2` to `autoscaling/v1`.
fn from_own(object: &mut Map) {
    let spec = object.map_mut("spec");
    let (cpu, others): (Vec<Value>, Vec<Value>) =
        spec.take("metrics").and_then(|m| m.as_list().map(<[Value]>::to_vec)).unwrap_or_default().into_iter().partition(|metric| {
            let used = |m: &Map| m.at(&["resource", "target", "averageUtilization"]).is_some();
            metric.as_map().is_some_and(|m| is_cpu(m) && used(m))
        });
    let percentage = cpu.first().and_then(|metric| metric.at(&["resource", "target", "averageUtilization"])).cloned();
    let behavior = spec.take("behavior");
    if let Some(percentage) = percentage {
        spec.insert("targetCPUUtilizationPercentage", percentage);
    }
    let status = object.map_mut("status");
    let current = status.take("currentMetrics").filter(|m| m.as_list().is_some_and(|l| !l.is_empty()));
    let conditions = status.take("conditions").filter(|c| c.as_list().is_some_and(|l| !l.is_empty()));
    let used = |metric: &Value| metric.as_map().filter(|m| is_cpu(m))?.at(&["resource", "current", "averageUtilization"]).cloned();
    if let Some(used) = current.as_ref().and_then(Value::as_list).and_then(|all| all.iter().find_map(used)) {
        status.insert("currentCPUUtilizationPercentage", used);
    }
    status.insert_default("currentReplicas", 0);
    status.insert_default("desiredReplicas", 0);
    let others = (!others.is_empty()).then_some(Value::List(others));
    for (key, value) in [(METRICS, others), (CURRENT_METRICS, current), (BEHAVIOR, behavior), (CONDITIONS, conditions)] {
        if let Some(value) = value {
            object.map_mut("metadata").map_mut("annotations").insert(key, json::to_string(&value));
        }
    }
}
