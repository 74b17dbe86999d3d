//! Defaults and validation of Jobs. Counterpart: `pkg/apis/batch/v1/defaults.go`, `pkg/apis/batch/validation` and `pkg/registry/batch/job`.

mod indexes;
mod policy;
mod status;
mod update;

pub use status::validate_status;
pub use update::validate_update;

use super::super::pod;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{non_negative, selector_text, validate_label_selector};
use crate::api::names;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};

const PREFIX: &str = "batch.kubernetes.io/";
const MAX_PARALLELISM: i64 = 100_000;
const MAX_FAILED_INDEXES: i64 = 100_000;
const HIGH_COMPLETIONS: i64 = 100_000;
const LIMIT_FOR_HIGH_COMPLETIONS: i64 = 10_000;
const MAX_MANAGED_BY: usize = 63;

/// Fills in the defaults of a Job. Counterpart: `SetDefaults_Job`.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    default_spec(spec);
    let (completions, parallelism) = (spec.has("completions"), spec.has("parallelism"));
    if !completions && !parallelism {
        spec.insert("completions", 1);
    }
    spec.insert_default("parallelism", 1);
    let limit = if spec.has("backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    spec.insert_default("backoffLimit", limit);
    spec.insert_default("completionMode", "NonIndexed");
    spec.insert_default("suspend", false);
    let replaced = if spec.has("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    spec.insert_default("podReplacementPolicy", replaced);
    spec.insert_default("manualSelector", false);
    copy_labels(object);
    object.map_mut("status");
}

/// Fills in those defaults of a Job's spec that also apply to the template in a CronJob.
pub fn default_spec(spec: &mut Map) {
    pod::default_template(spec.map_mut("template"));
    let rules = spec.get_mut("podFailurePolicy").and_then(|p| p.as_map_mut()?.get_mut("rules")?.as_list_mut());
    for rule in rules.into_iter().flatten().filter_map(Value::as_map_mut) {
        let patterns = rule.get_mut("onPodConditions").and_then(Value::as_list_mut);
        for pattern in patterns.into_iter().flatten().filter_map(Value::as_map_mut) {
            if pattern.str("status").is_empty() {
                pattern.insert("status", "True");
            }
        }
    }
}

/// Gives a Job without labels the labels of its template.
fn copy_labels(object: &mut Map) {
    let labels = object.at(&["spec", "template", "metadata", "labels"]).cloned();
    let metadata = object.map_mut("metadata");
    if let (Some(labels), true) = (labels, metadata.map("labels").is_none_or(Map::is_empty)) {
        metadata.insert("labels", labels);
    }
}

/// Resets the status of a new Job, and adds the labels and the selector by which it finds its pods, unless a person has chosen a selector. Counterpart:
/// `generateSelector`.
pub fn generate_selector(object: &mut Map) {
    object.insert("status", Map::new());
    let (uid, name) = match object.map("metadata") {
        Some(metadata) => (metadata.str("uid").to_owned(), metadata.str("name").to_owned()),
        None => return,
    };
    // Where defaulting gave the object its template's labels, the two are one map in the real server, so what is added to one is added to both.
    let shared = object.at(&["spec", "template", "metadata", "labels"]).is_some_and(|l| object.at(&["metadata", "labels"]) == Some(l));
    let spec = object.map_mut("spec");
    if spec.bool("manualSelector") {
        return;
    }
    let labels = spec.map_mut("template").map_mut("metadata").map_mut("labels");
    for (key, value) in [("job-name", &name), ("controller-uid", &uid)] {
        for key in [key.to_owned(), format!("{PREFIX}{key}")] {
            if !labels.has(&key) {
                labels.insert(key, value.as_str());
            }
        }
    }
    let labels = labels.clone();
    let selected = spec.map_mut("selector").map_mut("matchLabels");
    if !selected.has("batch.kubernetes.io/controller-uid") {
        selected.insert("batch.kubernetes.io/controller-uid", uid.as_str());
    }
    if shared {
        object.map_mut("metadata").insert("labels", labels);
    }
}

/// Validates a new Job. Counterpart: `ValidateJob`.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_generated_selector(object, true, errors);
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    validate_with_selector(spec, &path, errors);
    let name = object.map("metadata").map_or("", |m| m.str("name"));
    if let (Some(completions), "Indexed") = (spec.int("completions").filter(|n| *n > 0), spec.str("completionMode")) {
        let longest = format!("{name}-{}", completions - 1);
        if !names::dns_label(&longest).is_empty() {
            let detail = format!("will not able to create pod with invalid DNS label: {longest}");
            errors.invalid(&Path::new("metadata.name"), name, &detail);
        }
    }
}

