//! Objects as trees of fields that can be owned. Counterpart: `structured-merge-diff/typed`.
//!
//! The schema table tells which lists, maps and structs are owned as a whole.

use super::set::{owned, put, step};
use crate::api::json;
use crate::api::schema::{self, FieldInfo, Schema};
use crate::api::value::{Map, Value};
use arcstr::ArcStr;

/// Returns true for a field that the API server's Go types always have, even if empty, so that no manager adds it: a struct that is not a pointer, or a list
/// that is always encoded.
fn is_embedded(info: &FieldInfo) -> bool {
    match info.shape {
        schema::Shape::One => !info.pointer && matches!(info.kind, schema::Kind::Schema(_)),
        schema::Shape::List | schema::Shape::Map => info.always,
    }
}

/// The type of a value, as far as field ownership is concerned.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// A value that is owned as a whole.
    Leaf,
    /// A struct with the fields of a schema.
    Struct(&'static Schema),
    /// A map with arbitrary keys and values of one kind.
    Map(schema::Kind),
    /// A list whose items are identified by keys (`listType=map`).
    Keyed(&'static FieldInfo),
    /// A list of distinct plain values (`listType=set`).
    Set,
}

static EMPTY: Value = Value::Map(Map::new());

impl Type {
    /// Returns the type of a whole object whose schema has this name.
    pub fn of_schema(name: &str) -> Type {
        schema::schema(name).map_or(Type::Leaf, Type::Struct)
    }
    fn of_kind(kind: schema::Kind) -> Type {
        match kind {
            schema::Kind::Schema(name) => match Type::of_schema(name) {
                Type::Struct(schema) if schema.atomic => Type::Leaf,
                other => other,
            },
            _ => Type::Leaf,
        }
    }
    fn of_field(info: &'static FieldInfo) -> Type {
        match (info.shape, info.list_type) {
            (schema::Shape::One, "granular") => match info.kind {
                schema::Kind::Schema(name) => Type::of_schema(name),
                _ => Type::Leaf,
            },
            (schema::Shape::One, _) => Type::of_kind(info.kind),
            (schema::Shape::Map, "atomic") => Type::Leaf,
            (schema::Shape::Map, _) => Type::Map(info.kind),
            (schema::Shape::List, "map") => Type::Keyed(info),
            (schema::Shape::List, "set") => Type::Set,
            (schema::Shape::List, _) => Type::Leaf,
        }
    }
    /// Returns the type of the value under a key of a value of this type.
    fn under(self, key: &str) -> Type {
        match self {
            Type::Struct(schema) => schema.field(key).map_or(Type::Leaf, Type::of_field),
            Type::Map(kind) => Type::of_kind(kind),
            _ => Type::Leaf,
        }
    }
    /// Returns the key of a list's item in a set of fields, and the item's type.
    fn item(self, item: &Value, index: usize) -> (ArcStr, Type) {
        match self {
            Type::Keyed(info) => {
                let mut keys = Map::new();
                for key in &info.list_map_keys {
                    match item.get(key) {
                        Some(value) if !value.is_null() => keys.insert(*key, value.clone()),
                        _ if *key == "protocol" => keys.insert(*key, "TCP"),
                        _ => {}
                    }
                }
                let name = if keys.is_empty() {
                    ArcStr::from(format!("i:{index}"))
                } else {
                    ArcStr::from(format!("k:{}", json::to_string(&keys.into())))
                };
                (name, Type::of_kind(info.kind))
            }
            _ => (ArcStr::from(format!("v:{}", json::to_string(item))), Type::Leaf),
        }
    }
    /// Returns the parts of a value, each with its key in a set of fields.
    fn parts(self, value: &Value) -> Vec<(ArcStr, Type, &Value)> {
        match (self, value) {
            (Type::Struct(_) | Type::Map(_), Value::Map(map)) => {
                map.iter().map(|(key, child)| (ArcStr::from(format!("f:{key}")), self.under(key), child)).collect()
            }
            (Type::Keyed(_) | Type::Set, Value::List(items)) => {
                let named = items.iter().enumerate().map(|(i, item)| (self.item(item, i), item));
                named.map(|((name, type_), item)| (name, type_, item)).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Map(map) => map.is_empty(),
        Value::List(list) => list.is_empty(),
        _ => false,
    }
}

/// Returns the set of fields that a configuration specifies.
pub fn fields_of(type_: Type, value: &Value) -> Map {
    let mut set = Map::new();
    for (name, inner, child) in type_.parts(value) {
        // Keys of maps and items of lists are owned in addition to the fields in them.
        let itself = !matches!(type_, Type::Struct(_)) || matches!(inner, Type::Leaf);
        let nothing = is_empty(child) && !matches!(child, Value::List(_));
        put(&mut set, &name, itself || nothing, fields_of(inner, child));
    }
    set
}

/// The differences between two objects, as sets of fields.
#[derive(Debug, Default)]
pub struct Difference {
    /// The set of fields that are new or have another value.
    pub changed: Map,
    /// The set of fields that were removed.
    pub removed: Map,
}

/// Compares an object with an earlier version of it.
pub fn compare(type_: Type, old: &Value, new: &Value) -> Difference {
    let mut difference = Difference::default();
    let (before, after) = (type_.parts(old), type_.parts(new));
    for (name, inner, value) in &before {
        let other = after.iter().find(|(other, ..)| other == name).map(|(_, _, value)| *value);
        if other != Some(*value) {
            part(&mut difference, type_, name, *inner, Some(value), other);
        }
    }
    for (name, inner, value) in after.iter().filter(|(name, ..)| !before.iter().any(|(other, ..)| other == name)) {
        part(&mut difference, type_, name, *inner, None, Some(value));
    }
    difference
}

fn part(all: &mut Difference, parent: Type, name: &str, type_: Type, mut old: Option<&Value>, mut new: Option<&Value>) {
    let field = |parent: &'static Schema| name.strip_prefix("f:").and_then(|name| parent.field(name));
    if let Type::Struct(parent) = parent
        && field(parent).is_some_and(is_embedded)
    {
        (old, new) = (old.or(Some(&EMPTY)), new.or(Some(&EMPTY)));
    }
    let leaf = matches!(type_, Type::Leaf) || (old.is_none_or(is_empty) && new.is_none_or(is_empty));
    let mut inner = match (leaf, old, new) {
        (true, ..) => Difference::default(),
        (_, Some(old), Some(new)) => compare(type_, old, new),
        // For an added or removed value, all of its fields count, including the nodes in between.
        (_, None, Some(new)) => Difference { changed: everything(type_, new), ..Difference::default() },
        (_, Some(old), None) => Difference { removed: everything(type_, old), ..Difference::default() },
        _ => Difference::default(),
    };
    let other_value = leaf && matches!((old, new), (Some(old), Some(new)) if old != new && !(is_empty(old) && is_empty(new)));
    put(&mut all.changed, name, old.is_none() || other_value, std::mem::take(&mut inner.changed));
    put(&mut all.removed, name, new.is_none(), inner.removed);
}

/// Returns the set of all fields of a value, including the nodes in between.
fn everything(type_: Type, value: &Value) -> Map {
    let mut set = Map::new();
    for (name, inner, child) in type_.parts(value) {
        put(&mut set, &name, true, everything(inner, child));
    }
    set
}

/// Merges the configuration of an apply into an object.
pub fn merge(type_: Type, live: Value, config: &Value) -> Value {
    match (type_, live, config) {
        (Type::Struct(_) | Type::Map(_), Value::Map(mut live), Value::Map(config)) => {
            for (key, value) in config.iter() {
                let merged = match live.take(key) {
                    Some(old) => merge(type_.under(key), old, value),
                    None => value.clone(),
                };
                live.insert(key.clone(), merged);
            }
            Value::Map(live)
        }
        (Type::Keyed(_) | Type::Set, Value::List(live), Value::List(config)) => Value::List(merge_lists(type_, live, config)),
        (_, _, config) => config.clone(),
    }
}

/// Merges two lists. The configuration's items keep their order; items that only the object has stay in front of the items that followed them.
fn merge_lists(type_: Type, live: Vec<Value>, config: &[Value]) -> Vec<Value> {
    let name = |(i, item): (usize, &Value)| type_.item(item, i);
    let live_names: Vec<_> = live.iter().enumerate().map(name).collect();
    let names: Vec<_> = config.iter().enumerate().map(name).collect();
    let mut live: Vec<Option<Value>> = live.into_iter().map(Some).collect();
    let (mut out, mut done) = (Vec::new(), 0);
    for i in 0..live.len() {
        match names.iter().position(|(name, _)| *name == live_names[i].0) {
            None => out.extend(live[i].take()),
            Some(at) => {
                while done <= at {
                    out.push(merge_item(&live_names, &mut live, &names[done], &config[done]));
                    done += 1;
                }
            }
        }
    }
    out.extend((done..config.len()).map(|at| merge_item(&live_names, &mut live, &names[at], &config[at])));
    out
}

fn merge_item(live_names: &[(ArcStr, Type)], live: &mut [Option<Value>], name: &(ArcStr, Type), item: &Value) -> Value {
    let at = live_names.iter().position(|(other, _)| *other == name.0);
    match at.and_then(|at| live.get_mut(at)).and_then(Option::take) {
        Some(old) => merge(name.1, old, item),
        None => item.clone(),
    }
}

/// Removes the fields of the set `last`, which the manager owned before the apply, that are not in the set `managed`, which somebody still owns.
pub fn prune(type_: Type, value: &mut Value, last: &Map, managed: &Map) {
    let keep = |name: &str, inner: Type, child: &mut Value| {
        let Some(before) = last.map(name) else { return true };
        let now = managed.map(name);
        if now.is_none() && (owned(before) || matches!(type_, Type::Struct(_))) {
            return false;
        }
        let nothing = Map::new();
        if !before.is_empty() && now.is_none_or(|now| !now.is_empty()) {
            prune(inner, child, before, now.unwrap_or(&nothing));
        }
        true
    };
    match (type_, value) {
        (Type::Struct(_) | Type::Map(_), Value::Map(map)) => map.retain(|key, child| keep(&format!("f:{key}"), type_.under(key), child)),
        (Type::Keyed(_) | Type::Set, Value::List(items)) => {
            let mut index = 0;
            items.retain_mut(|item| {
                let (name, inner) = type_.item(item, index);
                index += 1;
                keep(&name, inner, item)
            });
        }
        _ => {}
    }
}

/// Collects messages about unknown fields, missing list keys and duplicate items in the configuration of an apply.
pub fn problems(type_: Type, value: &Value, path: &str, out: &mut Vec<String>) {
    if let (Type::Struct(schema), Value::Map(map)) = (type_, value) {
        let unknown = map.iter().filter(|(key, _)| schema.field(key).is_none());
        out.extend(unknown.map(|(key, _)| format!("{path}.{key}: field not declared in schema")));
    }
    if let (Type::Keyed(info), Value::List(items)) = (type_, value) {
        for (i, item) in items.iter().enumerate() {
            let missing = info.list_map_keys.iter().find(|key| **key != "protocol" && item.get(key).is_none());
            out.extend(missing.map(|key| {
                format!("{path}: element {i}: associative list with keys has an element that omits key field \"{key}\" (and doesn't have default value)")
            }));
        }
    }
    let parts = type_.parts(value);
    for (i, (name, inner, child)) in parts.iter().enumerate() {
        let twice = parts.iter().take(i).any(|(other, ..)| other == name);
        out.extend(twice.then(|| format!("{path}: duplicate entries for key {}", step(name))));
        problems(*inner, child, &format!("{path}{}", step(name)), out);
    }
}
