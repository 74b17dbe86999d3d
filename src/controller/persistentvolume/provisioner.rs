//! Creates volumes for claims and deletes released ones. Counterpart: an external provisioner on `sig-storage-lib-external-provisioner`, such as local-path.
//!
//! Simplifications: in real clusters the provisioner runs in a pod. The volume is a directory of the node that the scheduler chose; a class that does not wait
//! for a pod gets a volume that every node reaches.

use super::bind::{Halt, outcome};
use super::binder::SYNC_PERIOD;
use crate::api::Body;
use crate::api::kind::Kind;
use crate::api::kind::persistentvolume::matching::{PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER};
use crate::api::kind::persistentvolume::{ClaimRef, PersistentVolume, VolumePhase, VolumeSpec};
use crate::api::kind::storageclass::StorageClass;
use crate::api::meta::{Key, Meta, StrMap};
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::api::value::{Map, Value};
use crate::client::{Change, EventDraft, WorkKey};
use crate::controller::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

/// The names of the provisioners that are simulated, as StorageClasses give them.
const SIMULATED: [&str; 3] = ["rancher.io/local-path", "hostpath.csi.k8s.io", "k8s.io/minikube-hostpath"];
/// The time that creating or deleting a volume's directory takes.
const WORK: Span = Span::secs(2);

/// The controller that creates PersistentVolumes for claims and deletes released ones.
#[derive(Debug)]
pub struct ProvisionerController;

