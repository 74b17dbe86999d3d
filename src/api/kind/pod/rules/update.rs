//! Validation of pod updates, which may change only few fields of the spec. Counterpart: `ValidatePodUpdate`.

use super::{annotations, diff, go_struct, scheduling};
use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, maps};
use crate::api::value::{Map, Value};

const ONLY: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` \
(allow it to be set to 1 if it was previously negative)";

/// Validates an update of a pod.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::POD, new, errors);
    super::validate_metadata_and_spec(new, errors);
    let empty = Map::new();
    let annotations = |pod: &'_ Map| pod.map("metadata").and_then(|m| m.map("annotations")).cloned();
    let (now, before) = (annotations(new), annotations(old));
    let path = Path::new("metadata.annotations");
    annotations::validate_update(now.as_ref(), before.as_ref(), new.map("spec").unwrap_or(&empty), &path, errors);
    let (new, old, path) = (new.map("spec").unwrap_or(&empty), old.map("spec").unwrap_or(&empty), Path::new("spec"));
    for list in ["containers", "initContainers"] {
        let path = path.child(list);
        if new.list(list).len() != old.list(list).len() {
            return errors.forbidden(&path, "pod updates may not add or remove containers");
        }
        for (i, container) in maps(new.list(list)) {
            if container.str("image").is_empty() {
                errors.required(&path.index(i).child("image"), "");
            }
            super::container::image_without_padding(container, &path.index(i), errors);
        }
    }
    if !validate_deadline(new, old, &path.child("activeDeadlineSeconds"), errors) {
        return;
    }
    validate_tolerations(new, old, &path.child("tolerations"), errors);
    validate_gates(new, old, &path.child("schedulingGates"), errors);
    let mut masked = mask(new, old);
    if !old.list("schedulingGates").is_empty() {
        mask_node_choice(&mut masked, old, &path, errors);
    }
    let (before, after) = (go_struct::spec_lines(old), go_struct::spec_lines(&masked));
    if before != after {
        errors.forbidden(&path, &format!("{ONLY}\n{}", diff::unified(&before, &after)));
    }
}

/// Validates `activeDeadlineSeconds`, which may be set or shortened. Returns false if the API server would skip the remaining checks.
fn validate_deadline(new: &Map, old: &Map, path: &Path, errors: &mut Errors) -> bool {
    match (new.int("activeDeadlineSeconds"), old.int("activeDeadlineSeconds")) {
        (Some(seconds), _) if !(0..=i64::from(i32::MAX)).contains(&seconds) => {
            errors.invalid(path, seconds, "must be between 0 and 2147483647, inclusive");
            return false;
        }
        (Some(seconds), Some(before)) if before < seconds => {
            errors.invalid(path, seconds, "must be less than or equal to previous value");
            return false;
        }
        (None, Some(_)) => errors.invalid(path, Value::Null, "must not update from a positive integer to nil value"),
        _ => {}
    }
    true
}

fn validate_tolerations(new: &Map, old: &Map, path: &Path, errors: &mut Errors) {
    let without_seconds = |toleration: &Map| {
        let mut toleration = toleration.clone();
        toleration.remove("tolerationSeconds");
        toleration
    };
    let kept: Vec<Map> = maps(new.list("tolerations")).map(|(_, t)| without_seconds(t)).collect();
    if maps(old.list("tolerations")).any(|(_, t)| !kept.contains(&without_seconds(t))) {
        return errors.forbidden(path, "existing toleration can not be modified except its tolerationSeconds");
    }
    scheduling::validate_tolerations(new.list("tolerations"), path, errors);
}

fn validate_gates(new: &Map, old: &Map, path: &Path, errors: &mut Errors) {
    let known: Vec<&str> = maps(old.list("schedulingGates")).map(|(_, g)| g.str("name")).collect();
    for (i, gate) in maps(new.list("schedulingGates")).filter(|(_, g)| !known.contains(&g.str("name"))) {
        let detail = format!("only deletion is allowed, but found new scheduling gate '{}'", gate.str("name"));
        errors.forbidden(&path.index(i).child("name"), &detail);
    }
}

/// Validates that a pod with scheduling gates only narrows its choice of nodes, and resets the fields about nodes in `masked` to their old values.
fn mask_node_choice(masked: &mut Map, old: &Map, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let selector = masked.map("nodeSelector").unwrap_or(&empty);
    if old.map("nodeSelector").into_iter().flat_map(Map::iter).any(|(key, value)| selector.get(key) != Some(value)) {
        let detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        let shown = masked.map("nodeSelector").map_or(Value::Null, |s| s.clone().into());
        errors.invalid(&path.child("nodeSelector"), shown, detail);
    }
    put(masked, old, "nodeSelector");
    let node = |spec: &Map| spec.map("affinity").and_then(|a| a.map("nodeAffinity")).cloned();
    let (now, then) = (node(masked), node(old));
    if now == then {
        return;
    }
    validate_node_affinity(now.as_ref(), then.as_ref(), &path.child("affinity.nodeAffinity"), errors);
    let before = old.map("affinity");
    put(masked.map_mut("affinity"), before.unwrap_or(&empty), "nodeAffinity");
    if before.is_none() && masked.map("affinity").is_some_and(Map::is_empty) {
        masked.remove("affinity");
    }
}

/// Validates that an update only adds expressions to the required node selector terms. Counterpart: `validateNodeAffinityMutation`.
fn validate_node_affinity(new: Option<&Map>, old: Option<&Map>, path: &Path, errors: &mut Errors) {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    let terms = |affinity: Option<&Map>| affinity.and_then(|a| a.map(REQUIRED)).map_or(&[][..], |r| r.list("nodeSelectorTerms")).to_vec();
    if old.is_none_or(|o| !o.has(REQUIRED)) {
        return;
    }
    let (now, then, path) = (terms(new), terms(old), path.child(REQUIRED).child("nodeSelectorTerms"));
    let text = |term: &Value| go_struct::go_json("NodeTerm", Some(term));
    if !then.is_empty() && then.len() != now.len() {
        let shown = if now.is_empty() { "null".to_owned() } else { format!("[{}]", now.iter().map(text).collect::<Vec<_>>().join(",")) };
        return errors.invalid_text(&path, &shown, "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    }
    let empty = Map::new();
    for (i, (term, before)) in now.iter().zip(&then).enumerate() {
        if !has_only_additions(term.as_map().unwrap_or(&empty), before.as_map().unwrap_or(&empty)) {
            errors.invalid_text(&path.index(i), &text(term), "only additions are allowed (no mutations or deletions)");
        }
    }
}

/// Returns true if the new node selector term begins with the requirements of the old one. A term without any matches nothing and must stay so. Counterpart:
/// `validateNodeSelectorTermHasOnlyAdditions`.
fn has_only_additions(new: &Map, old: &Map) -> bool {
    let lists = ["matchExpressions", "matchFields"];
    if lists.iter().all(|list| old.list(list).is_empty()) {
        return lists.iter().all(|list| new.list(list).is_empty());
    }
    lists.iter().all(|list| new.list(list).starts_with(old.list(list)))
}

/// Copies one field from another map, or removes it if that map does not have it.
fn put(map: &mut Map, from: &Map, key: &'static str) {
    match from.get(key) {
        Some(value) => map.insert(key, value.clone()),
        None => map.remove(key),
    };
}

/// Returns the new spec with the old values of the fields that may change. Any difference that is left is forbidden.
fn mask(new: &Map, old: &Map) -> Map {
    let mut masked = new.clone();
    for list in ["containers", "initContainers"] {
        let images: Vec<String> = maps(old.list(list)).map(|(_, c)| c.str("image").to_owned()).collect();
        for (container, image) in masked.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten().zip(images) {
            if let Some(container) = container.as_map_mut() {
                container.insert("image", image);
            }
        }
    }
    for key in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        put(&mut masked, old, key);
    }
    let grace = "terminationGracePeriodSeconds";
    if let Some(before) = old.int(grace).filter(|g| *g < 0 && new.int(grace) == Some(1)) {
        masked.insert(grace, before);
    }
    masked
}
