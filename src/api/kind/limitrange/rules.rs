//! Defaults and validation of LimitRanges. Counterpart: `SetDefaults_LimitRangeItem` in `pkg/apis/core/v1` and `ValidateLimitRange` in
//! `pkg/apis/core/validation`.

use super::super::pod::{container_resource_name, is_overcommit_allowed, resource_name};
use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, maps};
use crate::api::names;
use crate::api::quantity::Quantity;
use crate::api::sorted::SortedSet;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;

/// The largest number whose thousandths fit into 64 bits: ratios of smaller quantities are computed in thousandths. Counterpart: `resource.MaxMilliValue`.
const MAX_MILLI_VALUE: i64 = i64::MAX / 1000;
const PARTS: [&str; 5] = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];

/// Fills in the defaults of a LimitRange: the default limit from the maximum, the default request from the default limit, else from the minimum.
pub fn default(object: &mut Map) {
    for item in object.map_mut("spec").get_mut("limits").and_then(Value::as_list_mut).into_iter().flatten() {
        let Some(item) = item.as_map_mut().filter(|item| item.str("type") == "Container") else { continue };
        for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
            for (name, amount) in item.map(from).cloned().unwrap_or_default() {
                let target = item.map_mut(to);
                if !target.has(&name) {
                    target.insert(name, amount);
                }
            }
        }
    }
}

/// Names a new LimitRange without a name after its uid.
pub fn prepare_create(object: &mut Map) {
    let metadata = object.map_mut("metadata");
    if metadata.str("name").is_empty() {
        let uid = metadata.str("uid").to_owned();
        metadata.insert("name", uid);
    }
}

/// Validates a new LimitRange.
pub fn validate(object: &Map, errors: &mut Errors) {
    let path = Path::new("spec").child("limits");
    let mut seen: Vec<&str> = Vec::new();
    for (i, item) in maps(object.map("spec").map_or(&[][..], |s| s.list("limits"))) {
        let (path, kind) = (path.index(i), item.str("type"));
        validate_type_name(kind, &path.child("type"), errors);
        if seen.contains(&kind) {
            errors.duplicate(&path.child("type"), kind);
        }
        seen.push(kind);
        validate_item(item, kind, &path, errors);
    }
}

fn validate_type_name(kind: &str, path: &Path, errors: &mut Errors) {
    let problems = names::qualified_name(kind);
    if !problems.is_empty() {
        return errors.invalid_each(path, kind, problems);
    }
    if !kind.contains('/') && !matches!(kind, "Pod" | "Container" | "PersistentVolumeClaim") {
        errors.invalid(path, kind, "must be a standard limit type or fully qualified");
    }
}

fn validate_item(item: &Map, kind: &str, path: &Path, errors: &mut Errors) {
    let mut keys: SortedSet<ArcStr> = SortedSet::new();
    let mut check_names = |part: &str, errors: &mut Errors| {
        for (name, _) in item.map(part).into_iter().flat_map(Map::iter) {
            validate_resource_name(kind, name, &path.child(part).key(name), errors);
            keys.insert(name.clone());
        }
    };
    check_names("max", errors);
    check_names("min", errors);
    for part in ["default", "defaultRequest"] {
        if kind != "Pod" {
            check_names(part, errors);
        } else if item.map(part).is_some_and(|m| !m.is_empty()) {
            errors.forbidden(&path.child(part), "may not be specified when `type` is 'Pod'");
        }
    }
    let has_storage = |part: &str| item.map(part).is_some_and(|m| m.has("storage"));
    if kind == "PersistentVolumeClaim" && !has_storage("min") && !has_storage("max") {
        errors.required(&path.child("limits"), "either minimum or maximum storage value is required, but neither was provided");
    }
    check_names("maxLimitRequestRatio", errors);
    for key in &keys {
        validate_amounts(item, kind, key, path, errors);
    }
}

fn validate_resource_name(kind: &str, name: &str, path: &Path, errors: &mut Errors) {
    if matches!(kind, "Pod" | "Container") {
        container_resource_name(name, path, errors);
    } else {
        resource_name(name, path, errors);
    }
}

/// Validates the minimum, maximum, defaults and ratio of one resource against each other.
fn validate_amounts(item: &Map, kind: &str, key: &str, path: &Path, errors: &mut Errors) {
    let [max, min, default, request, ratio] = PARTS.map(|part| {
        let counts = kind != "Pod" || !matches!(part, "default" | "defaultRequest");
        item.map(part).filter(|_| counts).and_then(|m| m.get(key)).and_then(Value::as_str).and_then(|q| Quantity::parse(q).ok())
    });
    let mut refuse = |part: &str, value: Quantity, why: String| errors.invalid(&path.child(part).key(key), value.to_string(), &why);
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        refuse("min", min, format!("min value {min} is greater than max value {max}"));
    }
    if let (Some(request), Some(min)) = (request, min)
        && min > request
    {
        refuse("defaultRequest", request, format!("min value {min} is greater than default request value {request}"));
    }
    if let (Some(request), Some(max)) = (request, max)
        && request > max
    {
        refuse("defaultRequest", request, format!("default request value {request} is greater than max value {max}"));
    }
    if let (Some(request), Some(default)) = (request, default)
        && request > default
    {
        refuse("defaultRequest", request, format!("default request value {request} is greater than default limit value {default}"));
    }
    if let (Some(default), Some(min)) = (default, min)
        && min > default
    {
        refuse("default", min, format!("min value {min} is greater than default value {default}"));
    }
    if let (Some(default), Some(max)) = (default, max)
        && default > max
    {
        refuse("default", max, format!("default value {default} is greater than max value {max}"));
    }
    if let Some(ratio) = ratio {
        if ratio < Quantity::from_units(1, crate::api::quantity::Format::DecimalSi) {
            refuse("maxLimitRequestRatio", ratio, format!("ratio {ratio} is less than 1"));
        }
        if let (Some(min), Some(max)) = (min, max) {
            let (wanted, limit) = ratios(ratio, min, max);
            if wanted > limit {
                refuse("maxLimitRequestRatio", ratio, format!("ratio {ratio} is greater than max/min = {limit:.6}"));
            }
        }
    }
    if let (Some(default), Some(request)) = (default, request)
        && !is_overcommit_allowed(key)
        && default != request
    {
        refuse("defaultRequest", request, format!("default value {default} must equal to defaultRequest value {request} in {key}"));
    }
}

fn ratios(ratio: Quantity, min: Quantity, max: Quantity) -> (f64, f64) {
    if ratio.value() < MAX_MILLI_VALUE && min.value() < MAX_MILLI_VALUE && max.value() < MAX_MILLI_VALUE {
        return (ratio.milli_value() as f64 / 1000.0, max.milli_value() as f64 / min.milli_value() as f64);
    }
    (ratio.value() as f64, max.value() as f64 / min.value() as f64)
}

/// Validates an update of a LimitRange.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::LIMIT_RANGE, new, errors);
    validate(new, errors);
}
