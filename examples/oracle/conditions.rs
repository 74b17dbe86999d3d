//! The conditions that the recorder waited for, and the ways in which it chose pods.

use super::trace::Player;
use loopscope::api::kind::Kind;
use loopscope::api::meta::Key;
use loopscope::api::object::Object;
use loopscope::api::selector::Selector;
use loopscope::api::time::{Span, Time};
use loopscope::api::value::Value;
use loopscope::sim::Cluster;
use std::sync::Arc;

/// Returns the kind that a word names.
pub fn kind_of(word: &str) -> Option<Kind> {
    Kind::built_in().find(|k| k.row().singular == word || k.row().plural == word || k.row().short_names.contains(&word))
}

/// Returns the pods that a label selector matches, ordered by name: those that are being deleted if
/// `deleting` is true, the others if it is false.
pub fn matching(cluster: &Cluster, namespace: &str, selector: &str, deleting: bool) -> Vec<Arc<Object>> {
    let Ok(selector) = Selector::parse(selector) else { return Vec::new() };
    let pods = cluster.api.store.range(Kind::POD, namespace, None);
    pods.filter(|p| p.meta.is_deleting() == deleting && selector.matches(p.meta.labels.entries())).cloned().collect()
}

/// Returns the value at a dotted path in an object.
pub fn field(object: &Object, path: &str) -> Option<Value> {
    let parts: Vec<&str> = path.split('.').collect();
    object.to_map().at(&parts).cloned()
}

/// Returns the holder of a Lease, or an empty text if nobody holds it. The Lease is given as
/// `namespace/name`, or as a name in `kube-system`.
pub fn holder(cluster: &Cluster, lease: &str) -> String {
    let (namespace, name) = lease.split_once('/').unwrap_or(("kube-system", lease));
    let lease = cluster.api.store.get(Kind::LEASE, &Key::new(namespace, name));
    lease.and_then(|l| l.lease().map(|l| l.spec.holder().to_string())).unwrap_or_default()
}

/// Returns true if the condition holds that a step waits for.
pub fn holds(player: &Player, step: &Value, began: Time) -> bool {
    let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or("");
    let number = |key: &str| step.get(key).and_then(Value::as_int).unwrap_or(0);
    let (cluster, namespace) = (&player.cluster, player.namespace.as_str());
    let named = |object: &str| {
        let (kind, name) = object.split_once('/')?;
        let kind = kind_of(kind)?;
        let place = if kind.row().namespaced { namespace } else { "" };
        cluster.api.store.get(kind, &Key::new(place, name)).cloned()
    };
    match text("until") {
        "stable" => cluster.now - player.last_write.max(began) >= Span::secs(number("quiet")),
        "deployment-ready" => named(&format!("deployment/{}", text("name"))).is_some_and(|d| is_ready(&d, number("replicas"))),
        "field" => named(text("object")).is_some_and(|o| {
            let value = field(&o, text("path"));
            match (step.get("equals"), step.get("at_least").and_then(Value::as_int)) {
                (Some(wanted), _) => value.as_ref() == Some(wanted),
                (_, Some(least)) => value.and_then(|v| v.as_int()).is_some_and(|v| v >= least),
                _ => value.is_some(),
            }
        }),
        "gone" => named(text("object")).is_none(),
        "nodes-ready" => nodes(cluster, step).iter().all(|n| n.node().is_some_and(|n| n.is_ready())),
        "nodes-not-ready" => nodes(cluster, step).iter().all(|n| n.node().is_some_and(|n| !n.is_ready())),
        "pod-being-deleted" => !matching(cluster, namespace, text("selector"), true).is_empty(),
        "live-pods" => matching(cluster, namespace, text("selector"), false).len() as i64 == number("count"),
        "no-pod-on-node" => {
            let node = text("node");
            cluster.api.store.range(Kind::POD, namespace, None).all(|p| p.pod().is_none_or(|p| p.node != node))
        }
        "lease-holder-changes" => holder(cluster, text("lease")) != player.holder,
        _ => true,
    }
}

fn nodes(cluster: &Cluster, step: &Value) -> Vec<Arc<Object>> {
    let names = step.get("nodes").and_then(Value::as_list).unwrap_or(&[]);
    names.iter().filter_map(Value::as_str).filter_map(|name| cluster.stored_node(name).cloned()).collect()
}

fn is_ready(object: &Object, replicas: i64) -> bool {
    let value = |path: &str| field(object, path).and_then(|v| v.as_int()).unwrap_or(0);
    value("status.observedGeneration") == value("metadata.generation")
        && ["replicas", "updatedReplicas", "readyReplicas"].iter().all(|key| value(&format!("status.{key}")) == replicas)
}
