//! Decodes objects as the API server does, to find errors. Counterparts: `sigs.k8s.io/json` (Go's `encoding/json` made
//! case-sensitive and strict) and kubectl's own check of the metadata.
//!
//! Go's rules: after a plain value of the wrong type, decoding goes on and reports the first such error. A type with a decoder
//! of its own (quantities, times, ports) ends decoding at once, so its error takes precedence. Unknown fields are reported only
//! if there are no other errors.

use super::{FieldInfo, Kind, Schema, Shape, schema, time};
use crate::api::base64;
use crate::api::json;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};

/// The error about an object that cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictError {
    /// The whole message, as in the API server's response.
    pub message: String,
    /// The path of the (first) faulty field, so that the editor can mark it; empty if it is not known.
    pub path: String,
    /// True if only strict decoding fails, because of unknown or duplicate fields.
    pub strict_only: bool,
    /// The messages of strict decoding, one by one; empty unless only strict decoding fails.
    pub complaints: Vec<String>,
}

/// The maximum number of messages of strict decoding.
const MAX_COMPLAINTS: usize = 100;

/// Checks an object against a schema, with the API server's error messages. An object whose schema is not in the table is not checked.
pub fn check(schema_name: &str, kind: &str, version: &str, value: &Value) -> Result<(), StrictError> {
    check_with_duplicates(schema_name, kind, version, value, &[])
}

/// Like [`check`], but reports errors about duplicate keys (from [`json::parse_strict`] or `Document::duplicates_message`) first.
pub fn check_with_duplicates(
    schema_name: &str,
    kind: &str,
    version: &str,
    value: &Value,
    duplicates: &[String],
) -> Result<(), StrictError> {
    Decoder { complaints: duplicates.to_vec(), ..Decoder::default() }.run(schema_name, kind, version, value)
}

/// Like [`check`], but with the errors of the conversion from a tree to Go structs, which ends at the first one. Counterpart: `fromUnstructured` in
/// `apimachinery/pkg/runtime/converter.go`.
pub fn check_conversion(schema_name: &str, kind: &str, version: &str, value: &Value) -> Result<(), StrictError> {
    Decoder { converts: true, ..Decoder::default() }.run(schema_name, kind, version, value)
}

/// Runs the check that kubectl makes before it sends an object: the object must have a kind, and its metadata must be of the right types. The error is the
/// text after `unable to decode "STDIN": `.
pub fn check_client_metadata(value: &Value) -> Result<(), String> {
    if value.get("kind").and_then(Value::as_str).is_none_or(str::is_empty) {
        return Err(format!("Object 'Kind' is missing in '{}'", json::to_string_html(value)));
    }
    let (Some(found), Some(metadata)) = (schema("meta.v1.ObjectMeta"), value.get("metadata")) else {
        return Ok(());
    };
    let mut decoder = Decoder::default();
    decoder.fields.push("metadata");
    let decoded = match metadata {
        Value::Null => Ok(()),
        Value::Map(map) => decoder.structure(found, found.go_type(), map),
        other => decoder.mismatch("metadataOnlyObject", other, "v1.ObjectMeta"),
    };
    match decoded {
        Err(()) => Err(decoder.fatal),
        Ok(()) => decoder.first.map_or(Ok(()), Err),
    }
}

