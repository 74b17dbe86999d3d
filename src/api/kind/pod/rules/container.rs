//! Validation of containers: names, images, ports, mounts and restart policies.

use super::spec::Scope;
use super::{env, probe, resources, security};
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::maps;
use crate::api::names;
use crate::api::value::{Map, Value};

const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];
const PULL_POLICIES: &[&str] = &["Always", "IfNotPresent", "Never"];
const NEEDS_SIDECAR: &str = "may not be set for init containers without restartPolicy=Always";
const NEEDS_POLICY: &str = "must specify restartPolicy when restart rules are used";
/// The fields that ephemeral containers may not set, in the order of the Go struct.
const NO_EPHEMERAL_FIELDS: &[&str] = &[
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
];
const NOT_EPHEMERAL: &str = "cannot be set for an Ephemeral Container";

/// Validates the regular containers of a pod spec.
pub(super) fn validate_containers(scope: &Scope, path: &Path, errors: &mut Errors) {
    let containers = scope.spec.list("containers");
    if containers.is_empty() {
        return errors.required(path, "");
    }
    let mut seen: Vec<&str> = Vec::new();
    for (i, container) in maps(containers) {
        let path = path.index(i);
        validate_common(container, scope, &path, errors);
        let name = container.str("name");
        if seen.contains(&name) {
            errors.duplicate(&path.child("name"), name);
        }
        seen.push(name);
        if let Some(lifecycle) = container.map("lifecycle") {
            probe::validate_lifecycle(lifecycle, scope.grace, &path.child("lifecycle"), errors);
        }
        probe::validate_probes(container, scope.grace, &path, errors);
        validate_restart_policy(container, &path, errors);
    }
    let mut ports = Vec::new();
    for (i, container) in maps(containers) {
        host_port_conflicts(container, &mut ports, &path.index(i).child("ports"), errors);
    }
}

/// Validates the init containers of a pod spec, including sidecars.
pub(super) fn validate_init_containers(scope: &Scope, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = maps(scope.spec.list("containers")).map(|(_, c)| c.str("name")).collect();
    for (i, container) in maps(scope.spec.list("initContainers")) {
        let index = path.index(i);
        validate_common(container, scope, &index, errors);
        if container.has("restartPolicy") || container.list("restartPolicyRules").is_empty() {
            validate_restart_policy(container, &index, errors);
        } else {
            errors.required(&index.child("restartPolicy"), NEEDS_POLICY);
        }
        let name = container.str("name");
        if seen.contains(&name) {
            errors.duplicate(&index.child("name"), name);
        } else if !name.is_empty() {
            seen.push(name);
        }
        // Init containers run one after another, so each is checked alone; the API server reports them all at the first index.
        host_port_conflicts(container, &mut Vec::new(), &path.index(0).child("ports"), errors);
        if container.str("restartPolicy") == "Always" {
            if let Some(lifecycle) = container.map("lifecycle") {
                probe::validate_lifecycle(lifecycle, scope.grace, &index.child("lifecycle"), errors);
            }
            probe::validate_probes(container, scope.grace, &index, errors);
            continue;
        }
        for key in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
            if container.has(key) {
                errors.forbidden(&index.child(key), NEEDS_SIDECAR);
            }
        }
        for (j, _) in maps(container.list("resizePolicy")).filter(|(_, p)| p.str("restartPolicy") == "RestartContainer") {
            let detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
            errors.invalid(&index.child("resizePolicy").index(j).child("restartPolicy"), "RestartContainer", detail);
        }
    }
}

