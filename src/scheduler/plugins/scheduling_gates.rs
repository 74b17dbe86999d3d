//! Keeps pods with scheduling gates out of the queue. Counterpart: `pkg/scheduler/framework/plugins/schedulinggates`.
//!
//! Simplification: a gated pod is not kept in the queue's unschedulable part but offered again when it changes.

use crate::api::kind::pod::PodSpec;
use crate::scheduler::framework::Plugin;

/// SchedulingGates.
pub static PLUGIN: Plugin = Plugin { pre_enqueue: Some(pre_enqueue), ..Plugin::named("SchedulingGates") };

fn pre_enqueue(spec: &PodSpec) -> bool {
    !spec.gated
}
