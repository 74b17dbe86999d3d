//! The controller that binds claims to volumes: its keys, its observation, and its passes. Counterpart:
//! `pkg/controller/volume/persistentvolume/pv_controller_base.go`.
//!
//! The real one checks all claims and volumes again every 15 s. Here only those that are not bound are checked again.

use super::{claim, volume};
use crate::api::kind::Kind;
use crate::api::kind::persistentvolume::{ClaimRef, VolumePhase};
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};
use crate::controller::{Controller, Observation, Outcome, Pending, Turn, View};
use std::sync::Arc;

/// The interval at which claims and volumes that are not bound are checked again.
pub const SYNC_PERIOD: Span = Span::secs(15);

/// Binds claims to volumes, and releases the volumes of claims that are gone.
#[derive(Debug)]
pub struct PersistentVolumeController;

impl Controller for PersistentVolumeController {
    fn name(&self) -> &str {
        "persistentvolume-controller"
    }
    fn workers(&self) -> usize {
        1
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::PERSISTENT_VOLUME, Kind::PERSISTENT_VOLUME_CLAIM, Kind::STORAGE_CLASS]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(object) = change.object() else { return };
        let mut add = |kind: Kind, key: Key| queue(WorkKey::new(kind, key), Span(0));
        if let Some(volume) = object.persistent_volume() {
            add(Kind::PERSISTENT_VOLUME, object.key());
            let before = change.old.as_ref().and_then(|o| o.persistent_volume()).and_then(|v| v.spec.claim_ref.as_ref());
            let references = volume.spec.claim_ref.iter().chain(before);
            references.for_each(|reference| add(Kind::PERSISTENT_VOLUME_CLAIM, claim_key(reference)));
            // A volume that became available may suit any unbound claim.
            let available = |o: &Arc<Object>| o.persistent_volume().is_some_and(|v| v.status.phase == VolumePhase::Available);
            if change.new.as_ref().is_some_and(available) && !change.old.as_ref().is_some_and(available) {
                waiting(view).for_each(|claim| add(Kind::PERSISTENT_VOLUME_CLAIM, claim.key()));
            }
        } else if let Some(claim) = object.persistent_volume_claim() {
            if change.new.is_some() {
                add(Kind::PERSISTENT_VOLUME_CLAIM, object.key());
            }
            let name = &claim.spec.volume_name;
            if !name.is_empty() && changed_for_volume(change) {
                add(Kind::PERSISTENT_VOLUME, Key::new("", name.clone()));
            }
        } else if object.storage_class().is_some() {
            waiting(view).for_each(|claim| add(Kind::PERSISTENT_VOLUME_CLAIM, claim.key()));
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let caches = view.caches;
        let mut seen = view.observation(key, caches.get(key.kind, &key.key).cloned());
        let Some(object) = seen.primary.clone() else { return seen };
        if let Some(volume) = object.persistent_volume() {
            let reference = volume.spec.claim_ref.as_ref();
            let claim = reference.and_then(|r| caches.get(Kind::PERSISTENT_VOLUME_CLAIM, &claim_key(r)));
            seen.related.extend(claim.cloned());
        } else if let Some(claim) = object.persistent_volume_claim() {
            if claim.spec.volume_name.is_empty() {
                seen.related.extend(caches.of(Kind::PERSISTENT_VOLUME).all().cloned());
                seen.related.order_by(|a, b| a.meta.name.cmp(&b.meta.name));
                seen.related.extend(caches.of(Kind::STORAGE_CLASS).all().cloned());
                seen.related.extend(unscheduled_users(view, &object));
            } else {
                let key = Key::new("", claim.spec.volume_name.clone());
                seen.related.extend(caches.get(Kind::PERSISTENT_VOLUME, &key).cloned());
            }
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        match &seen.primary {
            None => Ok(Outcome::Done),
            Some(object) if object.kind() == Kind::PERSISTENT_VOLUME => volume::sync(object, seen, turn),
            Some(object) => claim::sync(object, seen, turn),
        }
    }
}

fn claim_key(reference: &ClaimRef) -> Key {
    Key::new(reference.namespace.clone(), reference.name.clone())
}

/// Returns true if the change of a claim concerns its volume: the claim appeared, disappeared, or names another volume.
fn changed_for_volume(change: &Change) -> bool {
    let volume = |o: &Option<Arc<Object>>| o.as_ref().and_then(|o| o.persistent_volume_claim()).map(|c| c.spec.volume_name.clone());
    volume(&change.old) != volume(&change.new)
}

/// Returns the claims that name no volume yet.
fn waiting<'a>(view: &View<'a>) -> impl Iterator<Item = &'a Arc<Object>> {
    let has_none = |o: &&Arc<Object>| o.persistent_volume_claim().is_some_and(|c| c.spec.volume_name.is_empty());
    view.caches.of(Kind::PERSISTENT_VOLUME_CLAIM).all().filter(has_none)
}

/// Returns the pods that use a claim and are not bound to a node yet. Counterpart: `findNonScheduledPodsByPVC`.
fn unscheduled_users(view: &View, claim: &Arc<Object>) -> Vec<Arc<Object>> {
    let waits = |o: &Object| o.pod().is_some_and(|p| p.node.is_empty() && !p.status.phase.is_terminal());
    let pods = view.caches.of(Kind::POD).using_claim(&claim.meta.namespace, &claim.meta.name);
    let mut pods: Vec<Arc<Object>> = pods.filter(|o| waits(o)).cloned().collect();
    pods.order_by(|a, b| a.meta.name.cmp(&b.meta.name));
    pods
}
