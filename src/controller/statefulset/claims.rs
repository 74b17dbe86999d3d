//! The PersistentVolumeClaims of a StatefulSet's pods, and their owners. Counterpart: `stateful_pod_control.go` and the functions about claims in
//! `stateful_set_utils.go` of `pkg/controller/statefulset`.
//!
//! Claims are handled as untyped trees: the controller only names them, creates them and changes their owners.

use super::pods;
use crate::api::kind::Kind;
use crate::api::kind::statefulset::{Retention, RetentionPolicy, StatefulSet};
use crate::api::meta::{Key, OwnerRef};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Payload, Request, Verb};
use crate::api::value::Map;
use crate::controller::View;
use crate::map;
use std::sync::Arc;

/// Returns true if a kind is PersistentVolumeClaim.
pub fn is_claim(kind: Kind) -> bool {
    kind.row().name == "PersistentVolumeClaim" && kind.row().group.is_empty()
}

/// Returns the name of a volume claim template, which is also the name of the pod's volume.
pub fn template_name(template: &Map) -> &str {
    template.map("metadata").map_or("", |m| m.str("name"))
}

/// Returns the name of the claim that a template gives the pod with this ordinal. Counterpart: `getPersistentVolumeClaimName`.
pub fn claim_name(object: &Object, template: &Map, ordinal: i64) -> String {
    format!("{}-{}-{ordinal}", template_name(template), object.meta.name)
}

/// Returns the volume that refers to the claim which `template` gives to the pod with this ordinal.
pub fn volume(object: &Object, template: &Map, ordinal: i64) -> Map {
    let claim = map! { "claimName" => claim_name(object, template, ordinal) };
    map! { "name" => template_name(template), "persistentVolumeClaim" => claim }
}

/// Collects the cached claims of all pods that the set has or wants.
pub fn read(view: &View, object: &Object, set: &StatefulSet, related: &mut Vec<Arc<Object>>) {
    let Some(kind) = view.caches.kinds().all().find(|kind| is_claim(*kind)) else { return };
    let templates = &set.spec.volume_claim_templates;
    if templates.is_empty() {
        return;
    }
    let start = set.spec.start();
    let wanted = start..start + i64::from(set.spec.replicas.max(0));
    let mut ordinals: Vec<i64> = related.iter().filter(|o| o.kind() == Kind::POD).filter_map(|pod| pods::ordinal(pod)).collect();
    ordinals.extend(wanted);
    ordinals.order();
    ordinals.dedup();
    for ordinal in ordinals {
        let names = templates.iter().map(|t| claim_name(object, t, ordinal));
        related.extend(names.filter_map(|name| view.caches.get(kind, &Key::new(object.meta.namespace.clone(), name))).cloned());
    }
}

/// Returns the request that creates the claim of the pod with this ordinal from a template. Counterpart: `getPersistentVolumeClaims`.
pub fn create(kind: Kind, object: &Object, set: &StatefulSet, template: &Map, ordinal: i64) -> Request {
    let mut claim = template.clone();
    claim.remove("status");
    let metadata = claim.map_mut("metadata");
    metadata.insert("name", claim_name(object, template, ordinal));
    metadata.insert("namespace", &object.meta.namespace);
    for (key, value) in set.spec.selector.raw.map("matchLabels").into_iter().flat_map(|labels| labels.iter()) {
        metadata.map_mut("labels").insert(key.clone(), value.clone());
    }
    let mut request = Request::new(Verb::Create, kind, object.meta.namespace.clone(), "");
    request.payload = Payload::Tree(Box::new(claim.into()));
    request
}

fn policy(set: &StatefulSet) -> RetentionPolicy {
    set.spec.persistent_volume_claim_retention_policy.unwrap_or_default()
}

fn names(reference: &OwnerRef, owner: &Object) -> bool {
    let row = owner.kind().row();
    reference.api_version == row.api_version && reference.kind == row.name && reference.name == owner.meta.name
}

