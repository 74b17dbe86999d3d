//! Validation of volumes.

use super::spec::Scope;
use super::{container, env, volume_types};
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::maps;
use crate::api::names;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};

const MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";
const VOLUME_FIELDS: &[&str] = &["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
const HOST_PATH_TYPES: &[&str] = &["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];

/// The volume types in the order in which the API server checks them.
const TYPES: &[&str] = &[
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
];

/// Validates the volumes of a pod spec. Adds those without an error to the scope, because they can be mounted.
pub(super) fn validate_volumes<'a>(scope: &mut Scope<'a>, path: &Path, errors: &mut Errors) {
    let created: Vec<String> = match scope.meta.map(|m| m.str("name")).filter(|n| !n.is_empty()) {
        Some(pod) => {
            maps(scope.spec.list("volumes")).filter(|(_, v)| v.has("ephemeral")).map(|(_, v)| format!("{pod}-{}", v.str("name"))).collect()
        }
        None => Vec::new(),
    };
    let mut good: Vec<&'a Map> = Vec::new();
    let spec: &'a Map = scope.spec;
    for (i, volume) in maps(spec.list("volumes")) {
        let (path, before) = (path.index(i), errors.0.len());
        validate_source(volume, scope, &path, errors);
        let name = volume.str("name");
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        } else {
            errors.invalid_each(&path.child("name"), name, names::dns_label(name));
        }
        if good.iter().any(|v| v.str("name") == name) {
            errors.duplicate(&path.child("name"), name);
        }
        if errors.0.len() == before {
            good.push(volume);
        }
        let claim = volume.map("persistentVolumeClaim").map_or("", |c| c.str("claimName"));
        if created.iter().any(|c| c == claim) {
            let path = path.child("persistentVolumeClaim").child("claimName");
            errors.invalid(&path, claim, "must not reference a PVC that gets created for an ephemeral volume");
        }
    }
    scope.volumes = good;
}

fn validate_source(volume: &Map, scope: &Scope, path: &Path, errors: &mut Errors) {
    let (mut found, mut first) = (false, "");
    for kind in TYPES {
        let Some(source) = volume.map(kind) else { continue };
        if found {
            let name = match *kind {
                "cephfs" => "cephFS",
                "downwardAPI" => "downwarAPI",
                other => other,
            };
            errors.forbidden(&path.child(name), "may not specify more than 1 volume type");
        } else {
            (found, first) = (true, *kind);
            let path = path.child(if *kind == "gcePersistentDisk" { "persistentDisk" } else { kind });
            validate_type(kind, source, scope, &path, errors);
        }
        let name = volume.str("name");
        if *kind == "iscsi" && source.has("initiatorName") && name.len() + 1 + source.str("targetPortal").len() > 64 {
            let detail =
                "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
            errors.invalid(&path.child("name"), name, detail);
        }
        let pod = scope.meta.map_or("", |m| m.str("name"));
        if first == "ephemeral" && *kind == first && !pod.is_empty() && !name.is_empty() {
            let claim = format!("{pod}-{name}");
            for problem in names::dns_subdomain(&claim) {
                errors.invalid(&path.child("name"), name, &format!("PVC name {claim:?}: {problem}"));
            }
        }
    }
    if !found {
        errors.required(path, "must specify a volume type");
    }
}

