//! The writes that bind a claim and a volume to each other. Counterpart: `bind` in `pv_controller.go`.

use crate::api::kind::persistentvolume::VolumePhase;
use crate::api::kind::persistentvolume::matching::{BIND_COMPLETED, BOUND_BY_CONTROLLER, volume_for_claim};
use crate::api::kind::persistentvolumeclaim::ClaimPhase;
use crate::api::object::Object;
use crate::api::request::{Request, Response};
use crate::api::time::Time;
use crate::controller::{Outcome, Pending, Turn};
use std::sync::Arc;

/// The reason why a pass stops early.
pub enum Halt {
    /// The pass waits for an answer from the API server.
    Pending,
    /// The API server refused a request, with this message.
    Refused(String),
}

impl From<Pending> for Halt {
    fn from(_: Pending) -> Halt {
        Halt::Pending
    }
}

/// Turns the result of a pass into the result of `reconcile`: after a refusal the work queue retries the key.
pub fn outcome(result: Result<Outcome, Halt>) -> Result<Outcome, Pending> {
    match result {
        Ok(outcome) => Ok(outcome),
        Err(Halt::Pending) => Err(Pending),
        Err(Halt::Refused(message)) => Ok(Outcome::Retry(message)),
    }
}

/// Sends a write and returns the object as the API server has stored it.
pub fn write(turn: &mut Turn, request: Request) -> Result<Arc<Object>, Halt> {
    let response: &Response = turn.request(request)?;
    match (response.refusal(), response.object()) {
        (Some(status), _) => Err(Halt::Refused(status.message.clone())),
        (None, Some(object)) => Ok(object.clone()),
        (None, None) => Err(Halt::Refused("the answer has no object".to_owned())),
    }
}

/// Binds a claim and a volume to each other: first the volume and its status, then the claim and its status.
pub fn bind(claim: &Arc<Object>, volume: &Arc<Object>, now: Time, turn: &mut Turn) -> Result<(), Halt> {
    let volume = bind_volume(claim, volume, turn)?;
    let volume = set_volume_phase(&volume, VolumePhase::Bound, "", now, turn)?;
    let claim = bind_claim(claim, &volume, turn)?;
    set_claim_phase(&claim, ClaimPhase::Bound, Some(&volume), turn)?;
    Ok(())
}

fn bind_volume(claim: &Arc<Object>, volume: &Arc<Object>, turn: &mut Turn) -> Result<Arc<Object>, Halt> {
    let (new, changed) = volume_for_claim(claim, volume);
    if changed { write(turn, Request::update(new)) } else { Ok(volume.clone()) }
}

fn bind_claim(claim: &Arc<Object>, volume: &Arc<Object>, turn: &mut Turn) -> Result<Arc<Object>, Halt> {
    let mut new = (**claim).clone();
    let named = claim.persistent_volume_claim().is_some_and(|c| c.spec.volume_name == volume.meta.name);
    if !named {
        if let Some(claim) = new.persistent_volume_claim_mut() {
            claim.spec.volume_name = volume.meta.name.clone();
        }
        new.meta.annotations = new.meta.annotations.with(BOUND_BY_CONTROLLER, "yes");
    }
    if new.meta.annotations.get(BIND_COMPLETED).is_none() {
        new.meta.annotations = new.meta.annotations.with(BIND_COMPLETED, "yes");
    }
    if new == **claim { Ok(claim.clone()) } else { write(turn, Request::update(new)) }
}

/// Writes the phase of a volume if it changed. Counterpart: `updateVolumePhase`.
pub fn set_volume_phase(volume: &Arc<Object>, phase: VolumePhase, message: &str, now: Time, turn: &mut Turn) -> Result<Arc<Object>, Halt> {
    let Some(old) = volume.persistent_volume().filter(|v| v.status.phase != phase) else { return Ok(volume.clone()) };
    turn.differ("phase of the volume", phase.text(), old.status.phase.text());
    let mut new = (**volume).clone();
    if let Some(volume) = new.persistent_volume_mut() {
        volume.status.phase = phase;
        volume.status.message = message.into();
        volume.status.last_phase_transition_time = Some(now.whole_second());
    }
    write(turn, Request::update_status(new))
}

/// Writes the status of a claim if it changed: its phase, and the access modes and capacity of its volume. Counterpart: `updateClaimStatus`.
pub fn set_claim_phase(claim: &Arc<Object>, phase: ClaimPhase, volume: Option<&Arc<Object>>, turn: &mut Turn) -> Result<Arc<Object>, Halt> {
    let mut new = (**claim).clone();
    if let Some(c) = new.persistent_volume_claim_mut() {
        let before = c.status.phase;
        c.status.phase = phase;
        match volume.and_then(|v| v.persistent_volume()) {
            None => (c.status.access_modes, c.status.capacity) = Default::default(),
            Some(volume) => {
                c.status.access_modes = volume.spec.access_modes.clone();
                if before != phase || c.status.capacity.is_empty() {
                    c.status.capacity = volume.spec.capacity.clone();
                }
                if let Some(class) = volume.spec.other.get("volumeAttributesClassName") {
                    c.status.other.insert("currentVolumeAttributesClassName", class.clone());
                }
            }
        }
    }
    if new == **claim {
        return Ok(claim.clone());
    }
    turn.differ("phase of the claim", phase.text(), claim.persistent_volume_claim().map_or("", |c| c.status.phase.text()));
    write(turn, Request::update_status(new))
}
