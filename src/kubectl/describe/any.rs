//! The page of a kind that has none of its own: its fields in order, their names in words.

use super::page::{Page, plain};
use super::{head, labels_and_annotations};
use crate::api::object::Object;
use crate::api::value::{Map, Value};

/// Writes the page.
pub fn any(object: &Object, page: &mut Page) {
    let tree = object.to_map();
    head(object, page);
    labels_and_annotations(object, page);
    page.line(0, format!("API Version:\t{}", tree.str("apiVersion")));
    page.line(0, format!("Kind:\t{}", tree.str("kind")));
    page.line(0, "Metadata:");
    page.line(1, format!("Creation Timestamp:\t{}", object.meta.created.rfc3339()));
    page.line(1, format!("Resource Version:\t{}", object.meta.resource_version));
    page.line(1, format!("UID:\t{}", object.meta.uid.text()));
    let rest: Map = tree.into_iter().filter(|(k, _)| !matches!(k.as_str(), "apiVersion" | "kind" | "metadata")).collect();
    fields(page, 0, &rest);
}

fn fields(page: &mut Page, level: usize, map: &Map) {
    for (key, value) in map.iter() {
        match value {
            Value::Map(inner) => {
                page.line(level, format!("{}:", title(key)));
                fields(page, level + 1, inner);
            }
            Value::List(items) => {
                page.line(level, format!("{}:", title(key)));
                for item in items {
                    match item {
                        Value::Map(inner) => fields(page, level + 1, inner),
                        leaf => page.line(level + 1, plain(leaf)),
                    }
                }
            }
            leaf => page.line(level, format!("{}:\t{}", title(key), plain(leaf))),
        }
    }
}

/// `holderIdentity` as `Holder Identity`.
fn title(key: &str) -> String {
    let mut text = String::new();
    for (i, c) in key.chars().enumerate() {
        if i == 0 {
            text.extend(c.to_uppercase());
        } else {
            if c.is_uppercase() {
                text.push(' ');
            }
            text.push(c);
        }
    }
    text
}
