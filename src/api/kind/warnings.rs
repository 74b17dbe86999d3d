//! Warnings of the API server about new and changed objects: they are valid, but deprecated or surprising. Counterparts: `WarningsOnCreate` and
//! `WarningsOnUpdate` of the strategies in `pkg/registry`, `pkg/api/{node,service,storage,persistentvolume,persistentvolumeclaim,job}`.

use super::pod;
use crate::api::field::Path;
use crate::api::meta_rules::maps;
use crate::api::names;
use crate::api::order::Order;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};

/// Node labels that were renamed, with the advice that follows them in a warning.
const NODE_LABELS: &[(&str, &str)] = &[
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    ("failure-domain.beta.kubernetes.io/region", "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"),
    ("failure-domain.beta.kubernetes.io/zone", "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"),
    ("beta.kubernetes.io/instance-type", "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"),
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    ("scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
];

/// Returns the advice about a node label that was renamed, if `key` is one.
pub fn node_label_message(key: &str) -> Option<&'static str> {
    NODE_LABELS.iter().find(|(label, _)| *label == key).map(|(_, message)| *message)
}

/// Warns of renamed labels in a node selector term and, with `checks_values`, of values that no label can have. Counterpart: `GetWarningsForNodeSelectorTerm`.
pub fn node_term_warnings(term: &Map, checks_values: bool, path: &Path, out: &mut Vec<String>) {
    for (i, expression) in maps(term.list("matchExpressions")) {
        let (path, key) = (path.child("matchExpressions").index(i), expression.str("key"));
        out.extend(node_label_message(key).map(|m| format!("{}: {key} is {m}", path.child("key"))));
        for (j, value) in expression.list("values").iter().filter_map(Value::as_str).enumerate().filter(|_| checks_values) {
            let place = path.child("values").index(j);
            out.extend(names::label_value(value).iter().map(|problem| format!("{place}: {value} is invalid, {problem}")));
        }
    }
}

/// Warns of a claim's size that is not a whole number of bytes. Counterpart: `GetWarningsForPersistentVolumeClaimSpec`.
pub fn claim_spec_warnings(spec: &Map, path: &Path, out: &mut Vec<String>) {
    for part in ["requests", "limits"] {
        let Some(text) = spec.at(&["resources", part, "storage"]).and_then(Value::as_str) else { continue };
        if Quantity::parse(text).is_ok_and(|q| q.milli_value() % 1000 != 0) {
            let path = path.child("resources").child(part).key("storage");
            out.push(format!("{path}: fractional byte value {text:?} is invalid, must be an integer"));
        }
    }
}

fn name_of(object: &Map) -> &str {
    object.map("metadata").map_or("", |m| m.str("name"))
}

fn annotation<'a>(object: &'a Map, key: &str) -> Option<&'a str> {
    object.at(&["metadata", "annotations", key]).and_then(Value::as_str)
}

/// Warns of an object's name that is not a DNS label. `used` tells what the name is used for.
fn name_warning(object: &Map, used: &str) -> Option<String> {
    let problems = names::dns_label(name_of(object));
    let surprise = "which can result in surprising behavior; a DNS label is recommended";
    (!problems.is_empty()).then(|| format!("metadata.name: this is used in {used}, {surprise}: [{}]", problems.join(" ")))
}

/// Returns the warnings about a new pod. There are none about updates.
pub fn pod(new: &Map, old: Option<&Map>) -> Vec<String> {
    if old.is_some() {
        return Vec::new();
    }
    let mut out: Vec<String> = name_warning(new, "the Pod's hostname").into_iter().collect();
    out.extend(pod::template_warnings(new, &Path::new("")));
    out
}

fn template_of<'a>(object: &'a Map, path: &[&str]) -> Option<&'a Map> {
    object.at(path).and_then(Value::as_map)
}

/// Returns true if an update raises the generation: the spec differs or, with `annotations_count`, the annotations do.
fn raises_generation(new: &Map, old: &Map, annotations_count: bool) -> bool {
    let annotations = |object: &Map| object.at(&["metadata", "annotations"]).cloned();
    new.get("spec") != old.get("spec") || (annotations_count && annotations(new) != annotations(old))
}

/// Returns the warnings about a workload whose name is part of its pods' names: Deployments, ReplicaSets.
pub fn named_workload(new: &Map, old: Option<&Map>) -> Vec<String> {
    let mut out = Vec::new();
    match old {
        None => out.extend(name_warning(new, "Pod names and hostnames")),
        Some(old) if !raises_generation(new, old, new.str("kind") == "Deployment") => return out,
        Some(_) => {}
    }
    out.extend(template_of(new, &["spec", "template"]).into_iter().flat_map(|t| pod::template_warnings(t, &Path::new("spec.template"))));
    out
}

