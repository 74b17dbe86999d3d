//! Defaults and validation of PersistentVolumeClaims. Counterpart: `pkg/apis/core/v1/defaults.go`, `pkg/registry/core/persistentvolumeclaim` and
//! `pkg/apis/core/validation`.

use super::super::pod::{go_change, quantity_value};
use super::CLASS_ANNOTATION;
use crate::api::field::{Errors, Path};
use crate::api::kind::Kind;
use crate::api::meta_rules::{self, validate_label_selector};
use crate::api::names;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};
use crate::map;

const ACCESS_MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: &[&str] = &["Block", "Filesystem"];

/// Fills in the defaults of a PersistentVolumeClaim.
pub fn default(object: &mut Map) {
    default_spec(object.map_mut("spec"));
    let status = object.map_mut("status");
    if status.str("phase").is_empty() {
        status.insert("phase", "Pending");
    }
}

/// Fills in the defaults of a claim's spec, which is also part of other kinds.
pub fn default_spec(spec: &mut Map) {
    spec.map_mut("resources");
    spec.insert_default("volumeMode", "Filesystem");
}

/// Prepares a new claim: drops data sources of unknown kinds, and fills in one of the two data sources from the other. Counterparts:
/// `EnforceDataSourceBackwardsCompatibility`, `NormalizeDataSources`.
pub fn prepare_create(object: &mut Map) {
    prepare(object.map_mut("spec"), &Map::new());
}

/// Prepares the data sources of an updated claim as [`prepare_create`] does for a new one.
pub fn prepare_update(new: &mut Map, old: &Map) {
    let empty = Map::new();
    prepare(new.map_mut("spec"), old.map("spec").unwrap_or(&empty));
}

fn prepare(spec: &mut Map, old: &Map) {
    let elsewhere = spec.map("dataSourceRef").is_some_and(|r| !r.str("namespace").is_empty());
    if elsewhere && !old.has("dataSourceRef") {
        spec.remove("dataSourceRef");
    }
    let in_use = old.has("dataSource") || old.has("dataSourceRef");
    if !in_use && !spec.has("dataSourceRef") && !spec.map("dataSource").is_some_and(is_known_source) {
        spec.remove("dataSource");
    }
    let copied = |from: &Map| {
        let mut copy = map! { "kind" => from.str("kind"), "name" => from.str("name") };
        if let Some(group) = from.get("apiGroup") {
            copy.insert("apiGroup", group.clone());
        }
        copy
    };
    match (spec.map("dataSource").cloned(), spec.map("dataSourceRef").cloned()) {
        (Some(source), None) => spec.insert("dataSourceRef", copied(&source)),
        (None, Some(reference)) if reference.str("namespace").is_empty() => spec.insert("dataSource", copied(&reference)),
        _ => {}
    }
}

fn is_known_source(source: &Map) -> bool {
    matches!((source.str("kind"), source.str("apiGroup")), ("PersistentVolumeClaim", "") | ("VolumeSnapshot", "snapshot.storage.k8s.io"))
}

/// Validates a new PersistentVolumeClaim.
pub fn validate(object: &Map, errors: &mut Errors) {
    let empty = Map::new();
    validate_spec(object.map("spec").unwrap_or(&empty), false, &Path::new("spec"), errors);
}

/// Validates the access modes of a claim or of a volume.
pub fn validate_access_modes(modes: &[Value], path: &Path, errors: &mut Errors) {
    for mode in modes.iter().filter_map(Value::as_str).filter(|m| !ACCESS_MODES.contains(m)) {
        errors.not_supported(path, mode, ACCESS_MODES);
    }
    let has = |alone: bool| modes.iter().filter_map(Value::as_str).any(|m| ACCESS_MODES.contains(&m) && (m == "ReadWriteOncePod") == alone);
    if has(true) && has(false) {
        errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
    }
}

