//! Refuses pods whose claims cannot be bound, and nodes on which their volumes cannot be used. Counterpart: `pkg/scheduler/framework/plugins/volumebinding`.

use crate::api::kind::persistentvolumeclaim::ClaimPhase;
use crate::api::kind::pod::{PodClaim, PodSpec};
use crate::api::meta::Key;
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, CycleState, Handle, NodeView, Plugin, PreFilterResult, Status};
use crate::scheduler::listers::Listers;
use crate::scheduler::volumes::{PodClaims, conflict};
use arcstr::{ArcStr, literal};
use std::sync::Arc;

/// The plugin VolumeBinding.
pub static PLUGIN: Plugin = Plugin {
    events_to_register: &[
        ClusterEvent::StorageClassChange.always(),
        ClusterEvent::ClaimChange.always(),
        ClusterEvent::VolumeChange.always(),
        ClusterEvent::NodeAdd.always(),
        ClusterEvent::UpdateNodeLabel.always(),
    ],
    pre_filter: Some(pre_filter),
    cycle_state: Some(Binding::cycle_state),
    reasons,
    ..Plugin::named("VolumeBinding")
};

fn pre_filter(class: &PodClass, listers: &Listers) -> PreFilterResult {
    if class.claims.is_empty() {
        return PreFilterResult::Skip;
    }
    match class.claims.iter().find_map(|claim| problem(class, claim, listers)) {
        Some(reason) => PreFilterResult::Unschedulable(reason.into()),
        None if listers.volumes.claims_of(class).unbound_immediate => {
            PreFilterResult::Unschedulable(literal!("pod has unbound immediate PersistentVolumeClaims"))
        }
        None => PreFilterResult::AllNodes,
    }
}

/// Returns the reason why a claim of a pod cannot be used on any node; `None` if it can. Counterpart: `podHasPVCs`.
fn problem(class: &PodClass, claim: &PodClaim, listers: &Listers) -> Option<String> {
    let name = claim.name.as_str();
    let Some(object) = listers.volumes.claim(&Key::new(class.namespace.clone(), claim.name.clone())) else {
        return Some(match claim.template {
            Some(_) => format!("waiting for ephemeral volume controller to create the persistentvolumeclaim {name:?}"),
            None => format!("persistentvolumeclaim {name:?} not found"),
        });
    };
    let wanted = object.persistent_volume_claim()?;
    if wanted.status.phase == ClaimPhase::Lost {
        let volume = wanted.spec.volume_name.as_str();
        return Some(format!("persistentvolumeclaim {name:?} bound to non-existent persistentvolume {volume:?}"));
    }
    if object.meta.is_deleting() {
        return Some(format!("persistentvolumeclaim {name:?} is being deleted"));
    }
    let foreign = claim.template.is_some() && object.meta.controller().is_none_or(|o| o.kind != "Pod" || o.name != class.pod_name);
    foreign.then(|| format!("PVC {} was not created for pod {}/{} (pod is not owner)", object.key(), class.namespace, class.pod_name))
}

fn reasons(bits: u16, _: &PodSpec) -> Vec<ArcStr> {
    let all = [
        (conflict::NODE, literal!("node(s) didn't match PersistentVolume's node affinity")),
        (conflict::BIND, literal!("node(s) didn't find available persistent volumes to bind")),
        (conflict::MISSING, literal!("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")),
    ];
    all.into_iter().filter(|(bit, _)| bits & bit != 0).map(|(_, reason)| reason).collect()
}

/// The claims of a class of pods, and the nodes on which they cannot be used.
#[derive(Debug)]
struct Binding {
    claims: PodClaims,
    /// The `conflict` bits of each node by position, 0 if the claims can be used there; empty if the class has no claims.
    reasons: Vec<u16>,
}

impl Binding {
    fn cycle_state(class: &Arc<PodClass>, handle: &mut Handle) -> Box<dyn CycleState> {
        if class.claims.is_empty() {
            return Box::new(Binding { claims: PodClaims::default(), reasons: Vec::new() });
        }
        let claims = handle.listers.volumes.claims_of(class);
        Box::new(Binding { claims, reasons: vec![0; handle.topology.order.len()] })
    }
}

impl CycleState for Binding {
    fn node_changed(&mut self, position: usize, node: &NodeView, handle: &mut Handle) {
        if let Some(reasons) = self.reasons.get_mut(position) {
            *reasons = handle.listers.volumes.find(&self.claims, node.facts).err().unwrap_or(0);
        }
    }
    fn needs_every_node(&self, _: &Handle) -> bool {
        false
    }
    fn prepare_filter(&mut self) -> bool {
        !self.reasons.is_empty()
    }
    fn filter(&self, position: usize) -> Status {
        match self.reasons.get(position) {
            None | Some(0) => Status::Success,
            Some(reasons) => Status::UnschedulableAndUnresolvable(*reasons),
        }
    }
    fn score(&self, _: &[u32]) -> Option<Vec<i64>> {
        None
    }
}