fn is_owned(claim: &Object, owner: &Object) -> bool {
    claim.meta.owners().iter().any(|o| o.uid == owner.meta.uid)
}

/// Returns true if a claim's ownerReferences name an earlier object with the owner's name but another uid. Counterpart: `hasStaleOwnerRef`.
pub fn has_stale_owner(claim: &Object, owner: &Object) -> bool {
    claim.meta.owners().iter().find(|o| names(o, owner)).is_some_and(|o| o.uid != owner.meta.uid)
}

/// Returns true if the set's retention policy deletes the claims of pods that are scaled down.
pub fn deletes_when_scaled(set: &StatefulSet) -> bool {
    policy(set).when_scaled == Retention::Delete
}

/// Returns true if a claim has another controller than the set and the pod, or refers to earlier objects of their names. Always false if the policy retains all
/// claims. Counterpart: `hasUnexpectedController`.
pub fn has_unexpected_controller(claim: &Object, object: &Object, set: &StatefulSet, pod: &Object) -> bool {
    if policy(set) == RetentionPolicy::default() {
        return false;
    }
    claim.meta.owners().iter().any(|reference| {
        if names(reference, object) {
            reference.uid != object.meta.uid
        } else if names(reference, pod) {
            reference.uid != pod.meta.uid
        } else {
            reference.controller == Some(true)
        }
    })
}

/// Returns true if the set or the pod owns a claim without being its controller. Counterpart: `hasNonControllerOwner`.
fn has_other_owner(claim: &Object, object: &Object, pod: &Object) -> bool {
    let ours = |o: &&OwnerRef| o.uid == object.meta.uid || o.uid == pod.meta.uid;
    claim.meta.owners().iter().filter(ours).any(|o| o.controller != Some(true))
}

/// Returns two flags: the set should own the claims of a pod; the pod should own them.
fn wanted_owners(set: &StatefulSet, pod: &Object) -> (bool, bool) {
    let RetentionPolicy { when_deleted, when_scaled } = policy(set);
    let scaled_down = when_scaled == Retention::Delete && !in_range(set, pod);
    (when_deleted == Retention::Delete && !scaled_down, scaled_down)
}

/// Returns true if a pod's ordinal is among those that the set wants. Counterpart: `podInOrdinalRange`.
pub fn in_range(set: &StatefulSet, pod: &Object) -> bool {
    let start = set.spec.start();
    pods::ordinal(pod).is_some_and(|n| (start..start + i64::from(set.spec.replicas.max(0))).contains(&n))
}

/// Returns true if the owners of a claim are those that the retention policy asks for. Counterpart: `isClaimOwnerUpToDate`.
pub fn is_up_to_date(claim: &Object, object: &Object, set: &StatefulSet, pod: &Object) -> bool {
    if has_stale_owner(claim, object) || has_stale_owner(claim, pod) {
        // The garbage collector deletes such a claim first.
        return true;
    }
    if has_unexpected_controller(claim, object, set, pod) {
        return !(is_owned(claim, object) || is_owned(claim, pod));
    }
    !has_other_owner(claim, object, pod) && wanted_owners(set, pod) == (is_owned(claim, object), is_owned(claim, pod))
}

/// Returns a claim with the owners that the retention policy asks for. Counterpart: `updateClaimOwnerRefForSetAndPod`.
pub fn with_owners(claim: &Object, object: &Object, set: &StatefulSet, pod: &Object) -> Object {
    let mut owners: Vec<OwnerRef> = claim.meta.owners().iter().filter(|o| !names(o, object) && !names(o, pod)).cloned().collect();
    if !has_unexpected_controller(claim, object, set, pod) {
        let (by_set, by_pod) = wanted_owners(set, pod);
        owners.extend(by_pod.then(|| pod.controller_ref()));
        owners.extend(by_set.then(|| object.controller_ref()));
    }
    let mut changed = claim.clone();
    changed.meta.owners = (!owners.is_empty()).then(|| owners.into());
    changed
}
