//! The volumes in the description of a pod or a pod template. Counterpart: `describeVolumes`.

use super::description::{Description, plain};
use crate::api::value::{Map, Value};

/// Writes all volumes of a pod spec.
pub fn volumes(description: &mut Description, level: usize, volumes: &[Value]) {
    description.line(level, if volumes.is_empty() { "Volumes:\t<none>" } else { "Volumes:" });
    for volume in volumes.iter().filter_map(Value::as_map) {
        let indent = if level == 0 { "  " } else { "   " };
        description.raw(format!("{indent}{}:", volume.str("name")));
        for (title, text) in fields(volume) {
            description.line(2, format!("{title}:\t{text}"));
        }
    }
}

type Fields = Vec<(&'static str, String)>;

fn fields(volume: &Map) -> Fields {
    let text = |m: &Map, key: &str| m.get(key).map(plain).unwrap_or_default();
    if let Some(v) = volume.map("emptyDir") {
        let size = if v.has("sizeLimit") { text(v, "sizeLimit") } else { "<unset>".to_owned() };
        let type_ = "EmptyDir (a temporary directory that shares a pod's lifetime)".to_owned();
        vec![("Type", type_), ("Medium", text(v, "medium")), ("SizeLimit", size)]
    } else if let Some(v) = volume.map("hostPath") {
        let type_ = "HostPath (bare host directory volume)".to_owned();
        vec![("Type", type_), ("Path", text(v, "path")), ("HostPathType", text(v, "type"))]
    } else if let Some(v) = volume.map("configMap") {
        let type_ = "ConfigMap (a volume populated by a ConfigMap)".to_owned();
        vec![("Type", type_), ("Name", text(v, "name")), ("Optional", v.bool("optional").to_string())]
    } else if let Some(v) = volume.map("secret") {
        let type_ = "Secret (a volume populated by a Secret)".to_owned();
        vec![("Type", type_), ("SecretName", text(v, "secretName")), ("Optional", v.bool("optional").to_string())]
    } else if let Some(v) = volume.map("persistentVolumeClaim") {
        let type_ = "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)".to_owned();
        vec![("Type", type_), ("ClaimName", text(v, "claimName")), ("ReadOnly", v.bool("readOnly").to_string())]
    } else if let Some(v) = volume.map("projected") {
        projected(v)
    } else {
        vec![("Type", "<unknown>".to_owned())]
    }
}

fn projected(volume: &Map) -> Fields {
    let mut fields = vec![("Type", "Projected (a volume that contains injected data from multiple sources)".to_owned())];
    for source in volume.list("sources").iter().filter_map(Value::as_map) {
        if let Some(token) = source.map("serviceAccountToken") {
            fields.push(("TokenExpirationSeconds", token.int("expirationSeconds").unwrap_or(3600).to_string()));
        } else if let Some(map) = source.map("configMap") {
            fields.push(("ConfigMapName", map.str("name").to_owned()));
            fields.push(("Optional", map.bool("optional").to_string()));
        } else if let Some(secret) = source.map("secret") {
            fields.push(("SecretName", secret.str("name").to_owned()));
            fields.push(("Optional", secret.bool("optional").to_string()));
        } else if source.has("downwardAPI") {
            fields.push(("DownwardAPI", "true".to_owned()));
        }
    }
    fields
}
