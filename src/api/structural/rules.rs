//! The checks of custom objects that follow their schemas: embedded objects, lists without duplicates, and rules in CEL. Counterparts:
//! `schemaobjectmeta.Validate`, `ValidateListSetsAndMaps`, and `Validator` in `apiextensions-apiserver/pkg/apiserver/schema/cel`.
//!
//! Simplification: an update gets no warnings about rules that its unchanged parts break.

use super::cel;
use super::validate::old_item;
use crate::api::field::{Errors, FieldErrorKind, Path};
use crate::api::meta_rules::validate_embedded_metadata;
use crate::api::names;
use crate::api::value::{Map, Value};

/// Calls a function with the schema, the value and the path of each part of a value.
fn parts(schema: &Map, value: &Value, path: &Path, visit: &mut dyn FnMut(&Map, &Value, &Path)) {
    match value {
        Value::Map(map) => {
            for (name, inner) in map.iter() {
                if let Some(property) = schema.map("properties").and_then(|p| p.map(name)) {
                    visit(property, inner, &path.child(name));
                } else if let Some(property) = schema.map("additionalProperties") {
                    visit(property, inner, &path.key(name));
                }
            }
        }
        Value::List(items) => {
            if let Some(inner) = schema.map("items") {
                items.iter().enumerate().for_each(|(i, item)| visit(inner, item, &path.index(i)));
            }
        }
        _ => {}
    }
}

/// Validates the type and the metadata of the objects that a value contains (`x-kubernetes-embedded-resource`).
pub fn embedded(schema: &Map, value: &Value, path: &Path, errors: &mut Errors) {
    if let Some(object) = value.as_map().filter(|_| schema.bool("x-kubernetes-embedded-resource")) {
        for key in ["apiVersion", "kind"] {
            let path = path.child(key);
            match object.get(key) {
                None => errors.required(&path, ""),
                Some(Value::Str(text)) if text.is_empty() => errors.invalid(&path, "", "must not be empty"),
                Some(Value::Str(text)) if key == "kind" => {
                    let problems = names::dns_1035_label(&text.to_lowercase());
                    if !problems.is_empty() {
                        let detail = format!("may have mixed case, but should otherwise match: {}", problems.join(","));
                        errors.invalid(&path, text.as_str(), &detail);
                    }
                }
                Some(Value::Str(text)) if text.matches('/').count() > 1 => {
                    errors.invalid(&path, text.as_str(), &format!("unexpected GroupVersion string: {text}"));
                }
                Some(Value::Str(_)) => {}
                Some(other) => errors.invalid(&path, other.clone(), "must be a string"),
            }
        }
        if let Some(meta) = object.map("metadata") {
            validate_embedded_metadata(meta, &path.child("metadata"), errors);
        }
    }
    parts(schema, value, path, &mut |inner, part, path| embedded(inner, part, path, errors));
}

/// Validates that lists of the types `set` and `map` have no item twice. An item that is there several times is reported once.
pub fn unique_items(schema: &Map, value: &Value, path: &Path, errors: &mut Errors) {
    if let Value::List(items) = value {
        let keys: Vec<&str> = schema.list("x-kubernetes-list-map-keys").iter().filter_map(Value::as_str).collect();
        let shown: Vec<Value> = match schema.str("x-kubernetes-list-type") {
            "set" => items.clone(),
            "map" => {
                let key = |item: &Value| -> Map { keys.iter().filter_map(|k| Some(((*k).into(), item.get(k)?.clone()))).collect() };
                items.iter().map(|item| key(item).into()).collect()
            }
            _ => Vec::new(),
        };
        for (i, item) in shown.iter().enumerate() {
            if shown[..i].iter().filter(|other| *other == item).count() == 1 {
                errors.duplicate(&path.index(i), item.clone());
            }
        }
    }
    parts(schema, value, path, &mut |inner, part, path| unique_items(inner, part, path, errors));
}

/// Returns a value with whole numbers as decimal ones where its schema says `number`, because CEL tells these types apart.
fn typed(schema: &Map, value: &Value) -> Value {
    let mut value = value.clone();
    make_typed(schema, &mut value);
    value
}

