//! Validation of pod specs and templates as a whole.

use super::{affinity, annotations, container, env, os, resources, scheduling, security, volume};
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{maps, validate_annotations, validate_labels};
use crate::api::names;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};

const DNS_POLICIES: &[&str] = &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const RESTART_POLICIES: &[&str] = &["Always", "OnFailure", "Never"];

/// A pod spec, with the facts about it that the checks of its parts need.
pub struct Scope<'a> {
    /// The whole pod spec.
    pub spec: &'a Map,
    /// The metadata of the pod; `None` in a template.
    pub meta: Option<&'a Map>,
    /// The termination grace period of the pod in seconds.
    pub grace: Option<i64>,
    /// The volumes of the spec that are valid, so that containers can mount them.
    pub volumes: Vec<&'a Map>,
}

impl Scope<'_> {
    /// Returns the volume with a name, if it can be mounted.
    pub(super) fn volume(&self, name: &str) -> Option<&Map> {
        self.volumes.iter().copied().find(|v| v.str("name") == name)
    }
}

/// Validates a pod spec. `meta` is the pod's metadata; `None` in a template.
pub fn validate_pod_spec(spec: &Map, meta: Option<&Map>, path: &Path, errors: &mut Errors) {
    let grace = spec.int("terminationGracePeriodSeconds");
    if grace.is_none() {
        errors.required(&path.child("terminationGracePeriodSeconds"), "");
    }
    let mut scope = Scope { spec, meta, grace, volumes: Vec::new() };
    volume::validate_volumes(&mut scope, &path.child("volumes"), errors);
    validate_claims(spec, meta, &path.child("resourceClaims"), errors);
    container::validate_containers(&scope, &path.child("containers"), errors);
    container::validate_init_containers(&scope, &path.child("initContainers"), errors);
    container::validate_ephemeral_containers(&scope, &path.child("ephemeralContainers"), errors);
    if let Some(requirements) = spec.map("resources") {
        resources::validate_pod_level(requirements, &scope, &path.child("resources"), errors);
    }
    validate_host_ports(&scope, &path.child("containers"), errors);
    choice(spec.str("restartPolicy"), RESTART_POLICIES, &path.child("restartPolicy"), errors);
    choice(spec.str("dnsPolicy"), DNS_POLICIES, &path.child("dnsPolicy"), errors);
    validate_labels(spec.map("nodeSelector"), &path.child("nodeSelector"), errors);
    security::validate_pod(&scope, &path.child("securityContext"), errors);
    if let Some(affinity) = spec.map("affinity") {
        affinity::validate_affinity(affinity, &path.child("affinity"), errors);
    }
    validate_dns_config(spec, &path.child("dnsConfig"), errors);
    scheduling::validate_gates(spec, path, errors);
    scheduling::validate_spread(spec.list("topologySpreadConstraints"), &path.child("topologySpreadConstraints"), errors);
    os::validate_host_process(spec, path, errors);
    validate_host_users(spec, path, errors);
    validate_hostname_override(spec, &path.child("hostnameOverride"), errors);
    validate_names(spec, path, errors);
    validate_rest(&scope, path, errors);
    env::validate_file_volumes(spec, path, errors);
}

/// Validates a required field that must have one of the supported values.
fn choice(text: &str, supported: &[&str], path: &Path, errors: &mut Errors) {
    if text.is_empty() {
        errors.required(path, "");
    } else if !supported.contains(&text) {
        errors.not_supported(path, text, supported);
    }
}

fn validate_names(spec: &Map, path: &Path, errors: &mut Errors) {
    for key in ["serviceAccountName", "nodeName"] {
        let name = spec.str(key);
        if !name.is_empty() {
            errors.invalid_each(&path.child(key), name, names::dns_subdomain(name));
        }
    }
    if let Some(seconds) = spec.int("activeDeadlineSeconds").filter(|s| !(1..=i64::from(i32::MAX)).contains(s)) {
        errors.invalid(&path.child("activeDeadlineSeconds"), seconds, "must be between 1 and 2147483647, inclusive");
    }
    for key in ["hostname", "subdomain"] {
        let name = spec.str(key);
        if !name.is_empty() {
            errors.invalid_each(&path.child(key), name, names::dns_label(name));
        }
    }
}

