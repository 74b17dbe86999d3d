//! Finds the volume for a claim. Counterpart: `component-helpers/storage/volume` (`FindMatchingVolume`), which the binder and the scheduler share.

use super::{ClaimRef, PersistentVolume, VolumePhase};
use crate::api::kind::persistentvolumeclaim::PersistentVolumeClaim;
use crate::api::meta::StrMap;
use crate::api::object::Object;
use arcstr::ArcStr;
use std::sync::Arc;

/// The annotation of a claim whose binding is complete.
pub const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// The annotation of a claim or volume that the controller bound by its own choice: no person named the volume in the claim, or the claim in the volume.
pub const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
/// The annotation of a claim with the node on which its first pod is to run.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// The annotation of a volume with the program that made it.
pub const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
/// The annotations of a claim with the program that is to make its volume: the current key, and the older one.
pub const STORAGE_PROVISIONER: [&str; 2] = ["volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner"];

/// Restrictions on the search for the volume of a claim.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The labels of the node from which the volume must be reachable, if the node is known.
    pub node: Option<&'a StrMap>,
    /// The names of volumes that are taken already.
    pub excluded: &'a [ArcStr],
    /// Set if the claim waits for its first pod, so that only volumes reserved for it count as long as no node is known.
    pub delayed: bool,
}

/// Returns a volume that is reserved for the claim, or else the smallest one that satisfies it; of equally small ones the first.
pub fn find_matching<'v>(claim: &Object, volumes: impl Iterator<Item = &'v Arc<Object>>, search: &Search) -> Option<&'v Arc<Object>> {
    let wanted = claim.persistent_volume_claim()?;
    let (requested, class, selector) = (wanted.requested(), wanted.class(&claim.meta), wanted.selector());
    let mut smallest: Option<&Arc<Object>> = None;
    for object in volumes {
        let Some(volume) = object.persistent_volume() else { continue };
        let reserved = volume.spec.claim_ref.as_ref().map(|reference| reference.names(&claim.meta));
        if search.excluded.contains(&object.meta.name)
            || reserved == Some(false)
            || volume.size() < requested
            || volume.mode() != wanted.mode()
            || attributes_class(&volume.spec.other) != attributes_class(&wanted.spec.other)
            || object.meta.is_deleting()
        {
            continue;
        }
        let reachable = search.node.is_none_or(|labels| is_reachable(volume, labels));
        if reserved == Some(true) {
            return reachable.then_some(object);
        }
        if search.node.is_none() && search.delayed
            || volume.status.phase != VolumePhase::Available
            || selector.as_ref().is_some_and(|s| !s.matches(object.meta.labels.entries()))
            || volume.class(&object.meta) != class
            || !reachable
            || search.node.is_some() && !has_access_modes(volume, wanted)
        {
            continue;
        }
        let size = |o: &Arc<Object>| o.persistent_volume().map(PersistentVolume::size);
        if smallest.is_none_or(|s| size(s) > Some(volume.size())) {
            smallest = Some(object);
        }
    }
    smallest
}

fn attributes_class(other: &crate::api::value::Map) -> &str {
    other.str("volumeAttributesClassName")
}

/// Returns true if a volume can be used on a node with these labels. Counterpart: `CheckNodeAffinity`.
pub fn is_reachable(volume: &PersistentVolume, labels: &StrMap) -> bool {
    volume.node_terms().is_none_or(|terms| terms.iter().any(|term| term.matches("", |key| labels.get(key).cloned())))
}

/// Returns true if a volume has all access modes of a claim. Counterpart: `CheckAccessModes`.
pub fn has_access_modes(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    claim.spec.access_modes.iter().all(|mode| volume.spec.access_modes.contains(mode))
}

/// Returns the reason why a volume does not satisfy the claim that names it, if it does not. Counterpart: `checkVolumeSatisfyClaim`.
pub fn mismatch(object: &Object, volume: &PersistentVolume, claim_object: &Object, claim: &PersistentVolumeClaim) -> Option<String> {
    if object.meta.is_deleting() {
        Some(format!("the volume is marked for deletion {:?}", object.meta.name.as_str()))
    } else if volume.size().value() < claim.requested().value() {
        Some("requested PV is too small".to_owned())
    } else if volume.class(&object.meta) != claim.class(&claim_object.meta) {
        Some("storageClassName does not match".to_owned())
    } else if attributes_class(&volume.spec.other) != attributes_class(&claim.spec.other) {
        Some("volumeAttributesClassName does not match".to_owned())
    } else if volume.mode() != claim.mode() {
        Some("incompatible volumeMode".to_owned())
    } else if !has_access_modes(volume, claim) {
        Some("incompatible accessMode".to_owned())
    } else {
        None
    }
}

/// Returns the volume with a reference to the claim, and true if this differs from the given volume. Counterpart: `GetBindVolumeToClaim`.
pub fn volume_for_claim(claim: &Object, volume: &Object) -> (Object, bool) {
    let mut new = volume.clone();
    let reference = volume.persistent_volume().and_then(|v| v.spec.claim_ref.clone());
    let reserved = reference.as_ref().is_some_and(|r| r.names(&claim.meta));
    let mut changed = false;
    if !reserved || reference.is_some_and(|r| r.uid.is_empty()) {
        if let Some(volume) = new.persistent_volume_mut() {
            volume.spec.claim_ref = Some(ClaimRef::to(claim));
        }
        changed = true;
    }
    if !reserved && new.meta.annotations.get(BOUND_BY_CONTROLLER).is_none() {
        new.meta.annotations = new.meta.annotations.with(BOUND_BY_CONTROLLER, "yes");
        changed = true;
    }
    (new, changed)
}
