//! `kubectl describe` of a Namespace. Counterpart: `describe.NamespaceDescriber`.

use crate::api::object::Object;
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a Namespace.
pub fn describe(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    head(object, description);
    labels_and_annotations(object, description);
    let phase = if object.namespace().is_some_and(|n| n.is_terminating()) { "Terminating" } else { "Active" };
    description.line(0, format!("Status:\t{phase}"));
    for text in ["", "No resource quota.", "", "No LimitRange resource."] {
        description.line(0, text);
    }
    Ok(())
}
