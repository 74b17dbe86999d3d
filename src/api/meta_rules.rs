//! Validation of metadata, labels and label selectors. Counterpart: `apimachinery/pkg/api/validation/objectmeta.go` and
//! `meta/v1/validation`, with the stricter finalizer names of `pkg/apis/core/validation`.
//!
//! Simplification: Go walks maps in random order, this file in key order.

use super::field::{Errors, Path};
use super::json;
use super::kind::Kind;
use super::names::{self, Problems};
use super::selector::Selector;
use super::value::{Map, Value};

const ANNOTATIONS_MAX: usize = 256 * 1024;

/// The message about a changed field that is immutable.
pub const IMMUTABLE: &str = "field is immutable";

/// The syntax of a kind's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// A DNS subdomain: labels with dots between them.
    Subdomain,
    /// A DNS label: letters, digits and dashes.
    Label,
    /// Any text that can be a segment of a URL path.
    PathSegment,
}

/// The rules by which the API server validates the metadata of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaRule {
    /// The syntax of the kind's names.
    pub name: NameRule,
    /// True if finalizers without a domain must be among Kubernetes' own.
    pub known_finalizers: bool,
    /// True if the kind's own validation of an update validates the metadata again, after the generic validation.
    pub validates_meta_again_on_update: bool,
}

impl MetaRule {
    /// The rules of most kinds.
    pub const BASE: MetaRule = MetaRule { name: NameRule::Subdomain, known_finalizers: true, validates_meta_again_on_update: true };
}

fn name_problems(rule: NameRule, name: &str, prefix: bool) -> Problems {
    let masked = if prefix { names::mask_trailing_dash(name) } else { name.to_owned() };
    match rule {
        NameRule::Subdomain => names::dns_subdomain(&masked),
        NameRule::Label => names::dns_label(&masked),
        NameRule::PathSegment => names::path_segment(name, prefix),
    }
}

fn metadata(object: &Map) -> (&Map, Path) {
    static EMPTY: Map = Map::new();
    (object.map("metadata").unwrap_or(&EMPTY), Path::new("metadata"))
}

/// Validates the metadata of a new object. `object` is the whole object.
pub fn validate(kind: Kind, object: &Map, errors: &mut Errors) {
    let ((meta, path), rule) = (metadata(object), kind.row().meta_rule);
    let (name, generate_name, namespace) = (meta.str("name"), meta.str("generateName"), meta.str("namespace"));
    if !generate_name.is_empty() {
        errors.invalid_each(&path.child("generateName"), generate_name, name_problems(rule.name, generate_name, true));
    }
    if name.is_empty() {
        errors.required(&path.child("name"), "name or generateName is required");
    } else {
        errors.invalid_each(&path.child("name"), name, name_problems(rule.name, name, false));
    }
    let namespace_path = path.child("namespace");
    match (kind.row().namespaced, namespace.is_empty()) {
        (true, true) => errors.required(&namespace_path, ""),
        (true, false) => errors.invalid_each(&namespace_path, namespace, names::dns_label(namespace)),
        (false, false) => errors.forbidden(&namespace_path, "not allowed on this type"),
        (false, true) => {}
    }
    non_negative(meta, "generation", &path, errors);
    validate_common(meta, &path, errors);
    validate_finalizers(meta, &path, errors);
    if rule.known_finalizers {
        validate_known_finalizers(meta, &path, errors);
    }
}

/// Validates the metadata of an object inside of a custom object, which needs no name. Counterpart: `validateEmbeddedResource`.
pub fn validate_embedded_metadata(meta: &Map, path: &Path, errors: &mut Errors) {
    for (key, prefix) in [("generateName", true), ("name", false)] {
        errors.invalid_each(&path.child(key), meta.str(key), names::path_segment(meta.str(key), prefix));
    }
    let namespace = meta.str("namespace");
    if !namespace.is_empty() {
        errors.invalid_each(&path.child("namespace"), namespace, names::dns_label(namespace));
    }
    non_negative(meta, "generation", path, errors);
    validate_common(meta, path, errors);
    validate_finalizers(meta, path, errors);
}

/// Validates an update of metadata. `new` and `old` are whole objects. As in the real API server, the checks run several times, so each mistake is reported
/// several times. Counterparts: `validateCommonFields`, and `ValidateObjectMetaUpdate` for most kinds.
pub fn validate_update(kind: Kind, new: &Map, old: &Map, errors: &mut Errors) {
    let (rule, (meta, path)) = (kind.row().meta_rule, metadata(new));
    validate_common(meta, &path, errors);
    validate_finalizers(meta, &path, errors);
    validate_change(new, old, errors);
    if rule.validates_meta_again_on_update {
        validate_change(new, old, errors);
        if rule.known_finalizers {
            validate_known_finalizers(meta, &path, errors);
        }
    }
}

