//! Defaults and validation of StatefulSets. Counterpart: `pkg/apis/apps/v1/defaults.go`, `pkg/apis/apps/validation` and `pkg/registry/apps/statefulset`.

use super::super::deployment::{amount, at_most_100_percent, int_or_percent};
use super::super::{persistentvolumeclaim, pod};
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::meta_rules::{maps, non_negative, selector_text, validate_annotations, validate_label_selector, validate_labels};
use crate::api::names;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};
use crate::map;

/// Fills in the defaults of a StatefulSet.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    pod::default_template(spec.map_mut("template"));
    spec.insert_default("serviceName", "");
    spec.insert_default("podManagementPolicy", "OrderedReady");
    let strategy = spec.map_mut("updateStrategy");
    if strategy.str("type").is_empty() {
        strategy.insert("type", "RollingUpdate");
        strategy.map_mut("rollingUpdate");
    }
    if strategy.str("type") == "RollingUpdate" && strategy.has("rollingUpdate") {
        strategy.map_mut("rollingUpdate").insert_default("partition", 0);
    }
    let retention = spec.map_mut("persistentVolumeClaimRetentionPolicy");
    for key in ["whenDeleted", "whenScaled"] {
        retention.insert_default(key, "Retain");
    }
    spec.insert_default("replicas", 1);
    spec.insert_default("revisionHistoryLimit", 10);
    if let Some(ordinals) = spec.get_mut("ordinals").and_then(Value::as_map_mut) {
        ordinals.insert_default("start", 0);
    }
    for claim in spec.get_mut("volumeClaimTemplates").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
        default_claim(claim);
    }
    let status = object.map_mut("status");
    status.insert_default("replicas", 0);
    status.insert_default("availableReplicas", 0);
}

fn default_claim(claim: &mut Map) {
    claim.insert("apiVersion", "v1");
    claim.insert("kind", "PersistentVolumeClaim");
    claim.map_mut("metadata");
    persistentvolumeclaim::default(claim);
}

/// Validates a new StatefulSet. Counterpart: `ValidateStatefulSet`.
pub fn validate(object: &Map, errors: &mut Errors) {
    let empty = Map::new();
    validate_spec(object.map("spec").unwrap_or(&empty), &Rules { is_new: true, checks_template: true }, errors);
}

/// Validates an update of a StatefulSet. Counterpart: `ValidateStatefulSetUpdate`.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let (new, old) = (new.map("spec").unwrap_or(&empty), old.map("spec").unwrap_or(&empty));
    // A template that was stored although it is invalid is tolerated.
    let mut known = Errors::default();
    validate_spec(old, &Rules { is_new: false, checks_template: true }, &mut known);
    validate_spec(new, &Rules { is_new: false, checks_template: known.is_empty() }, errors);
    const MUTABLE: &[&str] = &[
        "replicas",
        "template",
        "updateStrategy",
        "minReadySeconds",
        "ordinals",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
    ];
    let fixed = |spec: &Map| spec.iter().filter(|(key, _)| !MUTABLE.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect();
    let (fixed_new, fixed_old): (Map, Map) = (fixed(new), fixed(old));
    if fixed_new != fixed_old {
        errors.forbidden(
            &Path::new("spec"),
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        );
    }
}

/// The checks that apply to a StatefulSet.
struct Rules {
    /// True if the object is new: fields that cannot change are checked only then.
    is_new: bool,
    checks_template: bool,
}

fn validate_spec(spec: &Map, rules: &Rules, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    match spec.str("podManagementPolicy") {
        "" => errors.required(&path.child("podManagementPolicy"), ""),
        "OrderedReady" | "Parallel" => {}
        other => errors.invalid(&path.child("podManagementPolicy"), other, "must be 'OrderedReady' or 'Parallel'"),
    }
    validate_strategy(spec.map("updateStrategy").unwrap_or(&empty), &path.child("updateStrategy"), errors);
    if let Some(retention) = spec.map("persistentVolumeClaimRetentionPolicy") {
        for key in ["whenDeleted", "whenScaled"] {
            if !matches!(retention.str(key), "Retain" | "Delete") {
                let path = path.child("persistentVolumeClaimRetentionPolicy").child(key);
                errors.not_supported(&path, retention.str(key), &["Retain", "Delete"]);
            }
        }
    }
    for (i, claim) in maps(spec.list("volumeClaimTemplates")).filter(|_| rules.is_new) {
        let path = path.child("volumeClaimTemplates").index(i).child("spec");
        persistentvolumeclaim::validate_spec(claim.map("spec").unwrap_or(&empty), false, &path, errors);
    }
    non_negative(spec, "replicas", &path, errors);
    non_negative(spec, "minReadySeconds", &path, errors);
    if let Some(ordinals) = spec.map("ordinals") {
        non_negative(ordinals, "start", &path.child("ordinals"), errors);
    }
    let service = spec.str("serviceName");
    if rules.is_new && !service.is_empty() {
        errors.invalid_each(&path.child("serviceName"), service, names::dns_label(service));
    }
    if let Some(selector) = validate_selector(spec.map("selector"), &path.child("selector"), errors) {
        validate_template(spec, &selector, rules, &path.child("template"), errors);
    }
    let template = spec.at(&["template", "spec"]).and_then(Value::as_map).unwrap_or(&empty);
    if template.str("restartPolicy") != "Always" {
        errors.not_supported(&path.child("template.spec.restartPolicy"), template.str("restartPolicy"), &["Always"]);
    }
    if template.has("activeDeadlineSeconds") {
        errors.forbidden(&path.child("template.spec.activeDeadlineSeconds"), "activeDeadlineSeconds in StatefulSet is not Supported");
    }
}

