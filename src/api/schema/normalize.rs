//! The changes that decoding makes to an object: it drops `null`s and unknown fields, and makes quantities canonical.
//! Counterpart: the conversion of every object to Go structs and back in the API server.

use super::{FieldInfo, Kind, Schema, Shape, schema};
use crate::api::json;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};

/// Changes an object that passed [`super::check`] to the form in which the API server stores it.
pub fn normalize(schema_name: &str, value: &mut Value) {
    if let (Some(found), Value::Map(map)) = (schema(schema_name), value) {
        structure(found, map);
    }
}

fn structure(found: &Schema, map: &mut Map) {
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
