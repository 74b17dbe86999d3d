//! JSON merge patch, RFC 7386. The API server applies such patches; `kubectl` creates them for kinds without a strategic merge.

use super::undecodable;
use crate::api::status::Status;
use crate::api::value::{Map, Value};

/// Applies a merge patch: maps merge, `null` removes, anything else replaces.
pub fn apply(target: &Map, patch: &Value) -> Result<Map, Status> {
    match patch {
        Value::Map(patch) => Ok(merge(target, patch)),
        _ => Err(undecodable(patch, "map[string]interface {}")),
    }
}

fn merge(target: &Map, patch: &Map) -> Map {
    let mut merged = target.clone();
    for (key, value) in patch.iter() {
        match value {
            Value::Null => {
                merged.remove(key);
            }
            Value::Map(inner) => {
                let under = merged.map(key).cloned().unwrap_or_default();
                merged.insert(key.clone(), merge(&under, inner));
            }
            other => {
                merged.insert(key.clone(), other.clone());
            }
        }
    }
    merged
}

/// Returns the merge patch that turns one object into another.
pub fn create(from: &Map, to: &Map) -> Map {
    let mut patch = Map::new();
    for (key, value) in to.iter() {
        match (from.get(key), value) {
            (Some(Value::Map(old)), Value::Map(new)) => {
                let inner = create(old, new);
                if !inner.is_empty() {
                    patch.insert(key.clone(), inner);
                }
            }
            (Some(old), new) if old == new => {}
            (_, new) => {
                patch.insert(key.clone(), new.clone());
            }
        }
    }
    for (key, _) in from.iter().filter(|(key, _)| !to.has(key)) {
        patch.insert(key.clone(), Value::Null);
    }
    patch
}