/// Validates the `volumeMode` of a claim or of a volume.
pub fn validate_volume_mode(spec: &Map, path: &Path, errors: &mut Errors) {
    if let Some(mode) = spec.get("volumeMode").and_then(Value::as_str).filter(|m| !VOLUME_MODES.contains(m)) {
        errors.not_supported(&path.child("volumeMode"), mode, VOLUME_MODES);
    }
}

/// Validates the spec of a claim, which is also part of other kinds. With `keeps_group`, the API group of a data source may be invalid. Counterpart:
/// `ValidatePersistentVolumeClaimSpec`.
pub fn validate_spec(spec: &Map, keeps_group: bool, path: &Path, errors: &mut Errors) {
    let modes = spec.list("accessModes");
    if modes.is_empty() {
        errors.required(&path.child("accessModes"), "at least 1 access mode is required");
    }
    validate_label_selector(spec.map("selector"), &path.child("selector"), errors);
    validate_access_modes(modes, &path.child("accessModes"), errors);
    let size_path = path.child("resources").key("storage");
    match spec.at(&["resources", "requests", "storage"]) {
        None => errors.required(&size_path, ""),
        Some(size) if !validate_positive(size, &size_path, errors) => {}
        Some(size) => quantity_value("storage", size, &size_path, errors),
    }
    let class = spec.str("storageClassName");
    if !class.is_empty() {
        errors.invalid_each(&path.child("storageClassName"), class, names::dns_subdomain(class));
    }
    validate_volume_mode(spec, path, errors);
    for key in ["dataSource", "dataSourceRef"] {
        if let Some(source) = spec.map(key) {
            validate_source(source, keeps_group, &path.child(key), errors);
        }
    }
    validate_both_sources(spec, path, errors);
    let attributes = spec.str("volumeAttributesClassName");
    if !attributes.is_empty() {
        errors.invalid_each(&path.child("volumeAttributesClassName"), attributes, names::dns_subdomain(attributes));
    }
}

/// Reports a quantity that is not greater than zero, and returns false for it.
pub fn validate_positive(value: &Value, path: &Path, errors: &mut Errors) -> bool {
    let amount = value.as_str().and_then(|text| Quantity::parse(text).ok());
    let positive = amount.is_none_or(|q| q > Quantity::ZERO);
    if !positive {
        errors.invalid(path, value.clone(), "must be greater than zero");
    }
    positive
}

fn validate_source(source: &Map, keeps_group: bool, path: &Path, errors: &mut Errors) {
    for key in ["name", "kind"] {
        if source.str(key).is_empty() {
            errors.required(&path.child(key), "");
        }
    }
    let (group, kind, namespace) = (source.str("apiGroup"), source.str("kind"), source.str("namespace"));
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        errors.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
    }
    if !group.is_empty() && !keeps_group {
        errors.invalid_each(&path.child("apiGroup"), group, names::dns_subdomain(group));
    }
    if !namespace.is_empty() {
        errors.invalid_each(&path.child("namespace"), namespace, names::dns_label(namespace));
    }
}

fn validate_both_sources(spec: &Map, path: &Path, errors: &mut Errors) {
    let (Some(source), Some(reference)) = (spec.map("dataSource"), spec.map("dataSourceRef")) else { return };
    // Go prints the path struct that upstream passes here as the value, as an object without fields.
    if !reference.str("namespace").is_empty() {
        errors.invalid_text(path, "{}", "may not be specified when dataSourceRef.namespace is specified");
    } else if ["apiGroup", "kind", "name"].iter().any(|key| source.get(key) != reference.get(key)) {
        errors.invalid_text(path, "{}", "must match dataSourceRef");
    }
}

