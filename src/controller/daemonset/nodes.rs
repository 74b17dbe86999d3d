//! Decides which nodes should run a pod of a DaemonSet, and makes the pod for a node. Counterpart: `NodeShouldRunDaemonPod` and `pkg/controller/daemon/util`.

use crate::api::kind::Body;
use crate::api::kind::daemonset::{DaemonSet, TEMPLATE_GENERATION};
use crate::api::kind::pod::{Pod, PodSpec, Toleration};
use crate::api::meta::Meta;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::sorted::SortedMap;
use crate::api::value::{Map, Value};
use crate::controller::history::REVISION_LABEL;
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

/// The label of a pod with the generation of the template that it was made from.
const GENERATION_LABEL: &str = "pod-template-generation";

/// The taints (key and effect) that every pod of a DaemonSet tolerates; the last one only if its pods use the host's network. Counterpart:
/// `AddOrUpdateDaemonPodTolerations`.
const TOLERATED: &[(&str, &str)] = &[
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
    ("node.kubernetes.io/network-unavailable", "NoSchedule"),
];

/// Returns the taints that the pods of a DaemonSet tolerate in addition to the tolerations of their template.
fn tolerated(spec: &PodSpec) -> &'static [(&'static str, &'static str)] {
    if spec.host_network { TOLERATED } else { &TOLERATED[..TOLERATED.len() - 1] }
}

/// The rules that decide which nodes should run a pod of a DaemonSet.
pub struct Rules<'a> {
    spec: &'a PodSpec,
    added: Vec<Toleration>,
}