/// Validates the ephemeral containers of a pod spec, which may set only some fields.
pub(super) fn validate_ephemeral_containers(scope: &Scope, path: &Path, errors: &mut Errors) {
    let others: Vec<&str> =
        ["containers", "initContainers"].iter().flat_map(|list| maps(scope.spec.list(list))).map(|(_, c)| c.str("name")).collect();
    let mut seen = others.clone();
    for (i, container) in maps(scope.spec.list("ephemeralContainers")) {
        let path = path.index(i);
        validate_common(container, scope, &path, errors);
        image_without_padding(container, &path, errors);
        let (name, target) = (container.str("name"), container.str("targetContainerName"));
        if seen.contains(&name) {
            errors.duplicate(&path.child("name"), name);
        }
        seen.push(name);
        if !target.is_empty() && !others.contains(&target) {
            errors.not_found(&path.child("targetContainerName"), target);
        }
        for key in NO_EPHEMERAL_FIELDS {
            if container.get(key).is_some_and(|v| v.as_map().is_none_or(|m| !m.is_empty() || *key != "resources")) {
                errors.forbidden(&path.child(key), NOT_EPHEMERAL);
            }
        }
        for (i, mount) in maps(container.list("volumeMounts")) {
            for key in ["subPath", "subPathExpr"] {
                if !mount.str(key).is_empty() {
                    errors.forbidden(&path.child("volumeMounts").index(i).child(key), NOT_EPHEMERAL);
                }
            }
        }
    }
}

/// Runs the checks that apply to regular, init and ephemeral containers.
fn validate_common(container: &Map, scope: &Scope, path: &Path, errors: &mut Errors) {
    let name = container.str("name");
    if name.is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        errors.invalid_each(&path.child("name"), name, names::dns_label(name));
    }
    if container.str("image").is_empty() {
        errors.required(&path.child("image"), "");
    }
    let policy = container.str("terminationMessagePolicy");
    match policy {
        "File" | "FallbackToLogsOnError" => {}
        "" => errors.required(&path.child("terminationMessagePolicy"), ""),
        _ => errors.not_supported(&path.child("terminationMessagePolicy"), policy, &["File", "FallbackToLogsOnError"]),
    }
    validate_ports(container.list("ports"), &path.child("ports"), errors);
    env::validate_env(container.list("env"), &path.child("env"), errors);
    env::validate_env_from(container.list("envFrom"), &path.child("envFrom"), errors);
    validate_mounts(container, scope, &path.child("volumeMounts"), errors);
    validate_devices(container, scope, &path.child("volumeDevices"), errors);
    validate_pull_policy(container.str("imagePullPolicy"), &path.child("imagePullPolicy"), errors);
    if let Some(requirements) = container.map("resources") {
        resources::validate_requirements(requirements, resources::container_name, scope, &path.child("resources"), errors);
    }
    validate_resize_policy(container, scope, &path.child("resizePolicy"), errors);
    if let Some(context) = container.map("securityContext") {
        security::validate_container(context, scope, &path.child("securityContext"), errors);
    }
}

/// Rejects spaces around an image's name. The API server checks this in pods, but not in templates.
pub(super) fn image_without_padding(container: &Map, path: &Path, errors: &mut Errors) {
    let image = container.str("image");
    if image.trim().len() != image.len() {
        errors.invalid(&path.child("image"), image, "must not have leading or trailing whitespace");
    }
}

/// Validates an image pull policy.
pub(super) fn validate_pull_policy(policy: &str, path: &Path, errors: &mut Errors) {
    match policy {
        "" => errors.required(path, ""),
        _ if PULL_POLICIES.contains(&policy) => {}
        _ => errors.not_supported(path, policy, PULL_POLICIES),
    }
}

fn validate_ports(ports: &[Value], path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (i, port) in maps(ports) {
        let path = path.index(i);
        let name = port.str("name");
        if !name.is_empty() {
            let problems = names::port_name(name);
            if !problems.is_empty() {
                errors.invalid_each(&path.child("name"), name, problems);
            } else if seen.contains(&name) {
                errors.duplicate(&path.child("name"), name);
            } else {
                seen.push(name);
            }
        }
        match port.int("containerPort").unwrap_or(0) {
            0 => errors.required(&path.child("containerPort"), ""),
            number => errors.invalid_each(&path.child("containerPort"), number, names::port_number(number)),
        }
        if let Some(number) = port.int("hostPort").filter(|n| *n != 0) {
            errors.invalid_each(&path.child("hostPort"), number, names::port_number(number));
        }
        validate_protocol(port.str("protocol"), &path.child("protocol"), errors);
    }
}

