//! Defaults and validation. Counterpart: `ValidateSecret` in `pkg/apis/core/validation`, and the conversion of `stringData`.

use super::super::configmap::{MAX_SIZE, decoded_length, validate_immutable};
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::kind::Kind;
use crate::api::meta_rules;
use crate::api::names;
use crate::api::value::{Map, Value};

/// Fills defaults in: the type, and `stringData` put into `data`.
pub fn default(object: &mut Map) {
    if let Some(Value::Map(texts)) = object.take("stringData") {
        for (key, text) in texts {
            object.map_mut("data").insert(key, encode_base64(text.as_str().unwrap_or("").as_bytes()));
        }
    }
    super::super::pod::drop_empty(object);
    if object.str("type").is_empty() {
        object.insert("type", "Opaque");
    }
}

/// Finds what is wrong with a new object.
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
    let text = String::from_utf8_lossy(&decode_base64(value.as_str().unwrap_or(""))).into_owned();
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

/// Finds what is wrong with a change.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    if new.str("type") != old.str("type") {
        errors.invalid(&Path::new("type"), new.str("type"), "field is immutable");
    }
    validate_immutable(new, old, &["data"], errors);
    meta_rules::validate(Kind::SECRET, new, errors);
    validate(new, errors);
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64.
pub fn encode_base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().enumerate().fold(0u32, |word, (i, b)| word | u32::from(*b) << (16 - 8 * i));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { digit as char } else { '=' });
        }
    }
    out
}

/// The bytes behind base64; what is no digit is skipped.
pub fn decode_base64(text: &str) -> Vec<u8> {
    let (mut out, mut word, mut bits) = (Vec::new(), 0u32, 0);
    for digit in text.bytes().filter_map(|b| DIGITS.iter().position(|d| *d == b)) {
        word = word << 6 | digit as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits & 255) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_goes_there_and_back() {
        for (plain, coded) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("hunter2", "aHVudGVyMg==")] {
            assert_eq!(encode_base64(plain.as_bytes()), coded);
            assert_eq!(decode_base64(coded), plain.as_bytes());
        }
    }
}
