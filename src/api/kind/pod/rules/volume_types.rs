//! Validation of the volume types that need a storage provider, and of claim templates. Counterparts: `validateISCSIVolumeSource` and related functions in
//! `pkg/apis/core/validation`, `ValidatePersistentVolumeClaimTemplate`.

use crate::api::field::{Errors, Path};
use crate::api::kind::persistentvolumeclaim::validate_spec;
use crate::api::meta_rules::{validate_annotations, validate_labels};
use crate::api::names;
use crate::api::value::{Map, Value};

const PARTITION: &str = "must be between 1 and 255, inclusive";
const LUN: &str = "must be between 0 and 255, inclusive";

/// Reports each required field that is missing or empty.
pub(super) fn require(source: &Map, keys: &[&str], path: &Path, errors: &mut Errors) {
    for key in keys {
        if source.get(key).is_none_or(|v| v.is_null() || v.as_str() == Some("") || matches!(v.as_list(), Some([]))) {
            errors.required(&path.child(key), "");
        }
    }
}

/// Validates a volume source of a type that needs a storage provider, such as `nfs`.
pub(super) fn validate(kind: &str, source: &Map, path: &Path, errors: &mut Errors) {
    let required: &[&str] = match kind {
        "gitRepo" => &["repository"],
        "gcePersistentDisk" => &["pdName"],
        "awsElasticBlockStore" => &["volumeID"],
        "nfs" => &["server", "path"],
        "glusterfs" => &["endpoints", "path"],
        "persistentVolumeClaim" => &["claimName"],
        "rbd" => &["monitors", "image"],
        "cinder" | "portworxVolume" => &["volumeID"],
        "cephfs" => &["monitors"],
        "flexVolume" => &["driver"],
        "azureFile" => &["secretName", "shareName"],
        "vsphereVolume" => &["volumePath"],
        "photonPersistentDisk" => &["pdID"],
        "azureDisk" => &["diskName", "diskURI"],
        "scaleIO" => &["gateway", "system", "volumeName"],
        "iscsi" => &["targetPortal"],
        _ => &[],
    };
    require(source, required, path, errors);
    validate_content(kind, source, path, errors);
}

/// Validates the content of a volume source's fields. PersistentVolumes have most of these types, too.
pub fn validate_content(kind: &str, source: &Map, path: &Path, errors: &mut Errors) {
    match kind {
        "gitRepo" => super::volume::validate_descending(source.str("directory"), &path.child("directory"), errors),
        "gcePersistentDisk" | "awsElasticBlockStore" => {
            if let Some(number) = source.int("partition").filter(|n| !(0..=255).contains(n)) {
                errors.invalid(&path.child("partition"), number, PARTITION);
            }
        }
        "nfs" if !source.str("path").starts_with('/') => {
            errors.invalid(&path.child("path"), source.str("path"), "must be an absolute path");
        }
        "iscsi" => validate_iscsi(source, path, errors),
        "flocker" => validate_flocker(source, path, errors),
        "cinder" => require_secret_name(source, path, errors),
        "quobyte" => validate_quobyte(source, path, errors),
        "fc" => validate_fc(source, path, errors),
        "flexVolume" => {
            for (key, _) in source.map("options").into_iter().flat_map(Map::iter) {
                let domain = format!(".{}", key.split('/').next().unwrap_or("").to_ascii_lowercase());
                if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
                    errors.invalid(&path.child("options").key(key), key.as_str(), "kubernetes.io and k8s.io namespaces are reserved");
                }
            }
        }
        "azureDisk" => validate_azure_disk(source, path, errors),
        "storageos" => {
            require(source, &["volumeName"], path, errors);
            for key in ["volumeName", "volumeNamespace"] {
                let name = source.str(key);
                if !name.is_empty() {
                    errors.invalid_each(&path.child(key), name, names::dns_label(name));
                }
            }
            require_secret_name(source, path, errors);
        }
        "csi" => validate_csi(source, path, errors),
        _ => {}
    }
}

fn require_secret_name(source: &Map, path: &Path, errors: &mut Errors) {
    if source.map("secretRef").is_some_and(|s| s.str("name").is_empty()) {
        errors.required(&path.child("secretRef.name"), "");
    }
}

