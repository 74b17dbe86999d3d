//! The volumes in the description of a pod or a pod template, and the source of a PersistentVolume. Counterpart: `describeVolumes`.
//!
//! Simplification: volume types of cloud providers and of storage systems outside Kubernetes are shown as unknown.

use super::description::{Description, plain};
use crate::api::meta_rules::maps;
use crate::api::value::{Map, Value};

/// A field of a volume type: its title, its key, and the text that stands in where the field is absent.
type Field = (&'static str, &'static str, &'static str);

/// The volume types whose fields are printed one per line: the key, the description, and the fields of each.
const TYPES: &[(&str, &str, &[Field])] = &[
    ("hostPath", "HostPath (bare host directory volume)", &[("Path", "path", ""), ("HostPathType", "type", "<none>")]),
    (
        "emptyDir",
        "EmptyDir (a temporary directory that shares a pod's lifetime)",
        &[("Medium", "medium", ""), ("SizeLimit", "sizeLimit", "<unset>")],
    ),
    ("secret", "Secret (a volume populated by a Secret)", &[("SecretName", "secretName", ""), ("Optional", "optional", "false")]),
    ("configMap", "ConfigMap (a volume populated by a ConfigMap)", &[("Name", "name", ""), ("Optional", "optional", "false")]),
    (
        "nfs",
        "NFS (an NFS mount that lasts the lifetime of a pod)",
        &[("Server", "server", ""), ("Path", "path", ""), ("ReadOnly", "readOnly", "false")],
    ),
    (
        "persistentVolumeClaim",
        "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        &[("ClaimName", "claimName", ""), ("ReadOnly", "readOnly", "false")],
    ),
    ("ephemeral", "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)", &[]),
    ("downwardAPI", "DownwardAPI (a volume populated by information about the pod)", &[]),
    ("local", "LocalVolume (a persistent volume backed by local storage on a node)", &[("Path", "path", "")]),
    ("projected", "Projected (a volume that contains injected data from multiple sources)", &[]),
    ("csi", "CSI (a Container Storage Interface (CSI) volume source)", &[("Driver", "driver", ""), ("FSType", "fsType", "")]),
    ("image", "Image (a container image or OCI artifact)", &[("Reference", "reference", ""), ("PullPolicy", "pullPolicy", "")]),
];

/// Writes all volumes of a pod spec.
pub fn volumes(description: &mut Description, level: usize, volumes: &[Value]) {
    description.line(level, if volumes.is_empty() { "Volumes:\t<none>" } else { "Volumes:" });
    for (_, volume) in maps(volumes) {
        let indent = if level == 0 { "  " } else { "   " };
        description.raw(format!("{indent}{}:", volume.str("name")));
        source(description, volume);
    }
}

/// Writes the source of a volume, which is the one field of `volume` that names a volume type.
pub fn source(description: &mut Description, volume: &Map) {
    let known = TYPES.iter().find_map(|(key, title, fields)| Some((*key, title, fields, volume.map(key)?)));
    let Some((key, title, fields, source)) = known else { return description.line(1, "<unknown>") };
    description.line(2, format!("Type:\t{title}"));
    for (title, key, absent) in *fields {
        description.line(2, format!("{title}:\t{}", source.get(key).map_or_else(|| (*absent).to_owned(), plain)));
    }
    match key {
        "ephemeral" => claim(description, source.map("volumeClaimTemplate").unwrap_or(source)),
        "downwardAPI" => {
            description.line(2, "Items:");
            for (_, item) in maps(source.list("items")) {
                let field = item.at(&["fieldRef", "fieldPath"]).or_else(|| item.at(&["resourceFieldRef", "resource"]));
                description.line(3, format!("{} -> {}", field.map(plain).unwrap_or_default(), item.str("path")));
            }
        }
        "projected" => maps(source.list("sources")).for_each(|(_, source)| projected(description, source)),
        "csi" => csi(description, source),
        _ => {}
    }
}

fn projected(description: &mut Description, source: &Map) {
    let mut named = |title: &str, source: &Map| {
        description.line(2, format!("{title}:\t{}", source.str("name")));
        description.line(2, format!("Optional:\t{}", source.bool("optional")));
    };
    if let Some(secret) = source.map("secret") {
        named("SecretName", secret);
    } else if source.has("downwardAPI") {
        description.line(2, "DownwardAPI:\ttrue");
    } else if let Some(map) = source.map("configMap") {
        named("ConfigMapName", map);
    } else if let Some(token) = source.map("serviceAccountToken") {
        description.line(2, format!("TokenExpirationSeconds:\t{}", token.int("expirationSeconds").unwrap_or(3600)));
    }
}

fn claim(description: &mut Description, template: &Map) {
    let empty = Map::new();
    let (metadata, spec) = (template.map("metadata").unwrap_or(&empty), template.map("spec").unwrap_or(&empty));
    description.line(2, format!("StorageClass:\t{}", spec.str("storageClassName")));
    description.line(2, "Volume:\t");
    description.labels(2, "Labels", metadata.map("labels").unwrap_or(&empty));
    description.annotations(2, "Annotations", metadata.map("annotations").unwrap_or(&empty));
    description.line(2, "Capacity:\t");
    description.line(2, "Access Modes:\t");
    description.given(2, "VolumeMode", spec.str("volumeMode"));
}

fn csi(description: &mut Description, source: &Map) {
    description.given(2, "VolumeHandle", source.str("volumeHandle"));
    description.line(2, format!("ReadOnly:\t{}", source.bool("readOnly")));
    let attributes = source.map("volumeAttributes").into_iter().flat_map(Map::iter);
    let attributes: Vec<String> = attributes.map(|(key, value)| format!("{key}={}", plain(value))).collect();
    // kubectl indents every attribute once more, including the first.
    let first = attributes.first().map_or_else(|| "<none>".to_owned(), |attribute| format!("    {attribute}"));
    description.line(2, format!("VolumeAttributes:\t{first}"));
    for attribute in attributes.iter().skip(1) {
        description.line(2, format!("    \t    {attribute}"));
    }
}
