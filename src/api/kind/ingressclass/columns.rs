//! The columns that `kubectl get` shows for IngressClass objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The columns that `kubectl get` shows for IngressClasses.
pub const COLUMNS: &[Column] = &[column("Name"), column("Controller"), column("Parameters"), column("Age")];

/// Returns the cells of an IngressClass's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let (tree, empty) = (object.to_map(), Map::new());
    let spec = tree.map("spec").unwrap_or(&empty);
    let parameters = spec.map("parameters").map_or_else(
        || "<none>".to_owned(),
        |p| match p.str("apiGroup") {
            "" => format!("{}/{}", p.str("kind"), p.str("name")),
            group => format!("{}.{group}/{}", p.str("kind"), p.str("name")),
        },
    );
    let is_default = object.meta.annotations.get("ingressclass.kubernetes.io/is-default-class").is_some_and(|v| v == "true");
    let name = if is_default { format!("{} (default)", object.meta.name) } else { object.meta.name.to_string() };
    vec![name.into(), spec.str("controller").into(), parameters.into(), since(object.meta.created, now).into()]
}
