//! The description of a kind that has no describer of its own: its fields in order, their names split into words. Counterpart:
//! `describe.genericDescriber`.

use super::description::{Description, plain};
use super::{Cx, Run, head, labels_and_annotations};
use crate::api::object::Object;
use crate::api::value::{Map, Value};

/// Writes the description of an object of any kind.
pub fn any(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let mut tree = object.to_map();
    head(object, description);
    labels_and_annotations(object, description);
    tree.map_mut("metadata").retain(|key, _| !matches!(key, "name" | "namespace" | "labels" | "annotations"));
    fields(description, 0, &tree);
    Ok(())
}

fn fields(description: &mut Description, level: usize, map: &Map) {
    for (key, value) in map.iter() {
        match value {
            Value::Map(inner) => {
                description.line(level, format!("{}:", title(key)));
                fields(description, level + 1, inner);
            }
            Value::List(items) => {
                description.line(level, format!("{}:", title(key)));
                for item in items {
                    match item {
                        Value::Map(inner) => fields(description, level + 1, inner),
                        leaf => description.line(level + 1, plain(leaf)),
                    }
                }
            }
            Value::Null => description.line(level, format!("{}:\t<nil>", title(key))),
            leaf => description.line(level, format!("{}:\t{}", title(key), plain(leaf))),
        }
    }
}

/// Turns `holderIdentity` into `Holder Identity` and `apiVersion` into `API Version`. Counterpart: `smartLabelFor`.
fn title(key: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for c in key.chars() {
        match words.last_mut() {
            Some(word) if !c.is_ascii_uppercase() => word.push(c),
            _ => words.push(c.to_ascii_uppercase().to_string()),
        }
    }
    let acronym = |word: &mut String| {
        if ["API", "URL", "UID", "OSB", "GUID"].contains(&word.to_ascii_uppercase().as_str()) {
            *word = word.to_ascii_uppercase();
        }
    };
    words.iter_mut().for_each(acronym);
    words.join(" ")
}
