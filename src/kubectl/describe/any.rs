//! The description of a kind that has no describer of its own: its fields in order, their names split into words. Counterpart:
//! `describe.genericDescriber`.

use super::description::{Description, plain};
use super::{Cx, Run, labels_and_annotations};
use crate::api::object::Object;
use crate::api::value::{Map, Value};

/// Writes the description of an object of any kind.
pub fn any(_cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let mut tree = object.to_map();
    description.line(0, format!("Name:\t{}", object.meta.name));
    description.line(0, format!("Namespace:\t{}", object.meta.namespace));
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

/// Turns `holderIdentity` into `Holder Identity`, `apiVersion` into `API Version` and `clusterIPs` into `Cluster I Ps`. Counterpart: `smartLabelFor`.
fn title(key: &str) -> String {
    if !key.chars().all(|c| c.is_ascii_alphabetic() || c == '-') {
        return key.to_owned();
    }
    // A word is a capital with the small letters after it, or a run of capitals up to the next word.
    let mut words: Vec<String> = Vec::new();
    let letters: Vec<char> = key.chars().collect();
    for (i, c) in letters.iter().copied().enumerate() {
        let (before, after) = (i.checked_sub(1).and_then(|i| letters.get(i)), letters.get(i + 1));
        let opens = match before {
            None => true,
            Some(before) if c.is_ascii_uppercase() => !before.is_ascii_uppercase() || after.is_some_and(char::is_ascii_lowercase),
            Some(before) => (c == '-') != (*before == '-'),
        };
        match words.last_mut() {
            Some(word) if !opens => word.push(c),
            _ => words.push(c.to_string()),
        }
    }
    for word in &mut words {
        if ["API", "URL", "UID", "GUID"].contains(&word.to_ascii_uppercase().as_str()) {
            word.make_ascii_uppercase();
        } else if let Some(first) = word.get_mut(..1) {
            first.make_ascii_uppercase();
        }
    }
    words.join(" ")
}
