//! Defaults and validation of a volume's source, the storage that holds its data. Counterpart: the validation of `PersistentVolumeSource` in
//! `pkg/apis/core/validation`.

use crate::api::field::{Errors, Path};
use crate::api::kind::pod::{default_volume_source, is_whole_iscsi_name, validate_volume_content};
use crate::api::names;
use crate::api::value::{Map, Value};

/// The types of sources whose volumes can have mount options.
pub const MOUNT_OPTIONS: &[&str] = &[
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
];

/// The types of sources in the order in which the API server checks them, with the fields that each requires.
const TYPES: &[(&str, &[&str])] = &[
    ("hostPath", &["path"]),
    ("gcePersistentDisk", &["pdName"]),
    ("awsElasticBlockStore", &["volumeID"]),
    ("glusterfs", &["endpoints", "path"]),
    ("flocker", &[]),
    ("nfs", &["server", "path"]),
    ("rbd", &["monitors", "image"]),
    ("quobyte", &[]),
    ("cephfs", &["monitors"]),
    ("iscsi", &["targetPortal"]),
    ("cinder", &["volumeID"]),
    ("fc", &[]),
    ("flexVolume", &["driver"]),
    ("azureFile", &["secretName", "shareName"]),
    ("vsphereVolume", &["volumePath"]),
    ("photonPersistentDisk", &["pdID"]),
    ("portworxVolume", &["volumeID"]),
    ("azureDisk", &["diskName", "diskURI"]),
    ("scaleIO", &["gateway", "system", "volumeName"]),
    ("local", &["path"]),
    ("storageos", &[]),
    ("csi", &[]),
];

/// Fills in the defaults of a volume's source.
pub fn default(spec: &mut Map) {
    default_volume_source(spec);
}

/// Validates that a volume has exactly one source, and the fields of that source.
pub fn validate(spec: &Map, name: &str, has_affinity: bool, path: &Path, errors: &mut Errors) {
    let mut found = false;
    for (kind, required) in TYPES {
        let Some(source) = spec.map(kind) else { continue };
        // Upstream accepts a flexVolume as a second source, because its check is missing.
        if found && *kind != "flexVolume" {
            let shown = if *kind == "cephfs" { "cephFS" } else { kind };
            errors.forbidden(&path.child(shown), "may not specify more than 1 volume type");
            continue;
        }
        found = true;
        let source_path = path.child(if *kind == "gcePersistentDisk" { "persistentDisk" } else { kind });
        let missing = |key: &&&str| source.get(key).is_none_or(|v| matches!(v.as_str(), Some("")) || matches!(v.as_list(), Some([])));
        for key in required.iter().filter(missing) {
            errors.required(&source_path.child(key), "");
        }
        validate_type(kind, source, name, &source_path, errors);
        if *kind == "local" && !has_affinity {
            errors.required(&path.child("nodeAffinity"), "Local volume requires node affinity");
        }
    }
    if !found {
        errors.required(path, "must specify a volume type");
    }
}

fn validate_type(kind: &str, source: &Map, name: &str, path: &Path, errors: &mut Errors) {
    match kind {
        "hostPath" | "local" => validate_directory(kind, source, path, errors),
        "glusterfs" => validate_glusterfs(source, path, errors),
        "iscsi" => validate_iscsi(source, name, path, errors),
        "cinder" => validate_secret_fields(source, path, errors),
        "azureFile" if source.get("secretNamespace").and_then(Value::as_str) == Some("") => {
            errors.required(&path.child("secretNamespace"), "");
        }
        "storageos" => {
            let (volume, namespace) = (source.str("volumeName"), source.str("volumeNamespace"));
            if volume.is_empty() {
                errors.required(&path.child("volumeName"), "");
            } else {
                errors.invalid_each(&path.child("volumeName"), volume, names::dns_label(volume));
            }
            if !namespace.is_empty() {
                errors.invalid_each(&path.child("volumeNamespace"), namespace, names::dns_label(namespace));
            }
            validate_secret_fields(source, path, errors);
        }
        "csi" => validate_csi(source, path, errors),
        // Upstream uses the functions for the sources of pods here.
        _ => validate_volume_content(kind, source, path, errors),
    }
}

