//! Generates objects from the schema table: each field has a value of its type, whether or not the value makes sense.

use loopscope::api::random::Rng;
use loopscope::api::schema::{self, FieldInfo, Kind as Holds, Schema, Shape};
use loopscope::api::value::{Map, Value};
use loopscope::map;

/// Generates an object. The first rounds fill in every field, later rounds only some of them.
pub fn object(of: &'static Schema, rng: &mut Rng, round: usize) -> Map {
    let share = if round < 2 { 1 } else { 2 + rng.below(4) };
    structure(of, rng, share, &[])
}

/// Generates a struct inside the structs whose names are in `around`. A struct that occurs inside itself gets no optional fields, so
/// that the generation ends.
fn structure(of: &'static Schema, rng: &mut Rng, share: u64, around: &[&str]) -> Map {
    let (mut map, inside) = (Map::new(), [around, &[of.name]].concat());
    let depth = usize::from(!around.contains(&of.name));
    for field in &of.fields {
        // The engine writes the managed fields itself, and no server writes links any more.
        let own = matches!(field.name, "managedFields" | "selfLink");
        let typed = matches!(field.name, "apiVersion" | "kind") && of.field("metadata").is_some();
        // Objects without these are refused before they are stored.
        let needed = field.required || matches!(field.name, "spec" | "template" | "lastObservedTime" | "count");
        if typed {
            map.insert(field.name, "");
        } else if !own && (needed || (depth > 0 && rng.below(share) == 0)) {
            map.insert(field.name, value(field, rng, share, &inside));
        }
    }
    // A deletion has both or neither.
    if map.has("deletionTimestamp") != map.has("deletionGracePeriodSeconds") {
        map.remove("deletionTimestamp");
        map.remove("deletionGracePeriodSeconds");
    }
    // Objects inside objects are claims of the core group.
    if of.field("metadata").is_some() && map.has("kind") {
        map.insert("apiVersion", "v1");
        map.insert("kind", of.go_type());
    }
    map
}

fn value(field: &FieldInfo, rng: &mut Rng, share: u64, around: &[&str]) -> Value {
    match field.shape {
        Shape::One => one(field, rng, share, around),
        Shape::List => (0..1 + rng.below(2)).map(|_| one(field, rng, share, around)).collect::<Vec<_>>().into(),
        Shape::Map => ["a", "example.com/b"].iter().map(|key| ((*key).into(), one(field, rng, share, around))).collect::<Map>().into(),
    }
}

fn one(field: &FieldInfo, rng: &mut Rng, share: u64, around: &[&str]) -> Value {
    let pick = rng.below(3) as usize;
    match field.kind {
        Holds::String => text(field, pick).into(),
        Holds::Bytes => ["", "YQ==", "Yg=="][pick].into(),
        Holds::Int32 | Holds::Int64 => Value::Int([1, 80, 2_147_483_647][pick]),
        Holds::Bool => true.into(),
        Holds::Double => Value::Float([0.5, 1.25, 100.125][pick]),
        Holds::Time => "2026-11-16T01:52:12Z".into(),
        Holds::MicroTime => "2026-11-16T01:52:12.000001Z".into(),
        Holds::Quantity => ["1", "100m", "1Gi"][pick].into(),
        Holds::IntOrString => [Value::Int(1), "25%".into(), "http".into()][pick].clone(),
        Holds::Any => map! { "description" => "b" }.into(),
        Holds::Schema(name) => schema::schema(name).map_or(Value::Null, |inner| structure(inner, rng, share, around).into()),
    }
}

/// Returns a text that passes the field's validation, where the engine's own types depend on it.
fn text(field: &FieldInfo, pick: usize) -> &'static str {
    let known: &[&str] = match (field.go_name, field.name) {
        ("v1.ConditionStatus", _) => &["True", "False", "Unknown"],
        ("v1.PodPhase", _) => &["Pending", "Running", "Failed"],
        ("v1.RestartPolicy", _) => &["Always", "OnFailure", "Never"],
        ("v1.DaemonSetUpdateStrategyType" | "v1.StatefulSetUpdateStrategyType", _) => &["RollingUpdate", "OnDelete"],
        ("v1.DeploymentStrategyType", _) => &["RollingUpdate"],
        ("v1.PodManagementPolicyType", _) => &["OrderedReady", "Parallel"],
        ("v1.PersistentVolumeClaimRetentionPolicyType", _) => &["Retain", "Delete"],
        ("v1.ConcurrencyPolicy", _) => &["Allow", "Forbid", "Replace"],
        ("v1.CompletionMode", _) => &["NonIndexed", "Indexed"],
        (_, "resourceVersion") => &["7", "12345"],
        (_, "ip" | "hostIP" | "podIP") => &["10.0.0.1", "10.244.1.2"],
        _ => &["web", "nginx:1.25", "Always"],
    };
    known[pick % known.len()]
}
