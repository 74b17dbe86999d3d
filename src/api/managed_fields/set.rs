//! Sets of fields. Counterpart: `structured-merge-diff/fieldpath`.
//!
//! A set is kept in the very form in which it is shown (`FieldsV1`): a tree whose keys are `f:name`, `k:{"name":"web"}`
//! or `v:"x"`. A node without children is a field of the set; a node with children is one if it has the key `.` too.

use crate::api::json;
use crate::api::value::{Map, Value};

/// The key that says that a node with children is in the set itself.
pub const SELF: &str = ".";

/// Whether a node is in the set itself.
pub fn owned(node: &Map) -> bool {
    node.is_empty() || node.has(SELF)
}

/// What is in either.
pub fn union(a: &Map, b: &Map) -> Map {
    combine(Some(a), Some(b), |a, b| a || b)
}

/// What is in the first only.
pub fn difference(a: &Map, b: &Map) -> Map {
    combine(Some(a), Some(b), |a, b| a && !b)
}

/// What is in both.
pub fn intersection(a: &Map, b: &Map) -> Map {
    combine(Some(a), Some(b), |a, b| a && b)
}

fn combine(a: Option<&Map>, b: Option<&Map>, keep: fn(bool, bool) -> bool) -> Map {
    // Where only one has anything, all of it is kept or nothing.
    match (a, b) {
        (Some(only), None) => return if keep(true, false) { only.clone() } else { Map::new() },
        (None, Some(only)) => return if keep(false, true) { only.clone() } else { Map::new() },
        _ => {}
    }
    let mut out = Map::new();
    let only_b = b.into_iter().flat_map(Map::iter).filter(|(key, _)| !a.is_some_and(|a| a.has(key)));
    for (key, _) in a.into_iter().flat_map(Map::iter).chain(only_b).filter(|(key, _)| *key != SELF) {
        let (x, y) = (a.and_then(|a| a.map(key)), b.and_then(|b| b.map(key)));
        let children = combine(x, y, keep);
        put(&mut out, key, keep(x.is_some_and(owned), y.is_some_and(owned)), children);
    }
    out
}

/// Puts a node into a set, unless there is nothing in it.
pub fn put(set: &mut Map, key: &str, owned: bool, mut children: Map) {
    if owned && !children.is_empty() {
        children.insert(SELF, Map::new());
    }
    if owned || !children.is_empty() {
        set.insert(key, children);
    }
}

/// The fields of a set as people write paths, `.spec.containers[name="web"].image`: at each level the fields themselves come first.
pub fn paths(set: &Map) -> Vec<String> {
    let mut out = Vec::new();
    collect("", set, &mut out);
    out
}

fn collect(prefix: &str, set: &Map, out: &mut Vec<String>) {
    let nodes = || set.iter().filter_map(|(key, node)| Some((key, node.as_map()?))).filter(|(key, _)| *key != SELF);
    out.extend(nodes().filter(|(_, node)| owned(node)).map(|(key, _)| format!("{prefix}{}", step(key))));
    for (key, node) in nodes().filter(|(_, node)| !node.is_empty()) {
        collect(&format!("{prefix}{}", step(key)), node, out);
    }
}

/// One step of a path.
pub fn step(key: &str) -> String {
    let (kind, rest) = key.split_once(':').unwrap_or(("", key));
    match (kind, json::parse(rest)) {
        ("k", Ok(Value::Map(keys))) => {
            let parts: Vec<String> = keys.iter().map(|(name, value)| format!("{name}={}", json::to_string(value))).collect();
            format!("[{}]", parts.join(","))
        }
        ("v", _) => format!("[={rest}]"),
        ("i", _) => format!("[{rest}]"),
        _ => format!(".{rest}"),
    }
}