/// Validates that the template's labels and the selector of a Job are the generated ones. Counterpart: `validateGeneratedSelector`.
fn validate_generated_selector(object: &Map, prefixed: bool, errors: &mut Errors) {
    let empty = Map::new();
    let (spec, metadata) = (object.map("spec").unwrap_or(&empty), object.map("metadata").unwrap_or(&empty));
    let Some(selector) = spec.map("selector").filter(|_| !spec.bool("manualSelector")) else { return };
    let labels = spec.at(&["template", "metadata", "labels"]).and_then(Value::as_map).unwrap_or(&empty);
    let (uid, name) = (metadata.str("uid"), metadata.str("name"));
    if uid.is_empty() {
        errors.required(&Path::new("metadata.uid"), "");
    }
    let path = Path::new("spec.template.metadata.labels");
    let mut expected = Map::new();
    for prefix in ["", PREFIX].into_iter().take(1 + usize::from(prefixed)) {
        for (key, value) in [("controller-uid", uid), ("job-name", name)] {
            let key = format!("{prefix}{key}");
            match labels.get(&key).and_then(Value::as_str) {
                None => errors.required(&path.key(&key), &format!("must be '{value}'")),
                Some(found) if found != value => {
                    errors.invalid(&path.key(&key), labels.clone(), &format!("must be '{value}'"));
                }
                _ => {}
            }
            expected.insert(key, value);
        }
    }
    if Selector::from_label_selector(selector).is_ok_and(|s| !s.matches_map(&expected)) {
        errors.invalid_text(&Path::new("spec.selector"), &selector_text(selector), "`selector` not auto-generated");
    }
}

/// Validates the spec of a Job, including its selector. Counterpart: `ValidateJobSpec`.
fn validate_with_selector(spec: &Map, path: &Path, errors: &mut Errors) {
    validate_spec(spec, path, errors);
    match spec.map("selector") {
        None => errors.required(&path.child("selector"), ""),
        selector => validate_label_selector(selector, &path.child("selector"), errors),
    }
    let empty = Map::new();
    let labels = spec.at(&["template", "metadata", "labels"]).and_then(Value::as_map);
    let matches = match spec.map("selector") {
        None => Some(false),
        Some(selector) => Selector::from_label_selector(selector).ok().map(|s| s.matches_map(labels.unwrap_or(&empty))),
    };
    if matches == Some(false) {
        let shown = labels.map_or(Value::Null, |l| l.clone().into());
        errors.invalid(&path.child("template.metadata.labels"), shown, "`selector` does not match template `labels`");
    }
}

/// Validates the spec of a Job or of the template in a CronJob, without the selector. Counterpart: `validateJobSpec`.
pub fn validate_spec(spec: &Map, path: &Path, errors: &mut Errors) {
    for key in ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished", "backoffLimitPerIndex"] {
        non_negative(spec, key, path, errors);
    }
    if spec.has("maxFailedIndexes") {
        non_negative(spec, "maxFailedIndexes", path, errors);
        if !spec.has("backoffLimitPerIndex") {
            errors.required(&path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
        }
    }
    if let Some(manager) = spec.get("managedBy").and_then(Value::as_str) {
        validate_managed_by(manager, &path.child("managedBy"), errors);
    }
    validate_completion_mode(spec, path, errors);
    if spec.has("podFailurePolicy") {
        policy::validate_pod_failure_policy(spec, &path.child("podFailurePolicy"), errors);
    }
    if let Some(success) = spec.get("successPolicy") {
        if spec.str("completionMode") == "Indexed" {
            policy::validate_success_policy(spec, &path.child("successPolicy"), errors);
        } else {
            let text = pod::go_json("SuccessPolicy", Some(success));
            errors.invalid_text(&path.child("successPolicy"), &text, "requires indexed completion mode");
        }
    }
    validate_replacement(spec, &path.child("podReplacementPolicy"), errors);
    let empty = Map::new();
    let template = spec.map("template").unwrap_or(&empty);
    pod::validate_template(template, &path.child("template"), errors);
    let restart = template.at(&["spec", "restartPolicy"]).and_then(Value::as_str).unwrap_or("");
    let place = path.child("template.spec.restartPolicy");
    match restart {
        "Always" | "" => errors.required(&place, "valid values: \"OnFailure\", \"Never\""),
        "OnFailure" if spec.has("podFailurePolicy") => {
            errors.invalid(&place, restart, "only \"Never\" is supported when podFailurePolicy is specified");
        }
        "OnFailure" | "Never" => {}
        _ => errors.not_supported(&place, restart, &["OnFailure", "Never"]),
    }
}

