//! Keeps pods with scheduling gates out of the queue. Counterpart: `pkg/scheduler/framework/plugins/schedulinggates`.
//!
//! Simplification: a pod with gates is not kept in the queue's unschedulable part; it enters the queue once all its gates are removed.

use crate::api::kind::pod::PodSpec;
use crate::scheduler::framework::Plugin;

/// The plugin SchedulingGates.
pub static PLUGIN: Plugin = Plugin { pre_enqueue: Some(pre_enqueue), ..Plugin::named("SchedulingGates") };

fn pre_enqueue(spec: &PodSpec) -> bool {
    !spec.gated
}