/// Runs the first check that kubectl makes of an object: its API version and kind must be strings. The error is the text after
/// `error validating "STDIN": error validating data: `. Counterpart: `getObjectKind` in `kubectl/pkg/validation`.
pub fn check_type_meta(value: &Value) -> Result<(), String> {
    let Some(map) = value.as_map() else {
        return Err("invalid object to validate".to_owned());
    };
    let mut problems = Vec::new();
    for key in ["apiVersion", "kind"] {
        match map.get(key) {
            None | Some(Value::Null) => problems.push(format!("{key} not set")),
            Some(Value::Str(text)) if key == "apiVersion" && text.matches('/').count() > 1 => {
                problems.push(format!("unexpected GroupVersion string: {text}"));
            }
            Some(Value::Str(_)) => {}
            Some(_) => problems.push(format!("{key} isn't string type")),
        }
    }
    match problems.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

#[derive(Default)]
struct Decoder {
    /// The names of the fields from the root to the current value, without list indices and map keys, as Go's errors show them.
    fields: Vec<&'static str>,
    /// The full path of the current value, with list indices and map keys.
    path: String,
    /// The first error about a wrong type.
    first: Option<String>,
    /// The error that was recorded last. If decoding ended because of it, this is the error that is reported.
    fatal: String,
    complaints: Vec<String>,
    /// The path of the field that the reported error is about.
    fault: String,
    /// Set if a tree is converted to structs instead of a text being decoded.
    converts: bool,
}

impl Decoder {
    fn run(mut self, schema_name: &str, kind: &str, version: &str, value: &Value) -> Result<(), StrictError> {
        let decoded = match (schema(schema_name), value) {
            (Some(found), Value::Map(map)) => self.structure(found, found.go_type(), map),
            _ => Ok(()),
        };
        let (problem, strict_only) = match (decoded, self.first) {
            (Err(()), _) => (self.fatal, false),
            (Ok(()), Some(first)) => (first, false),
            (Ok(()), None) if self.complaints.is_empty() => return Ok(()),
            (Ok(()), None) => (format!("strict decoding error: {}", self.complaints.join(", ")), true),
        };
        let message = format!("{kind} in version {version:?} cannot be handled as a {kind}: {problem}");
        let complaints = if strict_only { self.complaints } else { Vec::new() };
        Err(StrictError { message, path: self.fault, strict_only, complaints })
    }

    fn structure(&mut self, found: &'static Schema, go_type: &str, map: &Map) -> Result<(), ()> {
        for (key, value) in map.iter() {
            let outer = self.path.len();
            if outer > 0 {
                self.path.push('.');
            }
            self.path.push_str(key);
            match found.field(key) {
                Some(info) => {
                    let above = self.fields.len();
                    self.fields.extend(embedded(found.name, info.name));
                    self.fields.push(info.name);
                    self.field(info, go_type, value)?;
                    self.fields.truncate(above);
                }
                None => self.unknown(),
            }
            self.path.truncate(outer);
        }
        Ok(())
    }

    fn unknown(&mut self) {
        let complaint = format!("unknown field \"{}\"", self.path);
        if self.complaints.len() < MAX_COMPLAINTS && !self.complaints.contains(&complaint) {
            if self.fault.is_empty() {
                self.fault = self.path.clone();
            }
            self.complaints.push(complaint);
        }
    }

    fn field(&mut self, info: &'static FieldInfo, holder: &str, value: &Value) -> Result<(), ()> {
        let outer = self.path.len();
        match (info.shape, value) {
            (_, Value::Null) => {}
            (Shape::One, _) => self.one(info, holder, value)?,
            (Shape::List, Value::List(items)) => {
                for (i, item) in items.iter().enumerate() {
                    self.path.push_str(&format!("[{i}]"));
                    self.one(info, holder, item)?;
                    self.path.truncate(outer);
                }
            }
            (Shape::Map, Value::Map(map)) => {
                for (key, item) in map.iter() {
                    self.path.push('.');
                    self.path.push_str(key);
                    self.one(info, holder, item)?;
                    self.path.truncate(outer);
                }
            }
            (Shape::List, _) => self.mismatch(holder, value, &format!("[]{}", go_type(info)))?,
            (Shape::Map, _) if info.kind == Kind::Quantity => self.mismatch(holder, value, "v1.ResourceList")?,
            (Shape::Map, _) => self.mismatch(holder, value, &format!("map[string]{}", go_type(info)))?,
        }
        Ok(())
    }

    fn one(&mut self, info: &'static FieldInfo, holder: &str, value: &Value) -> Result<(), ()> {
        match (info.kind, value) {
            (_, Value::Null) | (Kind::Any, _) => Ok(()),
            (Kind::String, Value::Str(_)) | (Kind::Bool, Value::Bool(_)) | (Kind::Int64, Value::Int(_)) => Ok(()),
            (Kind::Double, Value::Int(_) | Value::Float(_)) => Ok(()),
            (Kind::Int32, Value::Int(i)) if i32::try_from(*i).is_ok() => Ok(()),
            (Kind::Int32 | Kind::Int64, Value::Int(_) | Value::Float(_)) if !self.converts => {
                self.bad_number(holder, value, go_type(info));
                Ok(())
            }
            (Kind::Schema(name), Value::Map(map)) => match schema(name) {
                Some(found) => self.structure(found, found.go_type(), map),
                None => Ok(()),
            },
            // Go would read a list of numbers as bytes; here only its errors about other items are reported.
            (Kind::Bytes, Value::List(items)) if items.iter().any(|item| !matches!(item, Value::Int(0..=255))) => {
                for item in items {
                    match item {
                        Value::Int(0..=255) => {}
                        Value::Int(_) | Value::Float(_) => self.bad_number(holder, item, "uint8"),
                        _ => self.mismatch(holder, item, "uint8")?,
                    }
                }
                Ok(())
            }
            (Kind::Bytes, Value::Str(text)) => {
                let Err(at) = base64::check(text) else { return Ok(()) };
                let problem = format!("illegal base64 data at input byte {at}");
                if self.converts {
                    return self.stop(format!("error decoding from json: {problem}"));
                }
                self.note(problem);
                Ok(())
            }
            (Kind::IntOrString, _) => self.int_or_string(holder, value),
            (Kind::Quantity, _) => self.quantity(value),
            (Kind::Time | Kind::MicroTime, _) => self.time(holder, value, info.kind == Kind::MicroTime),
            _ => self.mismatch(holder, value, go_type(info)),
        }
    }

    fn int_or_string(&mut self, holder: &str, value: &Value) -> Result<(), ()> {
        match value {
            Value::Str(_) => return Ok(()),
            Value::Int(i) if i32::try_from(*i).is_ok() => return Ok(()),
            Value::Int(_) | Value::Float(_) => self.bad_number(holder, value, "int32"),
            _ => self.wrong(holder, value.json_type(), "int32"),
        }
        Err(())
    }

    fn quantity(&mut self, value: &Value) -> Result<(), ()> {
        let parsed = match value {
            Value::Str(text) => Quantity::parse(text.trim()),
            other => Quantity::parse(&json::to_string(other)),
        };
        parsed.map(drop).map_err(|problem| self.note(problem.to_string()))
    }

    fn time(&mut self, holder: &str, value: &Value, micro: bool) -> Result<(), ()> {
        match value {
            Value::Str(text) => time::check(text, micro).map_err(|problem| self.note(problem)),
            _ => {
                self.wrong(holder, value.json_type(), "string");
                Err(())
            }
        }
    }

    /// Reports a value of a wrong type: decoding goes on after it, conversion stops.
    fn mismatch(&mut self, holder: &str, value: &Value, go_type: &str) -> Result<(), ()> {
        if self.converts {
            return self.stop(conversion_problem(value, go_type));
        }
        self.wrong(holder, value.json_type(), go_type);
        Ok(())
    }

    fn stop(&mut self, problem: String) -> Result<(), ()> {
        self.note(problem);
        Err(())
    }

    /// Reports a number that does not fit the Go type, with its digits.
    fn bad_number(&mut self, holder: &str, value: &Value, go_type: &str) {
        let digits = match value {
            Value::Float(f) if *f == (*f as i64) as f64 => whole_float(*f),
            other => json::to_string(other),
        };
        self.wrong(holder, &format!("number {digits}"), go_type);
    }

    fn wrong(&mut self, holder: &str, what: &str, go_type: &str) {
        // Types with a decoder of their own do not know where they are when a tree is converted.
        let place = if self.converts { "value".to_owned() } else { format!("struct field {holder}.{}", self.fields.join(".")) };
        self.note(format!("json: cannot unmarshal {what} into Go {place} of type {go_type}"));
    }

    /// Records an error. If the caller goes on decoding, the first recorded error is reported in the end; if the caller stops, the error that it has just
    /// recorded is.
    fn note(&mut self, problem: String) {
        if self.first.is_none() {
            self.first = Some(problem.clone());
            self.fault = self.path.clone();
        }
        self.fatal = problem;
    }
}

/// Returns the embedded Go struct that holds a field of a schema, which Go's errors name, too.
fn embedded(schema: &str, field: &str) -> Option<&'static str> {
    const OWN: &[&str] = &[
        "accessModes",
        "capacity",
        "claimRef",
        "mountOptions",
        "nodeAffinity",
        "persistentVolumeReclaimPolicy",
        "storageClassName",
        "volumeAttributesClassName",
        "volumeMode",
    ];
    match (schema, field) {
        ("core.v1.Volume", "name") | ("core.v1.EphemeralContainer", "targetContainerName") => None,
        ("core.v1.Volume", _) => Some("VolumeSource"),
        ("core.v1.EphemeralContainer", _) => Some("EphemeralContainerCommon"),
        ("core.v1.PersistentVolumeSpec", _) if !OWN.contains(&field) => Some("PersistentVolumeSource"),
        ("core.v1.Probe", "exec" | "grpc" | "httpGet" | "tcpSocket") => Some("ProbeHandler"),
        ("networking.v1.IngressRule", "http") => Some("IngressRuleValue"),
        (_, "apiVersion" | "kind") if super::schema(schema).is_some_and(|s| s.field("metadata").is_some()) => Some("TypeMeta"),
        (
            "core.v1.ConfigMapEnvSource"
            | "core.v1.ConfigMapKeySelector"
            | "core.v1.ConfigMapProjection"
            | "core.v1.ConfigMapVolumeSource"
            | "core.v1.SecretEnvSource"
            | "core.v1.SecretKeySelector"
            | "core.v1.SecretProjection",
            "name",
        ) => Some("LocalObjectReference"),
        _ => None,
    }
}