/// Validates `managedBy`, which must be a domain-prefixed path. Counterpart: `IsDomainPrefixedPath`.
fn validate_managed_by(manager: &str, path: &Path, errors: &mut Errors) {
    const PATH_FORMAT: &str = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
    if manager.is_empty() {
        return errors.required(path, "");
    }
    match manager.split_once('/').filter(|(host, rest)| !host.is_empty() && !rest.is_empty()) {
        None => errors.invalid(path, manager, "must be a domain-prefixed path (such as \"acme.io/foo\")"),
        Some((host, rest)) => {
            errors.invalid_each(path, host, names::dns_subdomain(host));
            if !rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&b)) {
                errors.invalid(path, rest, PATH_FORMAT);
            }
        }
    }
    if manager.len() > MAX_MANAGED_BY {
        errors.too_long(path, MAX_MANAGED_BY);
    }
}

fn validate_completion_mode(spec: &Map, path: &Path, errors: &mut Errors) {
    let mode = spec.get("completionMode").and_then(Value::as_str);
    let (completions, parallelism, failed) = (spec.int("completions"), spec.int("parallelism"), spec.int("maxFailedIndexes"));
    let at_most = |limit: i64, when: &str| format!("must be less than or equal to {limit}{when}");
    if mode.is_some_and(|m| !matches!(m, "NonIndexed" | "Indexed")) {
        errors.not_supported(&path.child("completionMode"), mode.unwrap_or(""), &["NonIndexed", "Indexed"]);
    }
    if mode == Some("Indexed") {
        if completions.is_none() {
            errors.required(&path.child("completions"), "when completion mode is Indexed");
        }
        if let Some(n) = parallelism.filter(|n| *n > MAX_PARALLELISM) {
            errors.invalid(&path.child("parallelism"), n, &at_most(MAX_PARALLELISM, " when completion mode is Indexed"));
        }
        if let Some(n) = failed.filter(|n| completions.is_some_and(|all| *n > all)) {
            errors.invalid(&path.child("maxFailedIndexes"), n, "must be less than or equal to completions");
        }
        if let Some(n) = failed.filter(|n| *n > MAX_FAILED_INDEXES) {
            errors.invalid(&path.child("maxFailedIndexes"), n, &at_most(MAX_FAILED_INDEXES, ""));
        }
        if completions.is_some_and(|n| n > HIGH_COMPLETIONS) && spec.has("backoffLimitPerIndex") {
            let when = format!(" when completions are above {HIGH_COMPLETIONS} and used with backoff limit per index");
            if failed.is_none() {
                let detail = format!("must be specified when completions is above {HIGH_COMPLETIONS}");
                errors.required(&path.child("maxFailedIndexes"), &detail);
            }
            for (key, value) in [("parallelism", parallelism), ("maxFailedIndexes", failed)] {
                if let Some(n) = value.filter(|n| *n > LIMIT_FOR_HIGH_COMPLETIONS) {
                    errors.invalid(&path.child(key), n, &at_most(LIMIT_FOR_HIGH_COMPLETIONS, &when));
                }
            }
        }
    }
    if mode.is_none_or(|m| m == "NonIndexed") {
        for key in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            if let Some(n) = spec.int(key) {
                errors.invalid(&path.child(key), n, "requires indexed completion mode");
            }
        }
    }
}

fn validate_replacement(spec: &Map, path: &Path, errors: &mut Errors) {
    let Some(policy) = spec.get("podReplacementPolicy").and_then(Value::as_str) else { return };
    if spec.has("podFailurePolicy") {
        if policy != "Failed" {
            errors.not_supported(path, policy, &["Failed"]);
        }
    } else if !matches!(policy, "Failed" | "TerminatingOrFailed") {
        errors.not_supported(path, policy, &["Failed", "TerminatingOrFailed"]);
    }
}
