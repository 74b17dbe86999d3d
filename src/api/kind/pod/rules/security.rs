//! Validation of the security contexts of pods and containers.

use super::spec::Scope;
use super::windows;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::maps;
use crate::api::names;
use crate::api::value::{Map, Value};

const PROFILES: &[&str] = &["Localhost", "RuntimeDefault", "Unconfined"];
const SYSCTL: &str =
    "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

fn validate_id(context: &Map, key: &str, path: &Path, errors: &mut Errors) {
    if let Some(id) = context.int(key) {
        errors.invalid_each(&path.child(key), id, names::unix_id(id));
    }
}

/// Validates the security context of a pod.
pub(super) fn validate_pod(scope: &Scope, path: &Path, errors: &mut Errors) {
    let Some(context) = scope.spec.map("securityContext") else { return };
    for key in ["fsGroup", "runAsUser", "runAsGroup"] {
        validate_id(context, key, path, errors);
    }
    for (i, group) in context.list("supplementalGroups").iter().filter_map(Value::as_int).enumerate() {
        errors.invalid_each(&path.child("supplementalGroups").index(i), group, names::unix_id(group));
    }
    if scope.spec.bool("hostPID") && scope.spec.bool("shareProcessNamespace") {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.invalid(&path.child("shareProcessNamespace"), true, detail);
    }
    validate_sysctls(scope, context, &path.child("sysctls"), errors);
    one_of(context, "fsGroupChangePolicy", &["Always", "OnRootMismatch"], path, errors);
    validate_seccomp(context, &path.child("seccompProfile"), errors);
    windows::validate_options(context.map("windowsOptions"), &path.child("windowsOptions"), errors);
    validate_app_armor(context, &path.child("appArmorProfile"), errors);
    one_of(context, "supplementalGroupsPolicy", &["Merge", "Strict"], path, errors);
    one_of(context, "seLinuxChangePolicy", &["Recursive"], path, errors);
}

fn one_of(map: &Map, key: &str, supported: &[&str], path: &Path, errors: &mut Errors) {
    if let Some(text) = map.get(key).and_then(Value::as_str).filter(|t| !supported.contains(t)) {
        errors.not_supported(&path.child(key), text, supported);
    }
}

fn validate_sysctls(scope: &Scope, context: &Map, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (i, sysctl) in maps(context.list("sysctls")) {
        let (path, name) = (path.index(i).child("name"), sysctl.str("name"));
        let part = |p: &str| {
            let edge = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
            let bytes = p.as_bytes();
            edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(|b| edge(Some(b)) || matches!(b, b'-' | b'_'))
        };
        if name.is_empty() {
            errors.required(&path, "");
        } else if name.len() > 253 || !name.split(['.', '/']).all(part) {
            errors.invalid(&path, name, SYSCTL);
        } else if seen.contains(&name) {
            errors.duplicate(&path, name);
        }
        let dotted = name.replace('/', ".");
        let ipc = ["kernel.sem", "kernel.shm", "kernel.msg", "fs.mqueue."].iter().any(|p| dotted.starts_with(p));
        if scope.spec.bool("hostNetwork") && dotted.starts_with("net.") {
            errors.invalid(&path, name, "may not be specified when 'hostNetwork' is true");
        } else if scope.spec.bool("hostIPC") && ipc {
            errors.invalid(&path, name, "may not be specified when 'hostIPC' is true");
        }
        seen.push(name);
    }
}

fn validate_seccomp(context: &Map, path: &Path, errors: &mut Errors) {
    let Some(profile) = context.map("seccompProfile") else { return };
    let kind = profile.str("type");
    let local = profile.get("localhostProfile").and_then(Value::as_str);
    match kind {
        "" => errors.required(&path.child("type"), "type is required when seccompProfile is set"),
        _ if PROFILES.contains(&kind) => {}
        _ => errors.not_supported(&path.child("type"), kind, PROFILES),
    }
    let local_path = path.child("localhostProfile");
    match (kind == "Localhost", local) {
        (true, None) => errors.required(&local_path, "must be set when seccomp type is Localhost"),
        (true, Some(text)) => super::volume::validate_descending(text, &local_path, errors),
        (false, Some(text)) => {
            let value = format!("{{\"Type\":{kind:?},\"LocalhostProfile\":{text:?}}}");
            errors.invalid_text(&local_path, &value, "can only be set when seccomp type is Localhost");
        }
        (false, None) => {}
    }
}

fn validate_app_armor(context: &Map, path: &Path, errors: &mut Errors) {
    let Some(profile) = context.map("appArmorProfile") else { return };
    let kind = profile.str("type");
    let local = profile.get("localhostProfile").and_then(Value::as_str);
    let local_path = path.child("localhostProfile");
    match (kind, local) {
        ("Localhost", None | Some("")) => errors.required(&local_path, "must be set when AppArmor type is Localhost"),
        ("Localhost", Some(text)) => {
            if text.trim().len() != text.len() {
                errors.invalid(&local_path, text, "must not be padded with whitespace");
            }
            if text.len() > 4095 {
                errors.too_long(&local_path, 4095);
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(text)) => {
            errors.invalid(&local_path, text, "can only be set when AppArmor type is Localhost");
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => errors.required(&path.child("type"), "type is required when appArmorProfile is set"),
        _ => errors.not_supported(&path.child("type"), kind, PROFILES),
    }
}

/// Validates the security context of a container.
pub(super) fn validate_container(context: &Map, scope: &Scope, path: &Path, errors: &mut Errors) {
    // The API server forbids privileged containers by default; installers allow them with --allow-privileged.
    if context.bool("privileged") {
        errors.forbidden(&path.child("privileged"), "disallowed by cluster policy");
    }
    for key in ["runAsUser", "runAsGroup"] {
        validate_id(context, key, path, errors);
    }
    one_of(context, "procMount", &["Default", "Unmasked"], path, errors);
    let host_users = scope.spec.get("hostUsers").and_then(Value::as_bool).unwrap_or(true);
    if host_users && context.str("procMount") == "Unmasked" {
        errors.invalid(&path.child("procMount"), "Unmasked", "`hostUsers` must be false to use `Unmasked`");
    }
    validate_seccomp(context, &path.child("seccompProfile"), errors);
    if context.get("allowPrivilegeEscalation").and_then(Value::as_bool) == Some(false) {
        let text = super::go_json("SecurityContext", Some(&context.clone().into()));
        if context.bool("privileged") {
            errors.invalid_text(path, &text, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        }
        let add = context.map("capabilities").map_or(&[][..], |c| c.list("add"));
        for _ in add.iter().filter(|c| c.as_str() == Some("CAP_SYS_ADMIN")) {
            errors.invalid_text(path, &text, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
        }
    }
    windows::validate_options(context.map("windowsOptions"), &path.child("windowsOptions"), errors);
    validate_app_armor(context, &path.child("appArmorProfile"), errors);
}
