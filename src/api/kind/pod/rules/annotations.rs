//! Validation of the annotations that Kubernetes interprets in pods. Counterpart: `ValidatePodSpecificAnnotations`.

use super::os::containers;
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::value::{Map, Value};
use crate::map;

/// The annotation of a mirror pod, which stands for one of a node's static pods.
pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";
const COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
/// The annotation with the seccomp profile of a pod.
pub(super) const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
/// The prefix of the annotation with the seccomp profile of a container.
pub(super) const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
/// The prefix of the annotation with the AppArmor profile of a container.
pub(super) const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

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
    if let Some(profile) = text(SECCOMP_POD) {
        validate_seccomp(profile, &path.child(SECCOMP_POD), errors);
    }
    let texts = || annotations.iter().map(|(key, value)| (key, value.as_str().unwrap_or("")));
    for (key, profile) in texts().filter(|(key, _)| key.starts_with(SECCOMP_CONTAINER)) {
        validate_seccomp(profile, &path.child(key), errors);
    }
    for (key, profile) in texts() {
        let Some(name) = key.strip_prefix(APP_ARMOR) else { continue };
        if !containers(spec, path).iter().any(|(c, _)| c.str("name") == name) {
            errors.invalid(&path.key(key), name, "container not found");
        }
        if !matches!(profile, "" | "runtime/default" | "unconfined") && !profile.starts_with("localhost/") {
            errors.invalid(&path.key(key), profile, &format!("invalid AppArmor profile name: {profile:?}"));
        }
    }
}

/// Validates that an update leaves alone the annotations that are fixed once a pod exists, and then validates all. Counterpart:
/// `ValidatePodSpecificAnnotationUpdates`.
pub(super) fn validate_update(new: Option<&Map>, old: Option<&Map>, spec: &Map, path: &Path, errors: &mut Errors) {
    let get = |annotations: Option<&Map>, key: &str| annotations.and_then(|a| a.get(key)).and_then(Value::as_str).map(str::to_owned);
    let what = |key: &str| match key {
        MIRROR => Some("mirror pod annotation"),
        _ => key.starts_with(APP_ARMOR).then_some("AppArmor annotations"),
    };
    for (key, _) in old.into_iter().flat_map(Map::iter).filter(|(key, _)| get(new, key) != get(old, key)) {
        if let Some(what) = what(key) {
            errors.forbidden(&path.key(key), &format!("may not remove or update {what}"));
        }
    }
    for (key, _) in new.into_iter().flat_map(Map::iter).filter(|(key, _)| get(old, key).is_none()) {
        if let Some(what) = what(key) {
            errors.forbidden(&path.key(key), &format!("may not add {what}"));
        }
    }
    validate(new, spec, path, errors);
}

fn validate_seccomp(profile: &str, path: &Path, errors: &mut Errors) {
    match profile.strip_prefix("localhost/") {
        Some(file) => super::volume::validate_descending(file, path, errors),
        None if matches!(profile, "runtime/default" | "docker/default" | "unconfined") => {}
        None => errors.invalid(path, profile, "must be a valid seccomp profile"),
    }
}

/// Validates that the profiles in annotations agree with those in fields. Counterparts: `validateSeccompAnnotationsAndFields`,
/// `validateAppArmorAnnotationsAndFieldsMatchOnCreate`.
pub(super) fn validate_against_fields(annotations: Option<&Map>, spec: &Map, path: &Path, errors: &mut Errors) {
    let Some(annotations) = annotations else { return };
    let text = |key: &str| annotations.get(key).and_then(Value::as_str);
    let profile_of = |holder: &Map, key: &str| holder.map("securityContext").and_then(|c| c.map(key)).cloned();
    let mut compare = |profile: Option<Map>, annotation: Option<&str>, what: &str, path: Path| {
        let (Some(profile), Some(annotation)) = (profile, annotation) else { return };
        let matches = match profile.str("type") {
            "Unconfined" => annotation == "unconfined",
            "RuntimeDefault" => annotation == "runtime/default" || (what == "seccomp" && annotation == "docker/default"),
            "Localhost" => annotation.starts_with("localhost/"),
            _ => true,
        };
        if !matches {
            errors.forbidden(&path.child("type"), &format!("{what} type in annotation and field must match"));
        } else if profile.str("type") == "Localhost"
            && annotation.strip_prefix("localhost/") != profile.get("localhostProfile").and_then(Value::as_str)
        {
            errors.forbidden(&path.child("localhostProfile"), &format!("{what} profile in annotation and field must match"));
        }
    };
    compare(profile_of(spec, "seccompProfile"), text(SECCOMP_POD), "seccomp", path.child("securityContext.seccompProfile"));
    for (container, path) in containers(spec, path) {
        let key = format!("{SECCOMP_CONTAINER}{}", container.str("name"));
        compare(profile_of(container, "seccompProfile"), text(&key), "seccomp", path.child("securityContext.seccompProfile"));
    }
    if spec.map("os").is_some_and(|os| os.str("name") == "windows") {
        return;
    }
    for (container, path) in containers(spec, path) {
        let key = format!("{APP_ARMOR}{}", container.str("name"));
        let profile = profile_of(container, "appArmorProfile").or_else(|| profile_of(spec, "appArmorProfile"));
        compare(profile, text(&key), "apparmor", path.child("securityContext.appArmorProfile"));
    }
}

/// Returns the `appArmorProfile` that an AppArmor annotation stands for; `None` if the annotation is invalid. Counterpart: `ApparmorFieldForAnnotation`.
pub(super) fn app_armor_field(annotation: &str) -> Option<Map> {
    match (annotation, annotation.strip_prefix("localhost/").filter(|file| !file.is_empty())) {
        ("unconfined", _) => Some(map! { "type" => "Unconfined" }),
        ("runtime/default", _) => Some(map! { "type" => "RuntimeDefault" }),
        (_, Some(file)) => Some(map! { "type" => "Localhost", "localhostProfile" => file }),
        _ => None,
    }
}

/// Copies the AppArmor annotations of a new pod to the fields of its containers, and returns the warnings about them. Counterpart:
/// `applyAppArmorVersionSkew`.
pub fn copy_app_armor(pod: &mut Map) -> Vec<String> {
    let annotations = pod.at(&["metadata", "annotations"]).and_then(Value::as_map).cloned().unwrap_or_default();
    let spec = pod.map_mut("spec");
    if spec.map("os").is_some_and(|os| os.str("name") == "windows") || !annotations.iter().any(|(key, _)| key.starts_with(APP_ARMOR)) {
        return Vec::new();
    }
    let of_pod = spec.map("securityContext").and_then(|c| c.map("appArmorProfile")).cloned();
    let mut warnings = Vec::new();
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in spec.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
            let key = format!("{APP_ARMOR}{}", container.str("name"));
            let Some(annotation) = annotations.get(&key).and_then(Value::as_str) else { continue };
            if container.map("securityContext").is_some_and(|c| c.has("appArmorProfile")) {
                continue;
            }
            let padded = |profile: &Map| profile.str("localhostProfile").trim() != profile.str("localhostProfile");
            let field = app_armor_field(annotation).filter(|profile| !padded(profile) && profile.str("localhostProfile").len() <= 4095);
            if field.is_some() && field == of_pod {
                continue;
            }
            if let Some(field) = field {
                container.map_mut("securityContext").insert("appArmorProfile", field);
            }
            let path = Path::new("metadata.annotations").key(&key);
            warnings.push(format!("{path}: deprecated since v1.30; use the \"appArmorProfile\" field instead"));
        }
    }
    warnings
}
