//! The columns that `kubectl get` shows for ReplicationController objects: those of ReplicaSets.

pub use crate::api::kind::replicaset::COLUMNS;
use crate::api::kind::replicaset::set_cells;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// Returns the cells of a ReplicationController's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    object.replication_controller().map_or_else(Vec::new, |rc| set_cells(object, &rc.0, now))
}
