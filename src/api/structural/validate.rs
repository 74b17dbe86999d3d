//! Validation of a value against an OpenAPI schema, in the words of `kube-openapi`, and by the CEL rules in it.

use super::{cel, formats, pattern};
use crate::api::field::{Errors, FieldErrorKind, Path};
use crate::api::json;
use crate::api::value::{Map, Value};

/// Validates a value against a schema.
pub fn validate(schema: &Map, value: &Value, path: &Path, errors: &mut Errors) {
    if schema.bool("nullable") && value.is_null() {
        return;
    }
    validate_type(schema, value, path, errors);
    validate_combinations(schema, value, path, errors);
    if let Value::Str(text) = value {
        validate_text(schema, text, path, errors);
    }
    if let Value::Int(_) | Value::Float(_) = value {
        validate_number(schema, value, path, errors);
    }
    if let Value::List(items) = value {
        validate_list(schema, items, path, errors);
    }
    let choices = schema.list("enum");
    if !choices.is_empty() && !choices.contains(value) {
        let shown = |choice: &Value| choice.as_str().map_or_else(|| json::to_string(choice), str::to_owned);
        let list = choices.iter().map(|choice| format!("{:?}", shown(choice))).collect::<Vec<_>>().join(", ");
        let message = format!("Unsupported value: {}: supported values: {list}", json::to_string(value));
        errors.other(FieldErrorKind::NotSupported, path, message);
    }
    if let Value::Map(map) = value {
        validate_object(schema, map, path, errors);
    }
}

fn body(path: &Path) -> String {
    if path.as_str().is_empty() { " in body".to_owned() } else { format!("{path} in body") }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) => "integer",
        Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    }
}

fn validate_type(schema: &Map, value: &Value, path: &Path, errors: &mut Errors) {
    let (wanted, actual) = (schema.str("type"), type_of(value));
    let either = schema.bool("x-kubernetes-int-or-string");
    if either && !matches!(actual, "integer" | "string") {
        let message = format!("Invalid value: {actual:?}: {} must be of type integer,string: {actual:?}", body(path));
        return errors.other(FieldErrorKind::TypeInvalid, path, message);
    }
    if wanted.is_empty() || wanted == actual || (wanted == "number" && actual == "integer") || either {
        return;
    }
    let message = format!("Invalid value: {actual:?}: {} must be of type {wanted}: {actual:?}", body(path));
    errors.other(FieldErrorKind::TypeInvalid, path, message);
}

fn problems(schema: &Value, value: &Value, path: &Path) -> Errors {
    let mut errors = Errors::default();
    if let Some(schema) = schema.as_map() {
        validate(schema, value, path, &mut errors);
    }
    errors
}

/// Validates a value against `anyOf`, `oneOf`, `allOf` and `not`. If no alternative of `anyOf` or `oneOf` fits, the errors of the first are reported.
/// Counterpart: `schemaPropsValidator.Validate`.
fn validate_combinations(schema: &Map, value: &Value, path: &Path, errors: &mut Errors) {
    let refuse = |errors: &mut Errors, detail: &str| errors.invalid(&Path::new("<nil>"), "", &format!("\"{path}\" must {detail}"));
    let merge = |errors: &mut Errors, found: Errors| {
        for error in found.0 {
            if !errors.0.contains(&error) {
                errors.0.push(error);
            }
        }
    };
    let [any, one, all] =
        ["anyOf", "oneOf", "allOf"].map(|list| schema.list(list).iter().map(|inner| problems(inner, value, path)).collect::<Vec<_>>());
    if !any.iter().any(Errors::is_empty)
        && let Some(first) = any.into_iter().next()
    {
        refuse(errors, "validate at least one schema (anyOf)");
        merge(errors, first);
    }
    match one.iter().filter(|found| found.is_empty()).count() {
        1 => {}
        0 => {
            if let Some(first) = one.into_iter().next() {
                refuse(errors, "validate one and only one schema (oneOf). Found none valid");
                merge(errors, first);
            }
        }
        n => refuse(errors, &format!("validate one and only one schema (oneOf). Found {n} valid alternatives")),
    }
    let failed = all.iter().filter(|found| !found.is_empty()).count();
    if failed > 0 {
        let none = if failed == all.len() { ". None validated" } else { "" };
        all.into_iter().for_each(|found| merge(errors, found));
        refuse(errors, &format!("validate all the schemas (allOf){none}"));
    }
    if schema.get("not").is_some_and(|inner| problems(inner, value, path).is_empty()) {
        refuse(errors, "not validate the schema (not)");
    }
}

