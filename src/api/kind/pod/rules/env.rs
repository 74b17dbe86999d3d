//! Validation of environment variables, and of references to fields and keys.

use crate::api::field::{Errors, Path};
use crate::api::meta_rules::maps;
use crate::api::names;
use crate::api::value::{Map, Value};

const ENV_FIELDS: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const RESOURCE_FIELDS: &[&str] =
    &["limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"];
const ONE_SOURCE: &str = "may not have more than one field specified at a time";

/// Validates environment variables and the sources of their values.
pub(super) fn validate_env(vars: &[Value], path: &Path, errors: &mut Errors) {
    for (i, var) in maps(vars) {
        let path = path.index(i);
        let name = var.str("name");
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        } else {
            errors.invalid_each(&path.child("name"), name, names::env_name(name));
        }
        if let Some(from) = var.map("valueFrom") {
            validate_source(var, from, &path.child("valueFrom"), errors);
        }
    }
}

fn validate_source(var: &Map, from: &Map, path: &Path, errors: &mut Errors) {
    let mut sources = 0;
    if let Some(field) = from.map("fieldRef") {
        sources += 1;
        validate_field_ref(field, ENV_FIELDS, &path.child("fieldRef"), errors);
    }
    if let Some(field) = from.map("resourceFieldRef") {
        sources += 1;
        validate_resource_ref(field, false, &path.child("resourceFieldRef"), errors);
    }
    for kind in ["configMapKeyRef", "secretKeyRef"] {
        if let Some(key) = from.map(kind) {
            sources += 1;
            validate_key_ref(key, &path.child(kind), errors);
        }
    }
    if let Some(file) = from.map("fileKeyRef") {
        sources += 1;
        validate_file_ref(file, &path.child("fileKeyRef"), errors);
    }
    if sources == 0 {
        errors.invalid(path, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
    } else if !var.str("value").is_empty() {
        errors.invalid(path, "", "may not be specified when `value` is not empty");
    } else if sources > 1 {
        errors.invalid(path, "", ONE_SOURCE);
    }
}

fn validate_key_ref(reference: &Map, path: &Path, errors: &mut Errors) {
    let (name, key) = (reference.str("name"), reference.str("key"));
    errors.invalid_each(&path.child("name"), name, names::dns_subdomain(name));
    if key.is_empty() {
        errors.required(&path.child("key"), "");
    } else {
        errors.invalid_each(&path.child("key"), key, names::config_key(key));
    }
}

fn validate_file_ref(reference: &Map, path: &Path, errors: &mut Errors) {
    let [key, volume, file] = ["key", "volumeName", "path"].map(|part| reference.str(part));
    match key {
        "" => errors.required(&path.child("key"), ""),
        _ => errors.invalid_each(&path.child("key"), key, names::env_name(key)),
    }
    match volume {
        "" => errors.required(&path.child("volumeName"), ""),
        _ => errors.invalid_each(&path.child("volumeName"), volume, names::dns_label(volume)),
    }
    match file {
        "" => errors.required(&path.child("path"), ""),
        _ => super::volume::validate_no_backsteps(file, &path.child("path"), errors),
    }
}

/// Validates that variables whose values come from files (`fileKeyRef`) name volumes of the right type. Counterpart: `validateFileKeyRefVolumes`.
pub(super) fn validate_file_volumes(spec: &Map, path: &Path, errors: &mut Errors) {
    for (container, path) in super::os::containers(spec, path) {
        for (j, var) in maps(container.list("env")) {
            let Some(reference) = var.map("valueFrom").and_then(|from| from.map("fileKeyRef")) else { continue };
            let (name, path) = (reference.str("volumeName"), path.child("env").index(j).child("valueFrom.fileKeyRef.volumeName"));
            match maps(spec.list("volumes")).find(|(_, v)| v.str("name") == name) {
                None => errors.not_found(&path, name),
                Some((_, volume)) if !volume.has("emptyDir") => {
                    errors.invalid(&path, name, "referenced volume must be of type emptyDir");
                }
                Some(_) => {}
            }
        }
    }
}

/// Validates a reference to a field of the pod. `expressions` are the allowed paths, besides single labels and annotations.
pub(super) fn validate_field_ref(field: &Map, expressions: &[&str], path: &Path, errors: &mut Errors) {
    let (version, text) = (field.str("apiVersion"), field.str("fieldPath"));
    let field_path = path.child("fieldPath");
    if version.is_empty() {
        return errors.required(&path.child("apiVersion"), "");
    }
    if text.is_empty() {
        return errors.required(&field_path, "");
    }
    if version != "v1" {
        let detail = format!("error converting fieldPath: unsupported pod version: {version}");
        return errors.invalid(&field_path, text, &detail);
    }
    let subscript = text.strip_suffix("']").and_then(|t| t.split_once("['"));
    let base = match subscript.map_or(text, |(base, _)| base) {
        "spec.host" => "spec.nodeName",
        base => base,
    };
    let known = match subscript {
        Some(_) => matches!(base, "metadata.annotations" | "metadata.labels"),
        None => {
            ENV_FIELDS.contains(&base)
                || matches!(base, "metadata.annotations" | "metadata.labels" | "spec.restartPolicy" | "spec.schedulerName" | "status.phase")
        }
    };
    if !known {
        let detail = match subscript {
            Some(_) => format!("error converting fieldPath: field label does not support subscript: {text}"),
            None => format!("error converting fieldPath: field label not supported: {text}"),
        };
        return errors.invalid(&field_path, text, &detail);
    }
    match subscript {
        Some(("metadata.annotations", key)) => {
            errors.invalid_each(path, key.to_ascii_lowercase(), names::qualified_name(&key.to_ascii_lowercase()))
        }
        Some((_, key)) => errors.invalid_each(path, key, names::qualified_name(key)),
        None if !expressions.contains(&base) => {
            errors.not_supported(&field_path, base, expressions);
        }
        None => {}
    }
}

/// Validates a reference to a request or limit of a container. With `volume`, the reference must name the container.
pub(super) fn validate_resource_ref(field: &Map, volume: bool, path: &Path, errors: &mut Errors) {
    let resource = field.str("resource");
    let huge = resource.starts_with("limits.hugepages-") || resource.starts_with("requests.hugepages-");
    if volume && field.str("containerName").is_empty() {
        errors.required(&path.child("containerName"), "");
    } else if resource.is_empty() {
        errors.required(&path.child("resource"), "");
    } else if !RESOURCE_FIELDS.contains(&resource) && !huge {
        errors.not_supported(&path.child("resource"), resource, RESOURCE_FIELDS);
    }
    let divisor = field.str("divisor");
    if divisor.is_empty() || divisor == "0" {
        return;
    }
    let binary =
        matches!(divisor.strip_prefix('1'), Some("" | "k" | "M" | "G" | "T" | "P" | "E" | "Ki" | "Mi" | "Gi" | "Ti" | "Pi" | "Ei"));
    let what = match resource {
        "limits.cpu" | "requests.cpu" => {
            if !matches!(divisor, "1" | "1m") {
                errors.invalid(&path.child("divisor"), resource, "only divisor's values 1m and 1 are supported with the cpu resource");
            }
            return;
        }
        "limits.memory" | "requests.memory" => "memory",
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => "local ephemeral storage",
        _ if huge => "hugepages",
        _ => return,
    };
    if !binary {
        let detail =
            format!("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the {what} resource");
        errors.invalid(&path.child("divisor"), resource, &detail);
    }
}

/// Validates references to ConfigMaps and Secrets whose keys become variables.
pub(super) fn validate_env_from(sources: &[Value], path: &Path, errors: &mut Errors) {
    for (i, source) in maps(sources) {
        let index = path.index(i);
        let prefix = source.str("prefix");
        if !prefix.is_empty() {
            errors.invalid_each(&index.child("prefix"), prefix, names::env_name(prefix));
        }
        let mut count = 0;
        for kind in ["configMapRef", "secretRef"] {
            let Some(reference) = source.map(kind) else { continue };
            count += 1;
            let (name, path) = (reference.str("name"), index.child(kind).child("name"));
            if name.is_empty() {
                errors.required(&path, "");
            } else {
                errors.invalid_each(&path, name, names::dns_subdomain(&names::mask_trailing_dash(name)));
            }
        }
        match count {
            0 => errors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"),
            1 => {}
            _ => errors.invalid(path, "", ONE_SOURCE),
        }
    }
}
