//! `kubectl describe` of a Namespace. Counterpart: `describe.NamespaceDescriber`.

use crate::api::object::Object;
use crate::kubectl::describe::page::Page;
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a Namespace.
pub fn describe(_cx: &mut Cx, object: &Object, page: &mut Page) -> Run {
    head(object, page);
    labels_and_annotations(object, page);
    let phase = if object.namespace().is_some_and(|n| n.is_terminating()) { "Terminating" } else { "Active" };
    page.line(0, format!("Status:\t{phase}"));
    for text in ["", "No resource quota.", "", "No LimitRange resource."] {
        page.line(0, text);
    }
    Ok(())
}
