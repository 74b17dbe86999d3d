//! Every kind against the types of `k8s-openapi`, which are generated from the OpenAPI document of the real API server: what the engine writes they read and
//! write again without loss, on the recordings' objects and on objects that are generated from the schema table. The crate's features go from
//! 1.33 to 1.37; the one of the engine's own version is used, because 1.37 renames fields that are alpha in 1.36.

mod generate;
mod types;

use loopscope::api::json;
use loopscope::api::kind::{Kind, Kinds};
use loopscope::api::object::Object;
use loopscope::api::random::Rng;
use loopscope::api::schema;
use loopscope::api::value::{Map, Value};
use std::path::Path;

/// The value without what means the same as nothing to every reader: `null`s.
fn plain(value: &Value) -> Value {
    match value {
        Value::Map(map) => map.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), plain(v))).collect::<Map>().into(),
        Value::List(list) => list.iter().map(plain).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

/// Fails with the first place where two values differ.
fn same(kind: &str, what: &str, left: &Value, right: &Value, path: &str) {
    match (left, right) {
        (Value::Map(a), Value::Map(b)) => {
            for (key, value) in a.iter() {
                same(kind, what, value, b.get(key).unwrap_or(&Value::Null), &format!("{path}.{key}"));
            }
            for (key, value) in b.iter().filter(|(key, _)| !a.has(key)) {
                same(kind, what, &Value::Null, value, &format!("{path}.{key}"));
            }
        }
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                same(kind, what, a, b, &format!("{path}[{i}]"));
            }
        }
        // Required lists and metadata are written even if they are empty.
        (Value::Null, Value::Map(map)) if map.is_empty() => {}
        (Value::Null, Value::List(list)) if list.is_empty() => {}
        _ => assert_eq!(left, right, "{kind}{path}: {what}"),
    }
}

/// Reads a value as the type of `k8s-openapi` and writes it again.
fn through_the_types(kind: Kind, value: &Value) -> Value {
    let row = kind.row();
    let text = json::to_string(value);
    let again = types::round_trip(row.api_version, row.name, &text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", row.name));
    json::parse(&again).unwrap()
}

fn round_trips(kind: Kind, tree: &Map) {
    let name = kind.row().name;
    let object = Object::from_map(kind, tree).unwrap_or_else(|e| panic!("{name}: {e}"));
    let written = plain(&object.to_full_map().into());
    same(name, "the types lose it or add it", &written, &plain(&through_the_types(kind, &written)), "");
}

/// All objects of the built-in kinds inside a recording, however deep.
fn objects_in(value: &Value, found: &mut Vec<(Kind, Map)>) {
    match value {
        Value::Map(map) => {
            let (group, version) = map.str("apiVersion").split_once('/').unwrap_or(("", map.str("apiVersion")));
            match Kinds::default().find(group, version, map.str("kind")).filter(|_| map.map("metadata").is_some_and(|m| m.has("uid"))) {
                Some(kind) => found.push((kind, map.clone())),
                None => map.iter().for_each(|(_, inner)| objects_in(inner, found)),
            }
        }
        Value::List(list) => list.iter().for_each(|inner| objects_in(inner, found)),
        _ => {}
    }
}

fn files(folder: &Path, found: &mut Vec<String>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "jsonl" || e == "json") {
            found.push(std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn recorded_objects_pass_through_the_engine_and_the_types_unchanged() {
    let mut texts = Vec::new();
    files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle")), &mut texts);
    let mut objects = Vec::new();
    for text in &texts {
        let lines: Vec<&str> = if json::parse(text).is_ok() { vec![text] } else { text.lines().collect() };
        for line in lines.into_iter().filter(|l| !l.trim().is_empty()) {
            objects_in(&json::parse(line).unwrap(), &mut objects);
        }
    }
    let mut kinds: Vec<Kind> = objects.iter().map(|(kind, _)| *kind).collect();
    kinds.sort();
    kinds.dedup();
    assert!(objects.len() > 500 && kinds.len() > 10, "{} objects of {} kinds", objects.len(), kinds.len());
    for (kind, recorded) in objects {
        let name = kind.row().name;
        same(name, "the engine loses it or adds it", &recorded_form(&recorded), &recorded_form(&engine_form(kind, &recorded)), "");
        round_trips(kind, &recorded);
    }
}

fn engine_form(kind: Kind, recorded: &Map) -> Map {
    Object::from_map(kind, recorded).unwrap_or_else(|e| panic!("{}: {e}", kind.row().name)).to_map()
}

/// A recorded object without what the engine keeps in its own form: managed fields, uids (numbers here) and versions.
fn recorded_form(map: &Map) -> Value {
    let mut map = map.clone();
    let metadata = map.map_mut("metadata");
    for key in ["managedFields", "uid", "resourceVersion", "ownerReferences"] {
        metadata.remove(key);
    }
    plain(&map.into())
}

#[test]
fn generated_objects_pass_through_the_engine_and_the_types_unchanged() {
    let mut rng = Rng::new(5, 8);
    for kind in Kind::built_in() {
        let row = kind.row();
        let Some(root) = schema::schema(row.schema) else { continue };
        for round in 0..40 {
            let mut tree = generate::object(root, &mut rng, round);
            tree.insert("apiVersion", row.api_version);
            tree.insert("kind", row.name);
            let mut value: Value = tree.into();
            let checked = schema::check(row.schema, row.name, row.version, &value);
            assert_eq!(checked, Ok(()), "{}", row.name);
            same(row.name, "the table and the types differ", &plain(&value), &plain(&through_the_types(kind, &value)), "");
            schema::normalize(row.schema, &mut value);
            round_trips(kind, value.as_map().unwrap());
        }
    }
}
