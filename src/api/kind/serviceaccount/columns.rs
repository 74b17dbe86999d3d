//! The columns that `kubectl get` shows for ServiceAccount objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for ServiceAccounts.
pub const COLUMNS: &[Column] = &[column("Name"), column("Age")];

/// Returns the cells of a ServiceAccount's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    vec![(&object.meta.name).into(), since(object.meta.created, now).into()]
}
