//! Keeps pods off nodes on which a host port they ask for is in use. Counterpart: `pkg/scheduler/framework/plugins/nodeports`.

use crate::api::kind::pod::PodSpec;
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, NodeView, Plugin, PreFilterResult, Status};
use crate::scheduler::listers::Listers;
use arcstr::{ArcStr, literal};

/// The plugin NodePorts.
pub static PLUGIN: Plugin = Plugin {
    events_to_register: &[ClusterEvent::NodeAdd.always(), ClusterEvent::AssignedPodDelete.if_hinted(frees_port)],
    pre_filter: Some(pre_filter),
    filter: Some(filter),
    reasons,
    ..Plugin::named("NodePorts")
};

fn pre_filter(class: &PodClass, _: &Listers) -> PreFilterResult {
    if class.spec.host_ports.is_empty() { PreFilterResult::Skip } else { PreFilterResult::AllNodes }
}

/// Refuses a node on which a pod uses the same host port.
fn filter(class: &PodClass, node: &NodeView) -> Status {
    let in_use = |wanted: &(ArcStr, ArcStr, i32)| node.info.groups.iter().any(|group| group.class.spec.uses_port(wanted));
    if class.spec.host_ports.iter().any(in_use) { Status::Unschedulable(0) } else { Status::Success }
}

fn reasons(_: u16, _: &PodSpec) -> Vec<ArcStr> {
    vec![literal!("node(s) didn't have free ports for the requested pod ports")]
}

fn frees_port(waiting: &PodClass, gone: &PodClass, _: &Listers) -> bool {
    waiting.spec.host_ports.iter().any(|(_, _, wanted)| gone.spec.host_ports.iter().any(|(_, _, freed)| freed == wanted))
}
