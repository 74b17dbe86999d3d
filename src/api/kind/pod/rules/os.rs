//! Validation of the operating system that a pod names. Counterparts: `validateOS`, `validateLinux`, `validateWindows`, `validateWindowsHostProcessPod`.

use crate::api::field::{Errors, Path};
use crate::api::meta_rules::maps;
use crate::api::value::{Map, Value};

const NOT_WINDOWS: &str = "cannot be set for a windows pod";

/// Returns all containers with their paths, init containers first. Counterpart: `VisitContainersWithPath`.
pub(super) fn containers<'a>(spec: &'a Map, path: &Path) -> Vec<(&'a Map, Path)> {
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    lists.iter().flat_map(|list| maps(spec.list(list)).map(|(i, c)| (c, path.child(list).index(i)))).collect()
}

/// Validates the name of the pod's operating system, and reports fields that this system does not have.
pub(super) fn validate(spec: &Map, path: &Path, errors: &mut Errors) {
    let Some(os) = spec.map("os") else { return };
    match os.str("name") {
        "linux" => validate_linux(spec, path, errors),
        "windows" => validate_windows(spec, path, errors),
        "" => errors.required(&path.child("os").child("name"), ""),
        other => errors.not_supported(&path.child("os"), other, &["linux", "windows"]),
    }
}

fn contexts<'a>(spec: &'a Map, path: &Path) -> Vec<(&'a Map, Path)> {
    let context = |(holder, path): (&'a Map, Path)| Some((holder.map("securityContext")?, path.child("securityContext")));
    containers(spec, path).into_iter().filter_map(context).collect()
}

fn validate_linux(spec: &Map, path: &Path, errors: &mut Errors) {
    let own = spec.map("securityContext").map(|c| (c, path.child("securityContext")));
    for (_, path) in own.into_iter().chain(contexts(spec, path)).filter(|(c, _)| c.has("windowsOptions")) {
        errors.forbidden(&path.child("windowsOptions"), "windows options cannot be set for a linux pod");
    }
}

fn validate_windows(spec: &Map, path: &Path, errors: &mut Errors) {
    const OF_POD: &[(&str, bool)] = &[
        ("appArmorProfile", true),
        ("seLinuxOptions", true),
        ("hostUsers", false),
        ("hostPID", false),
        ("hostIPC", false),
        ("seccompProfile", true),
        ("fsGroup", true),
        ("fsGroupChangePolicy", true),
        ("sysctls", true),
        ("shareProcessNamespace", false),
        ("runAsUser", true),
        ("runAsGroup", true),
        ("supplementalGroups", true),
        ("supplementalGroupsPolicy", true),
        ("seLinuxChangePolicy", true),
    ];
    const OF_CONTAINER: &[&str] = &[
        "appArmorProfile",
        "seLinuxOptions",
        "seccompProfile",
        "capabilities",
        "readOnlyRootFilesystem",
        "privileged",
        "allowPrivilegeEscalation",
        "procMount",
        "runAsUser",
        "runAsGroup",
    ];
    let empty = Map::new();
    for (key, in_context) in OF_POD {
        let (holder, path) =
            if *in_context { (spec.map("securityContext").unwrap_or(&empty), path.child("securityContext")) } else { (spec, path.clone()) };
        let set = match *key {
            "hostPID" | "hostIPC" => holder.bool(key),
            "sysctls" => !holder.list(key).is_empty(),
            _ => holder.has(key),
        };
        if set {
            errors.forbidden(&path.child(key), NOT_WINDOWS);
        }
    }
    for (context, path) in contexts(spec, path) {
        for key in OF_CONTAINER.iter().filter(|key| context.has(key)) {
            errors.forbidden(&path.child(key), NOT_WINDOWS);
        }
    }
}

/// Validates the containers that run as processes of a Windows host (`hostProcess`).
pub(super) fn validate_host_process(spec: &Map, path: &Path, errors: &mut Errors) {
    let of = |context: Option<&Map>| context.and_then(|c| c.at(&["windowsOptions", "hostProcess"])).and_then(Value::as_bool);
    let of_pod = of(spec.map("securityContext"));
    let all = containers(spec, path);
    let mut processes = 0;
    for (container, path) in &all {
        let own = of(container.map("securityContext"));
        if let (Some(pod), Some(own)) = (of_pod, own)
            && pod != own
        {
            let detail = format!("pod hostProcess value must be identical if both are specified, was {pod}");
            errors.invalid(&path.child("securityContext.windowsOptions.hostProcess"), own, &detail);
        }
        processes += usize::from(own.or(of_pod) == Some(true));
    }
    if processes == 0 {
        return;
    }
    if processes != all.len() {
        let detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.invalid(path, "", detail);
    }
    if !spec.bool("hostNetwork") {
        let detail = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.invalid(&path.child("hostNetwork"), false, detail);
    }
    errors.forbidden(path, "hostProcess containers are disallowed by cluster policy");
}
