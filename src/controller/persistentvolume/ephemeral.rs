//! Creates the PersistentVolumeClaims of pods with ephemeral volumes. Counterpart: `pkg/controller/volume/ephemeral`.

use crate::api::Body;
use crate::api::kind::Kind;
use crate::api::kind::persistentvolumeclaim::{ClaimSpec, PersistentVolumeClaim};
use crate::api::kind::pod::{PodClaim, claims};
use crate::api::meta::{Key, Meta, OwnerRef, StrMap};
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::api::value::{Value, from_value};
use crate::client::{Change, EventDraft, WorkKey};
use crate::controller::{Controller, Observation, Outcome, Pending, Turn, View};
use std::sync::Arc;

/// Creates the PersistentVolumeClaims of pods with ephemeral volumes.
#[derive(Debug)]
pub struct EphemeralVolumeController;

impl Controller for EphemeralVolumeController {
    fn name(&self) -> &str {
        "ephemeral_volume"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::POD, Kind::PERSISTENT_VOLUME_CLAIM]
    }
    fn notify(&self, _view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(object) = change.object() else { return };
        if object.pod().is_some() {
            if change.old.is_none() && !own_claims(object).is_empty() {
                queue(WorkKey::new(Kind::POD, object.key()), Span(0));
            }
        } else if let Some(owner) = object.meta.controller().filter(|o| o.kind == "Pod" && change.new.is_none()) {
            queue(WorkKey::new(Kind::POD, Key::new(object.meta.namespace.clone(), owner.name.clone())), Span(0));
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        // Pods are not cached by name, so all are searched; few have ephemeral volumes.
        let pod = view.caches.of(Kind::POD).all().find(|o| o.meta.name == key.key.name && o.meta.namespace == key.key.namespace).cloned();
        let mut seen = view.observation(key, pod.clone());
        for claim in pod.iter().flat_map(own_claims) {
            let key = Key::new(key.key.namespace.clone(), claim.name);
            seen.related.extend(view.caches.get(Kind::PERSISTENT_VOLUME_CLAIM, &key).cloned());
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let Some(pod) = seen.primary.as_ref().filter(|o| !o.meta.is_deleting()) else { return Ok(Outcome::Done) };
        for claim in own_claims(pod) {
            let existing = seen.related.iter().find(|o| o.meta.name == claim.name);
            let problem = match existing {
                Some(object) if object.meta.controller().is_some_and(|o| o.uid == pod.meta.uid) => continue,
                Some(object) => {
                    let (of, mine) = (object.key(), pod.key());
                    Some(format!("PVC {of} was not created for pod {mine} (pod is not owner)"))
                }
                None => {
                    turn.differ("claims for the pod", 1, 0);
                    let answer = turn.request(Request::create(new_claim(pod, &claim)))?;
                    let refusal = answer.refusal().filter(|s| s.reason != Reason::AlreadyExists);
                    refusal.map(|status| format!("create PVC {}: {}", claim.name, status.message))
                }
            };
            if let Some(problem) = problem {
                let message = format!("ephemeral volume {}: {problem}", claim.volume);
                turn.event(EventDraft::warning(pod, "FailedBinding", message.as_str()));
                return Ok(Outcome::Retry(message));
            }
        }
        Ok(Outcome::Done)
    }
}

fn own_claims(object: &Arc<Object>) -> Vec<PodClaim> {
    let Some(pod) = object.pod().filter(|p| p.spec.raw.has("volumes")) else { return Vec::new() };
    claims(&object.meta, &pod.spec).into_iter().filter(|c| c.template.is_some()).collect()
}

fn new_claim(pod: &Object, claim: &PodClaim) -> Object {
    let template = claim.template.clone().unwrap_or_default();
    let metadata = template.map("metadata").cloned().unwrap_or_default();
    let spec = template.get("spec").cloned().unwrap_or(Value::Null);
    let row = pod.kind().row();
    let meta = Meta {
        name: claim.name.clone(),
        namespace: pod.meta.namespace.clone(),
        labels: StrMap::from_map(metadata.map("labels")),
        annotations: StrMap::from_map(metadata.map("annotations")),
        owners: Some(vec![OwnerRef::controller(row.api_version, row.name, &pod.meta.name, pod.meta.uid)].into()),
        ..Meta::default()
    };
    let spec: ClaimSpec = from_value(&spec).unwrap_or_default();
    Object { meta, body: Body::PersistentVolumeClaim(Box::new(PersistentVolumeClaim { spec, ..PersistentVolumeClaim::default() })) }
}
