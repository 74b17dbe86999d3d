//! The fields of an object as a flat list with a path each, and the differences between two versions of an object.
//!
//! Items of a list are named by the key that identifies them (`containers[nginx]`), so that a path means the same field before and after a change.

use crate::api::order::Order;
use crate::api::value::{Map, Value};

/// One field of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The path of the field: `spec.template.spec.containers[nginx].image`.
    pub path: String,
    /// The path of the field's parent, without the section: `template.spec.containers[nginx]`.
    pub group: String,
    /// The last part of the path: `image`.
    pub name: String,
    /// The value of the field as text, at most `LONGEST` characters.
    pub value: String,
}

/// A field that differs between two versions of an object; its value is empty in a version without the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The path of the field: `spec.replicas`.
    pub path: String,
    /// The value before, as text.
    pub old: String,
    /// The value after, as text.
    pub new: String,
}

/// The keys that identify items of a list, in order of preference.
const NAMES: [&str; 8] = ["name", "type", "key", "containerPort", "port", "ip", "ipBlock", "uid"];
/// The greatest length of a field's value, in characters; longer values are cut.
const LONGEST: usize = 160;

/// Returns all fields of the `section` (a top-level key such as `spec`) of an object, except those under the keys `without`.
pub fn fields(tree: &Map, section: &str, without: &[&str]) -> Vec<Field> {
    let mut out = Vec::new();
    match tree.get(section) {
        Some(Value::Map(map)) => {
            for (key, value) in map.iter().filter(|(key, _)| !without.contains(&key.as_str())) {
                flatten(value, format!("{section}.{key}"), &mut out);
            }
        }
        Some(value) => flatten(value, section.to_owned(), &mut out),
        None => {}
    }
    out.into_iter().filter(|(path, value)| !is_named_already(path, value)).map(|(path, value)| field(section, path, &value)).collect()
}

fn field(section: &str, path: String, value: &str) -> Field {
    let inside = path.strip_prefix(section).map_or(path.as_str(), |rest| rest.trim_start_matches('.'));
    // Keys of labels and annotations may contain dots, and so may text in brackets.
    let cut = ["labels.", "annotations.", "matchLabels.", "data."].iter().find_map(|key| inside.find(key).map(|at| at + key.len() - 1));
    let closed = inside.rfind(']').unwrap_or(0);
    let cut = cut.or_else(|| inside.get(closed..)?.rfind('.').map(|at| at + closed));
    let (group, name) = cut.and_then(|at| Some((inside.get(..at)?, inside.get(at + 1..)?))).unwrap_or(("", inside));
    let name = if name.is_empty() { section } else { name };
    Field { group: group.to_owned(), name: name.to_owned(), value: short(value), path }
}

/// Returns whether a field only repeats the name by which its path identifies the list item.
fn is_named_already(path: &str, value: &str) -> bool {
    path.strip_suffix(".name").and_then(|rest| rest.strip_suffix(']')?.strip_suffix(value)).is_some_and(|rest| rest.ends_with('['))
}

/// Returns the fields that differ between two versions of an object, the most interesting first. The resourceVersion is left out, because it always differs.
pub fn changes(old: &Map, new: &Map) -> Vec<Changed> {
    let all = |map: &Map| {
        let mut out = Vec::new();
        map.iter().for_each(|(key, value)| flatten(value, key.to_string(), &mut out));
        out.order_by(|a: &(String, String), b| a.0.cmp(&b.0));
        out
    };
    let (mut a, mut b) = (all(old).into_iter().peekable(), all(new).into_iter().peekable());
    let mut changed = Vec::new();
    loop {
        let (from, to) = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(x), Some(y)) if x.0 == y.0 => (a.next(), b.next()),
            (Some(x), Some(y)) if x.0 < y.0 => (a.next(), None),
            (Some(_), None) => (a.next(), None),
            _ => (None, b.next()),
        };
        let path = from.as_ref().or(to.as_ref()).map(|(path, _)| path.clone()).unwrap_or_default();
        let (old, new) = (from.map(|f| f.1).unwrap_or_default(), to.map(|t| t.1).unwrap_or_default());
        if old != new && path != "metadata.resourceVersion" {
            changed.push(Changed { path, old, new });
        }
    }
    changed.order_by_key(|c| rank(&c.path));
    changed
}

