//! The changes that decoding and encoding make to an object: they drop `null`s, unknown fields and zero values that Go leaves out, add the fields that Go
//! always encodes, and make quantities canonical. Counterpart: the conversion of every object to Go structs and back in the API server.

use super::{FieldInfo, Kind, Shape, schema};
use crate::api::json;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};

/// Changes an object that passed [`super::check`] to the form in which it is read: without `null`s and unknown fields, with canonical quantities.
pub fn normalize(schema_name: &str, value: &mut Value) {
    if let (Some(found), Value::Map(map)) = (schema(schema_name), value) {
        map.retain(|key, value| {
            found.field(key).is_some_and(|info| {
                let keep = !value.is_null();
                if keep {
                    field(info, value);
                }
                keep
            })
        });
    }
}

/// The stages of an object on its way to the store.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// Before defaults and validation, which tell empty lists and maps from missing ones.
    New,
    /// The same, but without empty lists and maps, so that the object can be compared with a stored one.
    Comparable,
    /// After validation.
    Validated,
}

/// Changes a normalized object to the form in which Go encodes its struct: without zero values that only a pointer could tell from missing ones, and with
/// the structs, zero values and missing lists (as `null`) that Go always encodes. Missing pointers are not added.
pub fn encode(schema_name: &str, map: &mut Map) {
    walk(schema_name, map, Stage::Comparable);
}

/// Changes a new object as [`encode`] does, but keeps empty lists and maps, because defaults and validation may depend on them.
pub fn encode_new(schema_name: &str, map: &mut Map) {
    walk(schema_name, map, Stage::New);
}

/// Removes lists and maps that are empty: the store does not distinguish them from missing ones, not even in a dry run.
pub fn forget_empty(schema_name: &str, map: &mut Map) {
    walk(schema_name, map, Stage::Validated);
}

fn walk(schema_name: &str, map: &mut Map, stage: Stage) {
    let Some(found) = schema(schema_name) else { return };
    let validated = stage == Stage::Validated;
    let dropped = |value: &Value| match value {
        Value::List(_) | Value::Map(_) => stage != Stage::New,
        _ => !validated,
    };
    map.retain(|key, value| found.field(key).is_none_or(|info| info.pointer || info.always || !dropped(value) || !left_out(info, value)));
    for info in &found.fields {
        let inner = match info.kind {
            Kind::Schema(name) => Some(name),
            _ => None,
        };
        let added = info.shape == Shape::One && !info.pointer && (info.always || inner.is_some());
        if added && !validated && !map.has(info.name) && !matches!(info.kind, Kind::Time | Kind::MicroTime | Kind::Any) {
            map.insert(info.name, zero(info.kind));
        }
        if info.always && info.shape != Shape::One && map.get(info.name).is_none_or(|value| validated && left_out(info, value)) {
            map.insert(info.name, Value::Null);
        }
        let (Some(name), Some(value)) = (inner, map.get_mut(info.name)) else { continue };
        match (info.shape, value) {
            (Shape::One, Value::Map(inner)) => walk(name, inner, stage),
            (Shape::List, Value::List(items)) => items.iter_mut().filter_map(Value::as_map_mut).for_each(|item| walk(name, item, stage)),
            (Shape::Map, Value::Map(items)) => {
                items.iter_mut().filter_map(|(_, item)| item.as_map_mut()).for_each(|item| walk(name, item, stage));
            }
            _ => {}
        }
    }
}

/// Returns true for a value that `omitempty` drops. Structs are always encoded.
fn left_out(info: &FieldInfo, value: &Value) -> bool {
    match value {
        Value::Bool(b) => !b,
        Value::Int(i) => *i == 0 && info.kind != Kind::IntOrString,
        Value::Float(f) => *f == 0.0,
        Value::Str(s) => s.is_empty() && matches!(info.kind, Kind::String | Kind::Bytes),
        Value::List(list) => info.shape == Shape::List && list.is_empty(),
        Value::Map(map) => info.shape == Shape::Map && map.is_empty(),
        Value::Null => true,
    }
}

fn field(info: &FieldInfo, value: &mut Value) {
    match (info.shape, value) {
        (Shape::List, Value::List(items)) => items.iter_mut().for_each(|item| one(info, item, false)),
        (Shape::Map, Value::Map(map)) => map.iter_mut().for_each(|(_, item)| one(info, item, true)),
        (Shape::One, value) => one(info, value, false),
        _ => {}
    }
}

fn one(info: &FieldInfo, value: &mut Value, resource: bool) {
    if value.is_null() {
        *value = zero(info.kind);
        return;
    }
    match info.kind {
        Kind::Schema(name) => normalize(name, value),
        Kind::Quantity => {
            let text = match &*value {
                Value::Str(s) => s.trim().to_string(),
                other => json::to_string(other),
            };
            let canonical = if resource { Quantity::normalize_resource(&text) } else { Quantity::normalize(&text) };
            if let Ok(canonical) = canonical {
                *value = Value::from(canonical);
            }
        }
        _ => {}
    }
}

fn zero(kind: Kind) -> Value {
    match kind {
        Kind::String | Kind::Bytes => Value::from(""),
        Kind::Int32 | Kind::Int64 | Kind::IntOrString | Kind::Double => Value::Int(0),
        Kind::Bool => Value::Bool(false),
        Kind::Quantity => Value::from("0"),
        Kind::Schema(_) => Value::Map(Map::new()),
        Kind::Time | Kind::MicroTime | Kind::Any => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(schema_name: &str, text: &str) -> String {
        let mut value = json::parse(text).unwrap();
        normalize(schema_name, &mut value);
        let mut map = value.as_map().unwrap().clone();
        encode(schema_name, &mut map);
        json::to_string(&map.into())
    }

    #[test]
    fn zeros_are_dropped_unless_a_pointer_or_the_lack_of_omitempty_keeps_them() {
        let spec = r#"{"hostNetwork":false,"automountServiceAccountToken":false,"nodeName":"","nodeSelector":{"a":""},"tolerations":[],
            "terminationGracePeriodSeconds":0,"containers":[],"securityContext":{}}"#;
        let kept = r#"{"automountServiceAccountToken":false,"containers":[],"nodeSelector":{"a":""},"securityContext":{},"terminationGracePeriodSeconds":0}"#;
        assert_eq!(encoded("core.v1.PodSpec", spec), kept);
        assert_eq!(encoded("core.v1.EnvVar", r#"{"name":"","value":""}"#), r#"{"name":""}"#);
    }

    #[test]
    fn encoding_adds_what_go_always_encodes() {
        assert_eq!(encoded("core.v1.Container", "{}"), r#"{"name":"","resources":{}}"#);
    }
}
