//! `kubectl describe` of a ConfigMap. Counterpart: `describe.ConfigMapDescriber`.

use crate::api::object::Object;
use crate::api::value::Map;
use crate::kubectl::describe::page::{Page, plain};
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a ConfigMap.
pub fn describe(_cx: &mut Cx, object: &Object, page: &mut Page) -> Run {
    let tree = object.to_map();
    head(object, page);
    labels_and_annotations(object, page);
    for text in ["", "Data", "===="] {
        page.line(0, text);
    }
    for (key, value) in tree.map("data").into_iter().flat_map(Map::iter) {
        page.raw(format!("{key}:"));
        page.raw("----");
        plain(value).split('\n').for_each(|line| page.raw(line));
        page.raw("");
    }
    for text in ["", "BinaryData", "====", ""] {
        page.line(0, text);
    }
    Ok(())
}
