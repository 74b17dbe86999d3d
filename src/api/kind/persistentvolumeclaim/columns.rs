//! The columns that `kubectl get` shows for PersistentVolumeClaim objects.

use crate::api::duration::since;
use crate::api::kind::persistentvolume::{access_modes_text, storage_text};
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for PersistentVolumeClaims.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Status"),
    column("Volume"),
    column("Capacity"),
    column("Access Modes"),
    column("StorageClass"),
    column("VolumeAttributesClass"),
    column("Age"),
    wide("VolumeMode"),
];

/// Returns the cells of a PersistentVolumeClaim's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(claim) = object.persistent_volume_claim() else { return Vec::new() };
    let phase = if object.meta.is_deleting() { "Terminating" } else { claim.status.phase.text() };
    let bound = !claim.spec.volume_name.is_empty();
    let when_bound = |text: String| if bound { text } else { String::new() };
    let attributes = claim.spec.other.get("volumeAttributesClassName").and_then(Value::as_str).unwrap_or("<unset>");
    vec![
        (&object.meta.name).into(),
        phase.into(),
        (&claim.spec.volume_name).into(),
        when_bound(storage_text(Some(&claim.status.capacity))).into(),
        when_bound(access_modes_text(&claim.status.access_modes)).into(),
        claim.class(&object.meta).into(),
        attributes.into(),
        since(object.meta.created, now).into(),
        claim.spec.volume_mode.as_deref().unwrap_or("<unset>").into(),
    ]
}
