//! Validation of updates of Jobs. Counterpart: `ValidateJobUpdate` and `validationOptionsForJob`.

use super::super::super::{Kind, pod};
use super::{PREFIX, validate_generated_selector, validate_with_selector};
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::meta_rules::{self, selector_text};
use crate::api::names;
use crate::api::value::{Map, Value};

/// Validates an update of a Job.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let (spec, old_spec) = (new.map("spec").unwrap_or(&empty), old.map("spec").unwrap_or(&empty));
    meta_rules::validate(Kind::JOB, new, errors);
    let labels = old_spec.at(&["template", "metadata", "labels"]).and_then(Value::as_map).unwrap_or(&empty);
    let prefixed = ["job-name", "controller-uid"].iter().all(|key| labels.has(&format!("{PREFIX}{key}")));
    validate_generated_selector(new, prefixed, errors);
    validate_with_selector(spec, &path, errors);
    validate_hostname(new, spec, errors);
    validate_with_selector(spec, &path, errors);
    validate_completions(spec, old_spec, &path, errors);
    let selector = |value: Option<&Value>| value.and_then(Value::as_map).map_or_else(|| "null".to_owned(), selector_text);
    immutable(spec, old_spec, "selector", selector, errors);
    validate_template(new, old, errors);
    immutable(spec, old_spec, "completionMode", plain, errors);
    immutable(spec, old_spec, "podFailurePolicy", |value| go_struct("PodFailurePolicy", value), errors);
    immutable(spec, old_spec, "backoffLimitPerIndex", plain, errors);
    immutable(spec, old_spec, "managedBy", plain, errors);
    immutable(spec, old_spec, "successPolicy", |value| go_struct("SuccessPolicy", value), errors);
}

fn validate_hostname(new: &Map, spec: &Map, errors: &mut Errors) {
    let name = new.map("metadata").map_or("", |m| m.str("name"));
    if let (Some(completions), "Indexed") = (spec.int("completions").filter(|n| *n > 0), spec.str("completionMode")) {
        let longest = format!("{name}-{}", completions - 1);
        if !names::dns_label(&longest).is_empty() {
            let detail = format!("will not able to create pod with invalid DNS label: {longest}");
            errors.invalid(&Path::new("metadata.name"), name, &detail);
        }
    }
}

fn plain(value: Option<&Value>) -> String {
    value.map_or_else(|| "null".to_owned(), json::to_string)
}

fn go_struct(name: &str, value: Option<&Value>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| pod::go_json(name, Some(value)))
}

fn immutable(new: &Map, old: &Map, key: &str, shown: impl Fn(Option<&Value>) -> String, errors: &mut Errors) {
    let (new, old) = (new.get(key).filter(|v| !v.is_null()), old.get(key).filter(|v| !v.is_null()));
    if new != old {
        errors.invalid_text(&Path::new("spec").child(key), &shown(new), "field is immutable");
    }
}

/// Validates a change of `completions`, which only Indexed Jobs may change, and only together with the parallelism.
fn validate_completions(spec: &Map, old: &Map, path: &Path, errors: &mut Errors) {
    if spec.str("completionMode") != "Indexed" {
        return immutable(spec, old, "completions", plain, errors);
    }
    let (new, old) = (spec.int("completions"), old.int("completions"));
    if let Some(n) = new.filter(|_| new != old && new != spec.int("parallelism")) {
        // Upstream builds the name of the parallelism in this message from the root of the path, which is its first field, `spec`.
        errors.invalid(&path.child("completions"), n, "can only be modified in tandem with spec.parallelism");
    }
}

/// Validates a change of the pod template: only suspended Jobs may change it, in the fields about scheduling and resources. Counterpart:
/// `validatePodTemplateUpdate`.
fn validate_template(new: &Map, old: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let template = |object: &Map| object.at(&["spec", "template"]).and_then(Value::as_map).cloned().unwrap_or_default();
    let (new_template, mut old_template) = (template(new), template(old));
    let (suspended, status) = (old.at(&["spec", "suspend"]) == Some(&Value::Bool(true)), old.map("status").unwrap_or(&empty));
    let conditions = status.list("conditions").iter().filter_map(Value::as_map);
    let has_suspended = { conditions }.any(|c| c.str("type") == "Suspended" && c.str("status") == "True");
    let mutable = suspended && (!status.has("startTime") || has_suspended) && status.int("active").unwrap_or(0) == 0;
    if mutable {
        allow_scheduling_changes(&new_template, &mut old_template);
    }
    if !mutable {
        if new_template != old_template {
            let text = pod::template_text(&new_template);
            errors.invalid_text(&Path::new("spec.template"), &text, "field is immutable");
        }
        return;
    }
    let (new_spec, mut old_spec) =
        (new_template.map("spec").cloned().unwrap_or_default(), old_template.map("spec").cloned().unwrap_or_default());
    for key in ["containers", "initContainers"] {
        allow_resource_changes(new_spec.list(key), old_spec.get_mut(key).and_then(Value::as_list_mut));
    }
    if new_spec != old_spec {
        let text = pod::go_json("PodSpec", Some(&new_spec.into()));
        errors.invalid_text(&Path::new("spec.template.spec"), &text, "field is immutable");
    }
}

fn allow_scheduling_changes(new: &Map, old: &mut Map) {
    let take = |to: &mut Map, from: &Map, key: &str| match from.get(key) {
        Some(value) => to.insert(key, value.clone()),
        None => to.remove(key),
    };
    let empty = Map::new();
    let new_meta = new.map("metadata").unwrap_or(&empty);
    for key in ["annotations", "labels"] {
        take(old.map_mut("metadata"), new_meta, key);
    }
    let (new_spec, spec) = (new.map("spec").unwrap_or(&empty), old.map_mut("spec"));
    for key in ["nodeSelector", "tolerations", "schedulingGates"] {
        take(spec, new_spec, key);
    }
    let node = new_spec.at(&["affinity", "nodeAffinity"]).cloned();
    match (new_spec.has("affinity"), spec.has("affinity")) {
        (false, true) => {
            spec.map_mut("affinity").remove("nodeAffinity");
            if spec.map("affinity").is_none_or(Map::is_empty) {
                spec.remove("affinity");
            }
        }
        (true, _) => {
            let affinity = spec.map_mut("affinity");
            match node {
                Some(node) => affinity.insert("nodeAffinity", node),
                None => affinity.remove("nodeAffinity"),
            }
        }
        (false, false) => {}
    }
}

fn allow_resource_changes(new: &[Value], old: Option<&mut Vec<Value>>) {
    let Some(old) = old.filter(|old| old.len() == new.len()) else { return };
    for (new, old) in new.iter().filter_map(Value::as_map).zip(old.iter_mut().filter_map(Value::as_map_mut)) {
        if let (true, Some(resources)) = (new.str("name") == old.str("name"), new.get("resources")) {
            old.insert("resources", resources.clone());
        }
    }
}
