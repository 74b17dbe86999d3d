//! Validation of the schemas in CustomResourceDefinitions. Counterparts: `ValidateStructural`, `ValidateDefaults` and
//! `ValidateCustomResourceDefinitionOpenAPISchema`.
//!
//! Simplifications: CEL rules are not compiled here. If there is a status subresource, only the type of the schema's root is restricted, not its other fields.

use super::pattern_rules;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::maps;
use crate::api::order::Order;
use crate::api::structural;
use crate::api::value::{Map, Value};

const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];
/// Keywords of JSON Schema that Kubernetes does not support. A schema with one of them is not checked for being structural.
const UNSUPPORTED: [&str; 6] = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];
/// Fields that a schema may not set inside `allOf`, `anyOf`, `oneOf` or `not`, each with the value that it must have there.
const FORBIDDEN_INSIDE: [(&str, &str); 11] = [
    ("type", "empty"),
    ("default", "undefined"),
    ("title", "empty"),
    ("description", "empty"),
    ("nullable", "false"),
    ("x-kubernetes-preserve-unknown-fields", "false"),
    ("x-kubernetes-embedded-resource", "false"),
    ("x-kubernetes-int-or-string", "false"),
    ("x-kubernetes-list-map-keys", "empty"),
    ("x-kubernetes-list-type", "undefined"),
    ("x-kubernetes-map-type", "undefined"),
];
const REASONS: &[&str] = &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

#[derive(Clone, Copy, PartialEq)]
enum Level {
    Root,
    Field,
    Item,
}

/// Validates the OpenAPI schema of a version, if it has one.
pub(super) fn validate(version: &Map, path: &Path, errors: &mut Errors) {
    let Some(schema) = version.map("schema").and_then(|s| s.map("openAPIV3Schema")) else { return };
    if version.map("subresources").is_some_and(|s| s.has("status")) && !matches!(schema.str("type"), "" | "object") {
        let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        errors.invalid(&path.child("type"), schema.str("type"), detail);
    }
    if schema.bool("nullable") {
        errors.forbidden(&path.child("nullable"), "nullable cannot be true at the root");
    }
    if !is_unsupported(schema) {
        let mut found = Errors::default();
        validate_structural(schema, Level::Root, path, &mut found);
        for (condition, place) in conditions(schema, path) {
            validate_complete(condition, Some(schema), path, &place, &mut found);
        }
        found.0.order_by_cached_key(ToString::to_string);
        if found.is_empty() {
            validate_defaults(schema, path, &mut found);
        }
        errors.0.append(&mut found.0);
    }
    validate_open_api(schema, path, errors);
}

/// Returns the schemas of the parts of a value (`items`, `properties`, `additionalProperties`), with their paths.
fn children<'a>(schema: &'a Map, path: &Path) -> Vec<(&'a Map, Level, Path)> {
    let mut all = Vec::new();
    if let Some(items) = schema.map("items") {
        all.push((items, Level::Item, path.child("items")));
    }
    for (name, property) in schema.map("properties").into_iter().flat_map(Map::iter) {
        if let Some(property) = property.as_map() {
            all.push((property, Level::Field, path.child("properties").key(name)));
        }
    }
    if let Some(additional) = schema.map("additionalProperties") {
        all.push((additional, Level::Field, path.child("additionalProperties")));
    }
    all
}

/// Returns the schemas that are further conditions on the same value (`not`, `allOf`, `oneOf`, `anyOf`), with their paths.
fn conditions<'a>(schema: &'a Map, path: &Path) -> Vec<(&'a Map, Path)> {
    let not = schema.map("not").map(|not| (not, path.child("not")));
    let lists = ["allOf", "oneOf", "anyOf"];
    not.into_iter().chain(lists.iter().flat_map(|list| maps(schema.list(list)).map(|(i, s)| (s, path.child(list).index(i))))).collect()
}

fn is_unsupported(schema: &Map) -> bool {
    let nowhere = Path::default();
    UNSUPPORTED.iter().any(|key| is_set(schema, key))
        || schema.get("items").is_some_and(|items| items.as_list().is_some())
        || children(schema, &nowhere).iter().any(|(child, ..)| is_unsupported(child))
        || conditions(schema, &nowhere).iter().any(|(child, _)| is_unsupported(child))
}