/// Returns the warnings about a ReplicationController. For an update, they are about the old template, as upstream.
pub fn replication_controller(new: &Map, old: Option<&Map>) -> Vec<String> {
    match old {
        Some(old) if raises_generation(new, old, false) => {
            template_of(old, &["spec", "template"]).map_or_else(Vec::new, |t| pod::template_warnings(t, &Path::new("spec.template")))
        }
        Some(_) => Vec::new(),
        None => named_workload(new, None),
    }
}

/// Returns the warnings about a DaemonSet.
pub fn daemon_set(new: &Map, old: Option<&Map>) -> Vec<String> {
    let template = template_of(new, &["spec", "template"]);
    if old.is_some_and(|old| template_of(old, &["spec", "template"]) == template) {
        return Vec::new();
    }
    template.map_or_else(Vec::new, |t| pod::template_warnings(t, &Path::new("spec.template")))
}

/// Returns the warnings about a StatefulSet.
pub fn stateful_set(new: &Map, old: Option<&Map>) -> Vec<String> {
    let (empty, mut out) = (Map::new(), Vec::new());
    let spec = new.map("spec").unwrap_or(&empty);
    if old.is_none_or(|old| raises_generation(new, old, false)) {
        out.extend(spec.map("template").into_iter().flat_map(|t| pod::template_warnings(t, &Path::new("spec.template"))));
    }
    for (i, claim) in maps(spec.list("volumeClaimTemplates")) {
        let path = Path::new("spec.volumeClaimTemplates").index(i);
        let path = if old.is_some() { path.child("Spec") } else { path };
        claim_spec_warnings(claim.map("spec").unwrap_or(&empty), &path, &mut out);
    }
    if spec.int("revisionHistoryLimit").is_some_and(|limit| limit < 0) {
        let advice = "a negative value retains all historical revisions; a value >= 0 is recommended";
        out.push(format!("spec.revisionHistoryLimit: {advice}"));
    }
    out
}

/// Returns the warnings about the spec of a Job. Counterpart: `WarningsForJobSpec`.
fn job_spec(spec: Option<&Map>, path: &Path) -> Vec<String> {
    let (empty, mut out) = (Map::new(), Vec::new());
    let spec = spec.unwrap_or(&empty);
    let count = |key: &str| spec.int(key).unwrap_or(0);
    if spec.str("completionMode") == "Indexed" && count("completions") > 100_000 && count("parallelism") > 10_000 {
        out.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
        ));
    }
    out.extend(spec.map("template").into_iter().flat_map(|t| pod::template_warnings(t, &path.child("template"))));
    out
}

/// Returns the warnings about a Job.
pub fn job(new: &Map, old: Option<&Map>) -> Vec<String> {
    let mut out = Vec::new();
    match old {
        None => out.extend(name_warning(new, "Pod names and hostnames")),
        Some(old) if !raises_generation(new, old, false) => return out,
        Some(_) => {}
    }
    out.extend(job_spec(new.map("spec"), &Path::new("spec")));
    out
}

/// Returns the warnings about a CronJob.
pub fn cron_job(new: &Map, old: Option<&Map>) -> Vec<String> {
    let mut out = Vec::new();
    if old.is_none() {
        out.extend(name_warning(new, "Pod names and hostnames"));
    }
    if old.is_none_or(|old| raises_generation(new, old, false)) {
        out.extend(job_spec(template_of(new, &["spec", "jobTemplate", "spec"]), &Path::new("spec.jobTemplate.spec")));
    }
    if old.is_some() && new.map("spec").is_some_and(|spec| spec.str("schedule").contains("TZ")) {
        out.push(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                .to_owned(),
        );
    }
    out
}

fn ips(addresses: &[Value], path: &Path, out: &mut Vec<String>) {
    for (i, address) in addresses.iter().filter_map(Value::as_str).enumerate() {
        out.extend(names::ip_warning(address).map(|w| format!("{}: {w}", path.index(i))));
    }
}

fn cidrs(ranges: &[Value], path: &Path, out: &mut Vec<String>) {
    for (i, range) in ranges.iter().filter_map(Value::as_str).enumerate() {
        out.extend(names::cidr_warnings(range).into_iter().map(|w| format!("{}: {w}", path.index(i))));
    }
}