fn validate_strategy(strategy: &Map, path: &Path, errors: &mut Errors) {
    let rolling = strategy.map("rollingUpdate");
    match (strategy.str("type"), rolling) {
        ("", _) => errors.required(path, ""),
        ("OnDelete", Some(rolling)) => {
            errors.invalid_text(&path.child("rollingUpdate"), &rolling_text(rolling), "only allowed for updateStrategy 'RollingUpdate'");
        }
        ("RollingUpdate", Some(rolling)) => {
            let path = path.child("rollingUpdate");
            non_negative(rolling, "partition", &path, errors);
            if let Some(unavailable) = rolling.get("maxUnavailable") {
                let path = path.child("maxUnavailable");
                int_or_percent(Some(unavailable), &path, errors);
                if amount(Some(unavailable)) == 0 {
                    errors.invalid(&path, unavailable.clone(), "cannot be 0");
                }
                at_most_100_percent(Some(unavailable), &path, errors);
            }
        }
        ("OnDelete" | "RollingUpdate", None) => {}
        (type_, rolling) => {
            let rolling = rolling.map_or_else(|| "null".to_owned(), rolling_text);
            let text = format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", json::to_string_html(&type_.into()));
            errors.invalid_text(path, &text, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
}

/// Encodes the parameters of a rolling update as the API server shows its internal struct.
fn rolling_text(rolling: &Map) -> String {
    let unavailable = rolling.get("maxUnavailable").map_or_else(|| "null".to_owned(), json::to_string);
    format!("{{\"Partition\":{},\"MaxUnavailable\":{unavailable}}}", rolling.int("partition").unwrap_or(0))
}

/// Validates a selector, and returns it if it can be parsed. A missing one selects nothing.
fn validate_selector(selector: Option<&Map>, path: &Path, errors: &mut Errors) -> Option<Selector> {
    let Some(selector) = selector else {
        errors.required(path, "");
        return Some(Selector::nothing());
    };
    validate_label_selector(Some(selector), path, errors);
    if selector.map("matchLabels").is_none_or(Map::is_empty) && selector.list("matchExpressions").is_empty() {
        errors.invalid_text(path, &selector_text(selector), "empty selector is invalid for statefulset");
    }
    let parsed = Selector::from_label_selector(selector).ok();
    if parsed.is_none() {
        errors.invalid_text(path, &selector_text(selector), "");
    }
    parsed
}

/// Validates the template as the pods will have it. Counterpart: `ValidatePodTemplateSpecForStatefulSet`.
fn validate_template(spec: &Map, selector: &Selector, rules: &Rules, path: &Path, errors: &mut Errors) {
    let mut template = spec.map("template").cloned().unwrap_or_default();
    let claims = spec.list("volumeClaimTemplates");
    let pod_spec = template.map_mut("spec");
    // The controller overwrites these in every pod.
    pod_spec.remove("subdomain");
    pod_spec.remove("hostname");
    if !claims.is_empty() {
        let name = |claim: &Value| claim.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("").to_owned();
        let names: Vec<String> = claims.iter().map(name).collect();
        let of_claim = |name: &str| map! { "name" => name, "persistentVolumeClaim" => map! { "claimName" => name } }.into();
        let mut volumes: Vec<Value> = Vec::new();
        for (i, name) in names.iter().enumerate() {
            if !names[..i].contains(name) {
                volumes.push(of_claim(name));
            }
        }
        let other = |v: &&Value| v.get("name").and_then(Value::as_str).is_none_or(|n| names.iter().all(|name| name != n));
        volumes.extend(pod_spec.list("volumes").iter().filter(other).cloned());
        pod_spec.insert("volumes", volumes);
    }
    let empty = Map::new();
    let labels = template.at(&["metadata", "labels"]).and_then(Value::as_map);
    if !selector.is_empty() && !selector.matches_map(labels.unwrap_or(&empty)) {
        let shown = labels.map_or(Value::Null, |l| l.clone().into());
        errors.invalid(&path.child("metadata.labels"), shown, "`selector` does not match template `labels`");
    }
    if rules.checks_template {
        pod::validate_template(&template, path, errors);
    }
    // Upstream checks labels and annotations a second time.
    let annotations = template.at(&["metadata", "annotations"]).and_then(Value::as_map);
    validate_labels(labels, &path.child("labels"), errors);
    validate_annotations(annotations, &path.child("annotations"), errors);
    pod::validate_pod_annotations(annotations, template.map("spec").unwrap_or(&empty), &path.child("annotations"), errors);
}

/// Validates an update of a StatefulSet's status. Counterpart: `ValidateStatefulSetStatusUpdate`.
pub fn validate_status(new: &Map, old: &Map, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("status"));
    let (status, old) = (new.map("status").unwrap_or(&empty), old.map("status").unwrap_or(&empty));
    for key in
        ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas", "observedGeneration", "collisionCount"]
    {
        non_negative(status, key, &path, errors);
    }
    let count = |key: &str| status.int(key).unwrap_or(0);
    for key in ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"] {
        if count(key) > count("replicas") {
            errors.invalid(&path.child(key), count(key), "cannot be greater than status.replicas");
        }
    }
    if count("availableReplicas") > count("readyReplicas") {
        errors.invalid(&path.child("availableReplicas"), count("availableReplicas"), "cannot be greater than status.readyReplicas");
    }
    if old.int("collisionCount").is_some_and(|before| count("collisionCount") < before) {
        errors.invalid(&path.child("collisionCount"), count("collisionCount"), "cannot be decremented");
    }
}
