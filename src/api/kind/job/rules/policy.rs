//! Validation of the policies for failed pods and for early success. Counterpart: `validatePodFailurePolicy`, `validateSuccessPolicy`.

use super::indexes;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{maps, non_negative};
use crate::api::names;
use crate::api::value::{Map, Value};

const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;
const MAX_PATTERNS: usize = 20;
const MAX_INDEXES_TEXT: usize = 64 * 1024;
const ACTIONS: &[&str] = &["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: &[&str] = &["In", "NotIn"];
const STATUSES: &[&str] = &["False", "True", "Unknown"];

/// Lists the valid values of a field, quoted as Go's `%q` does.
fn quoted(words: &[&str]) -> String {
    let all: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
    format!("valid values: [{}]", all.join(" "))
}

fn one_of(value: &str, supported: &[&str], path: &Path, errors: &mut Errors) {
    if value.is_empty() {
        errors.required(path, &quoted(supported));
    } else if !supported.contains(&value) {
        errors.not_supported(path, value, supported);
    }
}

/// Validates the rules for failed pods.
pub fn validate_pod_failure_policy(spec: &Map, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let rules = spec.map("podFailurePolicy").unwrap_or(&empty).list("rules");
    let path = path.child("rules");
    if rules.len() > MAX_RULES {
        errors.too_many(&path, rules.len(), MAX_RULES);
    }
    for (i, rule) in maps(rules) {
        validate_failure_rule(spec, rule, &path.index(i), errors);
    }
}

fn validate_failure_rule(spec: &Map, rule: &Map, path: &Path, errors: &mut Errors) {
    let action = rule.str("action");
    if action == "FailIndex" {
        if !spec.has("backoffLimitPerIndex") {
            errors.invalid(&path.child("action"), action, "requires the backoffLimitPerIndex to be set");
        }
    } else {
        one_of(action, ACTIONS, &path.child("action"), errors);
    }
    let (codes, patterns) = (rule.map("onExitCodes"), rule.list("onPodConditions"));
    if let Some(codes) = codes {
        validate_exit_codes(spec, codes, &path.child("onExitCodes"), errors);
    }
    let place = path.child("onPodConditions");
    if patterns.len() > MAX_PATTERNS {
        errors.too_many(&place, patterns.len(), MAX_PATTERNS);
    }
    for (i, pattern) in maps(patterns) {
        let type_ = pattern.str("type");
        errors.invalid_each(&place.index(i).child("type"), type_, names::qualified_name(type_));
        one_of(pattern.str("status"), STATUSES, &place.index(i).child("status"), errors);
    }
    let both = match (codes.is_some(), patterns.is_empty()) {
        (true, false) => "specifying both OnExitCodes and OnPodConditions is not supported",
        (false, true) => "specifying one of OnExitCodes and OnPodConditions is required",
        _ => return,
    };
    errors.invalid_without_value(path, both);
}

fn validate_exit_codes(spec: &Map, codes: &Map, path: &Path, errors: &mut Errors) {
    one_of(codes.str("operator"), OPERATORS, &path.child("operator"), errors);
    let known = |name: &str| {
        let lists = ["containers", "initContainers"].map(|key| spec.at(&["template", "spec", key]).and_then(Value::as_list).unwrap_or(&[]));
        lists.iter().flat_map(|l| maps(l)).any(|(_, c)| c.str("name") == name)
    };
    if let Some(name) = codes.get("containerName").and_then(Value::as_str).filter(|name| !known(name)) {
        errors.invalid(&path.child("containerName"), name, "must be one of the container or initContainer names in the pod template");
    }
    let (values, place) = (codes.list("values"), path.child("values"));
    if values.is_empty() {
        errors.invalid(&place, codes.get("values").cloned().unwrap_or_default(), "at least one value is required");
    } else if values.len() > MAX_EXIT_CODES {
        errors.too_many(&place, values.len(), MAX_EXIT_CODES);
    }
    for (i, value) in values.iter().enumerate() {
        if codes.str("operator") == "In" && value.as_int() == Some(0) {
            errors.invalid(&place.index(i), 0, "must not be 0 for the In operator");
        }
        if values[..i].contains(value) {
            errors.duplicate(&place.index(i), value.clone());
        }
    }
    if values.windows(2).any(|pair| pair[0].as_int() > pair[1].as_int()) {
        errors.invalid(&place, values.to_vec(), "must be ordered");
    }
}

/// Validates the rules by which an Indexed Job succeeds early.
pub fn validate_success_policy(spec: &Map, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let rules = spec.map("successPolicy").unwrap_or(&empty).list("rules");
    let path = path.child("rules");
    if rules.is_empty() {
        errors.required(&path, "at least one rules must be specified when the successPolicy is specified");
    }
    if rules.len() > MAX_RULES {
        errors.too_many(&path, rules.len(), MAX_RULES);
    }
    let completions = spec.int("completions").unwrap_or(0);
    for (i, rule) in maps(rules) {
        validate_success_rule(rule, completions, &path.index(i), errors);
    }
}

fn validate_success_rule(rule: &Map, completions: i64, path: &Path, errors: &mut Errors) {
    let (text, wanted) = (rule.get("succeededIndexes").and_then(Value::as_str), rule.int("succeededCount"));
    if text.is_none() && wanted.is_none() {
        errors.required(path, "at least one of succeededCount or succeededIndexes must be specified");
    }
    let mut total = 0;
    if let Some(text) = text {
        let place = path.child("succeededIndexes");
        if text.len() > MAX_INDEXES_TEXT {
            errors.too_long(&place, MAX_INDEXES_TEXT);
        }
        match indexes::count(text, completions) {
            Ok(count) => total = count,
            Err(why) => errors.invalid(&place, text, &format!("error parsing succeededIndexes: {why}")),
        }
    }
    if let Some(wanted) = wanted {
        let place = path.child("succeededCount");
        non_negative(rule, "succeededCount", path, errors);
        if wanted > completions {
            let detail = format!("must be less than or equal to {completions} (the number of specified completions)");
            errors.invalid(&place, wanted, &detail);
        }
        if text.is_some() && wanted > total {
            let detail = format!("must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)");
            errors.invalid(&place, wanted, &detail);
        }
    }
}