impl<'a> Rules<'a> {
    /// Reads the rules from a DaemonSet's pod template.
    pub fn new(set: &'a DaemonSet) -> Rules<'a> {
        let spec = &*set.spec.template.spec;
        let toleration = |(key, effect): &(&str, &str)| Toleration {
            key: (*key).into(),
            exists: true,
            value: ArcStr::default(),
            effect: (*effect).into(),
            seconds: None,
        };
        Rules { spec, added: tolerated(spec).iter().map(toleration).collect() }
    }
    /// Returns whether a node should run a pod of the set, and whether a pod of the set that it has may stay.
    pub fn apply(&self, object: &Object) -> (bool, bool) {
        let Some(node) = object.node() else { return (false, false) };
        let (name, labels) = (&object.meta.name, &object.meta.labels);
        let asked = self.spec.raw.str("nodeName");
        if !(asked.is_empty() || asked == name.as_str()) || !self.spec.matches_node(name, labels) {
            return (false, false);
        }
        let tolerates =
            |key: &str, value: &str, effect: &str| self.spec.tolerations.iter().chain(&self.added).any(|t| t.tolerates(key, value, effect));
        let untolerated = |effect: &str| node.spec.taints.iter().any(|t| t.effect == effect && !tolerates(&t.key, &t.value, effect));
        let evicts = untolerated("NoExecute");
        (!evicts && !untolerated("NoSchedule"), !evicts)
    }
}

/// The pod template of a DaemonSet, completed with the labels and tolerations that the controller adds. Counterpart: `CreatePodTemplate`.
pub struct Template {
    meta: Meta,
    spec: Map,
}

impl Template {
    /// Completes the pod template of a DaemonSet.
    pub fn new(object: &Object, set: &DaemonSet, hash: &ArcStr) -> Template {
        let template = &set.spec.template;
        let mut labels = template.metadata.labels.clone();
        if let Some(generation) = template_generation(object) {
            labels = labels.with(GENERATION_LABEL, generation.to_string());
        }
        let mut spec = template.spec.raw.clone();
        let mut tolerations: Vec<Value> = spec.list("tolerations").to_vec();
        for (key, effect) in tolerated(&template.spec) {
            let added: Value = map! { "key" => *key, "operator" => "Exists", "effect" => *effect }.into();
            let same = |t: &Value| ["key", "operator", "effect", "value"].iter().all(|k| t.get(k) == added.get(k));
            match tolerations.iter().position(same) {
                Some(place) => tolerations[place] = added,
                None => tolerations.push(added),
            }
        }
        spec.insert("tolerations", tolerations);
        let meta = Meta {
            generate_name: format!("{}-", object.meta.name).into(),
            namespace: object.meta.namespace.clone(),
            labels: labels.with(REVISION_LABEL, hash.clone()),
            annotations: template.metadata.annotations.clone(),
            finalizers: (!template.metadata.finalizers.is_empty()).then(|| template.metadata.finalizers.as_slice().into()),
            owners: Some([object.controller_ref()].into()),
            ..Meta::default()
        };
        Template { meta, spec }
    }
    /// Returns a new pod for the node with this name. Counterpart: `ReplaceDaemonSetPodNodeNameNodeAffinity`.
    pub fn pod(&self, node: &ArcStr) -> Object {
        let mut spec = self.spec.clone();
        let name = map! { "key" => "metadata.name", "operator" => "In", "values" => vec![Value::Str(node.clone())] };
        let term = map! { "matchFields" => vec![Value::Map(name)] };
        let required = map! { "nodeSelectorTerms" => vec![Value::Map(term)] };
        spec.map_mut("affinity").map_mut("nodeAffinity").insert("requiredDuringSchedulingIgnoredDuringExecution", required);
        Object { meta: self.meta.clone(), body: Body::Pod(Pod::new(Arc::new(PodSpec::from(spec)))) }
    }
}

/// Returns the template generation in a DaemonSet's annotations. Counterpart: `GetTemplateGeneration`.
fn template_generation(object: &Object) -> Option<i64> {
    object.meta.annotations.get(TEMPLATE_GENERATION)?.parse().ok()
}

/// Returns true if a pod was made from the DaemonSet's newest template. Counterpart: `IsPodUpdated`.
pub fn is_updated(set: &Object, pod: &Object, hash: &str) -> bool {
    let label = |key: &str| pod.meta.labels.get(key).map_or("", |v| v.as_str());
    let of_template = template_generation(set).is_some_and(|n| label(GENERATION_LABEL) == n.to_string());
    of_template || (!hash.is_empty() && label(REVISION_LABEL) == hash)
}

/// Returns the name of the node that a pod is bound to, or meant for by its affinity. Counterpart: `GetTargetNodeName`.
fn target(pod: &Object) -> Option<ArcStr> {
    let pod = pod.pod()?;
    if !pod.node.is_empty() {
        return Some(pod.node.clone());
    }
    let terms = pod.spec.affinity.as_ref()?.node_required.as_ref()?;
    let named = terms.iter().flat_map(|t| &t.fields).find(|r| r.key == "metadata.name" && r.operator == "In")?;
    named.values.first().filter(|_| named.values.len() == 1).cloned()
}

/// Groups pods by the nodes that they are on or meant for. Ended pods that are being deleted are left out. Counterpart: `getNodesToDaemonPods`.
pub fn by_node<'p>(pods: &[&'p Arc<Object>]) -> SortedMap<ArcStr, Vec<&'p Arc<Object>>> {
    let mut all: SortedMap<ArcStr, Vec<&Arc<Object>>> = SortedMap::new();
    for pod in pods {
        let ended = pod.meta.is_deleting() && pod.pod().is_some_and(|p| p.status.phase.is_terminal());
        if let Some(node) = target(pod).filter(|_| !ended) {
            all.or_default(node).push(pod);
        }
    }
    all
}

/// Orders the pods of one node: bound ones first, then by age, the oldest first. Counterpart: `podByCreationTimestampAndPhase`.
pub fn oldest_first(pods: &mut [&Arc<Object>]) {
    let is_bound = |o: &Object| o.pod().is_some_and(|p| !p.node.is_empty());
    pods.order_by(|a, b| (!is_bound(a), a.meta.created, &a.meta.name).cmp(&(!is_bound(b), b.meta.created, &b.meta.name)));
}
