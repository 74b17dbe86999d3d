//! Defaults and validation of PersistentVolumes. Counterpart: `pkg/apis/core/v1/defaults.go`, `pkg/registry/core/persistentvolume` and
//! `pkg/apis/core/validation`.

mod source;

use super::super::persistentvolumeclaim::{immutable, validate_access_modes, validate_positive, validate_volume_mode};
use super::super::pod::{go_change, go_json, validate_node_selector};
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::kind::Kind;
use crate::api::meta_rules;
use crate::api::names;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};

const RECLAIM_POLICIES: &[&str] = &["Delete", "Recycle", "Retain"];
const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";

/// Fills in the defaults of a PersistentVolume.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    if spec.str("persistentVolumeReclaimPolicy").is_empty() {
        spec.insert("persistentVolumeReclaimPolicy", "Retain");
    }
    spec.insert_default("volumeMode", "Filesystem");
    source::default(spec);
    let status = object.map_mut("status");
    if status.str("phase").is_empty() {
        status.insert("phase", "Pending");
    }
}

/// Validates a new PersistentVolume.
pub fn validate(object: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let name = object.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
    validate_spec(object.map("spec").unwrap_or(&empty), name, false, &Path::new("spec"), errors);
    validate_mount_options(object, errors);
}

/// Validates the spec of a volume. With `lenient`, label values in its node affinity may be invalid, for volumes that have had such values before.
/// Counterpart: `ValidatePersistentVolumeSpec`.
fn validate_spec(spec: &Map, name: &str, lenient: bool, path: &Path, errors: &mut Errors) {
    let modes = spec.list("accessModes");
    if modes.is_empty() {
        errors.required(&path.child("accessModes"), "");
    }
    validate_access_modes(modes, &path.child("accessModes"), errors);
    validate_capacity(spec, &path.child("capacity"), errors);
    let policy = spec.str("persistentVolumeReclaimPolicy");
    if !policy.is_empty() && !RECLAIM_POLICIES.contains(&policy) {
        errors.not_supported(&path.child("persistentVolumeReclaimPolicy"), policy, RECLAIM_POLICIES);
    }
    let affinity = spec.map("nodeAffinity");
    if let Some(affinity) = affinity {
        let path = path.child("nodeAffinity").child("required");
        match affinity.map("required") {
            Some(required) => validate_node_selector(required, !lenient, &path, errors),
            None => errors.required(&path, "must specify required node constraints"),
        }
    }
    source::validate(spec, name, affinity.is_some(), path, errors);
    let root = spec.map("hostPath").is_some_and(|h| is_root(h.str("path")));
    if root && policy == "Recycle" {
        errors.forbidden(&path.child("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'");
    }
    let class = spec.str("storageClassName");
    if !class.is_empty() {
        errors.invalid_each(&path.child("storageClassName"), class, names::dns_subdomain(class));
    }
    validate_volume_mode(spec, path, errors);
    if let Some(attributes) = spec.get("volumeAttributesClassName").and_then(Value::as_str) {
        let class_path = path.child("volumeAttributesClassName");
        if attributes.is_empty() {
            errors.required(&class_path, "an empty string is disallowed");
        } else {
            errors.invalid_each(&class_path, attributes, names::dns_subdomain(attributes));
        }
        if !spec.has("csi") {
            errors.required(&path.child("csi"), "has to be specified when using volumeAttributesClassName");
        }
    }
}

/// Returns true for the paths that Go's `path.Clean` turns into `/`.
fn is_root(path: &str) -> bool {
    let mut depth = 0usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
    }
    path.starts_with('/') && depth == 0
}

