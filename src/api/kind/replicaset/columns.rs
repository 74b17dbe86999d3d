//! The columns that `kubectl get` shows for ReplicaSet objects.

use super::ReplicaSet;
use crate::api::duration::{or_none, since};
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for ReplicaSets.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Desired"),
    column("Current"),
    column("Ready"),
    column("Age"),
    wide("Containers"),
    wide("Images"),
    wide("Selector"),
];

/// Returns the cells of a ReplicaSet's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    object.replica_set().map_or_else(Vec::new, |set| set_cells(object, set, now))
}

/// Returns the cells for a ReplicaSet, or for the fields of a ReplicationController, which are the same.
pub fn set_cells(object: &Object, set: &ReplicaSet, now: Time) -> Vec<Value> {
    let [names, images] = set.spec.template.containers_text();
    vec![
        (&object.meta.name).into(),
        set.spec.replicas.into(),
        set.status.replicas.into(),
        set.status.ready_replicas.into(),
        since(object.meta.created, now).into(),
        names.into(),
        images.into(),
        or_none(&set.spec.selector.selector.to_string()).into(),
    ]
}
