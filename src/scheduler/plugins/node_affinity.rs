//! Keeps pods off nodes that their node selector or required node affinity does not match, and prefers nodes that match their preferred node affinity.
//! Counterpart: `pkg/scheduler/framework/plugins/nodeaffinity`.

use crate::api::kind::pod::PodSpec;
use crate::api::order::Order;
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, NodeView, Plugin, PreFilterResult, Status, normalize_by_maximum};
use crate::scheduler::listers::Listers;
use crate::scheduler::snapshot::NodeFacts;
use arcstr::{ArcStr, literal};

/// The plugin NodeAffinity.
pub static PLUGIN: Plugin = Plugin {
    events_to_register: &[ClusterEvent::NodeAdd.always(), ClusterEvent::UpdateNodeLabel.always()],
    pre_filter: Some(pre_filter),
    filter: Some(filter),
    reasons,
    score: Some(score),
    normalize_score: Some(normalize_by_maximum),
    ..Plugin::named("NodeAffinity")
};

/// Restricts the pod to the nodes that its required node affinity names by `metadata.name`.
fn pre_filter(class: &PodClass, _: &Listers) -> PreFilterResult {
    let required = class.spec.affinity.as_ref().and_then(|a| a.node_required.as_ref());
    if required.is_none() && class.spec.node_selector.entries().is_empty() {
        return PreFilterResult::Skip;
    }
    match named_nodes(&class.spec) {
        None => PreFilterResult::AllNodes,
        Some(names) if names.is_empty() => PreFilterResult::Unschedulable(literal!("pod affinity terms conflict")),
        Some(names) => PreFilterResult::NodeNames(names),
    }
}

/// Returns the names of the only nodes that can match, if every required term names nodes. Empty if the names within each term contradict each other.
fn named_nodes(spec: &PodSpec) -> Option<Vec<ArcStr>> {
    let terms = spec.affinity.as_ref()?.node_required.as_ref().filter(|t| !t.is_empty())?;
    let mut names = Vec::new();
    for term in terms {
        let mut lists = term.fields.iter().filter(|r| r.key == "metadata.name" && r.operator == "In").map(|r| &r.values);
        let mut of_term = lists.next()?.clone();
        lists.for_each(|list| of_term.retain(|n| list.contains(n)));
        names.extend(of_term);
    }
    names.order();
    names.dedup();
    Some(names)
}

fn filter(class: &PodClass, node: &NodeView) -> Status {
    if matches(&class.spec, node.facts) { Status::Success } else { Status::UnschedulableAndUnresolvable(0) }
}

fn reasons(_: u16, _: &PodSpec) -> Vec<ArcStr> {
    vec![literal!("node(s) didn't match Pod's node affinity/selector")]
}

/// Sums the weights of the preferred terms that match a node.
fn score(class: &PodClass, node: &NodeView) -> i64 {
    let terms = class.spec.affinity.iter().flat_map(|a| &a.node_preferred);
    terms.filter(|(_, t)| t.matches(&node.facts.name, |k| node.facts.labels.get(k).cloned())).map(|(w, _)| i64::from(*w)).sum()
}

/// Returns whether a pod's node selector and required node affinity match a node.
pub fn matches(spec: &PodSpec, facts: &NodeFacts) -> bool {
    spec.matches_node(&facts.name, &facts.labels)
}