/// Validates an update of a PersistentVolumeClaim. Counterpart: `ValidatePersistentVolumeClaimUpdate`.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let (spec, before) = (new.map("spec").unwrap_or(&empty), old.map("spec").unwrap_or(&empty));
    let group = |key: &str| before.map(key).is_some_and(|source| source.has("apiGroup"));
    meta_rules::validate(Kind::PERSISTENT_VOLUME_CLAIM, new, errors);
    validate_spec(spec, group("dataSource") || group("dataSourceRef"), &Path::new("spec"), errors);
    validate_change(new, old, errors);
    let size = |spec: &Map| spec.at(&["resources", "requests", "storage"]).and_then(Value::as_str).and_then(|q| Quantity::parse(q).ok());
    let (size_now, size_before) = (size(spec).unwrap_or(Quantity::ZERO), size(before).unwrap_or(Quantity::ZERO));
    if size_now < size_before {
        let held = old.at(&["status", "capacity", "storage"]).and_then(Value::as_str).and_then(|q| Quantity::parse(q).ok());
        if size_now <= held.unwrap_or(Quantity::ZERO) {
            errors.forbidden(&Path::new("spec.resources.requests.storage"), "field can not be less than status.capacity");
        }
    }
    immutable(spec, before, "volumeMode", &Path::new("volumeMode"), errors);
    if spec.get("volumeAttributesClassName") != before.get("volumeAttributesClassName")
        && old.at(&["status", "currentVolumeAttributesClassName"]).is_some()
    {
        let path = Path::new("spec.volumeAttributesClassName");
        match spec.get("volumeAttributesClassName").and_then(Value::as_str) {
            None => errors.forbidden(&path, "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil"),
            Some("") => {
                errors.forbidden(&path, "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil")
            }
            Some(_) => {}
        }
    }
}

/// Validates that an update changes only what it may: the volume name once, the class if there was none, and the size of a bound claim.
fn validate_change(new: &Map, old: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let (mut spec, mut before) = (new.map("spec").unwrap_or(&empty).clone(), old.map("spec").unwrap_or(&empty).clone());
    if before.str("volumeName").is_empty() {
        set(&mut before, "volumeName", spec.get("volumeName").cloned());
    }
    let annotation = |object: &Map| object.at(&["metadata", "annotations", CLASS_ANNOTATION]).and_then(Value::as_str).map(str::to_owned);
    let (annotated, annotated_before) = (annotation(new), annotation(old));
    let (class, class_before) = (spec.get("storageClassName").cloned(), before.get("storageClassName").cloned());
    let named = |annotated: &Option<String>| annotated.as_deref() == class.as_ref().and_then(Value::as_str);
    let from_annotation = annotated_before.is_some()
        && class_before.is_none()
        && named(&annotated_before)
        && (annotated.is_none() || annotated == annotated_before);
    if from_annotation {
        spec.remove("storageClassName");
    } else {
        let (now, then) = (annotated.unwrap_or_default(), annotated_before.clone().unwrap_or_default());
        if now != then {
            errors.invalid(&Path::new("metadata.annotations").child(CLASS_ANNOTATION), now, "field is immutable");
        }
        if class.is_some() && class_before.is_none() && (annotated_before.is_none() || named(&annotated_before)) {
            spec.remove("storageClassName");
        }
    }
    if new.at(&["status", "phase"]).and_then(Value::as_str) == Some("Bound") {
        if spec.at(&["resources", "requests"]).is_some() {
            let size = before.at(&["resources", "requests", "storage"]).cloned().unwrap_or_else(|| "0".into());
            spec.map_mut("resources").map_mut("requests").insert("storage", size);
        }
        set(&mut spec, "volumeAttributesClassName", before.get("volumeAttributesClassName").cloned());
    }
    let detail = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    if let Some(change) = go_change("ClaimSpec", &before, &spec) {
        errors.forbidden(&Path::new("spec"), &format!("{detail}\n{change}"));
    }
}

fn set(map: &mut Map, key: &'static str, value: Option<Value>) {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(key),
    }
}

/// Reports a change of a field that is immutable, with its new value.
pub fn immutable(new: &Map, old: &Map, key: &str, path: &Path, errors: &mut Errors) {
    let (new, old) = (new.get(key).filter(|v| !v.is_null()), old.get(key).filter(|v| !v.is_null()));
    if new != old {
        errors.invalid(path, new.cloned().unwrap_or(Value::Null), "field is immutable");
    }
}
