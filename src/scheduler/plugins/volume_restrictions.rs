//! Keeps pods off nodes where other pods use the same disk, and refuses pods whose claim only one pod may use (`ReadWriteOncePod`) while another pod uses
//! it. Counterpart: `pkg/scheduler/framework/plugins/volumerestrictions`.

use crate::api::kind::pod::PodSpec;
use crate::api::meta::Key;
use crate::api::value::{Map, Value};
use crate::scheduler::class::PodClass;
use crate::scheduler::framework::{ClusterEvent, CycleState, Handle, NodeView, Plugin, PreFilterResult, Status};
use crate::scheduler::listers::Listers;
use arcstr::{ArcStr, literal};
use std::sync::Arc;

const DISK: u16 = 0;
const ONE_POD: u16 = 1;

/// The plugin VolumeRestrictions.
pub static PLUGIN: Plugin = Plugin {
    events_to_register: &[
        ClusterEvent::AssignedPodDelete.if_hinted(frees_volume),
        ClusterEvent::NodeAdd.always(),
        ClusterEvent::ClaimChange.always(),
    ],
    pre_filter: Some(pre_filter),
    cycle_state: Some(Users::cycle_state),
    filter: Some(filter),
    reasons,
    ..Plugin::named("VolumeRestrictions")
};

/// Refuses pods whose claims do not exist, and skips the filter for pods without disks of the types in [`DISKS`].
fn pre_filter(class: &PodClass, listers: &Listers) -> PreFilterResult {
    let missing = |name: &&ArcStr| listers.volumes.claim(&Key::new(class.namespace.clone(), (*name).clone())).is_none();
    let mut shared = class.claims.iter().filter(|claim| claim.template.is_none()).map(|claim| &claim.name);
    match shared.find(missing) {
        Some(name) => PreFilterResult::Unschedulable(format!("persistentvolumeclaim {:?} not found", name.as_str()).into()),
        None if disks(&class.spec).next().is_none() => PreFilterResult::Skip,
        None => PreFilterResult::AllNodes,
    }
}

fn reasons(reason: u16, _: &PodSpec) -> Vec<ArcStr> {
    vec![match reason {
        ONE_POD => {
            literal!("node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod")
        }
        _ => literal!("node(s) had no available disk"),
    }]
}

fn frees_volume(waiting: &PodClass, gone: &PodClass, _: &Listers) -> bool {
    let shares_claim = || waiting.claims.iter().any(|claim| claim.template.is_none() && gone.claims.iter().any(|c| c.name == claim.name));
    waiting.namespace == gone.namespace && (disks_clash(&waiting.spec, &gone.spec) || shares_claim())
}

fn filter(class: &PodClass, node: &NodeView) -> Status {
    let clash = node.info.groups.iter().any(|group| disks_clash(&class.spec, &group.class.spec));
    if clash { Status::Unschedulable(DISK) } else { Status::Success }
}

/// The volume types whose disks cannot be shared, each with the fields that identify a disk.
const DISKS: [(&str, &[&str]); 4] =
    [("gcePersistentDisk", &["pdName"]), ("awsElasticBlockStore", &["volumeID"]), ("iscsi", &["iqn"]), ("rbd", &["pool", "image"])];

fn disks(spec: &PodSpec) -> impl Iterator<Item = (usize, &Map)> {
    let volumes = spec.raw.list("volumes").iter().filter_map(Value::as_map);
    volumes.flat_map(|volume| DISKS.iter().enumerate().filter_map(|(i, (kind, _))| Some((i, volume.map(kind)?))))
}

/// Returns whether two pods use the same disk and may not share it, as they may if both only read it. Counterpart: `isVolumeConflict`.
fn disks_clash(one: &PodSpec, other: &PodSpec) -> bool {
    let same = |type_: usize, a: &Map, b: &Map| {
        let (kind, keys) = DISKS[type_];
        let shared = kind != "awsElasticBlockStore" && a.bool("readOnly") && b.bool("readOnly");
        let monitors = kind != "rbd" || a.list("monitors").iter().any(|monitor| b.list("monitors").contains(monitor));
        keys.iter().all(|key| a.str(key) == b.str(key)) && monitors && !shared
    };
    disks(one).any(|(i, a)| disks(other).any(|(j, b)| i == j && same(i, a, b)))
}

/// The claims of one class of pods that only one pod may use (`ReadWriteOncePod`), and the existing pods that use them.
#[derive(Debug)]
struct Users {
    class: Arc<PodClass>,
    exclusive: Vec<ArcStr>,
    /// The number of uses of these claims on each node, by position; empty if the class has no such claim.
    uses: Vec<u32>,
    total: u32,
}

impl Users {
    fn cycle_state(class: &Arc<PodClass>, handle: &mut Handle) -> Box<dyn CycleState> {
        let one_pod = |name: &ArcStr| {
            let claim = handle.listers.volumes.claim(&Key::new(class.namespace.clone(), name.clone()));
            claim.and_then(|o| o.persistent_volume_claim()).is_some_and(|c| c.spec.access_modes.iter().any(|m| m == "ReadWriteOncePod"))
        };
        let shared = class.claims.iter().filter(|claim| claim.template.is_none());
        let exclusive: Vec<ArcStr> = shared.map(|claim| claim.name.clone()).filter(one_pod).collect();
        let nodes = if exclusive.is_empty() { 0 } else { handle.topology.order.len() };
        Box::new(Users { class: class.clone(), exclusive, uses: vec![0; nodes], total: 0 })
    }
}

impl CycleState for Users {
    fn node_changed(&mut self, position: usize, node: &NodeView, _: &mut Handle) {
        let Some(uses) = self.uses.get_mut(position) else { return };
        let of = |class: &PodClass| {
            let used = |claim: &&crate::api::kind::pod::PodClaim| claim.template.is_none() && self.exclusive.contains(&claim.name);
            if class.namespace == self.class.namespace { class.claims.iter().filter(used).count() as u32 } else { 0 }
        };
        let now: u32 = node.info.groups.iter().map(|group| group.count * of(&group.class)).sum();
        self.total = self.total - *uses + now;
        *uses = now;
    }
    fn needs_every_node(&self, _: &Handle) -> bool {
        !self.uses.is_empty()
    }
    fn prepare_filter(&mut self) -> bool {
        self.total > 0
    }
    fn filter(&self, _: usize) -> Status {
        if self.total > 0 { Status::Unschedulable(ONE_POD) } else { Status::Success }
    }
    fn score(&self, _: &[u32]) -> Option<Vec<i64>> {
        None
    }
}