/// Validates a transport protocol such as `TCP`.
pub fn validate_protocol(protocol: &str, path: &Path, errors: &mut Errors) {
    if protocol.is_empty() {
        errors.required(path, "");
    } else if !PROTOCOLS.contains(&protocol) {
        errors.not_supported(path, protocol, PROTOCOLS);
    }
}

fn host_port_conflicts(container: &Map, seen: &mut Vec<String>, path: &Path, errors: &mut Errors) {
    for (i, port) in maps(container.list("ports")) {
        let Some(number) = port.int("hostPort").filter(|n| *n != 0) else { continue };
        let key = format!("{}/{}/{number}", port.str("protocol"), port.str("hostIP"));
        if seen.contains(&key) {
            errors.duplicate(&path.index(i).child("hostPort"), key);
        } else {
            seen.push(key);
        }
    }
}

fn validate_resize_policy(container: &Map, scope: &Scope, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (i, policy) in maps(container.list("resizePolicy")) {
        let (resource, restart) = (policy.str("resourceName"), policy.str("restartPolicy"));
        if seen.contains(&resource) {
            errors.duplicate(&path.index(i), resource);
        }
        seen.push(resource);
        match resource {
            "cpu" | "memory" => {}
            "" => errors.required(path, ""),
            _ => errors.not_supported(path, resource, &["cpu", "memory"]),
        }
        match restart {
            "NotRequired" | "RestartContainer" => {}
            "" => errors.required(path, ""),
            _ => errors.not_supported(path, restart, &["NotRequired", "RestartContainer"]),
        }
        if scope.spec.str("restartPolicy") == "Never" && restart != "NotRequired" {
            errors.invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
        }
    }
}

fn validate_restart_policy(container: &Map, path: &Path, errors: &mut Errors) {
    let rules = container.list("restartPolicyRules");
    match container.get("restartPolicy").and_then(Value::as_str) {
        None if rules.is_empty() => return,
        None => errors.required(&path.child("restartPolicy"), NEEDS_POLICY),
        Some("Always" | "Never" | "OnFailure") => {}
        Some(policy) => errors.not_supported(&path.child("restartPolicy"), policy, &["Always", "Never", "OnFailure"]),
    }
    let path = path.child("restartPolicyRules");
    if rules.len() > 20 {
        errors.too_many(&path, rules.len(), 20);
    }
    for (i, rule) in maps(rules) {
        let path = path.index(i);
        if !matches!(rule.str("action"), "Restart" | "RestartAllContainers") {
            errors.not_supported(&path.child("action"), rule.str("action"), &["Restart", "RestartAllContainers"]);
        }
        let Some(codes) = rule.map("exitCodes") else {
            errors.required(&path.child("exitCodes"), "must be specified");
            continue;
        };
        if !matches!(codes.str("operator"), "In" | "NotIn") {
            errors.not_supported(&path.child("exitCodes.operator"), codes.str("operator"), &["In", "NotIn"]);
        }
        if codes.list("values").len() > 255 {
            errors.too_many(&path.child("exitCodes.values"), codes.list("values").len(), 255);
        }
    }
}

