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

/// How many containers are ready, of how many.
pub fn ready_count(_object: &Object) -> (usize, usize) {
    (0, 0)
}

/// The STATUS column.
pub fn status_word(_object: &Object) -> String {
    String::new()
}
