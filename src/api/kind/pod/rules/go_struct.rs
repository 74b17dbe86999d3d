//! Pod specs in the form of the API server's internal Go structs, which some of its messages show. Counterpart: `pkg/apis/core/types.go`.

use super::diff;
use crate::api::content;
use crate::api::json;
use crate::api::value::{Map, Value};
use std::sync::OnceLock;

/// Returns the fields of a struct in Go's order, from `static/content/go_structs.txt`. The type of a field follows its name: `s` text, `i` number, `b` boolean,
/// `*` a pointer or anything that is `null` when missing, `[T` a list of structs, `@T` a pointer to a struct, `=T` a struct, `+T` an embedded struct,
/// `L` a label selector. If the JSON name is not the Go name with a small first letter, it precedes the Go name and a colon.
fn fields_of(name: &str) -> &'static str {
    static STRUCTS: OnceLock<Vec<(&str, &str)>> = OnceLock::new();
    let structs = STRUCTS.get_or_init(|| content::rows("go_structs.txt"));
    structs.iter().find(|(known, _)| *known == name).map_or("", |(_, fields)| *fields)
}

/// A JSON tree whose keys keep their order.
enum Node {
    Leaf(String),
    List(Vec<Node>),
    Struct(Vec<(String, Node)>),
}

/// Encodes a value as JSON with the fields of the Go struct `name` of the table.
pub fn go_json(name: &str, value: Option<&Value>) -> String {
    let mut out = String::new();
    compact(&structure(name, value.and_then(Value::as_map)), &mut out);
    out
}

/// Returns a pod spec as lines of indented JSON, in the form of the API server's internal struct.
pub(super) fn spec_lines(spec: &Map) -> Vec<String> {
    lines("PodSpec", &internal_spec(spec))
}

/// Returns the differences between two Go structs of the table as a unified diff, as the API server shows them; `None` if they are equal.
pub fn go_change(name: &str, old: &Map, new: &Map) -> Option<String> {
    let (old, new) = (lines(name, old), lines(name, new));
    (old != new).then(|| diff::unified(&old, &new))
}

fn lines(name: &str, value: &Map) -> Vec<String> {
    let mut out = String::new();
    indented(&structure(name, Some(value)), 0, &mut out);
    out.lines().map(str::to_owned).collect()
}

/// Returns a pod template as the API server shows it in messages.
pub fn template_text(template: &Map) -> String {
    let mut fields = Vec::new();
    for (key, value) in template.map("metadata").into_iter().flat_map(Map::iter) {
        fields.push((key.to_string(), plain(value)));
    }
    let empty = Map::new();
    let spec = internal_spec(template.map("spec").unwrap_or(&empty));
    fields.push(("Spec".to_owned(), structure("PodSpec", Some(&spec))));
    let mut out = String::new();
    compact(&Node::Struct(fields), &mut out);
    out
}

/// Moves the settings about the host's namespaces into the security context, where the API server's internal spec has them.
fn internal_spec(spec: &Map) -> Map {
    let mut internal = spec.clone();
    for key in ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"] {
        if let Some(value) = internal.take(key) {
            internal.map_mut("securityContext").insert(key, value);
        }
    }
    internal
}

fn structure(name: &str, value: Option<&Map>) -> Node {
    let mut fields = Vec::new();
    add_fields(name, value, &mut fields);
    Node::Struct(fields)
}

fn add_fields(name: &str, value: Option<&Map>, out: &mut Vec<(String, Node)>) {
    for word in fields_of(name).split_whitespace() {
        if let Some(inner) = word.strip_prefix('+') {
            add_fields(inner, value, out);
            continue;
        }
        let (given, rest) = word.split_once(':').map_or(("", word), |(given, rest)| (given, rest));
        let (go_name, kind) = match rest.find(['[', '@', '=']) {
            Some(i) => rest.split_at(i),
            None => rest.split_at(rest.len().saturating_sub(1)),
        };
        let key = if given.is_empty() { lower_first(go_name) } else { given.to_owned() };
        out.push((go_name.to_owned(), field(kind, value.and_then(|v| v.get(&key)).filter(|v| !v.is_null()))));
    }
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |c| c.to_ascii_lowercase().to_string() + chars.as_str())
}

fn field(kind: &str, value: Option<&Value>) -> Node {
    let leaf = |text: &str| Node::Leaf(text.to_owned());
    match (kind.split_at(kind.len().min(1)), value) {
        (("=", name), value) => structure(name, value.and_then(Value::as_map)),
        (("@", name), Some(value)) => structure(name, value.as_map()),
        (("[", name), Some(Value::List(items))) => Node::List(items.iter().map(|i| structure(name, i.as_map())).collect()),
        (("L", _), Some(Value::Map(selector))) => selector_node(selector),
        (("s", _), None) => leaf("\"\""),
        (("i", _), None) => leaf("0"),
        (("b", _), None) => leaf("false"),
        (("[", _), _) | (_, None) => leaf("null"),
        (_, Some(Value::Map(map))) if map.is_empty() => leaf("null"),
        (_, Some(value)) => plain(value),
    }
}

/// Builds the node of a label selector, which has JSON names of its own and leaves out empty fields.
fn selector_node(selector: &Map) -> Node {
    let order = |map: &Map, keys: &[&str], item: &dyn Fn(&Value) -> Node| {
        let full = |k: &&str| map.get(k).filter(|v| v.as_list().is_none_or(|l| !l.is_empty()) && v.as_map().is_none_or(|m| !m.is_empty()));
        Node::Struct(keys.iter().filter_map(|k| full(k).map(|v| ((*k).to_owned(), item(v)))).collect())
    };
    let expression = |e: &Value| e.as_map().map_or_else(|| plain(e), |e| order(e, &["key", "operator", "values"], &plain));
    order(selector, &["matchLabels", "matchExpressions"], &|value| match value {
        Value::List(items) => Node::List(items.iter().map(expression).collect()),
        other => plain(other),
    })
}

fn plain(value: &Value) -> Node {
    match value {
        Value::List(items) => Node::List(items.iter().map(plain).collect()),
        Value::Map(map) => Node::Struct(map.iter().map(|(k, v)| (k.to_string(), plain(v))).collect()),
        other => Node::Leaf(json::to_string_html(other)),
    }
}

fn compact(node: &Node, out: &mut String) {
    match node {
        Node::Leaf(text) => out.push_str(text),
        Node::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                compact(item, out);
            }
            out.push(']');
        }
        Node::Struct(fields) => {
            out.push('{');
            for (i, (key, item)) in fields.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                out.push_str(&json::to_string_html(&Value::from(key.as_str())));
                out.push(':');
                compact(item, out);
            }
            out.push('}');
        }
    }
}

fn indented(node: &Node, depth: usize, out: &mut String) {
    let (open, close, count) = match node {
        Node::Leaf(text) => return out.push_str(text),
        Node::List(items) => ('[', ']', items.len()),
        Node::Struct(fields) => ('{', '}', fields.len()),
    };
    out.push(open);
    for i in 0..count {
        out.push_str(if i > 0 { ",\n" } else { "\n" });
        out.push_str(&" ".repeat(depth + 1));
        match node {
            Node::List(items) => indented(&items[i], depth + 1, out),
            Node::Struct(fields) => {
                out.push_str(&json::to_string_html(&Value::from(fields[i].0.as_str())));
                out.push_str(": ");
                indented(&fields[i].1, depth + 1, out);
            }
            Node::Leaf(_) => {}
        }
    }
    if count > 0 {
        out.push('\n');
        out.push_str(&" ".repeat(depth));
    }
    out.push(close);
}