fn validate_directory(kind: &str, source: &Map, path: &Path, errors: &mut Errors) {
    const HOST_PATH_TYPES: &[&str] = &["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
    let directory = source.str("path");
    if directory.is_empty() {
        return;
    }
    if directory.split('/').any(|part| part == "..") {
        errors.invalid(&path.child("path"), directory, "must not contain '..'");
    }
    if kind == "hostPath" && !HOST_PATH_TYPES.contains(&source.str("type")) {
        errors.not_supported(&path.child("type"), source.str("type"), HOST_PATH_TYPES);
    }
}

fn validate_glusterfs(source: &Map, path: &Path, errors: &mut Errors) {
    let path = path.child("endpointsNamespace");
    match source.get("endpointsNamespace").and_then(Value::as_str) {
        Some("") => errors.invalid(&path, "", "if the endpointnamespace is set, it must be a valid namespace name"),
        Some(namespace) => errors.invalid_each(&path, namespace, names::dns_label(namespace)),
        None => {}
    }
}

fn validate_iscsi(source: &Map, name: &str, path: &Path, errors: &mut Errors) {
    let (portal, iqn, initiator) = (source.str("targetPortal"), source.str("iqn"), source.get("initiatorName").and_then(Value::as_str));
    if initiator.is_some() && name.len() + 1 + portal.len() > 64 {
        let detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
        errors.invalid(&path.child("targetportal"), portal, detail);
    }
    if iqn.is_empty() {
        errors.required(&path.child("iqn"), "");
    } else if !is_whole_iscsi_name(iqn) {
        errors.invalid(&path.child("iqn"), iqn, "must be valid format");
    }
    let lun = source.int("lun").unwrap_or(0);
    if !(0..=255).contains(&lun) {
        errors.invalid(&path.child("lun"), lun, "must be between 0 and 255, inclusive");
    }
    match source.map("secretRef") {
        None if source.bool("chapAuthDiscovery") || source.bool("chapAuthSession") => errors.required(&path.child("secretRef"), ""),
        Some(secret) if secret.str("name").is_empty() => errors.required(&path.child("secretRef").child("name"), ""),
        _ => {}
    }
    if let Some(initiator) = initiator.filter(|i| !is_whole_iscsi_name(i)) {
        errors.invalid(&path.child("initiatorname"), initiator, "must be valid format");
    }
}

fn validate_secret_fields(source: &Map, path: &Path, errors: &mut Errors) {
    let Some(secret) = source.map("secretRef") else { return };
    for key in ["name", "namespace"].iter().filter(|key| secret.str(key).is_empty()) {
        errors.required(&path.child("secretRef").child(key), "");
    }
}

fn validate_csi(source: &Map, path: &Path, errors: &mut Errors) {
    const SECRETS: [&str; 4] = ["controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"];
    let driver = source.str("driver");
    if driver.is_empty() {
        errors.required(&path.child("driver"), "");
    } else {
        if driver.len() > 63 {
            errors.too_long(&path.child("driver"), 63);
        }
        errors.invalid_each(&path.child("driver"), driver, names::dns_subdomain(&driver.to_ascii_lowercase()));
    }
    if source.str("volumeHandle").is_empty() {
        errors.required(&path.child("volumeHandle"), "");
    }
    for key in SECRETS {
        let Some(secret) = source.map(key) else { continue };
        let (path, name, namespace) = (path.child(key), secret.str("name"), secret.str("namespace"));
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        } else {
            errors.invalid_each(&path.child("name"), name, names::dns_subdomain(name));
        }
        if namespace.is_empty() {
            errors.required(&path.child("namespace"), "");
        } else {
            errors.invalid_each(&path.child("namespace"), namespace, names::dns_label(namespace));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json;

    fn problems(source: &str) -> Vec<String> {
        let spec = json::parse(source).expect("a source");
        let mut errors = Errors::default();
        validate(spec.as_map().expect("a map"), "data", true, &Path::new("spec"), &mut errors);
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn sources_that_pods_have_too_are_checked_like_theirs() {
        for (source, expected) in [
            (r#"{"nfs":{"server":"a","path":"b"}}"#, &["spec.nfs.path: Invalid value: \"b\": must be an absolute path"][..]),
            (r#"{"fc":{"targetWWNs":["a"],"lun":256}}"#, &["spec.fc.lun: Invalid value: 256: must be between 0 and 255, inclusive"]),
            (r#"{"flocker":{"datasetName":"a/b"}}"#, &["spec.flocker.datasetName: Invalid value: \"a/b\": must not contain '/'"]),
            (r#"{"quobyte":{"registry":"a:1,[b]:2"}}"#, &["spec.quobyte.volume: Required value"]),
            (r#"{"gcePersistentDisk":{"pdName":"a","partition":0}}"#, &[]),
            (r#"{"iscsi":{"targetPortal":"a","iqn":"iqn.2015-06.com.example:disk","lun":1}}"#, &[]),
            (r#"{"iscsi":{"targetPortal":"a","iqn":"disk"}}"#, &["spec.iscsi.iqn: Invalid value: \"disk\": must be valid format"]),
            (r#"{"iscsi":{"targetPortal":"a","iqn":"naa.1"}}"#, &["spec.iscsi.iqn: Invalid value: \"naa.1\": must be valid format"]),
        ] {
            assert_eq!(problems(source), expected, "{source}");
        }
    }
}
