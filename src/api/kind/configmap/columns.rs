//! The columns that `kubectl get` shows for ConfigMap objects.

use crate::api::duration::since;
use crate::api::kind::{Body, Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The columns that `kubectl get` shows for ConfigMaps.
pub const COLUMNS: &[Column] = &[column("Name"), column("Data"), column("Age")];

/// Returns the cells of a ConfigMap's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Body::ConfigMap(body) = &object.body else { return Vec::new() };
    let entries = |key| body.content.map(key).map_or(0, Map::len) as i64;
    vec![(&object.meta.name).into(), (entries("data") + entries("binaryData")).into(), since(object.meta.created, now).into()]
}