/// Returns true if a field of a schema is set to another value than Go's zero value.
fn is_set(schema: &Map, key: &str) -> bool {
    match schema.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Str(text)) => !text.is_empty(),
        Some(Value::List(list)) => !list.is_empty(),
        Some(Value::Map(map)) => !map.is_empty(),
        Some(_) => true,
    }
}

fn validate_structural(schema: &Map, level: Level, path: &Path, errors: &mut Errors) {
    let kind = schema.str("type");
    let [any, open, embedded] =
        ["int-or-string", "preserve-unknown-fields", "embedded-resource"].map(|key| schema.bool(&format!("x-kubernetes-{key}")));
    if kind == "array" && !schema.has("items") {
        errors.required(&path.child("items"), "must be specified");
    }
    for (child, level, path) in children(schema, path) {
        validate_structural(child, level, &path, errors);
    }
    if level == Level::Root && schema.has("additionalProperties") {
        errors.forbidden(&path.child("additionalProperties"), "must not be used at the root");
    }
    for (key, set) in [("x-kubernetes-preserve-unknown-fields", open), ("x-kubernetes-embedded-resource", embedded)] {
        if any && set {
            errors.invalid(&path.child(key), true, "must be false if x-kubernetes-int-or-string is true");
        }
    }
    validate_conditions(schema, false, path, errors);
    if embedded && kind != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        required_or_invalid(&path.child("type"), kind, detail, errors);
    } else if kind.is_empty() && !any && !open {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.required(&path.child("type"), detail);
    }
    if embedded && schema.has("additionalProperties") {
        errors.forbidden(&path.child("additionalProperties"), "must not be used if x-kubernetes-embedded-resource is set");
    }
    if level == Level::Root && !matches!(kind, "" | "object") {
        errors.invalid(&path.child("type"), kind, "must be object at the root");
    }
    let properties = schema.map("properties");
    for (key, wanted) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        let Some(property) = properties.and_then(|p| p.map(key)).filter(|_| level == Level::Root || embedded) else { continue };
        if property.str("type") != wanted {
            errors.invalid(&path.child("properties").key(key).child("type"), property.str("type"), &format!("must be {wanted}"));
        }
    }
    if let Some(metadata) = properties.and_then(|p| p.map("metadata")).filter(|_| level == Level::Root) {
        let others =
            metadata.map("properties").into_iter().flat_map(Map::iter).any(|(k, _)| !matches!(k.as_str(), "name" | "generateName"));
        if others || metadata.iter().any(|(key, _)| !matches!(key.as_str(), "type" | "properties" | "default")) {
            let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            errors.forbidden(&path.child("properties").key("metadata"), detail);
        }
    }
    if embedded && !open && properties.is_none_or(Map::is_empty) {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
        errors.required(&path.child("properties"), detail);
    }
}

fn required_or_invalid(path: &Path, value: &str, detail: &str, errors: &mut Errors) {
    if value.is_empty() { errors.required(path, detail) } else { errors.invalid(path, value, detail) }
}

/// Returns true for `anyOf: [{type: integer}, {type: string}]`, the only conditions that may name types.
fn is_int_or_string(conditions: &[Value]) -> bool {
    let types = conditions.iter().map(|c| c.as_map().filter(|c| c.len() == 1).map_or("", |c| c.str("type")));
    types.eq(["integer", "string"])
}

/// Validates the conditions in a schema (`not`, `allOf`, `oneOf`, `anyOf`) and its pattern. Counterpart: `validateValueValidation`.
fn validate_conditions(schema: &Map, skip_any: bool, path: &Path, errors: &mut Errors) {
    let skip_any = skip_any || is_int_or_string(schema.list("anyOf"));
    let any = path.child("anyOf");
    for (condition, place) in conditions(schema, path) {
        if skip_any && place.as_str().starts_with(any.as_str()) {
            continue;
        }
        let first = place == path.child("allOf").index(0) && is_int_or_string(condition.list("anyOf"));
        validate_condition(condition, first, &place, errors);
    }
    let pattern = schema.str("pattern");
    if let Some(problem) = pattern_rules::problem(pattern) {
        let detail = format!("must be a valid regular expression, but isn't: error parsing regexp: {problem}");
        errors.invalid(&path.child("pattern"), pattern, &detail);
    }
}

