//! Sets of fields. Counterpart: `structured-merge-diff/fieldpath`.
//!
//! A set has the form in which the API shows it (`FieldsV1`): a tree whose keys are `f:name`, `k:{"name":"web"}` or `v:"x"`.
//! A node without children is a field of the set; a node with children is one only if it also has the key `.`.

use crate::api::json;
use crate::api::value::{Map, Value};

/// The key that makes a node with children itself a field of the set.
pub const SELF: &str = ".";

/// Returns true if a node is itself a field of the set.
pub fn owned(node: &Map) -> bool {
    node.is_empty() || node.has(SELF)
}

/// Returns the fields that are in either set.
pub fn union(a: &Map, b: &Map) -> Map {
    combine(Some(a), Some(b), |a, b| a || b)
}

/// Returns the fields that are only in the first set.
pub fn difference(a: &Map, b: &Map) -> Map {
    combine(Some(a), Some(b), |a, b| a && !b)
}

/// Returns the fields that are in both sets.
pub fn intersection(a: &Map, b: &Map) -> Map {
    combine(Some(a), Some(b), |a, b| a && b)
}

fn combine(a: Option<&Map>, b: Option<&Map>, keep: fn(bool, bool) -> bool) -> Map {
    // If only one set has this node, all of it is kept or nothing.
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

/// Inserts a node into a set. One that is neither a field of the set (`owned`) nor has children is left out.
pub fn put(set: &mut Map, key: &str, owned: bool, mut children: Map) {
    if owned && !children.is_empty() {
        children.insert(SELF, Map::new());
    }
    if owned || !children.is_empty() {
        set.insert(key, children);
    }
}

/// Returns the fields of a set as paths such as `.spec.containers[name="web"].image`. At each level, the level's own fields come first.
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

/// Formats a key of a set as a segment of a path: `f:image` as `.image`, `k:{"name":"web"}` as `[name="web"]`.
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