/// Returns the name of the Go type of a field's value, or of its items.
fn go_type(info: &FieldInfo) -> &'static str {
    match info.kind {
        Kind::String if !info.go_name.is_empty() => info.go_name,
        Kind::String => "string",
        Kind::Int32 => "int32",
        Kind::Int64 => "int64",
        Kind::Bool => "bool",
        Kind::Time => "v1.Time",
        Kind::MicroTime => "v1.MicroTime",
        Kind::Quantity => "resource.Quantity",
        Kind::IntOrString => "intstr.IntOrString",
        Kind::Any => "v1.JSON",
        Kind::Double => "float64",
        Kind::Bytes => "[]uint8",
        Kind::Schema(name) => schema(name).map_or(name, Schema::go_path),
    }
}

/// Returns the error of the conversion of a value to a Go type.
fn conversion_problem(value: &Value, go_type: &str) -> String {
    let from = match value {
        Value::Map(_) => "map",
        Value::List(_) => "slice",
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
        other => other.json_type(),
    };
    let plain = matches!(go_type, "int32" | "int64" | "bool" | "float64");
    if go_type.starts_with("[]") {
        format!("cannot restore slice from {from}")
    } else if go_type.starts_with("map[") || go_type == "v1.ResourceList" {
        format!("cannot restore map from {from}")
    } else if super::is_struct(go_type) {
        format!("cannot restore struct from: {from}")
    } else if from == "int64" && !plain || from == "float64" && go_type.starts_with("int") {
        // Go can convert between such numbers elsewhere, so its decoder reports them with a message of its own.
        format!("cannot convert {from} to {go_type}")
    } else {
        format!("unrecognized type: {}", if plain { go_type } else { "string" })
    }
}

