//! The columns that `kubectl get` shows for StatefulSet objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for StatefulSets.
pub const COLUMNS: &[Column] = &[column("Name"), column("Ready"), column("Age"), wide("Containers"), wide("Images")];

/// Returns the cells of a StatefulSet's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(set) = object.stateful_set() else { return Vec::new() };
    let [names, images] = set.spec.template.containers_text();
    vec![
        (&object.meta.name).into(),
        format!("{}/{}", set.status.ready_replicas, set.spec.replicas).into(),
        since(object.meta.created, now).into(),
        names.into(),
        images.into(),
    ]
}
