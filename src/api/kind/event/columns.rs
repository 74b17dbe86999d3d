//! What `kubectl get` shows.

use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns.
pub const COLUMNS: &[Column] = &[column("Name")];

/// The cells of one object.
pub fn cells(object: &Object, _now: Time) -> Vec<Value> {
    vec![(&object.meta.name).into()]
}