/// Formats a whole number that was written as a float, as Go's decoder shows it.
fn whole_float(f: f64) -> String {
    // From 1e16 on the digits are shown without a decimal point.
    if f.abs() < 1e16 { format!("{f}.0") } else { f.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(schema_name: &str, text: &str) -> String {
        let kind = schema_name.rsplit('.').next().unwrap();
        let value = json::parse(text).unwrap();
        let message = check(schema_name, kind, "v1", &value).map_err(|e| e.message).err().unwrap_or_default();
        message.split_once(": ").map_or(String::new(), |(_, rest)| rest.to_string())
    }

    #[test]
    fn a_type_with_its_own_decoder_wins_over_earlier_notes() {
        let text = r#"{"spec":{"containers":[{"image":5,"resources":{"limits":{"cpu":"x"}}}]}}"#;
        assert!(problem("core.v1.Pod", text).starts_with("quantities must match"));
    }

    #[test]
    fn named_strings_and_odd_numbers_are_shown_as_go_shows_them() {
        for (name, text, expected) in [
            (
                "core.v1.Pod",
                r#"{"spec":{"restartPolicy":1}}"#,
                "number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy",
            ),
            (
                "core.v1.Pod",
                r#"{"spec":{"priority":3000000000}}"#,
                "number 3000000000 into Go struct field PodSpec.spec.priority of type int32",
            ),
            ("core.v1.Pod", r#"{"spec":{"priority":3.0}}"#, "number 3.0 into Go struct field PodSpec.spec.priority of type int32"),
            (
                "core.v1.Pod",
                r#"{"spec":{"volumes":[{"emptyDir":[]}]}}"#,
                "array into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource",
            ),
            (
                "core.v1.ResourceQuota",
                r#"{"spec":{"hard":[]}}"#,
                "array into Go struct field ResourceQuotaSpec.spec.hard of type v1.ResourceList",
            ),
        ] {
            assert_eq!(problem(name, text), format!("json: cannot unmarshal {expected}"));
        }
        assert_eq!(problem("core.v1.Pod", r#"{"spec":null,"status":{"startTime":null}}"#), "");
    }

    #[test]
    fn the_client_names_what_is_wrong_with_metadata() {
        let value = json::parse(r#"{"kind":"Pod","metadata":[]}"#).unwrap();
        let expected = "json: cannot unmarshal array into Go struct field metadataOnlyObject.metadata of type v1.ObjectMeta";
        assert_eq!(check_client_metadata(&value), Err(expected.to_string()));
        let value = json::parse(r#"{"kind":"Pod","metadata":{"labels":{"a":true}}}"#).unwrap();
        let expected = "json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string";
        assert_eq!(check_client_metadata(&value), Err(expected.to_string()));
    }
}
