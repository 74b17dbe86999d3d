//! Keeps pods on nodes in the zones of their volumes, which the volumes' labels name. Counterpart: `pkg/scheduler/framework/plugins/volumezone`.

use crate::api::kind::pod::PodSpec;
use crate::api::meta::{Key, StrMap};
use crate::api::object::Object;
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, CycleState, Handle, NodeView, Plugin, PreFilterResult, Status};
use crate::scheduler::listers::Listers;
use arcstr::{ArcStr, literal};
use std::sync::Arc;

/// The labels that name zones and regions, old and new, each with its current form.
const LABELS: [(&str, &str); 4] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("topology.kubernetes.io/region", "topology.kubernetes.io/region"),
];

/// The plugin VolumeZone.
pub static PLUGIN: Plugin = Plugin {
    events_to_register: &[
        ClusterEvent::StorageClassChange.always(),
        ClusterEvent::ClaimChange.always(),
        ClusterEvent::VolumeChange.always(),
        ClusterEvent::NodeAdd.always(),
        ClusterEvent::UpdateNodeLabel.always(),
    ],
    pre_filter: Some(pre_filter),
    cycle_state: Some(Zones::cycle_state),
    reasons,
    ..Plugin::named("VolumeZone")
};

fn pre_filter(class: &PodClass, listers: &Listers) -> PreFilterResult {
    match volumes_of(class, listers) {
        Ok(volumes) if volumes.iter().all(|volume| topologies(&volume.meta.labels).is_empty()) => PreFilterResult::Skip,
        Ok(_) => PreFilterResult::AllNodes,
        Err(reason) => PreFilterResult::Unschedulable(reason.into()),
    }
}

/// Returns the bound volumes of a class's claims, or the reason why they cannot be found. Counterpart: `getPVbyPod`.
fn volumes_of(class: &PodClass, listers: &Listers) -> Result<Vec<Arc<Object>>, String> {
    let mut found = Vec::new();
    for claim in class.claims.iter().filter(|claim| claim.template.is_none()) {
        if claim.name.is_empty() {
            return Err("PersistentVolumeClaim had no name".to_owned());
        }
        let object = listers.volumes.claim(&Key::new(class.namespace.clone(), claim.name.clone()));
        let Some((object, wanted)) = object.and_then(|o| Some((o, o.persistent_volume_claim()?))) else {
            return Err(format!("persistentvolumeclaim {:?} not found", claim.name.as_str()));
        };
        let name = &wanted.spec.volume_name;
        if !name.is_empty() {
            let volume = listers.volumes.volume(name);
            found.push(volume.cloned().ok_or_else(|| format!("persistentvolume {:?} not found", name.as_str()))?);
            continue;
        }
        let class_name = wanted.class(&object.meta);
        if class_name.is_empty() {
            return Err("PersistentVolumeClaim had no pv name and storageClass name".to_owned());
        }
        match listers.volumes.class(&class_name) {
            None => return Err(format!("storageclass.storage.k8s.io {:?} not found", class_name.as_str())),
            Some(class) if class.waits_for_consumer() => {}
            Some(_) => return Err("PersistentVolume had no name".to_owned()),
        }
    }
    Ok(found)
}

fn reasons(_: u16, _: &PodSpec) -> Vec<ArcStr> {
    vec![literal!("node(s) had no available volume zone")]
}

/// Returns the zones and regions in which a volume can be used: the label on the volume, the label's current form, and the allowed values.
fn topologies(labels: &StrMap) -> Vec<(ArcStr, ArcStr, Vec<ArcStr>)> {
    let topology = |(label, current): &(&'static str, &'static str)| {
        let values: Vec<ArcStr> = labels.get(label)?.split("__").map(|zone| zone.trim().into()).collect();
        (!values.iter().any(ArcStr::is_empty)).then(|| (ArcStr::from(*label), ArcStr::from(*current), values))
    };
    LABELS.iter().filter_map(topology).collect()
}

/// The zones of the volumes of a class of pods, and the nodes outside them.
#[derive(Debug)]
struct Zones {
    wanted: Vec<(ArcStr, ArcStr, Vec<ArcStr>)>,
    /// Set for each node outside the zones, by position; empty if any zone will do.
    outside: Vec<bool>,
}

impl Zones {
    fn cycle_state(class: &Arc<PodClass>, handle: &mut Handle) -> Box<dyn CycleState> {
        let volumes = if class.claims.is_empty() { Vec::new() } else { volumes_of(class, handle.listers).unwrap_or_default() };
        let wanted: Vec<_> = volumes.iter().flat_map(|volume| topologies(&volume.meta.labels)).collect();
        let nodes = if wanted.is_empty() { 0 } else { handle.topology.order.len() };
        Box::new(Zones { wanted, outside: vec![false; nodes] })
    }
}

impl CycleState for Zones {
    fn node_changed(&mut self, position: usize, node: &NodeView, _: &mut Handle) {
        let labels = &node.facts.labels;
        // A node without any of the labels counts as being in every zone.
        let placed = LABELS.iter().any(|(label, _)| labels.get(label).is_some());
        if let Some(outside) = self.outside.get_mut(position) {
            let conflicts = |(label, current, values): &(ArcStr, ArcStr, Vec<ArcStr>)| {
                let zone = labels.get(label).or_else(|| labels.get(current));
                zone.is_none_or(|zone| !values.contains(zone))
            };
            *outside = placed && self.wanted.iter().any(conflicts);
        }
    }
    fn needs_every_node(&self, _: &Handle) -> bool {
        false
    }
    fn prepare_filter(&mut self) -> bool {
        !self.outside.is_empty()
    }
    fn filter(&self, position: usize) -> Status {
        if self.outside.get(position) == Some(&true) { Status::UnschedulableAndUnresolvable(0) } else { Status::Success }
    }
    fn score(&self, _: &[u32]) -> Option<Vec<i64>> {
        None
    }
}
