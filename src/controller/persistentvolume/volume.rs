//! One pass over a PersistentVolume. Counterpart: `syncVolume` and `reclaimVolume` in `pv_controller.go`.
//!
//! Simplification: a volume is recycled at once, without a recycler pod.

use super::bind::{Halt, outcome, set_volume_phase, write};
use crate::api::kind::Kind;
use crate::api::kind::persistentvolume::matching::{BOUND_BY_CONTROLLER, PROVISIONED_BY};
use crate::api::kind::persistentvolume::{ClaimRef, PersistentVolume, VolumePhase};
use crate::api::object::Object;
use crate::api::request::{Request, Verb};
use crate::api::status::Reason;
use crate::client::EventDraft;
use crate::controller::{Observation, Outcome, Pending, Turn};
use std::sync::Arc;

/// The folder of a node below which the controller deletes `hostPath` volumes.
const DELETABLE: &str = "/tmp";

/// Brings the phase of a volume up to date, and reclaims a volume whose claim is gone.
pub fn sync(object: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
    let Some(volume) = object.persistent_volume() else { return Ok(Outcome::Done) };
    outcome(match volume.spec.claim_ref.as_ref().filter(|r| !r.uid.is_empty()) {
        None => set_volume_phase(object, VolumePhase::Available, "", seen.now, turn).map(|_| Outcome::Done),
        Some(reference) => sync_claimed(object, volume, reference, seen, turn),
    })
}

fn sync_claimed(
    object: &Arc<Object>,
    volume: &PersistentVolume,
    reference: &ClaimRef,
    seen: &Observation,
    turn: &mut Turn,
) -> Result<Outcome, Halt> {
    let is_it = |claim: &&Arc<Object>| claim.meta.uid.text() == reference.uid;
    let mut claim = seen.related.first().filter(is_it).cloned();
    let settled = matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed);
    if claim.is_none() && !(settled && seen.related.is_empty()) {
        // The cache may be out of date, so the API server is asked before the volume is released.
        let request = Request::new(Verb::Get, Kind::PERSISTENT_VOLUME_CLAIM, reference.namespace.clone(), reference.name.clone());
        let answer = turn.request(request)?;
        if let Some(status) = answer.refusal().filter(|s| s.reason != Reason::NotFound) {
            return Err(Halt::Refused(status.message.clone()));
        }
        claim = answer.object().filter(is_it).cloned();
    }
    let Some(claim) = claim else { return release(object, seen, turn) };
    let bound_to = claim.persistent_volume_claim().map(|c| c.spec.volume_name.clone()).unwrap_or_default();
    if bound_to.is_empty() {
        // The pass over the claim will bind it to this volume.
        return Ok(mode_mismatch(object, volume, &claim, turn));
    }
    if bound_to == object.meta.name {
        set_volume_phase(object, VolumePhase::Bound, "", seen.now, turn)?;
        return Ok(Outcome::Done);
    }
    let provisioned = object.meta.annotations.get(PROVISIONED_BY).is_some();
    if provisioned && volume.spec.persistent_volume_reclaim_policy == "Delete" {
        return release(object, seen, turn);
    }
    unbind(object, seen, turn)?;
    Ok(Outcome::Done)
}

fn mode_mismatch(object: &Arc<Object>, volume: &PersistentVolume, claim: &Arc<Object>, turn: &mut Turn) -> Outcome {
    if claim.persistent_volume_claim().is_some_and(|c| c.mode() != volume.mode()) {
        let (name, of) = (claim.meta.name.as_str(), object.meta.name.as_str());
        let about_volume =
            format!("Cannot bind PersistentVolume to requested PersistentVolumeClaim {name:?} due to incompatible volumeMode.");
        turn.event(EventDraft::warning(object, "VolumeMismatch", about_volume));
        let about_claim = format!("Cannot bind PersistentVolume {of:?} to requested PersistentVolumeClaim due to incompatible volumeMode.");
        turn.event(EventDraft::warning(claim, "VolumeMismatch", about_claim));
    }
    Outcome::Done
}