fn validate_text(schema: &Map, text: &str, path: &Path, errors: &mut Errors) {
    let length = text.chars().count() as i64;
    if let Some(most) = schema.int("maxLength").filter(|most| length > *most) {
        errors.too_long(path, most.max(0) as usize);
    }
    if let Some(least) = schema.int("minLength").filter(|least| length < *least) {
        errors.invalid(path, text, &format!("{} should be at least {least} chars long", body(path)));
    }
    let wanted = schema.str("pattern");
    if !wanted.is_empty() && !pattern::is_match(wanted, text) {
        errors.invalid(path, text, &format!("{} should match '{wanted}'", body(path)));
    }
    let format = schema.str("format");
    if !format.is_empty() && !formats::is_valid(format, text) {
        let message = format!("Invalid value: {text:?}: {} must be of type {format}: {text:?}", body(path));
        errors.other(FieldErrorKind::TypeInvalid, path, message);
    }
}

fn number(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Int(i) => Some(*i as f64),
        Value::Float(f) => Some(*f),
        _ => None,
    }
}

fn validate_number(schema: &Map, value: &Value, path: &Path, errors: &mut Errors) {
    let Some(actual) = number(Some(value)) else { return };
    let (kind, format) = (schema.str("type"), schema.str("format"));
    let fits = match (value, format) {
        (Value::Float(_), _) => kind != "integer",
        (Value::Int(i), "int32") => i32::try_from(*i).is_ok(),
        _ => true,
    };
    if !fits {
        let format = if format.is_empty() { "(default format)".to_owned() } else { format!("with format {format}") };
        errors.invalid(&Path::new("<nil>"), "", &format!("Checked value must be of type {kind} {format} in {path}"));
    }
    let mut refuse = |detail: String| errors.invalid(path, value.clone(), &format!("{} should be {detail}", body(path)));
    if let Some(step) = number(schema.get("multipleOf")).filter(|step| *step > 0.0 && (actual / step) % 1.0 != 0.0) {
        refuse(format!("a multiple of {step}"));
    }
    if let Some(most) = number(schema.get("maximum")) {
        match schema.bool("exclusiveMaximum") {
            true if actual >= most => refuse(format!("less than {most}")),
            false if actual > most => refuse(format!("less than or equal to {most}")),
            _ => {}
        }
    }
    if let Some(least) = number(schema.get("minimum")) {
        match schema.bool("exclusiveMinimum") {
            true if actual <= least => refuse(format!("greater than {least}")),
            false if actual < least => refuse(format!("greater than or equal to {least}")),
            _ => {}
        }
    }
}

fn validate_list(schema: &Map, items: &[Value], path: &Path, errors: &mut Errors) {
    if let Some(inner) = schema.map("items") {
        items.iter().enumerate().for_each(|(i, item)| validate(inner, item, &path.index(i), errors));
    }
    let count = items.len() as i64;
    if let Some(least) = schema.int("minItems").filter(|least| count < *least) {
        errors.invalid(path, count, &format!("{} should have at least {least} items", body(path)));
    }
    if let Some(most) = schema.int("maxItems").filter(|most| count > *most) {
        errors.too_many(path, items.len(), most.max(0) as usize);
    }
    let repeated = items.iter().enumerate().find(|(i, item)| items[..*i].contains(item));
    if repeated.is_some() && (schema.bool("uniqueItems")) {
        errors.invalid(path, items.to_vec(), &format!("{} shouldn't contain duplicates", body(path)));
    }
    match schema.str("x-kubernetes-list-type") {
        "set" => {
            for (i, item) in items.iter().enumerate().filter(|(i, item)| items[..*i].contains(item)) {
                errors.duplicate(&path.index(i), item.clone());
            }
        }
        "map" => {
            let keys: Vec<&str> = schema.list("x-kubernetes-list-map-keys").iter().filter_map(Value::as_str).collect();
            let key = |item: &Value| -> Map { keys.iter().filter_map(|k| Some(((*k).into(), item.get(k)?.clone()))).collect() };
            for (i, item) in items.iter().enumerate().filter(|(i, item)| items[..*i].iter().any(|other| key(other) == key(item))) {
                errors.duplicate(&path.index(i), key(item));
            }
        }
        _ => {}
    }
}

