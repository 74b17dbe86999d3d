//! Schedules pods of higher priority first. Counterpart: `pkg/scheduler/framework/plugins/queuesort`.
//!
//! Of several pods with the same priority, the queue itself takes the one that has waited longest.

use crate::api::object::Object;
use crate::scheduler::framework::Plugin;

/// The plugin PrioritySort.
pub static PLUGIN: Plugin = Plugin { queue_sort: Some(queue_sort), ..Plugin::named("PrioritySort") };

fn queue_sort(pod: &Object) -> i64 {
    -i64::from(pod.pod().map_or(0, |p| p.spec.priority))
}
