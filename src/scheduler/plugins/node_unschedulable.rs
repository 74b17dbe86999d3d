//! Keeps pods off cordoned nodes. Counterpart: `pkg/scheduler/framework/plugins/nodeunschedulable`.

use super::taint_toleration::tolerates;
use crate::api::kind::pod::PodSpec;
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, NodeView, Plugin, Status};
use arcstr::{ArcStr, literal};

/// The plugin NodeUnschedulable.
pub static PLUGIN: Plugin = Plugin {
    // A cordoned node also has a taint, which is removed only after `spec.unschedulable` is cleared.
    events_to_register: &[
        ClusterEvent::NodeAdd.always(),
        ClusterEvent::UpdateNodeUnschedulable.always(),
        ClusterEvent::UpdateNodeTaint.always(),
    ],
    filter: Some(filter),
    reasons,
    ..Plugin::named("NodeUnschedulable")
};

fn filter(class: &PodClass, node: &NodeView) -> Status {
    if node.facts.unschedulable && !tolerates(&class.spec, "node.kubernetes.io/unschedulable", "", "NoSchedule") {
        Status::UnschedulableAndUnresolvable(0)
    } else {
        Status::Success
    }
}

fn reasons(_: u16, _: &PodSpec) -> Vec<ArcStr> {
    vec![literal!("node(s) were unschedulable")]
}
