//! `kubectl describe` of a Secret. Counterpart: `describe.SecretDescriber`.

use crate::api::base64;
use crate::api::object::Object;
use crate::api::value::Map;
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::{Cx, Run};

/// Writes the description of a Secret, with the sizes of its values instead of the values.
pub fn describe(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    head(object, description);
    labels_and_annotations(object, description);
    description.line(0, "");
    description.line(0, format!("Type:\t{}", tree.str("type")));
    for text in ["", "Data", "===="] {
        description.line(0, text);
    }
    for (key, value) in tree.map("data").into_iter().flat_map(Map::iter) {
        let text = plain(value);
        if key == "token" && tree.str("type") == "kubernetes.io/service-account-token" {
            let token = base64::decode(&text).unwrap_or_default();
            description.line(0, format!("{key}:\t{}", String::from_utf8_lossy(&token)));
            continue;
        }
        description.line(0, format!("{key}:\t{} bytes", decoded_length(&text)));
    }
    Ok(())
}

/// Returns the number of bytes that a text in base64 stands for.
pub fn decoded_length(text: &str) -> usize {
    let padding = text.bytes().rev().take_while(|b| *b == b'=').count();
    (text.len() / 4 * 3).saturating_sub(padding)
}
