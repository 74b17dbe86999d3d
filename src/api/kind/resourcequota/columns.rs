//! The columns that `kubectl get` shows for ResourceQuota objects.

use super::text;
use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The columns that `kubectl get` shows for ResourceQuotas.
pub const COLUMNS: &[Column] = &[column("Name"), column("Request"), column("Limit"), column("Age")];

/// Returns the cells of a ResourceQuota's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let empty = Map::new();
    let status = object.resource_quota().and_then(|q| q.content.map("status")).unwrap_or(&empty);
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (name, hard) in status.map("hard").unwrap_or(&empty).iter() {
        let used = status.map("used").and_then(|u| u.get(name)).map_or_else(|| "0".to_owned(), text);
        let cell = format!("{name}: {used}/{}", text(hard));
        if name.starts_with("limits.") { &mut limits } else { &mut requests }.push(cell);
    }
    let age = since(object.meta.created, now);
    vec![(&object.meta.name).into(), requests.join(", ").into(), limits.join(", ").into(), age.into()]
}