impl Controller for ProvisionerController {
    fn name(&self) -> &str {
        "local-path-provisioner"
    }
    fn workers(&self) -> usize {
        4
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::PERSISTENT_VOLUME, Kind::PERSISTENT_VOLUME_CLAIM, Kind::STORAGE_CLASS, Kind::NODE]
    }
    fn notify(&self, _view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(object) = &change.new else { return };
        let relevant = match object.persistent_volume() {
            Some(volume) => is_released(object, volume),
            None => is_asked_for(object),
        };
        let was = change.old.as_ref().is_some_and(|old| match old.persistent_volume() {
            Some(volume) => is_released(old, volume),
            None => is_asked_for(old) && old.meta.annotations.get(SELECTED_NODE) == object.meta.annotations.get(SELECTED_NODE),
        });
        if relevant && !was {
            queue(WorkKey::new(object.kind(), object.key()), WORK);
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let caches = view.caches;
        let mut seen = view.observation(key, caches.get(key.kind, &key.key).cloned());
        if let Some((claim, object)) = seen.primary.as_ref().and_then(|o| Some((o.persistent_volume_claim()?, o))) {
            let related = [
                caches.get(Kind::STORAGE_CLASS, &Key::new("", claim.class(&object.meta))),
                object.meta.annotations.get(SELECTED_NODE).and_then(|node| caches.get(Kind::NODE, &Key::new("", node.clone()))),
                caches.get(Kind::PERSISTENT_VOLUME, &Key::new("", volume_name(object))),
            ];
            seen.related = related.into_iter().flatten().cloned().collect();
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let Some(object) = &seen.primary else { return Ok(Outcome::Done) };
        outcome(match object.persistent_volume() {
            Some(volume) if is_released(object, volume) => delete(object, turn),
            Some(_) => Ok(Outcome::Done),
            None => provision(object, seen, turn),
        })
    }
}

/// Returns true for a claim that waits for a simulated provisioner to create a volume. Counterpart: `shouldProvision`.
fn is_asked_for(object: &Object) -> bool {
    let asked = || STORAGE_PROVISIONER.iter().find_map(|key| object.meta.annotations.get(key));
    let waits = object.persistent_volume_claim().is_some_and(|c| c.spec.volume_name.is_empty()) && !object.meta.is_deleting();
    waits && asked().is_some_and(|name| SIMULATED.contains(&name.as_str()))
}

/// Returns true for a volume that a simulated provisioner created and whose claim is gone. Counterpart: `shouldDelete`.
fn is_released(object: &Object, volume: &PersistentVolume) -> bool {
    volume.status.phase == VolumePhase::Released
        && volume.spec.persistent_volume_reclaim_policy == "Delete"
        && !object.meta.is_deleting()
        && object.meta.annotations.get(PROVISIONED_BY).is_some_and(|name| SIMULATED.contains(&name.as_str()))
}

fn volume_name(claim: &Object) -> ArcStr {
    format!("pvc-{}", claim.meta.uid).into()
}

fn delete(volume: &Arc<Object>, turn: &mut Turn) -> Result<Outcome, Halt> {
    turn.differ("volume", "deleted", "released");
    turn.request(Request::delete(Kind::PERSISTENT_VOLUME, &volume.meta.namespace, &volume.meta.name))?;
    Ok(Outcome::Done)
}

fn provision(claim: &Arc<Object>, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Halt> {
    if !is_asked_for(claim) || seen.related.iter().any(|o| o.persistent_volume().is_some()) {
        return Ok(Outcome::Done);
    }
    let Some(class) = seen.related.iter().find_map(|o| o.storage_class()) else { return Ok(Outcome::Recheck(SYNC_PERIOD)) };
    let node = seen.related.iter().find(|o| o.node().is_some());
    let selected = claim.meta.annotations.get(SELECTED_NODE);
    if class.waits_for_consumer() && selected.is_none() {
        return Ok(Outcome::Done);
    }
    let said = format!("External provisioner is provisioning volume for claim \"{}\"", claim.key());
    turn.event(EventDraft::normal(claim, "Provisioning", said));
    if let (Some(selected), None) = (selected, node) {
        let name = class_name(claim);
        let why = format!(
            "failed to provision volume with StorageClass {name:?}: failed to get target node: node {:?} not found",
            selected.as_str()
        );
        turn.event(EventDraft::warning(claim, "ProvisioningFailed", why.as_str()));
        return Err(Halt::Refused(why));
    }
    turn.differ("volumes for the claim", 1, 0);
    let volume = new_volume(claim, class, node);
    let name = volume.meta.name.clone();
    let answer = turn.request(Request::create(volume))?;
    if let Some(status) = answer.refusal().filter(|s| s.reason != Reason::AlreadyExists) {
        return Err(Halt::Refused(status.message.clone()));
    }
    turn.event(EventDraft::normal(claim, "ProvisioningSucceeded", format!("Successfully provisioned volume {name}")));
    Ok(Outcome::Done)
}

fn class_name(claim: &Object) -> ArcStr {
    claim.persistent_volume_claim().map(|c| c.class(&claim.meta)).unwrap_or_default()
}

fn new_volume(claim: &Object, class: &StorageClass, node: Option<&Arc<Object>>) -> Object {
    let name = volume_name(claim);
    let path = format!("/opt/local-path-provisioner/{name}_{}_{}", claim.meta.namespace, claim.meta.name);
    let mut other = map! { "hostPath" => map! { "path" => path, "type" => "DirectoryOrCreate" } };
    if let Some(node) = node {
        let hostname = node.meta.labels.get("kubernetes.io/hostname").unwrap_or(&node.meta.name);
        let values: Vec<Value> = vec![hostname.into()];
        let expression = map! { "key" => "kubernetes.io/hostname", "operator" => "In", "values" => values };
        let term = map! { "matchExpressions" => vec![Value::Map(expression)] };
        other.insert("nodeAffinity", map! { "required" => map! { "nodeSelectorTerms" => vec![Value::Map(term)] } });
    }
    if !class.mount_options.is_empty() {
        other.insert("mountOptions", class.mount_options.iter().map(Value::from).collect::<Vec<_>>());
    }
    let wanted = claim.persistent_volume_claim().cloned().unwrap_or_default();
    let size = wanted.spec.resources.map("requests").and_then(|r| r.get("storage")).cloned();
    let mut capacity = Map::new();
    if let Some(size) = size {
        capacity.insert("storage", size);
    }
    let spec = VolumeSpec {
        capacity,
        access_modes: wanted.spec.access_modes.clone(),
        claim_ref: Some(ClaimRef::to(claim)),
        persistent_volume_reclaim_policy: class.reclaim_policy.clone(),
        storage_class_name: wanted.class(&claim.meta),
        volume_mode: Some(wanted.spec.volume_mode.clone().unwrap_or_else(|| "Filesystem".into())),
        other,
    };
    let annotations = StrMap::default().with(PROVISIONED_BY, class.provisioner.clone());
    let meta = Meta { name, annotations, ..Meta::default() };
    Object { meta, body: Body::PersistentVolume(Box::new(PersistentVolume { spec, ..PersistentVolume::default() })) }
}