/// Removes the claim from a volume's `claimRef` (only its uid, if a person chose the claim), and makes the volume available.
fn unbind(object: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<(), Halt> {
    let mut new = (**object).clone();
    let chosen = new.meta.annotations.get(BOUND_BY_CONTROLLER).is_some();
    if let Some(volume) = new.persistent_volume_mut() {
        match &mut volume.spec.claim_ref {
            Some(reference) if !chosen => reference.uid = Default::default(),
            reference => *reference = None,
        }
    }
    new.meta.annotations = new.meta.annotations.without(BOUND_BY_CONTROLLER);
    turn.differ("reference to the claim", "none", "that of an earlier claim");
    let new = write(turn, Request::update(new))?;
    set_volume_phase(&new, VolumePhase::Available, "", seen.now, turn)?;
    Ok(())
}

/// Releases a volume whose claim is gone, and retains, recycles or deletes it as its reclaim policy says.
fn release(object: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Halt> {
    let failed = object.persistent_volume().is_some_and(|v| v.status.phase == VolumePhase::Failed);
    let object = if failed { object.clone() } else { set_volume_phase(object, VolumePhase::Released, "", seen.now, turn)? };
    let Some(volume) = object.persistent_volume() else { return Ok(Outcome::Done) };
    match volume.spec.persistent_volume_reclaim_policy.as_str() {
        "Retain" => {}
        "Delete" => delete(&object, volume, seen, turn)?,
        "Recycle" if ["hostPath", "nfs"].iter().any(|kind| volume.spec.other.has(kind)) => {
            turn.event(EventDraft::normal(&object, "VolumeRecycled", "Volume recycled"));
            unbind(&object, seen, turn)?;
        }
        "Recycle" => fail(&object, "VolumeFailedRecycle", "No recycler plugin found for the volume!", seen, turn)?,
        _ => fail(&object, "VolumeUnknownReclaimPolicy", "Volume has unrecognized PersistentVolumeReclaimPolicy", seen, turn)?,
    }
    Ok(Outcome::Done)
}

/// Deletes a volume of a type that Kubernetes itself can delete. Others are deleted by the provisioner that created them.
fn delete(object: &Arc<Object>, volume: &PersistentVolume, seen: &Observation, turn: &mut Turn) -> Result<(), Halt> {
    let maker = object.meta.annotations.get(PROVISIONED_BY);
    if object.meta.is_deleting() || maker.is_some_and(|name| !name.starts_with("kubernetes.io/")) {
        return Ok(());
    }
    let Some(source) = volume.spec.other.map("hostPath") else {
        let name = object.meta.name.as_str();
        let message = format!("error getting deleter volume plugin for volume {name:?}: no deletable volume plugin matched");
        return fail(object, "VolumeFailedDelete", &message, seen, turn);
    };
    let path = source.str("path");
    if path.strip_prefix(DELETABLE).and_then(|rest| rest.strip_prefix('/')).is_none_or(str::is_empty) {
        let message = format!("host_path deleter only supports {DELETABLE}/.+ but received provided {path}");
        return fail(object, "VolumeFailedDelete", &message, seen, turn);
    }
    turn.differ("volume", "deleted", "released");
    turn.request(Request::delete(Kind::PERSISTENT_VOLUME, &object.meta.namespace, &object.meta.name))?;
    Ok(())
}

fn fail(object: &Arc<Object>, reason: &'static str, message: &str, seen: &Observation, turn: &mut Turn) -> Result<(), Halt> {
    if object.persistent_volume().is_some_and(|v| v.status.phase == VolumePhase::Failed) {
        return Ok(());
    }
    set_volume_phase(object, VolumePhase::Failed, message, seen.now, turn)?;
    turn.event(EventDraft::warning(object, reason, message));
    Ok(())
}
