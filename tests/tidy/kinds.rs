//! The rule that few places name a kind: what anybody needs to know of a kind stands in its row in the table of kinds.

use super::{check, has_word, is_source, without_comments};
use std::fs;
use std::path::Path;

/// The kinds that may be named everywhere, because whole components exist for them.
const NAMED_EVERYWHERE: &[(&str, &str)] = &[
    ("Pod", "kubelets run pods, the scheduler places them, the page draws them"),
    ("Node", "kubelets are their nodes, the scheduler chooses among them, the page draws them"),
    ("Namespace", "every request is made in one, and admission asks whether it is there"),
    ("Event", "recorders write them and the page reads them"),
];

/// The folders with one file per kind, each listed in one table; in all of these a kind may be named.
const FOLDERS_OF_KINDS: &[&str] = &["src/api/kind/", "src/controller/", "src/network/", "src/kubectl/kinds/", "src/view/kinds/"];

/// Other places where a kind may be named: the file, the kind, and the reason why the kind's row in the table of kinds cannot say the same.
const NAMED_ELSEWHERE: &[(&str, &str, &str)] = &[
    ("src/apiserver/admission/mod.rs", "ServiceAccount", "the admission plugin of that name looks for a pod's account"),
    ("src/apiserver/admission/limit_ranger.rs", "LimitRange", "the admission plugin that enforces them"),
    ("src/apiserver/admission/limit_ranger.rs", "PersistentVolumeClaim", "limits of that type are for claims"),
    ("src/apiserver/definitions.rs", "CustomResourceDefinition", "the server serves the kinds that these define"),
    ("src/apiserver/admission/quota.rs", "ResourceQuota", "the admission plugin that enforces them"),
    ("src/kubectl/create_policy.rs", "Role", "kubectl create role"),
    ("src/kubectl/create_policy.rs", "ClusterRole", "kubectl create clusterrole"),
    ("src/kubectl/create_policy.rs", "ClusterRoleBinding", "kubectl create clusterrolebinding"),
    ("src/kubectl/create_policy.rs", "RoleBinding", "kubectl create rolebinding"),
    ("src/kubectl/create_policy.rs", "ServiceAccount", "a binding names it"),
    ("src/kubectl/expose.rs", "Service", "kubectl expose"),
    ("src/kubectl/run.rs", "Service", "kubectl run --expose"),
    ("src/kubectl/set.rs", "ClusterRoleBinding", "kubectl set subject"),
    ("src/kubectl/set.rs", "ConfigMap", "kubectl set env --from"),
    ("src/kubectl/set.rs", "RoleBinding", "kubectl set subject"),
    ("src/kubectl/set.rs", "Secret", "kubectl set env --from"),
    ("src/kubectl/set.rs", "Service", "kubectl set selector"),
    ("src/kubectl/kustomize.rs", "ConfigMap", "kustomizations generate them"),
    ("src/kubectl/kustomize.rs", "Secret", "kustomizations generate them"),
    ("src/kubectl/kustomize.rs", "ServiceAccount", "a pod names the one that a kustomization renames"),
    ("src/apiserver/admission/mod.rs", "PriorityClass", "the admission plugin Priority looks for a pod's class"),
    ("src/apiserver/eviction.rs", "PodDisruptionBudget", "evictions honour it"),
    ("src/apiserver/service_ip.rs", "Service", "the allocator of the addresses of Services"),
    ("src/client/leader.rs", "Lease", "leader election holds a Lease"),
    ("src/kubelet/config_refs.rs", "ConfigMap", "a container's environment names it"),
    ("src/kubelet/config_refs.rs", "Secret", "a container's environment names it"),
    ("src/kubelet/environment.rs", "ConfigMap", "a container's environment shows it"),
    ("src/kubelet/environment.rs", "Secret", "a container's environment shows it"),
    ("src/kubelet/service_links.rs", "Service", "containers find Services by variables of their environment"),
    ("src/kubelet/guests.rs", "ServiceAccount", "the folder of the token that every container gets"),
    ("src/kubelet/volumes.rs", "ConfigMap", "a volume shows it"),
    ("src/kubelet/volumes.rs", "PersistentVolume", "the kubelet reads where a claim's volume is"),
    ("src/kubelet/volumes.rs", "PersistentVolumeClaim", "a volume names it"),
    ("src/kubelet/volumes.rs", "Secret", "a volume shows it"),
    ("src/kubelet/node.rs", "Lease", "a kubelet renews the Lease of its node"),
    ("src/kubectl/complete.rs", "ConfigMap", "kubectl create configmap"),
    ("src/kubectl/complete.rs", "ServiceAccount", "kubectl create serviceaccount"),
    ("src/kubectl/token.rs", "ServiceAccount", "a token stands for one"),
    ("src/kubectl/derived.rs", "EndpointSlice", "Endpoints are made up from it"),
    ("src/kubectl/derived.rs", "Lease", "component statuses are made up from it"),
    ("src/kubectl/derived.rs", "Service", "Endpoints are made up from it"),
    ("src/kubectl/autoscale.rs", "HorizontalPodAutoscaler", "kubectl autoscale"),
    ("src/kubectl/describe/container.rs", "ConfigMap", "the words of the real client about a container's environment"),
    ("src/kubectl/describe/container.rs", "Secret", "the words of the real client about a container's environment"),
    ("src/kubectl/describe/volume.rs", "ConfigMap", "the words of the real client about a volume"),
    ("src/kubectl/describe/volume.rs", "PersistentVolumeClaim", "the words of the real client about a volume"),
    ("src/kubectl/describe/volume.rs", "StorageClass", "the words of the real client about a volume"),
    ("src/kubectl/describe/volume.rs", "Secret", "the words of the real client about a volume"),
    ("src/kubectl/drain.rs", "DaemonSet", "kubectl drain leaves its pods where they are"),
    ("src/kubectl/diff.rs", "Secret", "kubectl diff masks its values"),
    ("src/kubectl/create_data.rs", "ConfigMap", "kubectl create configmap"),
    ("src/kubectl/create_data.rs", "Secret", "kubectl create secret"),
    ("src/kubectl/create_kinds.rs", "ClusterRole", "kubectl create clusterrole"),
    ("src/kubectl/create_kinds.rs", "ClusterRoleBinding", "kubectl create clusterrolebinding"),
    ("src/kubectl/create_kinds.rs", "ConfigMap", "kubectl create configmap"),
    ("src/kubectl/create_kinds.rs", "CronJob", "kubectl create cronjob"),
    ("src/kubectl/create_kinds.rs", "Deployment", "kubectl create deployment"),
    ("src/kubectl/create_kinds.rs", "PodDisruptionBudget", "kubectl create poddisruptionbudget"),
    ("src/kubectl/create_kinds.rs", "PriorityClass", "kubectl create priorityclass"),
    ("src/kubectl/create_kinds.rs", "ResourceQuota", "kubectl create quota"),
    ("src/kubectl/create_kinds.rs", "RoleBinding", "kubectl create rolebinding"),
    ("src/kubectl/create_kinds.rs", "Service", "kubectl create service"),
    ("src/kubectl/create_kinds.rs", "ServiceAccount", "kubectl create serviceaccount"),
    ("src/kubectl/set.rs", "ServiceAccount", "kubectl set serviceaccount"),
    ("src/scheduler/listers.rs", "ReplicaSet", "pods are spread by default over the nodes of their owner"),
    ("src/scheduler/listers.rs", "Service", "pods are spread by default over the nodes of their Service"),
    ("src/scheduler/mod.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_binding.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_restrictions.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_zone.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/volumes.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/mod.rs", "PersistentVolume", "the plugins about volumes"),
    ("src/scheduler/volumes.rs", "PersistentVolume", "the plugins about volumes"),
    ("src/scheduler/volumes.rs", "StorageClass", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_binding.rs", "PersistentVolume", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_zone.rs", "PersistentVolume", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_zone.rs", "StorageClass", "the plugins about volumes"),
    ("src/sim/nodes.rs", "PriorityClass", "a cluster begins with the system's classes"),
    ("src/sim/nodes.rs", "StorageClass", "a cluster may begin with a default class"),
    ("src/sim/scheduling.rs", "PersistentVolume", "the scheduler binds volumes"),
    ("src/sim/scheduling.rs", "PodDisruptionBudget", "preemption spares the pods that it guards"),
    ("src/sim/scheduling.rs", "PersistentVolumeClaim", "the scheduler binds volumes"),
    ("src/sim/scheduling.rs", "StorageClass", "the scheduler watches it to bind volumes"),
    ("src/sim/components.rs", "Service", "people see the one of the cluster's DNS"),
    ("src/sim/links.rs", "Service", "the API server keeps up its own Service"),
    ("src/sim/nodes.rs", "EndpointSlice", "a cluster begins with the API server's own Service"),
    ("src/sim/nodes.rs", "Service", "a cluster begins with the API server's own Service"),
    ("src/scheduler/listers.rs", "StatefulSet", "its pods are spread by default"),
    ("src/scheduler/listers.rs", "ReplicationController", "its pods are spread by default"),
    ("src/sim/scheduling.rs", "ReplicaSet", "the scheduler watches it to spread pods"),
    ("src/sim/scheduling.rs", "StatefulSet", "the scheduler watches it to spread pods"),
    ("src/sim/scheduling.rs", "ReplicationController", "the scheduler watches it to spread pods"),
    ("src/sim/traffic.rs", "Ingress", "requests from outside pass it"),
    ("src/sim/traffic.rs", "IngressClass", "it says who serves an Ingress"),
    ("src/sim/traffic.rs", "NetworkPolicy", "requests pass it"),
    ("src/sim/scheduling.rs", "Service", "the scheduler watches it to spread pods"),
    ("src/ui/actual/service_card.rs", "EndpointSlice", "the panel of Services"),
    ("src/ui/actual/service_card.rs", "Service", "the panel of Services"),
    ("src/view/hint.rs", "ReplicaSet", "a hint about the first manifest"),
    ("src/view/run.rs", "ReplicaSet", "the first manifest"),
    ("src/view/services.rs", "EndpointSlice", "the panel of Services"),
    ("src/view/services.rs", "Service", "the panel of Services"),
    ("src/view/why/chain.rs", "Lease", "a node is silent when its Lease runs out"),
];

/// Returns the kinds in the table of kinds: constant, name and accessor.
fn kinds_of_table(table: &str) -> Vec<(String, String, String)> {
    let lines = table.lines().skip_while(|line| !line.starts_with("kinds! {")).skip(1).take_while(|line| *line != "}");
    let kind = |line: &str| {
        let mut words = line.split_whitespace();
        let (constant, name) = (words.next()?.to_owned(), words.next()?.split('(').next()?.to_owned());
        Some((constant, name, line.split_whitespace().rev().nth(1)?.to_owned()))
    };
    lines.filter_map(kind).collect()
}

/// Finds names of kinds in code. The kind's row in the table of kinds tells the page, kubectl and the components what they need to know of
/// the kind, so few other places need its name.
fn names_no_kind(path: &str, text: &str) -> Vec<String> {
    let table = include_str!("../../src/api/kind/mod.rs");
    if FOLDERS_OF_KINDS.iter().any(|folder| path.starts_with(folder)) || path.contains("tests") {
        return vec![];
    }
    let code = without_comments(text.split("#[cfg(test)]").next().unwrap_or(text));
    let mut faults = vec![];
    for (constant, name, accessor) in kinds_of_table(table) {
        let everywhere = NAMED_EVERYWHERE.iter().any(|(kind, _)| *kind == name);
        if everywhere || NAMED_ELSEWHERE.iter().any(|(file, kind, _)| *file == path && *kind == name) {
            continue;
        }
        let mut words = vec![format!("Kind::{constant}"), format!("Body::{name}"), format!(".{accessor}()"), format!(".{accessor}_mut()")];
        words.push(format!("\"{name}\""));
        // A name of two words, such as ReplicaSet, means nothing but the kind, so it is looked for without quotes, too.
        if accessor.contains('_') {
            words.extend([name.clone(), accessor.clone(), accessor.replace('_', "")]);
        }
        if let Some(word) = words.iter().find(|word| has_word(&code, word)) {
            faults.push(format!("names the kind {name} (`{word}`); what is special about it belongs in its row or a folder of kinds"));
        }
    }
    faults
}

#[test]
fn kinds_are_named_only_where_they_must_be() {
    check(is_source, names_no_kind);
    for (code, fault) in [
        ("match kind { Kind::REPLICA_SET => 1 }", "`Kind::REPLICA_SET`"),
        ("if owner.kind == \"Deployment\" {}", "`\"Deployment\"`"),
        ("if let Body::Service(s) = &o.body {}", "`Body::Service`"),
        ("let n = o.deployment_mut();", "`.deployment_mut()`"),
        ("let replica_set = 1;", "`replica_set`"),
    ] {
        assert!(names_no_kind("src/view/a.rs", code).iter().any(|f| f.contains(fault)), "{code}");
    }
    for code in ["// A ReplicaSet.", "let replica_sets = Kind::POD;", "#[cfg(test)]\nmod tests { use Kind::LEASE; }"] {
        assert!(names_no_kind("src/view/a.rs", code).is_empty(), "{code}");
    }
    assert!(names_no_kind("src/view/kinds/replicaset.rs", "Kind::REPLICA_SET").is_empty());
    let text_of = |file: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap_or_default();
    for (file, kind, _) in NAMED_ELSEWHERE {
        let (constant, accessor) = names_of(kind);
        let words = [(*kind).to_owned(), format!("Kind::{constant}"), accessor.replace('_', ""), accessor];
        assert!(words.iter().any(|word| has_word(&text_of(file), word)), "{file} no longer names {kind}");
    }
}

/// Returns the names of the constant and the accessor of a kind.
fn names_of(kind: &str) -> (String, String) {
    let table = kinds_of_table(include_str!("../../src/api/kind/mod.rs"));
    table.into_iter().find(|(_, name, _)| name == kind).map(|(constant, _, accessor)| (constant, accessor)).unwrap_or_default()
}
