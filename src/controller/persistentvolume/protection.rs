//! Keeps PersistentVolumeClaims from being deleted while pods use them, and PersistentVolumes while they are bound. Counterparts:
//! `pkg/controller/volume/pvcprotection`, `pkg/controller/volume/pvprotection`.

use super::bind::{outcome, write};
use crate::api::kind::Kind;
use crate::api::kind::persistentvolume::{self, VolumePhase};
use crate::api::kind::persistentvolumeclaim;
use crate::api::kind::pod::claims;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};
use crate::controller::{Controller, Observation, Outcome, Pending, Turn, View};
use std::sync::Arc;

/// Keeps PersistentVolumeClaims from being deleted as long as pods use them.
#[derive(Debug)]
pub struct ClaimProtectionController;

/// Keeps PersistentVolumes from being deleted as long as they are bound.
#[derive(Debug)]
pub struct VolumeProtectionController;

impl Controller for ClaimProtectionController {
    fn name(&self) -> &str {
        "pvc-protection-controller"
    }
    fn workers(&self) -> usize {
        1
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::PERSISTENT_VOLUME_CLAIM, Kind::POD]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(object) = change.object() else { return };
        if object.kind() == Kind::PERSISTENT_VOLUME_CLAIM {
            if change.new.is_some() && needs_work(object, persistentvolumeclaim::PROTECTION) {
                queue(WorkKey::new(object.kind(), object.key()), Span(0));
            }
            return;
        }
        let Some(pod) = object.pod().filter(|p| p.spec.raw.has("volumes")) else { return };
        let has_ended = change.new.is_none() || pod.status.phase.is_terminal() || pod.node.is_empty();
        if !has_ended {
            return;
        }
        for claim in claims(&object.meta, &pod.spec) {
            let key = Key::new(object.meta.namespace.clone(), claim.name);
            let deleting = view.caches.get(Kind::PERSISTENT_VOLUME_CLAIM, &key).is_some_and(|o| o.meta.is_deleting());
            if deleting {
                queue(WorkKey::new(Kind::PERSISTENT_VOLUME_CLAIM, key), Span(0));
            }
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(key.kind, &key.key).cloned());
        let pods = view.caches.of(Kind::POD).using_claim(&key.key.namespace, &key.key.name);
        seen.related.extend(pods.filter(|pod| uses(pod, &key.key.name)).cloned());
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        protect(seen, Kind::PERSISTENT_VOLUME_CLAIM, persistentvolumeclaim::PROTECTION, !seen.related.is_empty(), turn)
    }
}

/// Returns whether a pod that is bound to a node uses a claim. Counterpart: `podUsesPVCForDeletion`.
fn uses(object: &Object, claim: &str) -> bool {
    let Some(pod) = object.pod().filter(|p| !p.node.is_empty() && p.spec.raw.has("volumes")) else { return false };
    let shut_down = object.meta.deletion.is_some_and(|d| d.grace_seconds == 0);
    claims(&object.meta, &pod.spec).iter().any(|c| c.name == claim && (c.template.is_none() || !shut_down))
}

impl Controller for VolumeProtectionController {
    fn name(&self) -> &str {
        "pv-protection-controller"
    }
    fn workers(&self) -> usize {
        1
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::PERSISTENT_VOLUME]
    }
    fn notify(&self, _view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        if let Some(object) = change.new.as_ref().filter(|o| needs_work(o, persistentvolume::PROTECTION)) {
            queue(WorkKey::new(object.kind(), object.key()), Span(0));
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        view.observation(key, view.caches.get(key.kind, &key.key).cloned())
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let volume = seen.primary.as_ref().and_then(|o| o.persistent_volume());
        let bound = volume.is_some_and(|v| v.status.phase == VolumePhase::Bound);
        protect(seen, Kind::PERSISTENT_VOLUME, persistentvolume::PROTECTION, bound, turn)
    }
}

/// Returns whether an object lacks the finalizer although it is not being deleted, or still has it although it is.
fn needs_work(object: &Object, finalizer: &str) -> bool {
    object.meta.finalizers().iter().any(|f| f == finalizer) == object.meta.is_deleting()
}

/// Adds the finalizer to an object that lacks it, and removes it from one that is being deleted and not `used`.
fn protect(seen: &Observation, kind: Kind, finalizer: &'static str, used: bool, turn: &mut Turn) -> Result<Outcome, Pending> {
    let Some(object) = seen.primary.as_ref().filter(|o| o.kind() == kind && needs_work(o, finalizer)) else { return Ok(Outcome::Done) };
    let mut new = (**object).clone();
    if !object.meta.is_deleting() {
        turn.differ("finalizer", "present", "missing");
        new.meta.add_finalizer(finalizer);
    } else if used {
        return Ok(Outcome::Done);
    } else {
        turn.differ("finalizer", "gone", "still there");
        new.meta.remove_finalizer(finalizer);
    }
    let written: Result<Arc<Object>, _> = write(turn, Request::update(new));
    outcome(written.map(|_| Outcome::Done))
}