fn validate_change(new: &Map, old: &Map, errors: &mut Errors) {
    let ((new, path), (old, _)) = (metadata(new), metadata(old));
    if old.get("deletionTimestamp").is_some_and(|v| !v.is_null()) {
        let known = old.list("finalizers");
        let added: Vec<String> =
            new.list("finalizers").iter().filter(|f| !known.contains(f)).filter_map(|f| f.as_str().map(|f| format!("{f:?}"))).collect();
        if !added.is_empty() {
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.join(", ")
            );
            errors.forbidden(&path.child("finalizers"), &detail);
        }
    }
    // Before it compares, the API server fills in from the old object what the writer left out.
    for key in ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if let Some(value) = new.get(key).filter(|v| !v.is_null() && old.get(key) != Some(*v)) {
            errors.invalid(&path.child(key), value.clone(), IMMUTABLE);
        }
    }
    validate_common(new, &path, errors);
}

fn validate_common(meta: &Map, path: &Path, errors: &mut Errors) {
    validate_labels(meta.map("labels"), &path.child("labels"), errors);
    validate_annotations(meta.map("annotations"), &path.child("annotations"), errors);
    validate_owners(meta.list("ownerReferences"), &path.child("ownerReferences"), errors);
}

/// Validates the keys and values of labels.
pub fn validate_labels(labels: Option<&Map>, path: &Path, errors: &mut Errors) {
    for (key, value) in labels.into_iter().flat_map(Map::iter) {
        let value = value.as_str().unwrap_or("");
        errors.invalid_each(path, key.as_str(), names::qualified_name(key));
        errors.invalid_each(path, value, names::label_value(value));
    }
}

/// Validates the keys and the total size of annotations.
pub fn validate_annotations(annotations: Option<&Map>, path: &Path, errors: &mut Errors) {
    let mut size = 0;
    for (key, value) in annotations.into_iter().flat_map(Map::iter) {
        errors.invalid_each(path, key.as_str(), names::qualified_name(&key.to_ascii_lowercase()));
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > ANNOTATIONS_MAX {
        errors.too_long(path, ANNOTATIONS_MAX);
    }
}

fn validate_owners(owners: &[Value], path: &Path, errors: &mut Errors) {
    let mut controller: Option<String> = None;
    for owner in owners.iter().filter_map(Value::as_map) {
        let api_version = owner.str("apiVersion");
        if api_version.rsplit('/').next().is_none_or(str::is_empty) || api_version.matches('/').count() > 1 {
            errors.invalid(&path.child("apiVersion"), api_version, "version must not be empty");
        }
        for key in ["kind", "name", "uid"] {
            if owner.str(key).is_empty() {
                errors.invalid(&path.child(key), "", "must not be empty");
            }
        }
        if api_version == "v1" && owner.str("kind") == "Event" {
            errors.invalid_text(path, &ordered(owner, OWNER), "/v1, Kind=Event is disallowed from being an owner");
        }
        if owner.bool("controller") {
            let current = format!("{}/{}", owner.str("kind"), owner.str("name"));
            match &controller {
                None => controller = Some(current),
                Some(first) => {
                    let texts: Vec<String> = owners.iter().filter_map(Value::as_map).map(|o| ordered(o, OWNER)).collect();
                    let detail = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {current}"
                    );
                    errors.invalid_text(path, &format!("[{}]", texts.join(",")), &detail);
                }
            }
        }
    }
}