fn validate_capacity(spec: &Map, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let capacity = spec.map("capacity").unwrap_or(&empty);
    if capacity.is_empty() {
        errors.required(path, "");
    }
    if !capacity.has("storage") || capacity.len() > 1 {
        let shown = if spec.has("capacity") { Value::Map(capacity.clone()) } else { Value::Null };
        errors.not_supported(path, shown, &["storage"]);
    }
    for (name, value) in capacity.iter() {
        let path = path.key(name);
        let whole = value.as_str().and_then(|text| Quantity::parse(text).ok()).map_or(0, |q| q.value());
        if whole < 0 {
            errors.invalid(&path, whole, "must be a valid resource quantity");
        }
        validate_positive(value, &path, errors);
    }
}

/// Refuses the old annotation for mount options on volumes of a type that has no mount options. Counterpart: `checkMountOption`.
fn validate_mount_options(object: &Map, errors: &mut Errors) {
    let mountable = object.map("spec").is_some_and(|spec| source::MOUNT_OPTIONS.iter().any(|kind| spec.has(kind)));
    if !mountable && object.at(&["metadata", "annotations", MOUNT_OPTIONS]).is_some() {
        let path = Path::new("metadata.annotations").child(MOUNT_OPTIONS);
        errors.forbidden(&path, "may not specify mount options for this volume type");
    }
}

/// Validates an update of a PersistentVolume: the new volume twice, as upstream does, and then the change. Counterpart: `ValidatePersistentVolumeUpdate`.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let (spec, before) = (new.map("spec").unwrap_or(&empty), old.map("spec").unwrap_or(&empty));
    let name = new.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
    let lenient = before.map("nodeAffinity").and_then(|a| a.map("required")).is_some_and(|required| {
        let mut found = Errors::default();
        validate_node_selector(required, true, &Path::new(""), &mut found);
        !found.is_empty()
    });
    let whole = |errors: &mut Errors| {
        meta_rules::validate(Kind::PERSISTENT_VOLUME, new, errors);
        validate_spec(spec, name, lenient, &Path::new("spec"), errors);
    };
    whole(errors);
    validate_mount_options(new, errors);
    whole(errors);
    let mut compared = spec.clone();
    let secret = |spec: &Map| spec.at(&["csi", "controllerExpandSecretRef"]).is_some();
    if before.has("csi") && !secret(before) && secret(spec) {
        compared.map_mut("csi").remove("controllerExpandSecretRef");
    }
    if let Some(change) = go_change("VolumeSource", before, &compared) {
        let detail = format!("spec.persistentvolumesource is immutable after creation\n{change}");
        errors.forbidden(&Path::new("spec.persistentvolumesource"), &detail);
    }
    immutable(spec, before, "volumeMode", &Path::new("volumeMode"), errors);
    if before.has("nodeAffinity") && !same_affinity(spec, before) {
        let text = spec.get("nodeAffinity").map_or_else(|| "null".to_owned(), |affinity| go_json("VolumeNodeAffinity", Some(affinity)));
        errors.invalid_text(&Path::new("nodeAffinity"), &text, "field is immutable, except for updating from beta label to GA");
    }
    if before.has("volumeAttributesClassName") && !spec.has("volumeAttributesClassName") {
        errors.forbidden(&Path::new("spec.volumeAttributesClassName"), "update from non-nil value to nil is forbidden");
    }
}

/// Returns true if two node affinities are equal, apart from labels that were renamed from their beta names. Counterpart: `validatePvNodeAffinity`.
fn same_affinity(new: &Map, old: &Map) -> bool {
    const RENAMED: [(&str, &str); 5] = [
        ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
        ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
        ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
        ("beta.kubernetes.io/os", "kubernetes.io/os"),
        ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ];
    let current = |value: Option<&Value>| {
        let text = value.map_or_else(|| "null".to_owned(), json::to_string);
        RENAMED.iter().fold(text, |text, (beta, name)| text.replace(&format!("\"key\":\"{beta}\""), &format!("\"key\":\"{name}\"")))
    };
    let (new, old) = (new.get("nodeAffinity"), old.get("nodeAffinity"));
    new == old || (new.is_some() && current(new) == current(old))
}