fn validate_object(schema: &Map, map: &Map, path: &Path, errors: &mut Errors) {
    let count = map.iter().count() as i64;
    if let Some(least) = schema.int("minProperties").filter(|least| count < *least) {
        errors.invalid(path, count, &format!("{} should have at least {least} properties", body(path)));
    }
    if let Some(most) = schema.int("maxProperties").filter(|most| count > *most) {
        errors.too_many(path, count.max(0) as usize, most.max(0) as usize);
    }
    let properties = schema.map("properties");
    for (name, value) in map.iter() {
        match properties.and_then(|p| p.map(name)) {
            Some(property) => validate(property, value, &path.child(name), errors),
            None => match schema.get("additionalProperties") {
                Some(Value::Map(inner)) => validate(inner, value, &path.child(name), errors),
                Some(Value::Bool(false)) => errors.forbidden(&path.child(name), &format!("{} is a forbidden property", body(path))),
                _ => {}
            },
        }
    }
    for name in schema.list("required").iter().filter_map(Value::as_str).filter(|name| !map.has(name)) {
        errors.required(&path.child(name), "");
    }
}

/// Checks the CEL rules about a value and everything in it. `old` is the value before an update.
pub fn rules(schema: &Map, value: &Value, old: Option<&Value>, path: &Path, errors: &mut Errors) {
    for rule in schema.list("x-kubernetes-validations").iter().filter_map(Value::as_map) {
        let expression = rule.str("rule");
        let transition = expression.contains("oldSelf") && !rule.bool("optionalOldSelf");
        if (transition && old.is_none()) || cel::holds(expression, value, old) != Some(false) {
            continue;
        }
        let message = match (rule.str("messageExpression"), rule.str("message")) {
            ("", "") => format!("failed rule: {expression}"),
            ("", message) => message.to_owned(),
            (computed, message) => cel::text(computed, value, old).unwrap_or_else(|| message.to_owned()),
        };
        let place = rule.str("fieldPath");
        let path = if place.is_empty() { path.clone() } else { Path::new(&format!("{path}{place}")) };
        match rule.str("reason") {
            "FieldValueForbidden" => errors.forbidden(&path, &message),
            "FieldValueRequired" => errors.required(&path, &message),
            "FieldValueDuplicate" => errors.other(FieldErrorKind::Duplicate, &path, format!("Duplicate value: {message}")),
            _ if matches!(value, Value::Map(_) | Value::List(_)) => {
                errors.other(FieldErrorKind::Invalid, &path, format!("Invalid value: {message}"));
            }
            _ => errors.invalid(&path, value.clone(), &message),
        }
    }
    match value {
        Value::Map(map) => {
            for (name, inner) in map.iter() {
                let property = schema.map("properties").and_then(|p| p.map(name)).or(schema.map("additionalProperties"));
                if let Some(property) = property {
                    rules(property, inner, old.and_then(|o| o.get(name)), &path.child(name), errors);
                }
            }
        }
        Value::List(items) => {
            if let Some(inner) = schema.map("items") {
                items.iter().enumerate().for_each(|(i, item)| rules(inner, item, None, &path.index(i), errors));
            }
        }
        _ => {}
    }
}
