//! Refuses nodes whose free resources do not suffice for a pod's requests, and prefers nodes with more left. Counterpart:
//! `pkg/scheduler/framework/plugins/noderesources` (`fit.go`, `least_allocated.go`).
//!
//! Simplification: the only scoring strategy is LeastAllocated over cpu and memory, the default.

use crate::api::kind::pod::PodSpec;
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, NodeView, Plugin, Status};
use arcstr::ArcStr;

/// The plugin NodeResourcesFit.
pub static PLUGIN: Plugin = Plugin {
    events_to_register: &[
        ClusterEvent::NodeAdd.always(),
        ClusterEvent::UpdateNodeAllocatable.always(),
        ClusterEvent::AssignedPodDelete.always(),
    ],
    filter: Some(filter),
    reasons,
    score: Some(score),
    ..Plugin::named("NodeResourcesFit")
};

/// The reasons that the lowest bits of a status number stand for; the next bits stand for the pod's extended resources in their order.
const SHORTAGES: [&str; 4] = ["Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"];

fn filter(class: &PodClass, node: &NodeView) -> Status {
    let (mut shortages, mut unresolvable) = (0u16, false);
    let mut check = |bit: usize, wanted: i64, total: i64, used: i64| {
        if wanted > 0 && wanted > total - used {
            shortages |= 1u16.checked_shl(bit as u32).unwrap_or(1 << 15);
            unresolvable |= wanted > total;
        }
    };
    let (wanted, total, used) = (&class.spec.requests, &node.facts.allocatable, &node.info.requested);
    check(1, wanted.cpu_milli, total.cpu_milli, used.cpu_milli);
    check(2, wanted.memory, total.memory, used.memory);
    check(3, wanted.ephemeral, total.ephemeral, used.ephemeral);
    let amount = |list: &[(ArcStr, i64)], name: &ArcStr| list.binary_search_by(|(n, _)| n.cmp(name)).map_or(0, |i| list[i].1);
    for (i, (name, n)) in wanted.other.iter().enumerate() {
        check(SHORTAGES.len() + i, *n, amount(&total.other, name), amount(&used.other, name));
    }
    if node.info.pods.len() as i64 + 1 > node.facts.allocatable_pods {
        shortages |= 1;
    }
    match (shortages, unresolvable) {
        (0, _) => Status::Success,
        (_, false) => Status::Unschedulable(shortages),
        (_, true) => Status::UnschedulableAndUnresolvable(shortages),
    }
}

fn reasons(shortages: u16, spec: &PodSpec) -> Vec<ArcStr> {
    let named = SHORTAGES.iter().map(|t| ArcStr::from(*t));
    let extended = spec.requests.other.iter().map(|(name, _)| ArcStr::from(format!("Insufficient {name}")));
    named.chain(extended).enumerate().filter(|(i, _)| *i < 16 && shortages >> i & 1 == 1).map(|(_, t)| t).collect()
}

/// Scores a node by the percentage that stays free if the pod runs there, as the mean over CPU and memory.
fn score(class: &PodClass, node: &NodeView) -> i64 {
    let (total, used) = (&node.facts.allocatable, node.info.nonzero);
    let resources = [(total.cpu_milli, used.0 + class.nonzero.0), (total.memory, used.1 + class.nonzero.1)];
    let (mut sum, mut weights) = (0, 0);
    for (total, used) in resources.into_iter().filter(|(total, _)| *total > 0) {
        sum += if used > total { 0 } else { percent(total - used, total) };
        weights += 1;
    }
    if weights == 0 { 0 } else { sum / weights }
}

/// Returns `part * 100 / whole` without overflow for any number of bytes.
fn percent(part: i64, whole: i64) -> i64 {
    part.checked_mul(100).map_or_else(|| (i128::from(part) * 100 / i128::from(whole)) as i64, |hundredfold| hundredfold / whole)
}
