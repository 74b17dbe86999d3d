//! Defaults and validation of a volume's source, the storage that holds its data. Counterpart: the validation of `PersistentVolumeSource` in
//! `pkg/apis/core/validation`.

use crate::api::field::{Errors, Path};
use crate::api::kind::pod::default_volume_source;
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
        "gcePersistentDisk" | "awsElasticBlockStore" => {
            if let Some(partition) = source.int("partition").filter(|p| !(0..=255).contains(p)) {
                errors.invalid(&path.child("partition"), partition, "must be between 1 and 255, inclusive");
            }
        }
        "glusterfs" => validate_glusterfs(source, path, errors),
        "flocker" => validate_flocker(source, path, errors),
        "nfs" if !source.str("path").starts_with('/') => {
            errors.invalid(&path.child("path"), source.str("path"), "must be an absolute path");
        }
        "quobyte" => validate_quobyte(source, path, errors),
        "iscsi" => validate_iscsi(source, name, path, errors),
        "cinder" => validate_secret_fields(source, path, errors),
        "fc" => validate_fibre_channel(source, path, errors),
        "flexVolume" => validate_flex_options(source, path, errors),
        "azureFile" if source.get("secretNamespace").and_then(Value::as_str) == Some("") => {
            errors.required(&path.child("secretNamespace"), "");
        }
        "azureDisk" => validate_azure_disk(source, path, errors),
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
        _ => {}
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
    if source.str("volume").is_empty() {
        errors.required(&path.child("volume"), "");
    }
}

/// Returns true for texts that Go's `net.SplitHostPort` accepts.
fn is_host_and_port(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    let host = match host.strip_prefix('[') {
        Some(rest) => match rest.strip_suffix(']') {
            Some(inner) => inner,
            None => return false,
        },
        None if host.contains(':') => return false,
        None => host,
    };
    !host.contains(['[', ']']) && !port.contains(['[', ']'])
}

fn validate_iscsi(source: &Map, name: &str, path: &Path, errors: &mut Errors) {
    let (portal, iqn, initiator) = (source.str("targetPortal"), source.str("iqn"), source.get("initiatorName").and_then(Value::as_str));
    if initiator.is_some() && name.len() + 1 + portal.len() > 64 {
        let detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
        errors.invalid(&path.child("targetportal"), portal, detail);
    }
    if iqn.is_empty() {
        errors.required(&path.child("iqn"), "");
    } else if !is_initiator(iqn) {
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
    if let Some(initiator) = initiator.filter(|i| !is_initiator(i)) {
        errors.invalid(&path.child("initiatorname"), initiator, "must be valid format");
    }
}

/// Returns true for the names of iSCSI initiators: `iqn.YYYY-MM.authority:name`, `eui.` and 16 characters, `naa.` and 32 characters.
fn is_initiator(text: &str) -> bool {
    let fixed = |length: usize| {
        let rest: Vec<char> = text.chars().skip(4).collect();
        rest.len() == length && rest.iter().all(char::is_ascii_alphanumeric)
    };
    match text.get(..3) {
        Some("iqn") => is_iqn(text),
        Some("eui") => fixed(16),
        Some("naa") => fixed(32),
        _ => false,
    }
}

fn is_iqn(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("iqn.") else { return false };
    let (date, rest) = rest.split_at_checked(7).unwrap_or(("", ""));
    let date_is_right = date.char_indices().all(|(i, c)| if i == 4 { c == '-' } else { c.is_ascii_digit() }) && date.len() == 7;
    let Some((authority, name)) = rest.strip_prefix('.').and_then(|rest| rest.split_once(':')) else { return false };
    let authority_is_right = !authority.is_empty() && authority.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    date_is_right && authority_is_right && !name.is_empty() && !name.contains([',', ';', '*', '&', '$', '|', ' ', '\t', '\n', '\r'])
}

fn validate_secret_fields(source: &Map, path: &Path, errors: &mut Errors) {
    let Some(secret) = source.map("secretRef") else { return };
    for key in ["name", "namespace"].iter().filter(|key| secret.str(key).is_empty()) {
        errors.required(&path.child("secretRef").child(key), "");
    }
}

fn validate_fibre_channel(source: &Map, path: &Path, errors: &mut Errors) {
    let (targets, ids) = (source.list("targetWWNs"), source.list("wwids"));
    if targets.is_empty() && ids.is_empty() {
        errors.required(&path.child("targetWWNs"), "must specify either targetWWNs or wwids, but not both");
    }
    if !targets.is_empty() && !ids.is_empty() {
        errors.invalid(&path.child("targetWWNs"), targets.to_vec(), "targetWWNs and wwids can not be specified simultaneously");
    }
    if !targets.is_empty() {
        match source.int("lun") {
            None => errors.required(&path.child("lun"), "lun is required if targetWWNs is specified"),
            Some(lun) if !(0..=255).contains(&lun) => errors.invalid(&path.child("lun"), lun, "must be between 0 and 255, inclusive"),
            Some(_) => {}
        }
    }
}

fn validate_flex_options(source: &Map, path: &Path, errors: &mut Errors) {
    for (key, _) in source.map("options").into_iter().flat_map(Map::iter) {
        let namespace = format!(".{}", key.split('/').next().unwrap_or("").to_ascii_lowercase());
        if namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io") {
            errors.invalid(&path.child("options").key(key), key.as_str(), "kubernetes.io and k8s.io namespaces are reserved");
        }
    }
}

fn validate_azure_disk(source: &Map, path: &Path, errors: &mut Errors) {
    const MODES: &[&str] = &["None", "ReadOnly", "ReadWrite"];
    const KINDS: &[&str] = &["Dedicated", "Managed", "Shared"];
    const MANAGED: &str = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    const BLOB: &str = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
    let text = |key| source.get(key).and_then(Value::as_str);
    if let Some(mode) = text("cachingMode").filter(|m| !MODES.contains(m)) {
        errors.not_supported(&path.child("cachingMode"), mode, MODES);
    }
    let Some(kind) = text("kind") else { return };
    if !KINDS.contains(&kind) {
        errors.not_supported(&path.child("kind"), kind, KINDS);
    }
    let uri = source.str("diskURI");
    if kind == "Managed" && !uri.starts_with("/subscriptions/") {
        errors.not_supported(&path.child("diskURI"), uri, &[MANAGED]);
    }
    if kind != "Managed" && !uri.starts_with("https://") {
        errors.not_supported(&path.child("diskURI"), uri, &[BLOB]);
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
