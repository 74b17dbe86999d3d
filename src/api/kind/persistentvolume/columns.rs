//! The columns that `kubectl get` shows for PersistentVolume objects.

use super::{access_modes_text, storage_text};
use crate::api::duration::since;
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for PersistentVolumes.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Capacity"),
    column("Access Modes"),
    column("Reclaim Policy"),
    column("Status"),
    column("Claim"),
    column("StorageClass"),
    column("VolumeAttributesClass"),
    column("Reason"),
    column("Age"),
    wide("VolumeMode"),
];

/// Returns the cells of a PersistentVolume's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(volume) = object.persistent_volume() else { return Vec::new() };
    let spec = &volume.spec;
    vec![
        (&object.meta.name).into(),
        storage_text(Some(&spec.capacity)).into(),
        access_modes_text(&spec.access_modes).into(),
        (&spec.persistent_volume_reclaim_policy).into(),
        if object.meta.is_deleting() { "Terminating" } else { volume.status.phase.text() }.into(),
        spec.claim_ref.as_ref().map_or(String::new(), |claim| format!("{}/{}", claim.namespace, claim.name)).into(),
        volume.class(&object.meta).into(),
        spec.other.get("volumeAttributesClassName").and_then(Value::as_str).unwrap_or("<unset>").into(),
        (&volume.status.reason).into(),
        since(object.meta.created, now).into(),
        spec.volume_mode.as_deref().unwrap_or("<unset>").into(),
    ]
}