fn validate_rest(scope: &Scope, path: &Path, errors: &mut Errors) {
    let spec = scope.spec;
    scheduling::validate_tolerations(spec.list("tolerations"), &path.child("tolerations"), errors);
    for (i, alias) in maps(spec.list("hostAliases")) {
        let path = path.child("hostAliases").index(i);
        errors.invalid_each(&path.child("ip"), alias.str("ip"), names::ip(alias.str("ip")));
        for (j, host) in alias.list("hostnames").iter().filter_map(Value::as_str).enumerate() {
            errors.invalid_each(&path.child("hostnames").index(j), host, names::dns_subdomain(host));
        }
    }
    for key in ["priorityClassName", "runtimeClassName"] {
        if let Some(name) = spec.get(key).and_then(Value::as_str).filter(|n| key == "runtimeClassName" || !n.is_empty()) {
            errors.invalid_each(&path.child(key), name, names::dns_subdomain(name));
        }
    }
    if let Some(policy) = spec.get("preemptionPolicy").and_then(Value::as_str) {
        choice(policy, &["PreemptLowerPriority", "Never"], &path.child("preemptionPolicy"), errors);
    }
    if let Some(overhead) = spec.map("overhead") {
        let requirements: Map = [("limits".into(), overhead.clone().into())].into_iter().collect();
        let scope = Scope { spec, meta: None, grace: None, volumes: Vec::new() };
        let mut found = Errors::default();
        resources::validate_requirements(&requirements, resources::container_name, &scope, &path.child("overhead"), &mut found);
        errors.0.extend(found.0);
    }
    os::validate(spec, path, errors);
}

fn validate_hostname_override(spec: &Map, path: &Path, errors: &mut Errors) {
    let Some(name) = spec.get("hostnameOverride").and_then(Value::as_str) else { return };
    for key in ["setHostnameAsFQDN", "hostNetwork"] {
        if spec.bool(key) {
            errors.forbidden(path, &format!("may not be specified when {key} is true"));
        }
    }
    if name.len() > 64 {
        errors.too_long(path, 64);
    }
    errors.invalid_each(path, name, names::dns_subdomain(name));
}

fn validate_claims(spec: &Map, meta: Option<&Map>, path: &Path, errors: &mut Errors) {
    let is_mirror = meta.and_then(|m| m.map("annotations")).is_some_and(|a| a.has(annotations::MIRROR));
    let mut seen: Vec<&str> = Vec::new();
    for (i, claim) in maps(spec.list("resourceClaims")) {
        if is_mirror {
            errors.forbidden(&Path::new(""), "static pods do not support resource claims");
            continue;
        }
        let (path, name) = (path.index(i), claim.str("name"));
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        } else if seen.contains(&name) {
            errors.duplicate(&path.child("name"), name);
        } else {
            errors.invalid_each(&path.child("name"), name, names::dns_label(name));
            seen.push(name);
        }
        let references = ["resourceClaimName", "resourceClaimTemplateName"].map(|key| (key, claim.get(key).and_then(Value::as_str)));
        let problem = match references {
            [(_, Some(_)), (_, Some(_))] => "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
            [(_, None), (_, None)] => "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            _ => "",
        };
        if !problem.is_empty() {
            let [one, other] = references.map(|(_, text)| text.map_or_else(|| "null".to_owned(), |t| format!("{t:?}")));
            let shown = format!("{{\"Name\":{name:?},\"ResourceClaimName\":{one},\"ResourceClaimTemplateName\":{other}}}");
            errors.invalid_text(&path, &shown, problem);
        }
        for (key, text) in references.into_iter().filter_map(|(key, text)| Some((key, text?))) {
            errors.invalid_each(&path.child(key), text, names::dns_subdomain(text));
        }
    }
}

fn validate_host_ports(scope: &Scope, path: &Path, errors: &mut Errors) {
    if !scope.spec.bool("hostNetwork") {
        return;
    }
    for (i, container) in maps(scope.spec.list("containers")) {
        for (j, port) in maps(container.list("ports")) {
            let (host, own) = (port.int("hostPort").unwrap_or(0), port.int("containerPort").unwrap_or(0));
            if (scope.meta.is_some() || host != 0) && host != own {
                let path = path.index(i).child("ports").index(j).child("hostPort");
                errors.invalid(&path, host, "must match `containerPort` when `hostNetwork` is true");
            }
        }
    }
}

