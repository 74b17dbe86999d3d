//! Validation of the schemas in definitions. Counterparts: `ValidateStructural`, `ValidateDefaults` and `ValidateCustomResourceDefinitionOpenAPISchema`.
//!
//! Simplification: rules in CEL are not compiled here, and conditions inside `anyOf` and its kin are not checked.

use crate::api::field::{Errors, Path};
use crate::api::structural;
use crate::api::value::{Map, Value};

const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

#[derive(Clone, Copy, PartialEq)]
enum Level {
    Root,
    Field,
    Item,
}

/// Validates the schema of a version, if it has one.
pub(super) fn validate(version: &Map, path: &Path, errors: &mut Errors) {
    let Some(schema) = version.map("schema").and_then(|s| s.map("openAPIV3Schema")) else { return };
    if version.map("subresources").is_some_and(|s| s.has("status")) && !matches!(schema.str("type"), "" | "object") {
        let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        errors.invalid(&path.child("type"), schema.str("type"), detail);
    }
    if schema.bool("nullable") {
        errors.forbidden(&path.child("nullable"), "nullable cannot be true at the root");
    }
    let before = errors.0.len();
    validate_structural(schema, Level::Root, path, errors);
    if errors.0.len() == before {
        validate_defaults(schema, path, errors);
    }
    validate_open_api(schema, path, errors);
}

/// Returns the schemas below a schema with their paths.
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

fn validate_structural(schema: &Map, level: Level, path: &Path, errors: &mut Errors) {
    let kind = schema.str("type");
    if kind == "array" && !schema.has("items") {
        errors.required(&path.child("items"), "must be specified");
    }
    for (child, level, path) in children(schema, path) {
        validate_structural(child, level, &path, errors);
    }
    if level == Level::Root && schema.has("additionalProperties") {
        errors.forbidden(&path.child("additionalProperties"), "must not be used at the root");
    }
    let exempt = schema.bool("x-kubernetes-int-or-string") || schema.bool("x-kubernetes-preserve-unknown-fields");
    if kind.is_empty() && (!exempt || level == Level::Root) {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.required(&path.child("type"), detail);
    }
    if level == Level::Root && !matches!(kind, "" | "object") {
        errors.invalid(&path.child("type"), kind, "must be object at the root");
    }
    if let Some(metadata) = schema.map("properties").and_then(|p| p.map("metadata")).filter(|_| level == Level::Root) {
        let path = path.child("properties").key("metadata");
        let inner = metadata.map("properties");
        if metadata.str("type") != "object" {
            errors.invalid(&path.child("type"), metadata.str("type"), "must be object");
        }
        let others = inner.into_iter().flat_map(Map::iter).any(|(key, _)| !matches!(key.as_str(), "name" | "generateName"));
        if others || metadata.iter().any(|(key, _)| !matches!(key.as_str(), "type" | "properties" | "description")) {
            errors.forbidden(&path, "must not specify anything other than name and generateName, but metadata is implicitly specified");
        }
    }
}

fn validate_defaults(schema: &Map, path: &Path, errors: &mut Errors) {
    if let Some(given) = schema.get("default") {
        let mut found = Errors::default();
        structural::validate(schema, given, &Path::new(""), &mut found);
        for mut error in found.0 {
            let place = path.child("default");
            error.field = if error.field.as_str().is_empty() { place } else { place.child(error.field.as_str()) };
            errors.0.push(error);
        }
    }
    for (child, _, path) in children(schema, path) {
        validate_defaults(child, &path, errors);
    }
}

fn validate_open_api(schema: &Map, path: &Path, errors: &mut Errors) {
    if schema.bool("uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.forbidden(&path.child("uniqueItems"), detail);
    }
    if schema.get("additionalProperties").and_then(Value::as_bool) == Some(false) {
        errors.forbidden(&path.child("additionalProperties"), "additionalProperties cannot be set to false");
    }
    if schema.has("additionalProperties") && schema.map("properties").is_some_and(|p| !p.is_empty()) {
        errors.forbidden(&path.child("additionalProperties"), "additionalProperties and properties are mutual exclusive");
    }
    let kind = schema.str("type");
    if !kind.is_empty() && !TYPES.contains(&kind) {
        errors.not_supported(&path.child("type"), kind, TYPES);
    }
    match schema.str("x-kubernetes-list-type") {
        "" | "atomic" | "set" => {}
        "map" if schema.list("x-kubernetes-list-map-keys").is_empty() => {
            errors.required(&path.child("x-kubernetes-list-map-keys"), "must not be empty if x-kubernetes-list-type is map");
        }
        "map" => {}
        other => errors.not_supported(&path.child("x-kubernetes-list-type"), other, &["atomic", "set", "map"]),
    }
    for (i, rule) in crate::api::meta_rules::maps(schema.list("x-kubernetes-validations")) {
        if rule.str("rule").trim().is_empty() {
            errors.required(&path.child("x-kubernetes-validations").index(i).child("rule"), "rule is not specified");
        }
    }
    for (child, _, path) in children(schema, path) {
        validate_open_api(child, &path, errors);
    }
}