/// Returns the warnings about a Service. Counterpart: `GetWarningsForService`.
pub fn service(new: &Map, _old: Option<&Map>) -> Vec<String> {
    const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
    let (empty, path, mut out) = (Map::new(), Path::new("spec"), Vec::new());
    let spec = new.map("spec").unwrap_or(&empty);
    let (kind, external) = (spec.str("type"), spec.list("externalIPs"));
    if annotation(new, HINTS).is_some() {
        out.push(format!("annotation {HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"));
    }
    let address = spec.str("clusterIP");
    if !address.is_empty() && address != "None" {
        ips(spec.list("clusterIPs"), &path.child("clusterIPs"), &mut out);
    }
    let headless = kind == "ClusterIP" && address == "None";
    if headless {
        for (set, field) in [
            (!spec.str("loadBalancerIP").is_empty(), "loadBalancerIP"),
            (!external.is_empty(), "externalIPs"),
            (spec.str("sessionAffinity") != "None", "SessionAffinity"),
        ] {
            if set {
                out.push(format!("spec.{field} is ignored for headless services"));
            }
        }
    }
    ips(external, &path.child("externalIPs"), &mut out);
    if !external.is_empty() && !headless && kind != "ExternalName" {
        out.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned());
    }
    let balancer = spec.str("loadBalancerIP");
    out.extend(names::ip_warning(balancer).map(|w| format!("{}: {w}", path.child("loadBalancerIP"))));
    cidrs(spec.list("loadBalancerSourceRanges"), &path.child("loadBalancerSourceRanges"), &mut out);
    if kind == "ExternalName" && !external.is_empty() {
        out.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if kind != "ExternalName" && !spec.str("externalName").is_empty() {
        out.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if spec.str("trafficDistribution") == "PreferClose" {
        out.push("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"".to_owned());
    }
    out
}

/// Returns the warnings about a Node.
pub fn node(new: &Map, _old: Option<&Map>) -> Vec<String> {
    let (empty, mut out) = (Map::new(), Vec::new());
    let spec = new.map("spec").unwrap_or(&empty);
    if !spec.str("externalID").is_empty() {
        out.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned());
    }
    cidrs(spec.list("podCIDRs"), &Path::new("spec.podCIDRs"), &mut out);
    out
}

const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Returns the warnings about a PersistentVolume. Counterpart: `GetWarningsForPersistentVolume`.
pub fn persistent_volume(new: &Map, _old: Option<&Map>) -> Vec<String> {
    let (empty, mut out) = (Map::new(), Vec::new());
    let spec = new.map("spec").unwrap_or(&empty);
    for (key, message) in [
        (BETA_CLASS, "deprecated since v1.8; use \"storageClassName\" attribute instead"),
        ("volume.beta.kubernetes.io/mount-options", "deprecated since v1.31; use \"mountOptions\" attribute instead"),
    ] {
        if annotation(new, key).is_some() {
            out.push(format!("metadata.annotations[{key}]: {message}"));
        }
    }
    if spec.str("persistentVolumeReclaimPolicy") == "Recycle" {
        out.push("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.".to_owned());
    }
    let terms = spec.at(&["nodeAffinity", "required", "nodeSelectorTerms"]).and_then(Value::as_list).unwrap_or(&[]);
    for (i, term) in maps(terms) {
        node_term_warnings(term, false, &Path::new("spec.nodeAffinity.required.nodeSelectorTerms").index(i), &mut out);
    }
    for (kind, shown, message) in [
        ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
        ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
        ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
        ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
        ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
        ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
    ] {
        if spec.has(kind) {
            out.push(format!("spec.{shown}: {message}"));
        }
    }
    out
}

/// Returns the warnings about a PersistentVolumeClaim.
pub fn persistent_volume_claim(new: &Map, _old: Option<&Map>) -> Vec<String> {
    let (empty, mut out) = (Map::new(), Vec::new());
    if annotation(new, BETA_CLASS).is_some() {
        out.push(format!("metadata.annotations[{BETA_CLASS}]: deprecated since v1.8; use \"storageClassName\" attribute instead"));
    }
    claim_spec_warnings(new.map("spec").unwrap_or(&empty), &Path::new("spec"), &mut out);
    out
}

/// Returns the warnings about a StorageClass.
pub fn storage_class(new: &Map, _old: Option<&Map>) -> Vec<String> {
    let mut out = Vec::new();
    for (i, term) in maps(new.list("allowedTopologies")) {
        for (j, expression) in maps(term.list("matchLabelExpressions")) {
            let path = Path::new("allowedTopologies").index(i).child("matchLabelExpressions").index(j).child("key");
            out.extend(node_label_message(expression.str("key")).map(|m| format!("{path}: {m}")));
        }
    }
    out
}

/// Returns the warnings about a ServiceAccount.
pub fn service_account(new: &Map, old: Option<&Map>) -> Vec<String> {
    const KEY: &str = "kubernetes.io/enforce-mountable-secrets";
    if annotation(new, KEY).is_none() || old.is_some_and(|old| annotation(old, KEY).is_some()) {
        return Vec::new();
    }
    vec![format!("metadata.annotations[{KEY}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets")]
}

/// Returns the warnings about a new ResourceQuota that allows more of a resource in requests than in limits; none for an update.
pub fn resource_quota(new: &Map, old: Option<&Map>) -> Vec<String> {
    let (empty, mut out) = (Map::new(), Vec::new());
    let hard = new.at(&["spec", "hard"]).and_then(Value::as_map).unwrap_or(&empty);
    let amount = |name: &str| hard.get(name).and_then(Value::as_str).and_then(|text| Some((text, Quantity::parse(text).ok()?)));
    for resource in ["cpu", "memory", "storage", "ephemeral-storage"].into_iter().filter(|_| old.is_none()) {
        let bare = matches!(resource, "cpu" | "memory").then(|| resource.to_owned());
        let request = [Some(format!("requests.{resource}")), bare].into_iter().flatten().find_map(|name| {
            let (text, quantity) = amount(&name)?;
            Some((name, text, quantity))
        });
        let limit = format!("limits.{resource}");
        if let (Some((name, text, request)), Some((limit_text, most))) = (request, amount(&limit))
            && request > most
        {
            out.push(format!("ResourceQuota {name} ({text}) should be less than {limit} ({limit_text})"));
        }
    }
    out
}

/// Returns the warnings about a new Ingress.
pub fn ingress(new: &Map, old: Option<&Map>) -> Vec<String> {
    const CLASS: &str = "kubernetes.io/ingress.class";
    if old.is_some() || annotation(new, CLASS).is_none() || new.at(&["spec", "ingressClassName"]).is_some() {
        return Vec::new();
    }
    vec![format!("annotation {CLASS:?} is deprecated, please use 'spec.ingressClassName' instead")]
}

/// Returns the warnings about a NetworkPolicy.
pub fn network_policy(new: &Map, _old: Option<&Map>) -> Vec<String> {
    let (empty, mut out) = (Map::new(), Vec::new());
    let spec = new.map("spec").unwrap_or(&empty);
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (i, rule) in maps(spec.list(direction)) {
            for (j, peer) in maps(rule.list(peers)) {
                let Some(block) = peer.map("ipBlock") else { continue };
                let path = Path::new("spec").child(direction).index(i).child(peers).index(j).child("ipBlock");
                out.extend(names::cidr_warnings(block.str("cidr")).into_iter().map(|w| format!("{}: {w}", path.child("cidr"))));
                cidrs(block.list("except"), &path.child("except"), &mut out);
            }
        }
    }
    out
}