const OWNER: &[&str] = &["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];

fn validate_finalizers(meta: &Map, path: &Path, errors: &mut Errors) {
    let path = path.child("finalizers");
    let finalizers = meta.list("finalizers");
    for finalizer in finalizers.iter().filter_map(Value::as_str) {
        errors.invalid_each(&path, finalizer, names::qualified_name(finalizer));
    }
    let has = |name: &str| finalizers.iter().any(|f| f.as_str() == Some(name));
    if has("orphan") && has("foregroundDeletion") {
        errors.invalid(&path, finalizers.to_vec(), "finalizer orphan and foregroundDeletion cannot be both set");
    }
}

fn validate_known_finalizers(meta: &Map, path: &Path, errors: &mut Errors) {
    for (i, finalizer) in meta.list("finalizers").iter().enumerate() {
        validate_known_finalizer(finalizer.as_str().unwrap_or(""), &path.child("finalizers").index(i), errors);
    }
}

/// Validates that a finalizer without a domain is one of Kubernetes' own.
pub fn validate_known_finalizer(finalizer: &str, path: &Path, errors: &mut Errors) {
    if !finalizer.contains('/') && !matches!(finalizer, "kubernetes" | "orphan" | "foregroundDeletion") {
        errors.invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified");
    }
}

/// Validates a label selector.
pub fn validate_label_selector(selector: Option<&Map>, path: &Path, errors: &mut Errors) {
    let Some(selector) = selector else { return };
    validate_labels(selector.map("matchLabels"), &path.child("matchLabels"), errors);
    for (i, expression) in maps(selector.list("matchExpressions")) {
        let path = path.child("matchExpressions").index(i);
        let (operator, values) = (expression.str("operator"), expression.list("values"));
        match operator {
            "In" | "NotIn" if values.is_empty() => {
                errors.required(&path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                errors.forbidden(&path.child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => errors.invalid(&path.child("operator"), operator, "not a valid selector operator"),
        }
        errors.invalid_each(&path.child("key"), expression.str("key"), names::qualified_name(expression.str("key")));
        for (i, value) in values.iter().filter_map(Value::as_str).enumerate() {
            errors.invalid_each(&path.child("values").index(i), value, names::label_value(value));
        }
    }
}

/// Validates the selector of a controller: it must be present, valid and not empty. `empty` is the message about an empty one. Returns the selector if it can
/// be parsed.
pub fn validate_controller_selector(spec: &Map, empty: &str, path: &Path, errors: &mut Errors) -> Option<Selector> {
    let path = path.child("selector");
    let Some(selector) = spec.map("selector") else {
        errors.required(&path, "");
        return Some(Selector::nothing());
    };
    validate_label_selector(Some(selector), &path, errors);
    if selector.map("matchLabels").is_none_or(Map::is_empty) && selector.list("matchExpressions").is_empty() {
        errors.invalid_text(&path, &selector_text(selector), empty);
    }
    let parsed = Selector::from_label_selector(selector).ok();
    if parsed.is_none() {
        errors.invalid_text(&path, &selector_text(selector), "invalid label selector");
    }
    parsed
}

/// Reports a change of `spec.selector`, which is immutable.
pub fn immutable_selector(new: &Map, old: &Map, errors: &mut Errors) {
    let get = |object: &Map| object.at(&["spec", "selector"]).cloned().filter(|v| !v.is_null());
    let (new, old) = (get(new), get(old));
    if new != old {
        let text = new.as_ref().and_then(Value::as_map).map_or_else(|| "null".to_owned(), selector_text);
        errors.invalid_text(&Path::new("spec.selector"), &text, IMMUTABLE);
    }
}

/// Encodes a label selector as JSON with the keys in the order of the Go struct.
pub fn selector_text(selector: &Map) -> String {
    let mut parts = Vec::new();
    if let Some(labels) = selector.map("matchLabels").filter(|m| !m.is_empty()) {
        parts.push(format!("\"matchLabels\":{}", json::to_string_html(&labels.clone().into())));
    }
    let expressions = selector.list("matchExpressions");
    if !expressions.is_empty() {
        let texts: Vec<String> = maps(expressions).map(|(_, e)| ordered(e, &["key", "operator", "values"])).collect();
        parts.push(format!("\"matchExpressions\":[{}]", texts.join(",")));
    }
    format!("{{{}}}", parts.join(","))
}

/// Encodes a map as JSON, with only the given keys and in their order, and without empty lists.
pub fn ordered(map: &Map, keys: &[&str]) -> String {
    let entry = |key: &&str| {
        map.get(key)
            .filter(|v| !matches!(v, Value::List(l) if l.is_empty()))
            .map(|value| format!("{:?}:{}", key, json::to_string_html(value)))
    };
    format!("{{{}}}", keys.iter().filter_map(entry).collect::<Vec<_>>().join(","))
}

/// Validates conditions of the type `metav1.Condition`. Counterpart: `ValidateConditions`.
pub fn validate_conditions(conditions: &[Value], path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (i, condition) in maps(conditions) {
        let (path, kind) = (path.index(i), condition.str("type"));
        if seen.contains(&kind) {
            errors.duplicate(&path.child("type"), kind);
        }
        seen.push(kind);
        errors.invalid_each(&path.child("type"), kind, names::qualified_name(kind));
        if !matches!(condition.str("status"), "True" | "False" | "Unknown") {
            errors.not_supported(&path.child("status"), condition.str("status"), &["False", "True", "Unknown"]);
        }
        if let Some(generation) = condition.int("observedGeneration").filter(|g| *g < 0) {
            errors.invalid(&path.child("observedGeneration"), generation, "must be greater than or equal to zero");
        }
        if condition.get("lastTransitionTime").is_none_or(Value::is_null) {
            errors.required(&path.child("lastTransitionTime"), "");
        }
        let reason = condition.str("reason");
        if reason.is_empty() {
            errors.required(&path.child("reason"), "");
        } else {
            errors.invalid_each(&path.child("reason"), reason, reason_problems(reason));
            if reason.len() > 1024 {
                errors.too_long(&path.child("reason"), 1024);
            }
        }
        if condition.str("message").len() > 32 * 1024 {
            errors.too_long(&path.child("message"), 32 * 1024);
        }
    }
}

/// Returns the problems of a condition's reason. Counterpart: `isValidConditionReason`.
fn reason_problems(reason: &str) -> Problems {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    let end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ',' | ':');
    if letter(reason.chars().next()) && end(reason.chars().last()) && reason.chars().all(inner) {
        return Problems::new();
    }
    vec!["a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')".to_owned()]
}

/// Returns the items of a list that are maps, with their indices.
pub fn maps(list: &[Value]) -> impl Iterator<Item = (usize, &Map)> {
    list.iter().enumerate().filter_map(|(i, v)| v.as_map().map(|m| (i, m)))
}

/// Reports a negative number under a key.
pub fn non_negative(map: &Map, key: &str, path: &Path, errors: &mut Errors) {
    if let Some(number) = map.int(key).filter(|n| *n < 0) {
        errors.invalid(&path.child(key), number, "must be greater than or equal to 0");
    }
}
