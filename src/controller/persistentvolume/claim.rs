//! One pass over a PersistentVolumeClaim. Counterpart: `syncClaim` in `pv_controller.go`.

use super::bind::{Halt, bind, outcome, set_claim_phase, write};
use super::binder::SYNC_PERIOD;
use crate::api::kind::persistentvolume::access_modes_text;
use crate::api::kind::persistentvolume::matching::{
    BIND_COMPLETED, BOUND_BY_CONTROLLER, SELECTED_NODE, STORAGE_PROVISIONER, Search, find_matching, mismatch,
};
use crate::api::kind::persistentvolumeclaim::{CLASS_ANNOTATION, ClaimPhase};
use crate::api::kind::storageclass::{StorageClass, default_class};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::Request;
use crate::client::EventDraft;
use crate::controller::{Observation, Outcome, Pending, Turn};
use std::sync::Arc;

/// Runs one pass over a claim: binds it to a volume, or takes the next step towards that.
pub fn sync(claim: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
    let bound = claim.meta.annotations.get(BIND_COMPLETED).is_some();
    outcome(if bound { sync_bound(claim, seen, turn) } else { sync_unbound(claim, seen, turn) })
}

/// Keeps a claim bound that was bound before, or sets its phase to Lost if its volume is gone.
fn sync_bound(claim: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Halt> {
    let named = claim.persistent_volume_claim().is_some_and(|c| !c.spec.volume_name.is_empty());
    let Some(volume) = seen.related.first().filter(|_| named) else {
        let what = if named { "its PersistentVolume" } else { "reference to PersistentVolume" };
        return lose(claim, "ClaimLost", &format!("Bound claim has lost {what}. Data on the volume is lost!"), turn);
    };
    let reference = volume.persistent_volume().and_then(|v| v.spec.claim_ref.as_ref());
    if reference.is_some_and(|r| r.uid != claim.meta.uid.text()) {
        return lose(claim, "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly", turn);
    }
    bind(claim, volume, seen.now, turn)?;
    Ok(Outcome::Done)
}

fn lose(claim: &Arc<Object>, reason: &'static str, message: &str, turn: &mut Turn) -> Result<Outcome, Halt> {
    if claim.persistent_volume_claim().is_some_and(|c| c.status.phase == ClaimPhase::Lost) {
        return Ok(Outcome::Done);
    }
    set_claim_phase(claim, ClaimPhase::Lost, None, turn)?;
    turn.event(EventDraft::warning(claim, reason, message));
    Ok(Outcome::Done)
}

fn sync_unbound(claim: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Halt> {
    let Some(wanted) = claim.persistent_volume_claim() else { return Ok(Outcome::Done) };
    if !wanted.spec.volume_name.is_empty() {
        return sync_named(claim, seen, turn);
    }
    let class = wanted.class(&claim.meta);
    let storage_class = seen.related.iter().find(|o| o.meta.name == class && o.storage_class().is_some());
    let delayed = storage_class.and_then(|o| o.storage_class()).is_some_and(StorageClass::waits_for_consumer);
    if let Some(volume) = best_match(claim, seen, delayed) {
        turn.differ("volumes for the claim", 1, 0);
        bind(claim, &volume, seen.now, turn)?;
        return Ok(Outcome::Done);
    }
    let has_class = wanted.spec.storage_class_name.is_some() || claim.meta.annotations.get(CLASS_ANNOTATION).is_some();
    let default = default_class(seen.related.iter().filter(|o| o.storage_class().is_some()));
    if let Some(name) = default.filter(|_| !has_class) {
        let mut new = (**claim).clone();
        if let Some(claim) = new.persistent_volume_claim_mut() {
            claim.spec.storage_class_name = Some(name);
        }
        write(turn, Request::update(new))?;
        return Ok(Outcome::Done);
    }
    if delayed && claim.meta.annotations.get(SELECTED_NODE).is_none() {
        say_that_it_waits(claim, seen, turn);
    } else if !class.is_empty() {
        return provision(claim, &class, storage_class, turn);
    } else {
        let message = "no persistent volumes available for this claim and no storage class is set";
        turn.event(EventDraft::normal(claim, "FailedBinding", message));
    }
    set_claim_phase(claim, ClaimPhase::Pending, None, turn)?;
    Ok(Outcome::Recheck(SYNC_PERIOD))
}

/// Returns the volume that suits a claim best: of those with the fewest access modes, the smallest. Counterpart: `findBestMatchForClaim`.
fn best_match(claim: &Arc<Object>, seen: &Observation, delayed: bool) -> Option<Arc<Object>> {
    let wanted = claim.persistent_volume_claim()?;
    let modes = |o: &Arc<Object>| o.persistent_volume().map(|v| access_modes_text(&v.spec.access_modes)).unwrap_or_default();
    let suits = |o: &&Arc<Object>| {
        let volume = o.persistent_volume();
        volume.is_some_and(|v| wanted.spec.access_modes.iter().all(|mode| v.spec.access_modes.contains(mode)))
    };
    let mut sets: Vec<String> = seen.related.iter().filter(suits).map(modes).collect();
    sets.order_by_key(|set| (set.split(',').count(), set.clone()));
    sets.dedup();
    let search = Search { node: None, excluded: &[], delayed };
    sets.iter().find_map(|set| find_matching(claim, seen.related.iter().filter(suits).filter(|o| modes(o) == *set), &search)).cloned()
}

/// Binds a claim to the volume that it names, if they suit each other.
fn sync_named(claim: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Halt> {
    let Some(object) = seen.related.first() else {
        set_claim_phase(claim, ClaimPhase::Pending, None, turn)?;
        return Ok(Outcome::Recheck(SYNC_PERIOD));
    };
    let (Some(volume), Some(wanted)) = (object.persistent_volume(), claim.persistent_volume_claim()) else { return Ok(Outcome::Done) };
    match &volume.spec.claim_ref {
        None => match mismatch(object, volume, claim, wanted) {
            None => bind(claim, object, seen.now, turn)?,
            Some(why) => {
                let message = format!("Cannot bind to requested volume {:?}: {why}", object.meta.name.as_str());
                turn.event(EventDraft::warning(claim, "VolumeMismatch", message));
                set_claim_phase(claim, ClaimPhase::Pending, None, turn)?;
                return Ok(Outcome::Recheck(SYNC_PERIOD));
            }
        },
        Some(reference) if reference.names(&claim.meta) => bind(claim, object, seen.now, turn)?,
        Some(reference) => {
            let message = format!("volume {:?} already bound to a different claim.", object.meta.name.as_str());
            turn.event(EventDraft::warning(claim, "FailedBinding", message));
            if claim.meta.annotations.get(BOUND_BY_CONTROLLER).is_some() {
                let (key, other) = (claim.key(), format!("{}/{}", reference.namespace, reference.name));
                let name = object.meta.name.as_str();
                return Err(Halt::Refused(format!(
                    "invalid binding of claim \"{key}\" to volume {name:?}: volume already claimed by {other:?}"
                )));
            }
            set_claim_phase(claim, ClaimPhase::Pending, None, turn)?;
            return Ok(Outcome::Recheck(SYNC_PERIOD));
        }
    }
    Ok(Outcome::Done)
}

/// Records an event that says why a claim is not bound yet if its class binds claims only when a pod uses them. Counterpart:
/// `emitEventForUnboundDelayBindingClaim`.
fn say_that_it_waits(claim: &Arc<Object>, seen: &Observation, turn: &mut Turn) {
    let pods: Vec<&str> = seen.related.iter().filter(|o| o.pod().is_some()).map(|o| o.meta.name.as_str()).collect();
    let (reason, message) = match pods.as_slice() {
        [] => ("WaitForFirstConsumer", "waiting for first consumer to be created before binding".to_owned()),
        [pod] => ("WaitForPodScheduled", format!("waiting for pod {pod} to be scheduled")),
        pods => ("WaitForPodScheduled", format!("waiting for pods {} to be scheduled", pods.join(","))),
    };
    turn.event(EventDraft::normal(claim, reason, message));
}

/// Asks the provisioner of a claim's StorageClass for a volume. Counterparts: `findProvisionablePlugin`, `provisionClaimOperationExternal`.
fn provision(claim: &Arc<Object>, name: &str, class: Option<&Arc<Object>>, turn: &mut Turn) -> Result<Outcome, Halt> {
    let Some(class) = class.and_then(|o| o.storage_class()) else {
        let message = format!("storageclass.storage.k8s.io {name:?} not found");
        turn.event(EventDraft::warning(claim, "ProvisioningFailed", message));
        return Ok(Outcome::Recheck(SYNC_PERIOD));
    };
    let provisioner = &class.provisioner;
    if provisioner.starts_with("kubernetes.io/") {
        let message = format!("no volume plugin matched name: {provisioner}");
        turn.event(EventDraft::warning(claim, "ProvisioningFailed", message));
        return Ok(Outcome::Recheck(SYNC_PERIOD));
    }
    let asked = |key: &&str| claim.meta.annotations.get(key) == Some(provisioner);
    if !STORAGE_PROVISIONER.iter().all(asked) {
        turn.differ("volumes for the claim", 1, 0);
        let mut new = (**claim).clone();
        for key in STORAGE_PROVISIONER.iter().rev() {
            new.meta.annotations = new.meta.annotations.with(key, provisioner.clone());
        }
        write(turn, Request::update(new))?;
    }
    let message = format!(
        "Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the system administrator. If volume \
         creation is delayed, please verify that the provisioner is running and correctly registered."
    );
    turn.event(EventDraft::normal(claim, "ExternalProvisioning", message));
    Ok(Outcome::Recheck(SYNC_PERIOD))
}
