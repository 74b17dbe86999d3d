//! The columns that `kubectl get` shows for Lease objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for Leases.
pub const COLUMNS: &[Column] = &[column("Name"), column("Holder"), column("Age")];

/// Returns the cells of a Lease's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let holder = object.lease().map(|l| l.spec.holder()).unwrap_or_default();
    vec![(&object.meta.name).into(), holder.into(), since(object.meta.created, now).into()]
}
