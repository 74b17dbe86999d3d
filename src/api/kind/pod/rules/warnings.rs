//! Warnings about pod specs and templates that are valid but not wise. Counterpart: `pkg/api/pod/warnings.go`.
//!
//! Simplification: Go walks maps in random order, this file in key order.

use super::annotations::{APP_ARMOR, SECCOMP_CONTAINER, SECCOMP_POD, app_armor_field};
use super::os::containers;
use crate::api::field::Path;
use crate::api::kind::warnings::{claim_spec_warnings, node_label_message, node_term_warnings};
use crate::api::meta_rules::maps;
use crate::api::names;
use crate::api::quantity::Quantity;
use crate::api::sorted::SortedMap;
use crate::api::value::{Map, Value};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const NO_PODS: &str = "a null labelSelector results in matching no pod";

const ANNOTATIONS: &[(&str, &str)] = &[
    ("scheduler.alpha.kubernetes.io/critical-pod", "non-functional in v1.16+; use the \"priorityClassName\" field instead"),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    ("security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
];

/// Volume types to warn of, most of them deprecated: the field, its name in the warning, and the warning.
const VOLUMES: &[(&str, &str, &str)] = &[
    ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("ephemeral", "ephemeral", ""),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

/// Returns the warnings about a pod or a pod template, of which `holder` has the `metadata` and `spec`. For a pod, `path` is empty.
pub fn warnings(holder: &Map, path: &Path) -> Vec<String> {
    let empty = Map::new();
    let spec = holder.map("spec").unwrap_or(&empty);
    let annotations = holder.at(&["metadata", "annotations"]).and_then(Value::as_map).unwrap_or(&empty);
    let (spec_path, annotations_path) = (path.child("spec"), path.child("metadata.annotations"));
    let mut out = Vec::new();
    node_labels(spec, &spec_path, &mut out);
    for (key, message) in ANNOTATIONS.iter().filter(|(key, _)| annotations.has(key)) {
        out.push(format!("{}: {message}", annotations_path.key(key)));
    }
    volumes(spec.list("volumes"), &spec_path.child("volumes"), &mut out);
    overlapping_paths(spec.list("volumes"), &mut out);
    duplicates(spec, &spec_path, &mut out);
    fractions(spec.map("overhead"), &spec_path.child("overhead"), "memory", &mut out);
    fractions(spec.map("overhead"), &spec_path.child("overhead"), "ephemeral-storage", &mut out);
    let has_seccomp = |holder: &Map| holder.map("securityContext").is_some_and(|c| c.has("seccompProfile"));
    let old_seccomp =
        |key: &str| format!("{}: non-functional in v1.27+; use the \"seccompProfile\" field instead", annotations_path.key(key));
    if !has_seccomp(spec) && annotations.has(SECCOMP_POD) {
        out.push(old_seccomp(SECCOMP_POD));
    }
    for (container, place) in containers(spec, &spec_path) {
        let key = format!("{SECCOMP_CONTAINER}{}", container.str("name"));
        if !has_seccomp(container) && annotations.has(&key) {
            out.push(old_seccomp(&key));
        }
        if !path.as_str().is_empty() {
            app_armor(container, spec, annotations, &annotations_path, &mut out);
        }
        for resource in ["memory", "ephemeral-storage"] {
            for part in ["limits", "requests"] {
                let amounts = container.map("resources").and_then(|r| r.map(part));
                fractions(amounts, &place.child("resources").child(part), resource, &mut out);
            }
        }
        hidden_variables(container.list("env"), &place.child("env"), &mut out);
    }
    ports(spec, &spec_path, &mut out);
    if spec.int("terminationGracePeriodSeconds").is_some_and(|seconds| seconds < 0) {
        let place = spec_path.child("terminationGracePeriodSeconds");
        out.push(format!("{place}: must be >= 0; negative values are invalid and will be treated as 1"));
    }
    pod_terms(spec, &spec_path, &mut out);
    let servers = spec.map("dnsConfig").map_or(&[][..], |c| c.list("nameservers"));
    for (i, server) in servers.iter().filter_map(Value::as_str).enumerate() {
        out.extend(names::ip_warning(server).map(|w| format!("{}: {w}", spec_path.child("dnsConfig.nameservers").index(i))));
    }
    for (i, alias) in maps(spec.list("hostAliases")) {
        out.extend(names::ip_warning(alias.str("ip")).map(|w| format!("{}: {w}", spec_path.child("hostAliases").index(i).child("ip"))));
    }
    out
}

/// Warns of node labels that were renamed.
fn node_labels(spec: &Map, path: &Path, out: &mut Vec<String>) {
    for (key, _) in spec.map("nodeSelector").into_iter().flat_map(Map::iter) {
        out.extend(node_label_message(key).map(|m| format!("{}: {m}", path.child("nodeSelector").key(key))));
    }
    if let Some(affinity) = spec.map("affinity").and_then(|a| a.map("nodeAffinity")) {
        let path = path.child("affinity.nodeAffinity");
        let terms = affinity.map(REQUIRED).map_or(&[][..], |r| r.list("nodeSelectorTerms"));
        for (i, term) in maps(terms) {
            node_term_warnings(term, false, &path.child(REQUIRED).child("nodeSelectorTerms").index(i), out);
        }
        for (i, term) in maps(affinity.list(PREFERRED)) {
            if let Some(preference) = term.map("preference") {
                node_term_warnings(preference, true, &path.child(PREFERRED).index(i).child("preference"), out);
            }
        }
    }
    for (i, constraint) in maps(spec.list("topologySpreadConstraints")) {
        let (path, key) = (path.child("topologySpreadConstraints").index(i), constraint.str("topologyKey"));
        out.extend(node_label_message(key).map(|m| format!("{}: {key} is {m}", path.child("topologyKey"))));
        if !constraint.has("labelSelector") {
            out.push(format!("{}: {NO_PODS}", path.child("labelSelector")));
        }
    }
}

fn volumes(volumes: &[Value], path: &Path, out: &mut Vec<String>) {
    for (i, volume) in maps(volumes) {
        for (kind, shown, message) in VOLUMES.iter().filter(|(kind, ..)| volume.has(kind)) {
            let path = path.index(i).child(shown);
            if *kind != "ephemeral" {
                out.push(format!("{path}: {message}"));
            } else if let Some(spec) = volume.at(&["ephemeral", "volumeClaimTemplate", "spec"]).and_then(Value::as_map) {
                claim_spec_warnings(spec, &path.child("volumeClaimTemplate.spec"), out);
            }
        }
    }
}

/// The path of a file in a volume, and the source of the file; the source is empty if the volume has only one source.
type Placed = (String, String);

fn shown((path, source): &Placed) -> String {
    if source.is_empty() { format!("{path:?}") } else { format!("{path:?} ({source})") }
}

/// Adds paths to `all`, and describes each pair of paths of which one is the other or a folder above it.
fn overlaps(paths: Vec<Placed>, all: &mut Vec<Placed>) -> Vec<String> {
    let mut found = Vec::new();
    for (path, source) in paths {
        let placed = (path.trim_end_matches('/').to_owned(), source);
        let folder = |path: &str| format!("{path}/");
        for other in all.iter().filter(|other| !placed.0.is_empty() && !other.0.is_empty()) {
            if folder(&other.0).starts_with(&folder(&placed.0)) || folder(&placed.0).starts_with(&folder(&other.0)) {
                found.push(format!("{} with {}", shown(&placed), shown(other)));
            }
        }
        all.push(placed);
    }
    found
}

/// Warns of files in a volume that hide one another. Counterpart: `warningsForOverlappingVirtualPaths`.
fn overlapping_paths(volumes: &[Value], out: &mut Vec<String>) {
    let items = |source: &Map, what: &str| -> Vec<Placed> {
        maps(source.list("items")).map(|(_, item)| (item.str("path").to_owned(), what.to_owned())).collect()
    };
    for (_, volume) in maps(volumes) {
        let name = volume.str("name");
        let warn = |what: &str, body: String| format!("volume {name:?} ({what}): overlapping paths: {body}");
        for (kind, title, key) in
            [("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName"), ("downwardAPI", "DownwardAPI", "")]
        {
            let Some(source) = volume.map(kind) else { continue };
            let what = if key.is_empty() { title.to_owned() } else { format!("{title} {:?}", source.str(key)) };
            out.extend(overlaps(items(source, ""), &mut Vec::new()).into_iter().map(|body| warn(&what, body)));
        }
        let mut all = Vec::new();
        for (_, source) in maps(volume.map("projected").map_or(&[][..], |p| p.list("sources"))) {
            if source.is_empty() {
                out.push(format!("volume {name:?} (Projected) has no sources provided"));
                continue;
            }
            let paths = match (source.map("configMap"), source.map("secret"), source.map("downwardAPI"), source.map("serviceAccountToken"))
            {
                (Some(map), ..) if map.has("items") => items(map, &format!("ConfigMap {:?}", map.str("name"))),
                (_, Some(secret), ..) if secret.has("items") => items(secret, &format!("Secret {:?}", secret.str("name"))),
                (_, _, Some(downward), _) if downward.has("items") => items(downward, "DownwardAPI"),
                (.., Some(token)) => vec![(token.str("path").to_owned(), "ServiceAccountToken".to_owned())],
                _ => Vec::new(),
            };
            out.extend(overlaps(paths, &mut all).into_iter().map(|body| warn("Projected", body)));
        }
    }
}

/// Warns of host aliases and image pull secrets that are listed twice.
fn duplicates(spec: &Map, path: &Path, out: &mut Vec<String>) {
    for (list, key) in [("hostAliases", "ip"), ("imagePullSecrets", "name")] {
        let mut seen: Vec<&str> = Vec::new();
        for (i, item) in maps(spec.list(list)) {
            let value = item.str(key);
            if seen.contains(&value) {
                out.push(format!("{}: duplicate {key} {value:?}", path.child(list).index(i).child(key)));
            }
            seen.push(value);
        }
    }
    for (i, _) in maps(spec.list("imagePullSecrets")).filter(|(_, secret)| secret.str("name").is_empty()) {
        out.push(format!("{}: invalid empty name \"\"", path.child("imagePullSecrets").index(i).child("name")));
    }
}

/// Warns of an amount of bytes that is not a whole number.
fn fractions(amounts: Option<&Map>, path: &Path, resource: &str, out: &mut Vec<String>) {
    let Some(text) = amounts.and_then(|a| a.get(resource)).and_then(Value::as_str) else { return };
    if Quantity::parse(text).is_ok_and(|q| q.milli_value() % 1000 != 0) {
        out.push(format!("{}: fractional byte value {text:?} is invalid, must be an integer", path.key(resource)));
    }
}

fn app_armor(container: &Map, spec: &Map, annotations: &Map, path: &Path, out: &mut Vec<String>) {
    let profile = |holder: &Map| holder.map("securityContext").and_then(|c| c.map("appArmorProfile")).cloned();
    let key = format!("{APP_ARMOR}{}", container.str("name"));
    let Some(annotation) = annotations.get(&key).and_then(Value::as_str) else { return };
    let of_pod = profile(spec);
    if profile(container).is_none() && (of_pod.is_none() || of_pod != app_armor_field(annotation)) {
        out.push(format!("{}: deprecated since v1.30; use the \"appArmorProfile\" field instead", path.key(&key)));
    }
}

/// Warns of environment variables that are set twice, unless the second value refers to the first.
fn hidden_variables(variables: &[Value], path: &Path, out: &mut Vec<String>) {
    let mut seen: Vec<&str> = Vec::new();
    for (i, variable) in maps(variables) {
        let (name, value) = (variable.str("name"), variable.str("value"));
        let reference = format!("$({name})");
        if !seen.contains(&name) {
            seen.push(name);
        } else if variable.has("valueFrom") || value == reference || !value.contains(&reference) {
            out.push(format!("{}: hides previous definition of {name:?}, which may be dropped when using apply", path.index(i)));
        }
    }
}

fn ports(spec: &Map, path: &Path, out: &mut Vec<String>) {
    let all: Vec<(&Map, Path)> = containers(spec, path)
        .into_iter()
        .flat_map(|(container, path)| maps(container.list("ports")).map(move |(i, port)| (port, path.child("ports").index(i))))
        .collect();
    let host = |port: &Map| port.int("hostPort").unwrap_or(0);
    for (i, (port, path)) in all.iter().enumerate() {
        let number = port.int("containerPort").unwrap_or(0);
        if !port.str("hostIP").is_empty() && host(port) == 0 {
            out.push(format!(
                "{path}: hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{number} Protocol:{} HostIP:{}}}",
                port.str("name"),
                port.str("protocol"),
                port.str("hostIP")
            ));
        }
        let same = |other: &Map| other.int("containerPort").unwrap_or(0) == number && other.str("protocol") == port.str("protocol");
        for (other, place) in all.iter().take(i).filter(|(other, _)| same(other)) {
            let (one, two) = (port.str("hostIP"), other.str("hostIP"));
            if one == two && host(port) == host(other) {
                out.push(format!("{path}: duplicate port definition with {place}"));
            } else if host(port) == 0 || host(other) == 0 {
                out.push(format!("{path}: overlapping port definition with {place}"));
            } else if host(port) == host(other) && one.is_empty() != two.is_empty() {
                out.push(format!("{path}: dangerously ambiguous port definition with {place}"));
            }
        }
    }
    let mut named: SortedMap<&str, &Path> = SortedMap::new();
    for (port, path) in all.iter().filter(|(port, _)| !port.str("name").is_empty()) {
        let name = port.str("name");
        match named.get(name) {
            Some(other) => out.push(format!(
                "{path}: duplicate port name {name:?} with {other}, services and probes that select ports by name will use {other}"
            )),
            None => {
                named.insert(name, path);
            }
        }
    }
}

/// Warns of pod affinity terms that match no pod because they have no selector.
fn pod_terms(spec: &Map, path: &Path, out: &mut Vec<String>) {
    for key in ["podAffinity", "podAntiAffinity"] {
        let Some(pods) = spec.map("affinity").and_then(|a| a.map(key)) else { continue };
        let path = path.child("affinity").child(key);
        for (i, _) in maps(pods.list(REQUIRED)).filter(|(_, term)| !term.has("labelSelector")) {
            out.push(format!("{}: {NO_PODS}", path.child(REQUIRED).index(i).child("labelSelector")));
        }
        let without = |weighted: &Map| weighted.map("podAffinityTerm").is_none_or(|term| !term.has("labelSelector"));
        for (i, _) in maps(pods.list(PREFERRED)).filter(|(_, weighted)| without(weighted)) {
            out.push(format!("{}: {NO_PODS}", path.child(PREFERRED).index(i).child("podAffinityTerm.labelSelector")));
        }
    }
}