fn validate_host_users(spec: &Map, path: &Path, errors: &mut Errors) {
    if spec.get("hostUsers").and_then(Value::as_bool) == Some(false) {
        const WHEN: &str = "when `hostUsers` is false";
        for (key, shown) in [("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")] {
            if spec.bool(key) {
                errors.forbidden(&path.child(shown), WHEN);
            }
        }
        for (container, path) in os::containers(spec, path) {
            if !container.list("volumeDevices").is_empty() {
                errors.forbidden(&path.child("volumeDevices"), WHEN);
            }
        }
    }
}

fn validate_dns_config(spec: &Map, path: &Path, errors: &mut Errors) {
    let config = spec.map("dnsConfig");
    if spec.str("dnsPolicy") == "None" {
        let Some(config) = config else {
            return errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
        };
        if config.list("nameservers").is_empty() {
            let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            return errors.required(&path.child("nameservers"), detail);
        }
    }
    let Some(config) = config else { return };
    let (servers, searches) = (config.list("nameservers"), config.list("searches"));
    if servers.len() > 3 {
        errors.invalid(&path.child("nameservers"), servers.to_vec(), "must not have more than 3 nameservers");
    }
    for (i, server) in servers.iter().filter_map(Value::as_str).enumerate() {
        errors.invalid_each(&path.child("nameservers").index(i), server, names::ip(server));
    }
    if searches.len() > 32 {
        errors.invalid(&path.child("searches"), searches.to_vec(), "must not have more than 32 search paths");
    }
    let length: usize = searches.iter().filter_map(Value::as_str).map(|s| s.len() + 1).sum();
    if length > 2049 {
        let detail = "must not have more than 2048 characters (including spaces) in the search list";
        errors.invalid(&path.child("searches"), searches.to_vec(), detail);
    }
    for (i, search) in searches.iter().filter_map(Value::as_str).enumerate().filter(|(_, s)| *s != ".") {
        let search = search.strip_suffix('.').unwrap_or(search);
        errors.invalid_each(&path.child("searches").index(i), search, names::dns_search(search));
    }
    for (i, option) in maps(config.list("options")) {
        if option.str("name").is_empty() {
            errors.required(&path.child("options").index(i), "must not be empty");
        }
    }
}

/// Validates a pod template.
pub fn validate_template(template: &Map, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let (meta, spec) = (template.map("metadata").unwrap_or(&empty), template.map("spec").unwrap_or(&empty));
    validate_labels(meta.map("labels"), &path.child("labels"), errors);
    validate_annotations(meta.map("annotations"), &path.child("annotations"), errors);
    annotations::validate(meta.map("annotations"), spec, &path.child("annotations"), errors);
    validate_pod_spec(spec, None, &path.child("spec"), errors);
    annotations::validate_against_fields(meta.map("annotations"), spec, &path.child("spec"), errors);
    if !spec.list("ephemeralContainers").is_empty() {
        errors.forbidden(&path.child("spec.ephemeralContainers"), "ephemeral containers not allowed in pod template");
    }
}

/// Validates the template of a controller that keeps pods running: the selector must match its labels, and the restart policy must be
/// `Always`. `owner` is the kind named in the message (`ReplicaSet`).
pub fn validate_template_for(owner: &str, template: Option<&Map>, selector: &Selector, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let template = template.unwrap_or(&empty);
    let labels = template.at(&["metadata", "labels"]).and_then(Value::as_map);
    if !selector.is_empty() && !selector.matches_map(labels.unwrap_or(&empty)) {
        let shown = labels.map_or(Value::Null, |l| l.clone().into());
        errors.invalid(&path.child("metadata").child("labels"), shown, "`selector` does not match template `labels`");
    }
    validate_template(template, path, errors);
    let spec = template.map("spec").unwrap_or(&empty);
    if spec.str("restartPolicy") != "Always" {
        errors.not_supported(&path.child("spec").child("restartPolicy"), spec.str("restartPolicy"), &["Always"]);
    }
    if spec.has("activeDeadlineSeconds") {
        let detail = format!("activeDeadlineSeconds in {owner} is not Supported");
        errors.forbidden(&path.child("spec").child("activeDeadlineSeconds"), &detail);
    }
}
