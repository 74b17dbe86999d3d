//! Keeps pods off nodes whose taints they do not tolerate, and prefers nodes without `PreferNoSchedule` taints. Counterpart:
//! `pkg/scheduler/framework/plugins/tainttoleration`.

use crate::api::kind::pod::PodSpec;
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, NodeView, Plugin, Status, normalize_by_maximum_reversed};
use crate::scheduler::snapshot::NodeFacts;
use arcstr::{ArcStr, literal};

/// The plugin TaintToleration.
pub static PLUGIN: Plugin = Plugin {
    events_to_register: &[ClusterEvent::NodeAdd.always(), ClusterEvent::UpdateNodeTaint.always()],
    filter: Some(filter),
    reasons,
    score: Some(score),
    normalize_score: Some(normalize_by_maximum_reversed),
    ..Plugin::named("TaintToleration")
};

fn filter(class: &PodClass, node: &NodeView) -> Status {
    if tolerates_all(&class.spec, node.facts) { Status::Success } else { Status::UnschedulableAndUnresolvable(0) }
}

fn reasons(_: u16, _: &PodSpec) -> Vec<ArcStr> {
    vec![literal!("node(s) had untolerated taint(s)")]
}

/// Counts the `PreferNoSchedule` taints of a node that the pod does not tolerate.
fn score(class: &PodClass, node: &NodeView) -> i64 {
    let avoided = |effect: &str| effect == "PreferNoSchedule";
    node.facts.taints.iter().filter(|t| avoided(&t.effect) && !tolerates(&class.spec, &t.key, &t.value, &t.effect)).count() as i64
}

/// Returns whether a pod tolerates the taint with this key, value and effect.
pub fn tolerates(spec: &PodSpec, key: &str, value: &str, effect: &str) -> bool {
    spec.tolerations.iter().any(|t| t.tolerates(key, value, effect))
}

/// Returns whether a pod tolerates all `NoSchedule` and `NoExecute` taints of a node.
pub fn tolerates_all(spec: &PodSpec, facts: &NodeFacts) -> bool {
    let keeps_away = |effect: &str| effect == "NoSchedule" || effect == "NoExecute";
    facts.taints.iter().filter(|t| keeps_away(&t.effect)).all(|t| tolerates(spec, &t.key, &t.value, &t.effect))
}
