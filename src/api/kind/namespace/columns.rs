//! The columns that `kubectl get` shows for Namespace objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for Namespaces.
pub const COLUMNS: &[Column] = &[column("Name"), column("Status"), column("Age")];

/// Returns the cells of a Namespace's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let terminating = object.namespace().is_some_and(|n| n.is_terminating());
    let status = if terminating { "Terminating" } else { "Active" };
    vec![(&object.meta.name).into(), status.into(), since(object.meta.created, now).into()]
}
