//! Objects that are generated from the schema table: each field is of its type, whether or not the value makes sense.

use loopscope::api::random::Rng;
use loopscope::api::schema::{self, FieldInfo, Kind as Holds, Schema, Shape};
use loopscope::api::value::{Map, Value};
use loopscope::map;

/// The deepest nesting. Schemas contain themselves in places.
const DEPTH: usize = 9;

/// Generates an object. The first rounds fill in every field, the others some.
pub fn object(of: &'static Schema, rng: &mut Rng, round: usize) -> Map {
    let share = if round < 2 { 1 } else { 2 + rng.below(4) };
    structure(of, rng, share, DEPTH)
}

fn structure(of: &'static Schema, rng: &mut Rng, share: u64, depth: usize) -> Map {
    let mut map = Map::new();
    for field in &of.fields {
        // The engine writes the managed fields itself.
        let own = field.name == "managedFields";
        if !own && (field.required || (depth > 0 && rng.below(share) == 0)) {
            map.insert(field.name, value(field, rng, share, depth.saturating_sub(1)));
        }
    }
    map
}

fn value(field: &FieldInfo, rng: &mut Rng, share: u64, depth: usize) -> Value {
    match field.shape {
        Shape::One => one(field, rng, share, depth),
        Shape::List => (0..1 + rng.below(2)).map(|_| one(field, rng, share, depth)).collect::<Vec<_>>().into(),
        Shape::Map => ["a", "example.com/b"].iter().map(|key| ((*key).into(), one(field, rng, share, depth))).collect::<Map>().into(),
    }
}

fn one(field: &FieldInfo, rng: &mut Rng, share: u64, depth: usize) -> Value {
    let pick = rng.below(3) as usize;
    match field.kind {
        Holds::String => ["web", "nginx:1.25", "Always"][pick].into(),
        Holds::Bytes => ["", "YQ==", "Yg=="][pick].into(),
        Holds::Int32 => Value::Int([1, 80, 2_147_483_647][pick]),
        Holds::Int64 => Value::Int([1, 80, 9_007_199_254_740_991][pick]),
        Holds::Bool => true.into(),
        Holds::Double => Value::Float([0.5, 1.25, 100.125][pick]),
        Holds::Time => "2026-11-16T01:52:12Z".into(),
        Holds::MicroTime => "2026-11-16T01:52:12.000001Z".into(),
        Holds::Quantity => ["1", "100m", "1Gi"][pick].into(),
        Holds::IntOrString => [Value::Int(1), "25%".into(), "http".into()][pick].clone(),
        Holds::Any => map! { "a" => "b" }.into(),
        Holds::Schema(name) => schema::schema(name).map_or(Value::Null, |inner| structure(inner, rng, share, depth).into()),
    }
}
