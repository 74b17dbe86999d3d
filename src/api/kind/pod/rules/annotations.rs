//! Validation of the annotations that Kubernetes interprets in pods. Counterpart: `ValidatePodSpecificAnnotations`.

use super::os::containers;
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::meta_rules::maps;
use crate::api::value::{Map, Value};

/// The annotation of a pod that stands for one of a node's static pods.
pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";
const COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Validates the annotations of a pod or of a template.
pub fn validate(annotations: Option<&Map>, spec: &Map, path: &Path, errors: &mut Errors) {
    let Some(annotations) = annotations else { return };
    let text = |key: &str| annotations.get(key).and_then(Value::as_str);
    if let Some(value) = text(MIRROR).filter(|_| spec.str("nodeName").is_empty()) {
        errors.invalid(&path.key(MIRROR), value, "must set spec.nodeName if mirror pod annotation is set");
    }
    if let Some(value) = text(TOLERATIONS).filter(|t| !t.is_empty()) {
        match json::parse(value) {
            Ok(Value::List(list)) => super::scheduling::validate_tolerations(&list, &path.child(TOLERATIONS), errors),
            Ok(_) => errors.invalid(path, TOLERATIONS, "json: cannot unmarshal object into Go value of type []core.Toleration"),
            Err(problem) => errors.invalid(path, TOLERATIONS, &problem),
        }
    }
    // The API server requires the shortest form of the number.
    if let Some(cost) = text(COST).filter(|cost| !cost.parse::<i32>().is_ok_and(|n| n.to_string() == *cost)) {
        errors.invalid(&path.key(COST), cost, "must be a 32bit integer");
    }
    for (key, value) in annotations.iter() {
        let value = value.as_str().unwrap_or("");
        if key == SECCOMP_POD || key.starts_with(SECCOMP_CONTAINER) {
            validate_seccomp(value, &path.child(key), errors);
        }
        if let Some(name) = key.strip_prefix(APP_ARMOR) {
            let known = ["containers", "initContainers", "ephemeralContainers"];
            if !known.iter().flat_map(|list| maps(spec.list(list))).any(|(_, c)| c.str("name") == name) {
                errors.invalid(&path.key(key), name, "container not found");
            }
            if !matches!(value, "" | "runtime/default" | "unconfined") && !value.starts_with("localhost/") {
                errors.invalid(&path.key(key), value, &format!("invalid AppArmor profile name: {value:?}"));
            }
        }
    }
}

fn validate_seccomp(profile: &str, path: &Path, errors: &mut Errors) {
    match profile.strip_prefix("localhost/") {
        Some(file) => super::volume::validate_descending(file, path, errors),
        None if matches!(profile, "runtime/default" | "docker/default" | "unconfined") => {}
        None => errors.invalid(path, profile, "must be a valid seccomp profile"),
    }
}

/// Compares the seccomp profiles in annotations with those in fields. Counterpart: `validateSeccompAnnotationsAndFields`.
pub(super) fn validate_against_fields(annotations: Option<&Map>, spec: &Map, path: &Path, errors: &mut Errors) {
    let Some(annotations) = annotations else { return };
    let mut compare = |holder: &Map, key: &str, path: &Path| {
        let Some(profile) = holder.map("securityContext").and_then(|c| c.map("seccompProfile")) else { return };
        let Some(annotation) = annotations.get(key).and_then(Value::as_str) else { return };
        let path = path.child("securityContext").child("seccompProfile");
        let wanted = match annotation {
            "unconfined" => "Unconfined",
            "runtime/default" | "docker/default" => "RuntimeDefault",
            _ if annotation.starts_with("localhost/") => "Localhost",
            _ => return,
        };
        if profile.str("type") != wanted {
            errors.forbidden(&path.child("type"), "seccomp type in annotation and field must match");
        } else if wanted == "Localhost" && annotation.strip_prefix("localhost/") != Some(profile.str("localhostProfile")) {
            errors.forbidden(&path.child("localhostProfile"), "seccomp profile in annotation and field must match");
        }
    };
    compare(spec, SECCOMP_POD, path);
    for (container, path) in containers(spec, path) {
        compare(container, &format!("{SECCOMP_CONTAINER}{}", container.str("name")), &path);
    }
}