fn validate_type(kind: &str, source: &Map, scope: &Scope, path: &Path, errors: &mut Errors) {
    match kind {
        "emptyDir" => {
            let limit = source.get("sizeLimit").and_then(Value::as_str).and_then(|q| Quantity::parse(q).ok());
            if limit.is_some_and(|q| q < Quantity::ZERO) {
                errors.forbidden(&path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
            }
        }
        "hostPath" => {
            if source.str("path").is_empty() {
                return errors.required(&path.child("path"), "");
            }
            validate_no_backsteps(source.str("path"), &path.child("path"), errors);
            if !HOST_PATH_TYPES.contains(&source.str("type")) {
                errors.not_supported(&path.child("type"), source.str("type"), HOST_PATH_TYPES);
            }
        }
        "secret" | "configMap" => {
            let name = if kind == "secret" { "secretName" } else { "name" };
            volume_types::require(source, &[name], path, errors);
            validate_mode(source, "defaultMode", path, errors);
            validate_items(source, path, errors);
        }
        "downwardAPI" => {
            validate_mode(source, "defaultMode", path, errors);
            for (_, file) in maps(source.list("items")) {
                validate_downward_file(file, path, errors);
            }
        }
        "projected" => {
            validate_mode(source, "defaultMode", path, errors);
            validate_projections(source, path, errors);
        }
        "ephemeral" => match source.map("volumeClaimTemplate") {
            None => errors.required(&path.child("volumeClaimTemplate"), ""),
            Some(claim) => volume_types::validate_claim_template(claim, &path.child("volumeClaimTemplate"), errors),
        },
        "image" => {
            if scope.meta.is_some() && source.str("reference").is_empty() {
                errors.required(&path.child("reference"), "");
            }
            container::validate_pull_policy(source.str("pullPolicy"), &path.child("pullPolicy"), errors);
        }
        _ => volume_types::validate(kind, source, path, errors),
    }
}

fn validate_mode(map: &Map, key: &str, path: &Path, errors: &mut Errors) {
    if let Some(mode) = map.int(key).filter(|m| !(0..=0o777).contains(m)) {
        errors.invalid(&path.child(key), mode, MODE);
    }
}

fn validate_items(source: &Map, path: &Path, errors: &mut Errors) {
    for (i, item) in maps(source.list("items")) {
        let path = path.child("items").index(i);
        for key in ["key", "path"] {
            if item.str(key).is_empty() {
                errors.required(&path.child(key), "");
            }
        }
        validate_local_path(item.str("path"), &path.child("path"), errors);
        validate_mode(item, "mode", &path, errors);
    }
}

fn validate_downward_file(file: &Map, path: &Path, errors: &mut Errors) {
    if file.str("path").is_empty() {
        errors.required(&path.child("path"), "");
    }
    validate_local_path(file.str("path"), &path.child("path"), errors);
    match (file.map("fieldRef"), file.map("resourceFieldRef")) {
        (Some(field), resource) => {
            env::validate_field_ref(field, VOLUME_FIELDS, &path.child("fieldRef"), errors);
            if resource.is_some() {
                errors.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
            }
        }
        (None, Some(resource)) => env::validate_resource_ref(resource, true, &path.child("resourceFieldRef"), errors),
        (None, None) => errors.required(path, "one of fieldRef and resourceFieldRef is required"),
    }
    validate_mode(file, "mode", path, errors);
}

fn validate_projections(projected: &Map, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (i, source) in maps(projected.list("sources")) {
        let source_path = path.child("sources").index(i);
        let mut count = 0;
        for kind in ["secret", "configMap"] {
            let Some(inner) = source.map(kind) else { continue };
            count += 1;
            let path_here = source_path.child(kind);
            if inner.str("name").is_empty() {
                errors.required(&path_here.child("name"), "");
            }
            validate_items(inner, &path_here, errors);
            for (_, item) in maps(inner.list("items")) {
                unique_path(item.str("path"), inner.str("name"), &mut seen, path, errors);
            }
        }
        if let Some(inner) = source.map("downwardAPI") {
            count += 1;
            for (_, file) in maps(inner.list("items")) {
                validate_downward_file(file, &source_path.child("downwardAPI"), errors);
                unique_path(file.str("path"), file.str("path"), &mut seen, path, errors);
            }
        }
        if let Some(token) = source.map("serviceAccountToken") {
            count += 1;
            validate_token(token, &source_path.child("serviceAccountToken"), path, errors);
        }
        count += usize::from(source.has("clusterTrustBundle"));
        if count > 1 {
            errors.forbidden(&source_path, "may not specify more than 1 volume type per source");
        }
    }
}

fn unique_path<'a>(file: &'a str, shown: &str, seen: &mut Vec<&'a str>, path: &Path, errors: &mut Errors) {
    if file.is_empty() {
        return;
    }
    if seen.contains(&file) {
        errors.invalid(path, shown, "conflicting duplicate paths");
    }
    seen.push(file);
}

fn validate_token(token: &Map, path: &Path, volume: &Path, errors: &mut Errors) {
    let seconds = token.int("expirationSeconds").unwrap_or(0);
    if seconds < 600 {
        errors.invalid(&path.child("expirationSeconds"), seconds, "may not specify a duration less than 10 minutes");
    }
    if seconds > 1 << 32 {
        errors.invalid(&path.child("expirationSeconds"), seconds, "may not specify a duration larger than 2^32 seconds");
    }
    if token.str("path").is_empty() {
        errors.required(&volume.child("path"), "");
    } else {
        validate_local_path(token.str("path"), &volume.child("path"), errors);
    }
}

/// Validates a relative path without `..`.
pub(super) fn validate_descending(text: &str, path: &Path, errors: &mut Errors) {
    if text.starts_with('/') {
        errors.invalid(path, text, "must be a relative path");
    }
    validate_no_backsteps(text, path, errors);
}

/// Rejects `..` in a path.
pub(super) fn validate_no_backsteps(text: &str, path: &Path, errors: &mut Errors) {
    if text.split('/').any(|part| part == "..") {
        errors.invalid(path, text, "must not contain '..'");
    }
}

fn validate_local_path(text: &str, path: &Path, errors: &mut Errors) {
    validate_descending(text, path, errors);
    if text.starts_with("..") && !text.starts_with("../") {
        errors.invalid(path, text, "must not start with '..'");
    }
}