/// Reports fields that a schema inside a condition such as `allOf` may not have. Counterpart: `validateNestedValueValidation`.
fn validate_condition(schema: &Map, skip_any: bool, path: &Path, errors: &mut Errors) {
    validate_conditions(schema, skip_any, path, errors);
    for (child, _, place) in children(schema, path) {
        if place == path.child("additionalProperties") {
            errors.forbidden(&place, "must be undefined to be structural");
        } else {
            validate_condition(child, false, &place, errors);
        }
    }
    for (key, wanted) in FORBIDDEN_INSIDE.iter().filter(|(key, _)| is_set(schema, key)) {
        errors.forbidden(&path.child(key), &format!("must be {wanted} to be structural"));
    }
    if is_set(schema, "x-kubernetes-validations") {
        errors.forbidden(&path.child("x-kubernetes-validations"), "must be empty to be structural");
    }
    if schema.map("properties").is_some_and(|p| p.has("metadata")) {
        errors.forbidden(&path.child("properties").key("metadata"), "must not be specified in a nested context");
    }
}

/// Validates that each part of a value that a condition such as `allOf` names is specified outside of it, too. Counterpart: `validateStructuralCompleteness`.
fn validate_complete(condition: &Map, schema: Option<&Map>, path: &Path, place: &Path, errors: &mut Errors) {
    let Some(schema) = schema else { return errors.required(path, &format!("because it is defined in {place}")) };
    for (inner, place) in conditions(condition, place) {
        validate_complete(inner, Some(schema), path, &place, errors);
    }
    if let Some(items) = condition.map("items") {
        validate_complete(items, schema.map("items"), &path.child("items"), &place.child("items"), errors);
    }
    for (name, property) in condition.map("properties").into_iter().flat_map(Map::iter) {
        let known = schema.map("properties").and_then(|p| p.map(name));
        let [path, place] = [path, place].map(|p| p.child("properties").key(name));
        validate_complete(property.as_map().unwrap_or(&Map::new()), known, &path, &place, errors);
    }
}

fn validate_defaults(schema: &Map, path: &Path, errors: &mut Errors) {
    if let Some(given) = schema.get("default").filter(|given| !given.is_null()) {
        let place = path.child("default");
        if !structural::prune(schema, &mut given.clone(), schema.bool("x-kubernetes-embedded-resource")).is_empty() {
            errors.invalid(&place, given.clone(), "must not have unknown fields");
        }
        let mut found = Errors::default();
        structural::validate(schema, given, &Path::new(""), &mut found);
        for mut error in found.0 {
            error.field = if matches!(error.field.as_str(), "" | "<nil>") { place.clone() } else { place.child(error.field.as_str()) };
            errors.0.push(error);
        }
    }
    for (child, _, path) in children(schema, path) {
        validate_defaults(child, &path, errors);
    }
}

