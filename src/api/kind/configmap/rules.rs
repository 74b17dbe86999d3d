//! Defaults and validation of ConfigMaps. Counterpart: `ValidateConfigMap` in `pkg/apis/core/validation`.

use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules;
use crate::api::names;
use crate::api::value::{Map, Value};

/// The maximum size of a ConfigMap or a Secret in bytes.
pub const MAX_SIZE: usize = 1024 * 1024;
/// The message for a change to an object whose `immutable` field is set.
pub const IMMUTABLE: &str = "field is immutable when `immutable` is set";

/// Validates a new ConfigMap.
pub fn validate(object: &Map, errors: &mut Errors) {
    let binary = object.map("binaryData");
    let mut size = 0;
    for (key, value) in object.map("data").into_iter().flat_map(Map::iter) {
        let path = Path::new("data").key(key);
        errors.invalid_each(&path, key.as_str(), names::config_key(key));
        if binary.is_some_and(|b| b.has(key)) {
            errors.invalid(&path, key.as_str(), "duplicate of key present in binaryData");
        }
        size += value.as_str().map_or(0, str::len);
    }
    for (key, value) in binary.into_iter().flat_map(Map::iter) {
        errors.invalid_each(&Path::new("binaryData").key(key), key.as_str(), names::config_key(key));
        size += decoded_length(value);
    }
    if size > MAX_SIZE {
        // Go writes the path of the whole object like this.
        errors.too_long(&Path::new("[]"), MAX_SIZE);
    }
}

/// Returns the number of bytes that base64 text decodes to.
pub fn decoded_length(value: &Value) -> usize {
    let text = value.as_str().unwrap_or("").trim_end_matches('=');
    text.bytes().filter(|b| !b.is_ascii_whitespace()).count() * 3 / 4
}

/// Reports changes of the fields `keys`, and of the field `immutable` itself, in an object whose `immutable` field is set.
pub fn validate_immutable(new: &Map, old: &Map, keys: &[&str], errors: &mut Errors) {
    if !old.bool("immutable") {
        return;
    }
    if !new.bool("immutable") {
        errors.forbidden(&Path::new("immutable"), IMMUTABLE);
    }
    let entries = |object: &Map, key: &str| object.map(key).filter(|m| !m.is_empty()).cloned();
    for key in keys {
        if entries(new, key) != entries(old, key) {
            errors.forbidden(&Path::new(key), IMMUTABLE);
        }
    }
}

/// Validates an update of a ConfigMap.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    validate_immutable(new, old, &["data", "binaryData"], errors);
    meta_rules::validate(Kind::CONFIG_MAP, new, errors);
    validate(new, errors);
}
