//! Tests every kind against the types of `k8s-openapi`, which are generated from the OpenAPI document of the real API server: these types read and write
//! the engine's output without loss, for the objects of the recordings and for objects generated from the schema table. The crate has features from 1.33
//! to 1.37; the tests use the feature of the engine's own version, because 1.37 renames fields that are alpha in 1.36.

mod generate;
mod round_trip;

use loopscope::api::json;
use loopscope::api::kind::{Kind, Kinds};
use loopscope::api::object::Object;
use loopscope::api::random::Rng;
use loopscope::api::schema;
use loopscope::api::value::{Map, Value};
use std::path::Path;

/// Returns the value without `null`s, which every reader treats as absent.
fn plain(value: &Value) -> Value {
    match value {
        Value::Map(map) => map.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), plain(v))).collect::<Map>().into(),
        Value::List(list) => list.iter().map(plain).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

/// The differences found: the place of each, and its description.
#[derive(Default)]
struct Differences(std::collections::BTreeMap<String, String>);

impl Differences {
    /// Records the places at which two values differ.
    fn compare(&mut self, what: &str, left: &Value, right: &Value, path: &str) {
        match (left, right) {
            (Value::Map(a), Value::Map(b)) => {
                for (key, value) in a.iter() {
                    self.compare(what, value, b.get(key).unwrap_or(&Value::Null), &format!("{path}.{key}"));
                }
                for (key, value) in b.iter().filter(|(key, _)| !a.has(key)) {
                    self.compare(what, &Value::Null, value, &format!("{path}.{key}"));
                }
            }
            (Value::List(a), Value::List(b)) if a.len() == b.len() => {
                for (a, b) in a.iter().zip(b) {
                    self.compare(what, a, b, &format!("{path}[]"));
                }
            }
            // Required texts, lists and metadata are written even if they are empty.
            (Value::Null, Value::Str(text)) if text.is_empty() => {}
            (Value::Null, Value::Map(map)) if map.is_empty() => {}
            (Value::Null, Value::List(list)) if list.is_empty() => {}
            _ if left == right => {}
            _ => {
                let shown = format!("{} became {}", json::to_string(left), json::to_string(right));
                self.0.entry(format!("{path}: {what}")).or_insert(shown);
            }
        }
    }
    /// Panics if any difference was found.
    fn check(self) {
        let lines: Vec<String> = self.0.iter().map(|(place, what)| format!("{place}: {what}")).collect();
        assert!(lines.is_empty(), "\n{}", lines.join("\n"));
    }
}

/// Reads a value as the type of `k8s-openapi` and writes it again.
fn through_the_types(kind: Kind, value: &Value) -> Value {
    let row = kind.row();
    let text = json::to_string(value);
    let again = round_trip::round_trip(row.api_version, row.name, &text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", row.name));
    json::parse(&again).unwrap()
}

/// Compares the engine's output of an object with the same output after `k8s-openapi` has read and written it.
fn round_trips(kind: Kind, tree: &Map, found: &mut Differences) {
    let object = Object::from_map(kind, tree).unwrap_or_else(|e| panic!("{}: {e}", kind.row().name));
    let written = plain(&object.to_full_map().into());
    found.compare("lost or added by the types", &written, &plain(&through_the_types(kind, &written)), kind.row().name);
}

/// Collects all objects of the built-in kinds inside a recording, however deep.
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
    let mut found = Differences::default();
    for (kind, recorded) in objects {
        let kept = recorded_form(&engine_form(kind, &recorded));
        found.compare("lost or added by the engine", &recorded_form(&recorded), &kept, kind.row().name);
        round_trips(kind, &recorded, &mut found);
    }
    found.check();
}

fn engine_form(kind: Kind, recorded: &Map) -> Map {
    Object::from_map(kind, recorded).unwrap_or_else(|e| panic!("{}: {e}", kind.row().name)).to_map()
}

/// Returns a recorded object without the parts that the engine keeps in its own form: managed fields, versions, and the ids of objects and containers,
/// which are numbers here.
fn recorded_form(map: &Map) -> Value {
    fn without_ids(value: &mut Value) {
        match value {
            Value::Map(map) => {
                map.retain(|key, _| key != "containerID");
                map.iter_mut().for_each(|(_, inner)| without_ids(inner));
            }
            Value::List(list) => list.iter_mut().for_each(without_ids),
            _ => {}
        }
    }
    let mut map = map.clone();
    map.iter_mut().for_each(|(_, inner)| without_ids(inner));
    let metadata = map.map_mut("metadata");
    for key in ["managedFields", "uid", "resourceVersion", "ownerReferences"] {
        metadata.remove(key);
    }
    plain(&map.into())
}

/// Returns an object without the parts that the engine keeps in its own form, and without the status, of which the engine keeps only the fields that its
/// components write.
fn kept_form(map: &Map) -> Value {
    let mut map = map.clone();
    map.remove("status");
    recorded_form(&map)
}

#[test]
fn generated_objects_pass_through_the_engine_and_the_types_unchanged() {
    let (mut rng, mut found) = (Rng::new(5, 8), Differences::default());
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
            found.compare("in the table, not in the types", &plain(&value), &plain(&through_the_types(kind, &value)), row.name);
            schema::normalize(row.schema, &mut value);
            let mut tree = value.as_map().unwrap().clone();
            if !row.shows_grace_period {
                tree.map_mut("metadata").remove("deletionGracePeriodSeconds");
            }
            schema::encode(row.schema, &mut tree);
            (row.default)(&mut tree);
            found.compare("lost or added by the engine", &kept_form(&tree), &kept_form(&engine_form(kind, &tree)), row.name);
            round_trips(kind, &tree, &mut found);
        }
    }
    found.check();
}