/// Describes a change briefly: the first two fields, and the number of the others.
pub fn summary(changed: &[Changed]) -> String {
    let one = |c: &Changed| {
        let name = c.path.strip_prefix("status.").unwrap_or(&c.path);
        match (c.old.is_empty(), c.new.is_empty()) {
            (true, _) => format!("{name} {}", tiny(&c.new)),
            (_, true) => format!("no {name}"),
            _ => format!("{name} {} → {}", tiny(&c.old), tiny(&c.new)),
        }
    };
    let first: Vec<String> = changed.iter().take(2).map(one).collect();
    let more = changed.len().saturating_sub(2);
    let tail = if more == 0 { String::new() } else { format!(" and {more} more") };
    first.join(", ") + &tail
}

/// Returns whether a path names a field or something inside it.
pub fn is_within(path: &str, field: &str) -> bool {
    path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Returns the rank of a field in a list of changes: the spec first, then the state, then bookkeeping.
fn rank(path: &str) -> u8 {
    let last = path.rsplit('.').next().unwrap_or(path);
    match path {
        _ if last.ends_with("Time") || last.ends_with("At") || last.contains("eneration") || last.ends_with("ID") => 6,
        _ if path.starts_with("spec") || path.starts_with("metadata.deletion") || path.starts_with("data") => 0,
        "status.phase" | "status.replicas" | "status.readyReplicas" | "status.conditions[Ready].status" => 1,
        _ if last == "restartCount" || last == "reason" && path.contains("tate.") => 2,
        _ if last == "status" => 3,
        _ if path.starts_with("metadata.annotations") || last == "reason" || last == "message" => 5,
        _ => 4,
    }
}

fn flatten(value: &Value, path: String, out: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Map(map) if map.is_empty() => out.push((path, "{}".to_owned())),
        Value::Map(map) => map.iter().for_each(|(key, value)| flatten(value, format!("{path}.{key}"), out)),
        Value::List(items) if items.iter().all(|item| item.as_map().is_none()) => {
            let texts: Vec<String> = items.iter().map(Value::plain_text).collect();
            out.push((path, texts.join(", ")));
        }
        Value::List(items) => {
            for (i, item) in items.iter().enumerate() {
                flatten(item, format!("{path}[{}]", item_name(item, i)), out);
            }
        }
        _ => out.push((path, value.plain_text())),
    }
}

fn item_name(item: &Value, index: usize) -> String {
    let named = NAMES.iter().find_map(|key| item.get(key)).map(Value::plain_text).filter(|name| !name.is_empty());
    named.unwrap_or_else(|| index.to_string())
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn short(text: &str) -> String {
    cut(text, LONGEST)
}

fn tiny(text: &str) -> String {
    cut(text, 40)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map;

    fn tree(image: &str, replicas: i64) -> Map {
        let container = map! { "name" => "web", "image" => image };
        map! { "spec" => map! { "replicas" => replicas, "containers" => vec![container.into()] } }
    }

    #[test]
    fn items_of_lists_are_told_apart_by_their_names() {
        let names: Vec<String> = fields(&tree("a", 1), "spec", &[]).into_iter().map(|f| f.path).collect();
        assert_eq!(names, ["spec.containers[web].image", "spec.replicas"]);
        let places: Vec<(String, String)> = fields(&tree("a", 1), "spec", &[]).into_iter().map(|f| (f.group, f.name)).collect();
        assert_eq!(places, [("containers[web]".to_owned(), "image".to_owned()), (String::new(), "replicas".to_owned())]);
    }

    #[test]
    fn only_what_differs_is_told() {
        let changed = changes(&tree("a", 1), &tree("a", 2));
        assert_eq!(summary(&changed), "spec.replicas 1 → 2");
        assert_eq!(changes(&tree("a", 1), &tree("b", 2)).len(), 2);
        assert_eq!(summary(&changes(&Map::new(), &tree("a", 1))), "spec.containers[web].image a, spec.containers[web].name web and 1 more");
    }
}