fn validate_iscsi(source: &Map, path: &Path, errors: &mut Errors) {
    const START: &str = "must be valid format starting with iqn, eui, or naa";
    let name = source.str("iqn");
    if name.is_empty() {
        errors.required(&path.child("iqn"), "");
    } else if !starts_like_iscsi_name(name) {
        errors.invalid(&path.child("iqn"), name, START);
    } else if !is_iscsi_name(name) {
        errors.invalid(&path.child("iqn"), name, "must be valid format");
    }
    let lun = source.int("lun").unwrap_or(0);
    if !(0..=255).contains(&lun) {
        errors.invalid(&path.child("lun"), lun, LUN);
    }
    if (source.bool("chapAuthDiscovery") || source.bool("chapAuthSession")) && !source.has("secretRef") {
        errors.required(&path.child("secretRef"), "");
    }
    if let Some(initiator) = source.get("initiatorName").and_then(Value::as_str) {
        if !starts_like_iscsi_name(initiator) {
            errors.invalid(&path.child("initiatorname"), initiator, START);
        } else if !is_iscsi_name(initiator) {
            errors.invalid(&path.child("initiatorname"), initiator, "must be valid format");
        }
    }
}

fn starts_like_iscsi_name(name: &str) -> bool {
    ["iqn", "eui", "naa"].iter().any(|start| name.starts_with(start))
}

/// Returns true if an iSCSI name has one of the three forms, from its start on. PersistentVolumes report both mistakes in the same words.
pub fn is_whole_iscsi_name(name: &str) -> bool {
    starts_like_iscsi_name(name) && is_iscsi_name(name)
}

/// Returns true for iSCSI names such as `iqn.2015-06.com.example:storage`, and for `eui` and `naa` with any character and 16 or 32 letters and digits after it.
fn is_iscsi_name(name: &str) -> bool {
    let tail = |start: &str, length: usize| {
        let mut rest = name.strip_prefix(start).unwrap_or("").chars();
        rest.next().is_some_and(|c| c != '\n') && rest.clone().count() == length && rest.all(|c| c.is_ascii_alphanumeric())
    };
    match name.get(..3) {
        Some("eui") => tail("eui", 16),
        Some("naa") => tail("naa", 32),
        _ => name.match_indices("iqn.").any(|(at, start)| is_qualified(&name[at + start.len()..])),
    }
}

/// Returns true for `2015-06.com.example:storage`: a year and a month, a domain, and after a colon a text without white space and `,;*&$|`.
fn is_qualified(text: &str) -> bool {
    let digits = |text: Option<&str>| text.is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit()));
    if !(digits(text.get(..4)) && text.get(4..5) == Some("-") && digits(text.get(5..7)) && text.get(7..8) == Some(".")) {
        return false;
    }
    let Some((domain, rest)) = text.get(8..).and_then(|t| t.split_once(':')) else { return false };
    let tame = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let plain = |c: char| !matches!(c, ',' | ';' | '*' | '&' | '$' | '|') && !matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c');
    !domain.is_empty() && domain.chars().all(tame) && !rest.is_empty() && rest.chars().all(plain)
}

/// Returns true for `host:port`, with brackets around a host with colons. Counterpart: Go's `net.SplitHostPort`.
fn is_host_and_port(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    let inner = match host.strip_prefix('[') {
        Some(rest) => match rest.strip_suffix(']') {
            Some(inner) => inner,
            None => return false,
        },
        None if host.contains(':') => return false,
        None => host,
    };
    !inner.contains(['[', ']']) && !port.contains(['[', ']'])
}

fn validate_flocker(source: &Map, path: &Path, errors: &mut Errors) {
    let (name, uuid) = (source.str("datasetName"), source.str("datasetUUID"));
    if name.is_empty() && uuid.is_empty() {
        errors.required(path, "one of datasetName and datasetUUID is required");
    }
    if !name.is_empty() && !uuid.is_empty() {
        errors.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
    }
    if name.contains('/') {
        errors.invalid(&path.child("datasetName"), name, "must not contain '/'");
    }
}

fn validate_quobyte(source: &Map, path: &Path, errors: &mut Errors) {
    const PAIRS: &str = "must be a host:port pair or multiple pairs separated by commas";
    let registry = source.str("registry");
    if registry.is_empty() {
        errors.required(&path.child("registry"), PAIRS);
    } else if source.str("tenant").len() >= 65 {
        errors.required(&path.child("tenant"), "must be a UUID and may not exceed a length of 64 characters");
    } else {
        for _ in registry.split(',').filter(|pair| !is_host_and_port(pair)) {
            errors.invalid(&path.child("registry"), registry, PAIRS);
        }
    }
    require(source, &["volume"], path, errors);
}

