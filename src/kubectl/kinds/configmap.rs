//! `kubectl describe` of a ConfigMap. Counterpart: `describe.ConfigMapDescriber`.

use super::secret::decoded_length;
use crate::api::object::Object;
use crate::api::value::Map;
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a ConfigMap.
pub fn describe(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    head(object, description);
    labels_and_annotations(object, description);
    for text in ["", "Data", "===="] {
        description.line(0, text);
    }
    for (key, value) in tree.map("data").into_iter().flat_map(Map::iter) {
        description.raw(format!("{key}:"));
        description.raw("----");
        plain(value).split('\n').for_each(|line| description.raw(line));
        description.raw("");
    }
    for text in ["", "BinaryData", "===="] {
        description.line(0, text);
    }
    for (key, value) in tree.map("binaryData").into_iter().flat_map(Map::iter) {
        description.raw(format!("{key}: {} bytes", decoded_length(&plain(value))));
    }
    description.raw("");
    Ok(())
}
