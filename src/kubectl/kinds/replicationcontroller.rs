//! `kubectl describe` of a ReplicationController. Counterpart: `describe.ReplicationControllerDescriber`.

use crate::api::duration::or_none;
use crate::api::object::Object;
use crate::api::value::Map;
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::template::{conditions, pods_status, template};
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a ReplicationController.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    head(object, description);
    let labels = spec.map("selector").unwrap_or(&empty).iter().map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or("")));
    description.line(0, format!("Selector:\t{}", or_none(&labels.collect::<Vec<_>>().join(","))));
    labels_and_annotations(object, description);
    let (current, wanted) = (status.int("replicas").unwrap_or(0), spec.int("replicas").unwrap_or(1));
    description.line(0, format!("Replicas:\t{current} current / {wanted} desired"));
    pods_status(cx, object, description)?;
    template(description, spec.map("template").unwrap_or(&empty));
    conditions(description, status);
    Ok(())
}