fn validate_fc(source: &Map, path: &Path, errors: &mut Errors) {
    let (targets, wwids) = (source.list("targetWWNs"), source.list("wwids"));
    if targets.is_empty() && wwids.is_empty() {
        errors.required(&path.child("targetWWNs"), "must specify either targetWWNs or wwids, but not both");
    }
    if !targets.is_empty() && !wwids.is_empty() {
        let detail = "targetWWNs and wwids can not be specified simultaneously";
        errors.invalid(&path.child("targetWWNs"), targets.to_vec(), detail);
    }
    match source.int("lun") {
        _ if targets.is_empty() => {}
        None => errors.required(&path.child("lun"), "lun is required if targetWWNs is specified"),
        Some(lun) if !(0..=255).contains(&lun) => errors.invalid(&path.child("lun"), lun, LUN),
        Some(_) => {}
    }
}

fn validate_azure_disk(source: &Map, path: &Path, errors: &mut Errors) {
    const MANAGED: &str = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    const BLOB: &str = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
    for (key, supported) in [("cachingMode", ["None", "ReadOnly", "ReadWrite"]), ("kind", ["Dedicated", "Managed", "Shared"])] {
        if let Some(text) = source.get(key).and_then(Value::as_str).filter(|t| !supported.contains(t)) {
            errors.not_supported(&path.child(key), text, &supported);
        }
    }
    let uri = source.str("diskURI");
    match source.get("kind").and_then(Value::as_str) {
        Some("Managed") if !uri.starts_with("/subscriptions/") => errors.not_supported(&path.child("diskURI"), uri, &[MANAGED]),
        Some(kind) if kind != "Managed" && !uri.starts_with("https://") => errors.not_supported(&path.child("diskURI"), uri, &[BLOB]),
        _ => {}
    }
}

fn validate_csi(source: &Map, path: &Path, errors: &mut Errors) {
    let driver = source.str("driver");
    if driver.is_empty() {
        errors.required(&path.child("driver"), "");
    } else {
        if driver.len() > 63 {
            errors.too_long(&path.child("driver"), 63);
        }
        errors.invalid_each(&path.child("driver"), driver, names::dns_subdomain(&driver.to_ascii_lowercase()));
    }
    if let Some(secret) = source.map("nodePublishSecretRef") {
        match secret.str("name") {
            "" => errors.required(&path.child("nodePublishSecretRef.name"), ""),
            name => errors.invalid_each(&path.child("name"), name, names::dns_subdomain(name)),
        }
    }
}

/// Validates the template from which a pod's PersistentVolumeClaim is made.
pub(super) fn validate_claim_template(template: &Map, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let (meta, meta_path) = (template.map("metadata").unwrap_or(&empty), path.child("metadata"));
    validate_annotations(meta.map("annotations"), &meta_path.child("annotations"), errors);
    validate_labels(meta.map("labels"), &meta_path.child("labels"), errors);
    for (key, shown) in OTHER_METADATA {
        let set = |v: &Value| match v {
            Value::Null => false,
            Value::Str(text) => !text.is_empty(),
            Value::Int(number) => *number != 0 || *key == "deletionGracePeriodSeconds",
            _ => true,
        };
        if meta.get(key).is_some_and(set) {
            errors.forbidden(&meta_path.child(shown), "cannot be set");
        }
    }
    validate_spec(template.map("spec").unwrap_or(&empty), false, &path.child("spec"), errors);
}

/// The fields of metadata that a claim template cannot have, in the order of the Go struct, and the names under which the API server reports them.
const OTHER_METADATA: &[(&str, &str)] = &[
    ("name", "name"),
    ("generateName", "generateName"),
    ("namespace", "namespace"),
    ("selfLink", "selfLink"),
    ("uid", "uID"),
    ("resourceVersion", "resourceVersion"),
    ("generation", "generation"),
    ("creationTimestamp", "creationTimestamp"),
    ("deletionTimestamp", "deletionTimestamp"),
    ("deletionGracePeriodSeconds", "deletionGracePeriodSeconds"),
    ("ownerReferences", "ownerReferences"),
    ("finalizers", "finalizers"),
    ("managedFields", "managedFields"),
];
