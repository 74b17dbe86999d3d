//! The columns that `kubectl get` shows for CustomResourceDefinition objects.

use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for CustomResourceDefinitions.
pub const COLUMNS: &[Column] = &[column("Name"), column("Created At")];

/// Returns the cells of a CustomResourceDefinition's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, _now: Time) -> Vec<Value> {
    vec![(&object.meta.name).into(), object.meta.created.rfc3339().into()]
}