fn validate_open_api(schema: &Map, path: &Path, errors: &mut Errors) {
    let kind = schema.str("type");
    if !kind.is_empty() && !TYPES.contains(&kind) {
        errors.not_supported(&path.child("type"), kind, TYPES);
    }
    for key in UNSUPPORTED.iter().filter(|key| is_set(schema, key)) {
        errors.forbidden(&path.child(key), &format!("{key} is not supported"));
    }
    if kind == "null" {
        errors.forbidden(&path.child("type"), "type cannot be set to null, use nullable as an alternative");
    }
    if schema.get("items").is_some_and(|items| items.as_list().is_some_and(|list| !list.is_empty())) {
        errors.forbidden(&path.child("items"), "items must be a schema object and not an array");
    }
    if schema.bool("uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.forbidden(&path.child("uniqueItems"), detail);
    }
    let closed = schema.get("additionalProperties").is_some_and(|a| a.as_bool() != Some(true));
    if closed && is_set(schema, "properties") {
        errors.forbidden(&path.child("additionalProperties"), "additionalProperties and properties are mutual exclusive");
    }
    for (child, level, path) in children(schema, path).into_iter().rev() {
        if level != Level::Item {
            validate_open_api(child, &path, errors);
        }
    }
    for (child, path) in conditions(schema, path) {
        validate_open_api(child, &path, errors);
    }
    if let Some(items) = schema.map("items") {
        validate_open_api(items, &path.child("items"), errors);
    }
    if schema.get("x-kubernetes-preserve-unknown-fields").and_then(Value::as_bool) == Some(false) {
        errors.invalid(&path.child("x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined");
    }
    validate_topology(schema, path, errors);
    validate_rules(schema, &path.child("x-kubernetes-validations"), errors);
}

/// Validates `x-kubernetes-list-type` and `x-kubernetes-map-type`, which say how lists and maps are merged.
fn validate_topology(schema: &Map, path: &Path, errors: &mut Errors) {
    for (extension, wanted, values) in
        [("x-kubernetes-map-type", "object", &["atomic", "granular"][..]), ("x-kubernetes-list-type", "array", &["atomic", "set", "map"])]
    {
        let Some(text) = schema.get(extension).and_then(Value::as_str) else { continue };
        if schema.str("type") != wanted {
            required_or_invalid(&path.child("type"), schema.str("type"), &format!("must be {wanted} if {extension} is specified"), errors);
        }
        if !values.contains(&text) {
            errors.not_supported(&path.child(extension), text, values);
        }
    }
    let (list, keys, items) = (schema.str("x-kubernetes-list-type"), schema.list("x-kubernetes-list-map-keys"), schema.map("items"));
    if !keys.is_empty() && list != "map" {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        required_or_invalid(&path.child("x-kubernetes-list-type"), list, detail, errors);
    }
    if list != "map" {
        return;
    }
    let keys_path = path.child("x-kubernetes-list-map-keys");
    if keys.is_empty() {
        errors.required(&keys_path, "must not be empty if x-kubernetes-list-type is map");
    }
    let Some(items) = items else { return errors.required(&path.child("items"), "must have a schema if x-kubernetes-list-type is map") };
    if items.str("type") != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        return errors.invalid(&path.child("items").child("type"), items.str("type"), detail);
    }
    for (i, key) in keys.iter().enumerate() {
        let property = items.map("properties").and_then(|p| p.map(key.as_str().unwrap_or("")));
        match property.map(|p| p.str("type")) {
            None => errors.invalid(&keys_path, keys.to_vec(), "entries must all be names of item properties"),
            Some("array" | "object") => {
                let place = path.child("items").child("properties").key(key.as_str().unwrap_or("")).child("type");
                errors.invalid(&place, "object", "must be a scalar type if parent array's x-kubernetes-list-type is map");
            }
            Some(_) => {}
        }
        if keys[..i].contains(key) {
            errors.invalid(&keys_path, keys.to_vec(), "must not contain duplicate entries");
        }
    }
}

/// Validates the CEL rules of a schema, as far as this is possible without compiling them.
fn validate_rules(schema: &Map, path: &Path, errors: &mut Errors) {
    let broken = |text: &str| text.contains(['\n', '\r']);
    for (i, rule) in maps(schema.list("x-kubernetes-validations")) {
        let path = path.index(i);
        let (message, text) = (rule.str("message"), rule.str("rule").trim());
        if text.is_empty() {
            errors.required(&path.child("rule"), "rule is not specified");
        } else if !message.is_empty() && message.trim().is_empty() {
            errors.invalid(&path.child("message"), message, "must be non-empty if specified");
        } else if broken(message.trim()) {
            errors.invalid(&path.child("message"), message, "must not contain line breaks");
        } else if broken(text) && message.is_empty() {
            errors.required(&path.child("message"), "message must be specified if rule contains line breaks");
        }
        if let Some(reason) = rule.get("reason").and_then(Value::as_str).filter(|r| !REASONS.contains(r)) {
            errors.not_supported(&path.child("reason"), reason, REASONS);
        }
    }
}