/// Returns the warnings about an EndpointSlice.
pub fn endpoint_slice(new: &Map, old: Option<&Map>) -> Vec<String> {
    let mut out = Vec::new();
    if old.is_none() && new.str("addressType") == "FQDN" {
        out.push("spec.addressType: FQDN endpoints are deprecated".to_owned());
    }
    let manager = new.at(&["metadata", "labels", "endpointslice.kubernetes.io/managed-by"]).and_then(Value::as_str);
    if !matches!(manager, Some("endpointslice-controller.k8s.io" | "endpointslicemirroring-controller.k8s.io")) {
        for (i, endpoint) in maps(new.list("endpoints")) {
            ips(endpoint.list("addresses"), &Path::new("endpoints").index(i).child("addresses"), &mut out);
        }
    }
    out
}

/// Returns the warnings about the new finalizers of a custom resource. Counterpart: `generateWarningsFromObj` in `apiextensions-apiserver`.
pub fn custom_resource(new: &Map, old: Option<&Map>) -> Vec<String> {
    let finalizers = |object: &Map| object.at(&["metadata", "finalizers"]).and_then(Value::as_list).unwrap_or(&[]).to_vec();
    let known = old.map_or_else(Vec::new, finalizers);
    let (added, mut out) = (finalizers(new), Vec::new());
    let mut added: Vec<&str> = added.iter().filter(|f| !known.contains(f)).filter_map(Value::as_str).collect();
    added.order();
    added.dedup();
    for finalizer in added {
        let mut warn = |what: &str| out.push(format!("metadata.finalizers: {finalizer:?}: {what}"));
        names::qualified_name(finalizer).iter().for_each(|problem| warn(problem));
        if !finalizer.contains('/') && !matches!(finalizer, "orphan" | "foregroundDeletion" | "kubernetes") {
            let path = if finalizer.contains('.') { " including a path (/)" } else { "" };
            warn(&format!("prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"));
        }
    }
    out
}
