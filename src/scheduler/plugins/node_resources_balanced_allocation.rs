//! Prefers nodes on which the pod makes the use of CPU and memory more even. Counterpart: `pkg/scheduler/framework/plugins/noderesources`
//! (`balanced_allocation.go`).

use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{NodeView, Plugin};

/// The plugin NodeResourcesBalancedAllocation.
pub static PLUGIN: Plugin = Plugin { score: Some(score), ..Plugin::named("NodeResourcesBalancedAllocation") };

/// Scores the change that the pod makes to the balance of CPU and memory on a node, not the balance itself: 75 is no change.
fn score(class: &PodClass, node: &NodeView) -> i64 {
    let (wanted, total, used) = (&class.spec.requests, &node.facts.allocatable, &node.info.requested);
    if wanted.cpu_milli == 0 && wanted.memory == 0 {
        return 0;
    }
    let evenness = |cpu: i64, memory: i64| -> i64 {
        let share = |used: i64, total: i64| (used as f64 / total as f64).min(1.0);
        if total.cpu_milli == 0 || total.memory == 0 {
            return 100;
        }
        let apart = share(cpu, total.cpu_milli) - share(memory, total.memory);
        ((1.0 - apart.abs() / 2.0) * 100.0) as i64
    };
    let with = evenness(used.cpu_milli + wanted.cpu_milli, used.memory + wanted.memory);
    let without = evenness(used.cpu_milli, used.memory);
    50 + (50 + with - without) / 2
}
