//! Defaults and validation of Secrets. Counterpart: `ValidateSecret` in `pkg/apis/core/validation`, and the conversion of `stringData`.

use super::super::configmap::{MAX_SIZE, decoded_length, validate_immutable};
use crate::api::base64;
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::kind::Kind;
use crate::api::meta_rules;
use crate::api::names;
use crate::api::value::{Map, Value};

/// Fills in the defaults of a Secret: the type, and `data` from `stringData`.
pub fn default(object: &mut Map) {
    if let Some(Value::Map(texts)) = object.take("stringData") {
        for (key, text) in texts {
            object.map_mut("data").insert(key, base64::encode(text.as_str().unwrap_or("")));
        }
    }
    if object.str("type").is_empty() {
        object.insert("type", "Opaque");
    }
}

/// Validates a new Secret.
pub fn validate(object: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("data"));
    let data = object.map("data").unwrap_or(&empty);
    let mut size = 0;
    for (key, value) in data.iter() {
        errors.invalid_each(&path.key(key), key.as_str(), names::config_key(key));
        size += decoded_length(value);
    }
    if size > MAX_SIZE {
        errors.too_long(&path, MAX_SIZE);
    }
    let missing = |key: &str| !data.has(key);
    match object.str("type") {
        "kubernetes.io/service-account-token" => {
            let key = "kubernetes.io/service-account.name";
            if object.at(&["metadata", "annotations", key]).and_then(Value::as_str).is_none_or(str::is_empty) {
                errors.required(&Path::new("metadata.annotations").key(key), "");
            }
        }
        "kubernetes.io/dockercfg" => validate_docker(data, ".dockercfg", errors),
        "kubernetes.io/dockerconfigjson" => validate_docker(data, ".dockerconfigjson", errors),
        "kubernetes.io/basic-auth" if missing("username") && missing("password") => {
            errors.required(&path.key("username"), "");
            errors.required(&path.key("password"), "");
        }
        "kubernetes.io/ssh-auth" if data.str("ssh-privatekey").is_empty() => errors.required(&path.key("ssh-privatekey"), ""),
        "kubernetes.io/tls" => {
            for key in ["tls.crt", "tls.key"] {
                if missing(key) {
                    errors.required(&path.key(key), "");
                }
            }
        }
        _ => {}
    }
}

fn validate_docker(data: &Map, key: &str, errors: &mut Errors) {
    let path = Path::new("data").key(key);
    let Some(value) = data.get(key) else { return errors.required(&path, "") };
    let text = String::from_utf8_lossy(&base64::decode(value.as_str().unwrap_or("")).unwrap_or_default()).into_owned();
    let problem = match json::parse(&text) {
        Ok(Value::Map(_) | Value::Null) => return,
        Ok(other) => {
            let kind = match other {
                Value::Bool(_) => "bool",
                Value::Str(_) => "string",
                Value::List(_) => "array",
                _ => "number",
            };
            format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")
        }
        Err(problem) => problem,
    };
    errors.invalid(&path, "<secret contents redacted>", &problem);
}

/// Validates an update of a Secret.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    if new.str("type") != old.str("type") {
        errors.invalid(&Path::new("type"), new.str("type"), "field is immutable");
    }
    validate_immutable(new, old, &["data"], errors);
    meta_rules::validate(Kind::SECRET, new, errors);
    validate(new, errors);
}
