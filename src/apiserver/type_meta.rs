//! Checks apiVersion and kind of a request body against its path. Counterparts: `json.Serializer.Decode`, `transformDecodeError`.

use super::problem;
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::kind::{Kind, Kinds, Served};
use crate::api::status::Status;
use crate::api::value::{Map, Value};

/// The words before the decoder's problem with the kind of a request body.
pub(super) const UNREADABLE: &str = "couldn't get version/kind; json parse error: ";

/// Fills in apiVersion and kind of a request body, or refuses the body if it names another kind than the path. `text` is the body if it was sent as YAML.
pub(super) fn check_type(expected: &str, name: &str, custom: bool, text: &str, map: &mut Map) -> Result<(), Status> {
    let body = |map: &Map| if text.is_empty() { json::to_string(&Value::Map(map.clone())) } else { text.to_owned() };
    // An empty group, and an empty version in the expected group, count as not given. Counterpart: `gvkWithDefaults`.
    if let Some(Value::Str(given)) = map.get("apiVersion") {
        let settled = given.strip_prefix('/').unwrap_or(given);
        let settled = if settled.ends_with('/') && expected.starts_with(settled) { "" } else { settled };
        if settled != given {
            let settled = settled.to_owned();
            map.insert("apiVersion", settled);
        }
    }
    if let Some(problem) = unreadable(map) {
        return Err(unrecognized(name, &problem, &body(map)));
    }
    for (key, text) in [("apiVersion", expected), ("kind", name)] {
        if map.get(key).is_none_or(|v| v.is_null() || v.as_str() == Some("")) {
            map.insert(key, text);
        }
    }
    let (api_version, kind) = (map.str("apiVersion"), map.str("kind"));
    if api_version == expected && kind == name {
        return Ok(());
    }
    let version = api_version.rsplit('/').next().unwrap_or(api_version);
    // Custom objects can be decoded in any version, so only the path decides.
    if is_legacy(api_version, kind) || (custom && api_version != expected) {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    if let Some(other) = Served::all(&Kinds::default()).iter().find(|s| s.kind == kind && s.api_version == api_version) {
        let internal = |group: &str| if group.is_empty() { "core" } else { group.split('.').next().unwrap_or(group) }.to_owned();
        let (expected_group, _) = expected.split_once('/').unwrap_or(("", expected));
        return Err(Status::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {name}: converting ({version}.{}) to ({}.{name}): unknown conversion",
            other.kind,
            internal(expected_group)
        )));
    }
    let scheme = match expected {
        "apiextensions.k8s.io/v1" => "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55",
        _ => "pkg/api/legacyscheme/scheme.go:30",
    };
    Err(Status::bad_request(format!(
        "{kind} in version \"{version}\" cannot be handled as a {name}: no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"{scheme}\""
    )))
}

/// Returns the problem with an apiVersion or kind that is no text, or no version.
fn unreadable(map: &Map) -> Option<String> {
    let wrong = |key: &&str| map.get(key).is_some_and(|v| !v.is_null() && v.as_str().is_none());
    if let Some(key) = ["apiVersion", "kind"].into_iter().find(wrong) {
        let actual = map.get(key).map_or("", Value::json_type);
        return Some(format!("{UNREADABLE}json: cannot unmarshal {actual} into Go struct field .{key} of type string"));
    }
    let version = map.str("apiVersion");
    (version.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {version}"))
}

/// Returns a request body as a map whose apiVersion and kind can be read, or the problem with it.
pub(super) fn readable(tree: &Value) -> Result<&Map, String> {
    const PLACE: &str =
        r#"Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
    let Some(map) = tree.as_map() else {
        return Err(format!("{UNREADABLE}json: cannot unmarshal {} into {PLACE}", tree.json_type()));
    };
    unreadable(map).map_or(Ok(map), Err)
}

/// Refuses an object of another kind in the API version of a custom kind: its version can be decoded, whatever its kind. Counterpart: `ValidateTypeMeta`.
pub(super) fn check_custom_kind(kind: Kind, map: &Map) -> Result<(), Status> {
    let (row, given) = (kind.row(), map.str("kind"));
    if given.is_empty() || given == row.name || map.str("apiVersion") != row.api_version {
        return Ok(());
    }
    let mut errors = Errors::default();
    errors.invalid(&Path::new("kind"), given, &format!("must be {}", row.name));
    let name = map.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
    let mut status = Status::invalid(kind, name, &errors);
    status.message = status.message.replacen(row.name, given, 1);
    given.clone_into(&mut status.kind);
    Err(status)
}

/// Checks the metadata of a custom object, and returns the problems with unknown fields. Counterpart: `GetObjectMetaWithOptions`.
pub(super) fn custom_metadata(name: &str, version: &str, map: &Map) -> Result<Vec<String>, Status> {
    let Some(metadata) = map.get("metadata") else { return Ok(Vec::new()) };
    let refuse = |problem: &str| Status::bad_request(format!("{name} in version \"{version}\" cannot be handled as a {name}: {problem}"));
    if metadata.as_map().is_none() && !metadata.is_null() {
        return Err(refuse(&format!("json: cannot unmarshal {} into Go value of type v1.ObjectMeta", metadata.json_type())));
    }
    match crate::api::schema::check("meta.v1.ObjectMeta", name, version, metadata) {
        Err(error) if !error.strict_only => Err(refuse(problem(&error.message))),
        Err(error) => Ok(error.complaints.iter().map(|c| c.replacen("field \"", "field \"metadata.", 1)).collect()),
        Ok(()) => Ok(Vec::new()),
    }
}

/// Returns the error for a request body whose kind cannot be read. Counterparts: `transformDecodeError`, `summarizeData`.
pub(super) fn unrecognized(name: &str, problem: &str, body: &str) -> Status {
    let body = body.as_bytes();
    let cut = body.get(..30).unwrap_or(body);
    let shown = match body.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(cut).into_owned(),
        Some(_) => cut.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    let rest = if body.len() > 30 { " ..." } else { "" };
    Status::bad_request(format!("the object provided is unrecognized (must be of type {name}): {problem} ({shown}{rest})"))
}

/// Returns whether the real server still decodes this version of a kind, but no longer serves it.
fn is_legacy(api_version: &str, kind: &str) -> bool {
    Served::all(&Kinds::default()).iter().any(|s| s.kind == kind && s.legacy_versions.contains(&api_version))
}
