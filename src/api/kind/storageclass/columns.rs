//! The columns that `kubectl get` shows for StorageClass objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for StorageClasses.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Provisioner"),
    column("ReclaimPolicy"),
    column("VolumeBindingMode"),
    column("AllowVolumeExpansion"),
    column("Age"),
];

/// Returns the cells of a StorageClass's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(class) = object.storage_class() else { return Vec::new() };
    let mark = if super::is_default_class(&object.meta) { " (default)" } else { "" };
    vec![
        format!("{}{mark}", object.meta.name).into(),
        (&class.provisioner).into(),
        (&class.reclaim_policy).into(),
        (&class.volume_binding_mode).into(),
        class.allow_volume_expansion.unwrap_or(false).into(),
        since(object.meta.created, now).into(),
    ]
}
