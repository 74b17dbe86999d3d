//! `kubectl describe` of a ReplicaSet. Counterpart: `describe.ReplicaSetDescriber`.

use crate::api::object::Object;
use crate::api::value::Map;
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::template::{conditions, pods_status, selector_text, template};
use crate::kubectl::describe::{controlled_by, head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a ReplicaSet.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    head(object, description);
    description.line(0, format!("Selector:\t{}", selector_text(spec)));
    labels_and_annotations(object, description);
    controlled_by(object, description);
    let (current, wanted) = (status.int("replicas").unwrap_or(0), spec.int("replicas").unwrap_or(1));
    description.line(0, format!("Replicas:\t{current} current / {wanted} desired"));
    pods_status(cx, object, description)?;
    template(description, spec.map("template").unwrap_or(&empty));
    conditions(description, status);
    Ok(())
}
