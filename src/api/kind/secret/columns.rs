//! The columns that `kubectl get` shows for Secret objects.

use crate::api::duration::since;
use crate::api::kind::{Body, Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The columns that `kubectl get` shows for Secrets.
pub const COLUMNS: &[Column] = &[column("Name"), column("Type"), column("Data"), column("Age")];

/// Returns the cells of a Secret's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Body::Secret(body) = &object.body else { return Vec::new() };
    let entries = body.content.map("data").map_or(0, Map::len) as i64;
    vec![(&object.meta.name).into(), body.content.str("type").into(), entries.into(), since(object.meta.created, now).into()]
}