fn make_typed(schema: &Map, value: &mut Value) {
    match value {
        Value::Int(i) if schema.str("type") == "number" => *value = Value::Float(*i as f64),
        Value::Map(map) => {
            for (name, inner) in map.iter_mut() {
                if let Some(part) = schema.map("properties").and_then(|p| p.map(name)).or(schema.map("additionalProperties")) {
                    make_typed(part, inner);
                }
            }
        }
        Value::List(items) => {
            if let Some(inner) = schema.map("items") {
                items.iter_mut().for_each(|item| make_typed(inner, item));
            }
        }
        _ => {}
    }
}

/// Checks the CEL rules about a value and everything in it. `old` is the value before an update, as far as it can be told; `unchanged` tells that it, or what
/// contains it, is equal: then only rules about the change can fail.
pub fn rules(schema: &Map, value: &Value, old: Option<&Value>, unchanged: bool, path: &Path, errors: &mut Errors) {
    let unchanged = old.map_or(unchanged, |old| old == value);
    for rule in schema.list("x-kubernetes-validations").iter().filter_map(Value::as_map) {
        check(rule, schema, value, old, unchanged, path, errors);
    }
    match value {
        Value::Map(map) => {
            for (list, open) in [("additionalProperties", true), ("properties", false)] {
                for (name, inner) in map.iter() {
                    let part = schema.map(list).and_then(|part| if open { Some(part) } else { part.map(name) });
                    if let Some(part) = part {
                        let path = if open { path.key(name) } else { path.child(name) };
                        rules(part, inner, old.and_then(|o| o.get(name)), unchanged, &path, errors);
                    }
                }
            }
        }
        Value::List(items) => {
            if let Some(inner) = schema.map("items") {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(i, item)| rules(inner, item, old_item(schema, item, old), unchanged, &path.index(i), errors));
            }
        }
        _ => {}
    }
}

fn check(rule: &Map, schema: &Map, value: &Value, old: Option<&Value>, unchanged: bool, path: &Path, errors: &mut Errors) {
    let (text, own) = (rule.str("rule"), rule.str("message").trim());
    let (about_change, optional) = (text.contains("oldSelf"), rule.bool("optionalOldSelf"));
    if about_change && old.is_none() && !optional {
        return;
    }
    let (own_value, old) = (typed(schema, value), old.map(|old| typed(schema, old)));
    let old = if optional { Some(old.into_iter().collect::<Vec<_>>().into()) } else { old };
    let kind = schema.str("type");
    match cel::evaluate(text, &own_value, old.as_ref()) {
        Ok(Value::Bool(false)) if about_change || !unchanged => {}
        Err(Some(problem)) => {
            let shown = if own.is_empty() { text.trim() } else { own };
            let detail = match problem.as_str() {
                "no such overload" => {
                    format!("'{problem}': call arguments did not match a supported operator, function or macro signature for rule: {shown}")
                }
                _ => format!("{problem} evaluating rule: {shown}"),
            };
            return errors.invalid(path, kind, &detail);
        }
        _ => return,
    }
    let computed = match rule.str("messageExpression") {
        "" => None,
        expression => cel::evaluate(expression, &own_value, old.as_ref()).ok(),
    };
    let computed = computed.as_ref().and_then(Value::as_str).map(str::trim).filter(|t| !t.is_empty() && !t.contains(['\n', '\r']));
    let message = match (computed, own) {
        (Some(computed), _) => computed.to_owned(),
        (None, "") => format!("failed rule: {}", text.trim()),
        (None, own) => own.to_owned(),
    };
    let place = rule.str("fieldPath");
    let path =
        if place.is_empty() { path.clone() } else { Path::new(format!("{path}{}", place.replace('\'', "")).trim_start_matches('.')) };
    let whole = matches!(kind, "object" | "array");
    match rule.str("reason") {
        "FieldValueForbidden" => errors.forbidden(&path, &message),
        "FieldValueRequired" => errors.required(&path, &message),
        "FieldValueDuplicate" if whole => errors.other(FieldErrorKind::Duplicate, &path, "Duplicate value".to_owned()),
        "FieldValueDuplicate" => errors.duplicate(&path, value.clone()),
        _ if whole => errors.invalid_without_value(&path, &message),
        _ => errors.invalid(&path, value.clone(), &message),
    }
}