fn validate_mounts(container: &Map, scope: &Scope, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    let devices: Vec<&Map> = maps(container.list("volumeDevices")).map(|(_, d)| d).collect();
    let privileged = container.at(&["securityContext", "privileged"]).and_then(Value::as_bool).unwrap_or(false);
    for (i, mount) in maps(container.list("volumeMounts")) {
        let index = path.index(i);
        let (name, target) = (mount.str("name"), mount.str("mountPath"));
        if name.is_empty() {
            errors.required(&index.child("name"), "");
        }
        let volume = scope.volume(name);
        if volume.is_none() {
            errors.not_found(&index.child("name"), name);
        }
        if target.is_empty() {
            errors.required(&index.child("mountPath"), "");
        }
        if seen.contains(&target) {
            errors.invalid(&index.child("mountPath"), target, "must be unique");
        }
        seen.push(target);
        if devices.iter().any(|d| d.str("name") == name) {
            errors.invalid(&index.child("name"), name, "must not already exist in volumeDevices");
        }
        if devices.iter().any(|d| d.str("devicePath") == target) {
            errors.invalid(&index.child("mountPath"), target, "must not already exist as a path in volumeDevices");
        }
        let sub_paths = ["subPath", "subPathExpr"].map(|key| (key, mount.str(key)));
        for (key, text) in sub_paths.iter().filter(|(_, text)| !text.is_empty()) {
            if *key == "subPathExpr" && !mount.str("subPath").is_empty() {
                errors.invalid(&index.child(key), *text, "subPathExpr and subPath are mutually exclusive");
            }
            // The API server reports the path of the list, not of the mount.
            super::volume::validate_descending(text, &path.child(key), errors);
        }
        validate_propagation(mount, privileged, path, errors);
    }
}

fn validate_propagation(mount: &Map, privileged: bool, path: &Path, errors: &mut Errors) {
    const MODES: &[&str] = &["Bidirectional", "HostToContainer", "None"];
    let propagation = mount.get("mountPropagation").and_then(Value::as_str);
    if let Some(mode) = propagation {
        let path = path.child("mountPropagation");
        if !MODES.contains(&mode) {
            errors.not_supported(&path, mode, MODES);
        }
        if mode == "Bidirectional" && !privileged {
            errors.forbidden(&path, "Bidirectional mount propagation is available only to privileged containers");
        }
    }
    let path = path.child("recursiveReadOnly");
    match mount.get("recursiveReadOnly").and_then(Value::as_str) {
        None | Some("Disabled") => {}
        Some("Enabled" | "IfPossible") => {
            if !mount.bool("readOnly") {
                errors.forbidden(&path, "may only be specified when readOnly is true");
            }
            if propagation.is_some_and(|p| p != "None") {
                errors.forbidden(&path, "may only be specified when mountPropagation is None or not specified");
            }
        }
        Some(other) => errors.not_supported(&path, other, &["Disabled", "Enabled", "IfPossible"]),
    }
}

fn validate_devices(container: &Map, scope: &Scope, path: &Path, errors: &mut Errors) {
    let mounts: Vec<&Map> = maps(container.list("volumeMounts")).map(|(_, m)| m).collect();
    let (mut names_seen, mut paths_seen): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (i, device) in maps(container.list("volumeDevices")) {
        let path = path.index(i);
        let (name, target) = (device.str("name"), device.str("devicePath"));
        let (name_path, target_path) = (path.child("name"), path.child("devicePath"));
        let volume = scope.volume(name);
        if name.is_empty() {
            errors.required(&name_path, "");
        }
        if names_seen.contains(&name) {
            errors.invalid(&name_path, name, "must be unique");
        }
        if volume.is_some_and(|v| !v.has("persistentVolumeClaim") && !v.has("ephemeral")) {
            errors.invalid(&name_path, name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
        }
        if volume.is_none() {
            errors.not_found(&name_path, name);
        }
        if target.is_empty() {
            errors.required(&target_path, "");
        }
        if paths_seen.contains(&target) {
            errors.invalid(&target_path, target, "must be unique");
        }
        if target.split('/').any(|part| part == "..") {
            errors.invalid(&target_path, target, "can not contain backsteps ('..')");
        } else {
            paths_seen.push(target);
        }
        if mounts.iter().any(|m| m.str("name") == name) {
            errors.invalid(&name_path, name, "must not already exist in volumeMounts");
        }
        if mounts.iter().any(|m| m.str("mountPath") == target) {
            errors.invalid(&target_path, target, "must not already exist as a path in volumeMounts");
        }
        if !name.is_empty() {
            names_seen.push(name);
        }
    }
}
