//! The OpenAPI schemas of custom resources: defaults, pruning and validation. Counterparts: `apiextensions-apiserver/pkg/apiserver/schema` and
//! `kube-openapi/pkg/validation`.
//!
//! Simplifications: only the common formats are checked, and rules that use functions of CEL beyond the common ones are taken to hold.

mod cel;
mod cel_parser;
mod formats;
mod pattern;
mod validate;

pub use pattern::is_match;
pub use validate::{rules, validate};

use crate::api::value::{Map, Value};

/// Fills in the defaults of the fields that a value lacks. Fields of a nested object are filled in only if that object is present.
pub fn default(schema: &Map, value: &mut Value) {
    match value {
        Value::Map(map) => {
            for (name, property) in schema.map("properties").into_iter().flat_map(Map::iter) {
                let Some(property) = property.as_map() else { continue };
                let missing = map.get(name).is_none_or(|v| v.is_null() && !property.bool("nullable"));
                if let Some(given) = property.get("default").filter(|_| missing) {
                    map.insert(name.clone(), given.clone());
                }
                if let Some(inner) = map.get_mut(name) {
                    default(property, inner);
                }
            }
            if let Some(inner) = schema.map("additionalProperties") {
                let known = schema.map("properties");
                map.iter_mut().filter(|(key, _)| !known.is_some_and(|k| k.has(key))).for_each(|(_, v)| default(inner, v));
            }
        }
        Value::List(items) => {
            if let Some(inner) = schema.map("items") {
                items.iter_mut().for_each(|item| default(inner, item));
            }
        }
        _ => {}
    }
}

/// Drops `null` values of known fields that may not be `null`. Counterpart: `PruneNonNullableNullsWithoutDefaults`.
pub fn drop_nulls(schema: &Map, value: &mut Value) {
    match value {
        Value::Map(map) => {
            let properties = schema.map("properties");
            map.retain(|key, v| {
                let property = properties.and_then(|p| p.map(key));
                !v.is_null() || property.is_none_or(|p| p.bool("nullable"))
            });
            for (key, inner) in map.iter_mut() {
                if let Some(property) = properties.and_then(|p| p.map(key)) {
                    drop_nulls(property, inner);
                }
            }
        }
        Value::List(items) => {
            if let Some(inner) = schema.map("items") {
                items.iter_mut().for_each(|item| drop_nulls(inner, item));
            }
        }
        _ => {}
    }
}

/// Drops the fields that a schema does not have, and returns their paths. `root` tells that `value` is a whole object.
pub fn prune(schema: &Map, value: &mut Value, root: bool) -> Vec<String> {
    let mut unknown = Vec::new();
    prune_at(schema, value, root, "", &mut unknown);
    unknown
}

fn prune_at(schema: &Map, value: &mut Value, object_root: bool, path: &str, unknown: &mut Vec<String>) {
    let keeps = schema.bool("x-kubernetes-preserve-unknown-fields");
    let root = object_root || schema.bool("x-kubernetes-embedded-resource");
    match value {
        Value::Map(map) => {
            let (properties, additional) = (schema.map("properties"), schema.get("additionalProperties"));
            let open = keeps || additional.is_some_and(|a| a.as_bool() != Some(false));
            map.retain(|key, v| {
                let place = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                if root && matches!(key, "apiVersion" | "kind" | "metadata") {
                    return true;
                }
                match properties.and_then(|p| p.map(key)).or(additional.and_then(Value::as_map)) {
                    Some(inner) => prune_at(inner, v, false, &place, unknown),
                    None if open => {}
                    None => unknown.push(place),
                }
                open || properties.is_some_and(|p| p.has(key)) || additional.is_some_and(|a| a.as_map().is_some())
            });
        }
        Value::List(items) => {
            if let Some(inner) = schema.map("items") {
                for (i, item) in items.iter_mut().enumerate() {
                    prune_at(inner, item, false, &format!("{path}[{i}]"), unknown);
                }
            }
        }
        _ => {}
    }
}
