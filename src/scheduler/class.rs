//! Pod classes: pods between which the scheduler sees no difference share one. Counterpart: the pod signatures of kube-scheduler's opportunistic batching.
//!
//! Classes make the scheduler fast, because results are kept per class, and small, because a pod in the snapshot is a pointer to its class.

use super::listers::SPREAD_OWNERS;
use crate::api::kind::Kind;
use crate::api::kind::pod::{Container, Pod, PodClaim, PodSpec, PodTerm, Resources, claims};
use crate::api::meta::{Meta, StrMap};
use crate::api::value::Value;
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::sync::{Arc, Weak};

/// The properties that all pods of a class share.
#[derive(Debug)]
pub struct PodClass {
    /// The id of the class; ids count up in order of creation.
    pub id: u32,
    /// The id of the first class known with the same namespace, labels and affinity, or the class's own. Affinity terms cannot tell the two apart.
    pub alike: u32,
    /// The namespace of the pods.
    pub namespace: ArcStr,
    /// The labels of the pods.
    pub labels: StrMap,
    /// The ReplicaSet, StatefulSet or ReplicationController that controls the pods, by kind and name; `None` for other owners, whose pods are not spread by
    /// default.
    pub owner: Option<(Kind, ArcStr)>,
    /// The spec of the pods.
    pub spec: Arc<PodSpec>,
    /// The pods' requests in milli-CPU and bytes, with the defaults for scoring (100m, 200Mi) where a container has none. Counterpart: `NonZeroRequested`.
    pub nonzero: (i64, i64),
    /// The images of the pods' containers and volumes, by the names under which nodes report them.
    pub images: Vec<ArcStr>,
    /// Set if the pods have inter-pod affinity or anti-affinity.
    pub has_pod_terms: bool,
    /// The PersistentVolumeClaims that the pods use.
    pub claims: Vec<PodClaim>,
    /// The pod's name if it has a claim of its own (ephemeral volume), so that no other pod can be of the class; `""` otherwise.
    pub pod_name: ArcStr,
}

impl PodClass {
    /// Creates the class of a pod, with this id.
    pub fn of(id: u32, meta: &Meta, pod: &Pod) -> PodClass {
        let claims = claims(meta, &pod.spec);
        let alone = claims.iter().any(|claim| claim.template.is_some());
        PodClass {
            claims,
            pod_name: if alone { meta.name.clone() } else { ArcStr::default() },
            id,
            alike: id,
            namespace: meta.namespace.clone(),
            labels: meta.labels.clone(),
            owner: owner(meta).map(|(kind, name)| (kind, name.clone())),
            spec: pod.spec.clone(),
            nonzero: nonzero_requests(&pod.spec),
            images: images(&pod.spec),
            has_pod_terms: pod.spec.affinity.as_ref().is_some_and(|a| {
                let required = a.pod_required.len() + a.anti_required.len();
                required + a.pod_preferred.len() + a.anti_preferred.len() > 0
            }),
        }
    }
    /// Returns whether a pod belongs to this class.
    pub fn covers(&self, meta: &Meta, pod: &Pod) -> bool {
        *self.spec == *pod.spec
            && self.labels.quick_eq(&meta.labels)
            && self.namespace == meta.namespace
            && (self.pod_name.is_empty() || self.pod_name == meta.name)
            && self.owner.as_ref().map(|(kind, name)| (*kind, name)) == owner(meta)
    }
    /// Returns whether an affinity term of class `owner` selects pods of this class. `namespace_labels` are the labels of the namespace of this class.
    pub fn is_named_by(&self, term: &PodTerm, owner: &PodClass, namespace_labels: &StrMap) -> bool {
        let by_name = match (term.namespaces.is_empty(), &term.namespace_selector) {
            (true, None) => owner.namespace == self.namespace,
            _ => term.namespaces.contains(&self.namespace),
        };
        let here = by_name || term.namespace_selector.as_ref().is_some_and(|s| s.matches(namespace_labels.entries()));
        here && term.selector.as_ref().is_some_and(|s| s.matches(self.labels.entries()))
    }
}

/// Returns the images of a pod's containers and volumes, by the names under which nodes report them.
fn images(spec: &PodSpec) -> Vec<ArcStr> {
    let containers = spec.init_containers.iter().chain(&spec.containers).map(|c| reported_name(&c.image));
    let volumes = spec.raw.list("volumes").iter().filter_map(|v| v.at(&["image", "reference"])?.as_str());
    containers.chain(volumes.map(|image| reported_name(&image.into()))).collect()
}

fn owner(meta: &Meta) -> Option<(Kind, &ArcStr)> {
    let owner = meta.controller()?;
    let is_kind = |kind: &Kind| owner.kind == kind.row().name && owner.api_version == kind.row().api_version;
    SPREAD_OWNERS.into_iter().find(is_kind).map(|kind| (kind, &owner.name))
}

/// Returns whether a container's manifest sets an amount of a resource, even if it is zero.
fn names_resource(container: Option<&Value>, resource: &str) -> bool {
    let has = |list| container.and_then(|c| c.at(&["resources", list, resource])).is_some();
    has("requests") || has("limits")
}

/// Returns an image's name as nodes report it, with the tag `latest` if it has neither tag nor digest.
fn reported_name(image: &ArcStr) -> ArcStr {
    let last = image.rsplit('/').next().unwrap_or(image);
    if last.contains(':') || image.contains('@') { image.clone() } else { format!("{image}:latest").into() }
}

fn nonzero_requests(spec: &PodSpec) -> (i64, i64) {
    let filled = |list: &str, containers: &[Container]| -> Vec<(i64, i64, bool)> {
        let raw = spec.raw.list(list);
        let one = |(i, c): (usize, &Container)| {
            let cpu = if names_resource(raw.get(i), "cpu") { c.requests.cpu_milli } else { 100 };
            let memory = if names_resource(raw.get(i), "memory") { c.requests.memory } else { 200 << 20 };
            (cpu, memory, c.sidecar)
        };
        containers.iter().enumerate().map(one).collect()
    };
    let (mut cpu, mut memory) = (0, 0);
    for (c, m, _) in filled("containers", &spec.containers) {
        (cpu, memory) = (cpu + c, memory + m);
    }
    let (mut sidecars, mut peak) = ((0, 0), (0, 0));
    for (c, m, sidecar) in filled("initContainers", &spec.init_containers) {
        let now = (sidecars.0 + c, sidecars.1 + m);
        if sidecar {
            sidecars = now;
        }
        peak = (now.0.max(peak.0), now.1.max(peak.1));
    }
    let (cpu_milli, memory) = ((cpu + sidecars.0).max(peak.0), (memory + sidecars.1).max(peak.1));
    let mut sum = Resources { cpu_milli, memory, ..Resources::default() };
    if let Some(own) = spec.raw.map("resources").and_then(|r| r.map("requests")) {
        sum.replace(own);
    }
    sum.add(&Resources::decode(spec.raw.map("overhead")));
    (sum.cpu_milli, sum.memory)
}

/// The classes of all known pods. Memory addresses are part of the keys, so nothing may depend on the order of the map.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    known: OrdMap<(usize, u64), Arc<PodClass>>,
    /// The newest class for each hash in the keys of `known`, to find [`PodClass::alike`]. The references are weak, so that they keep no class alive.
    latest: OrdMap<u64, Weak<PodClass>>,
    made: u32,
    sweep_at: usize,
}

impl Classes {
    /// Returns the class of a pod, creating it if there is none yet.
    pub fn class_of(&mut self, meta: &Meta, pod: &Pod) -> Arc<PodClass> {
        let key = key_of(meta, pod);
        if let Some(class) = self.known.get(&key).filter(|c| c.covers(meta, pod)) {
            return class.clone();
        }
        self.sweep();
        self.made += 1;
        let mut class = PodClass::of(self.made, meta, pod);
        let latest = self.latest.get(&key.1).and_then(Weak::upgrade);
        let is_alike = |other: &Arc<PodClass>| {
            other.namespace == class.namespace && other.labels == class.labels && other.spec.affinity == class.spec.affinity
        };
        if let Some(other) = latest.filter(is_alike) {
            class.alike = other.alike;
        }
        let class = Arc::new(class);
        self.latest.insert(key.1, Arc::downgrade(&class));
        self.known.insert(key, class.clone());
        class
    }
    /// Returns the class of a pod; `None` if it has not been created.
    pub fn find(&self, meta: &Meta, pod: &Pod) -> Option<&Arc<PodClass>> {
        self.known.get(&key_of(meta, pod)).filter(|c| c.covers(meta, pod))
    }
    /// Drops the classes that nothing else refers to, whenever their number has doubled.
    fn sweep(&mut self) {
        if self.known.len() >= self.sweep_at.max(64) {
            self.known = self.known.iter().filter(|(_, c)| Arc::strong_count(c) > 1).map(|(k, c)| (*k, c.clone())).collect();
            self.latest.retain(|_, class| class.strong_count() > 0);
            self.sweep_at = self.known.len() * 2;
        }
    }
}

fn key_of(meta: &Meta, pod: &Pod) -> (usize, u64) {
    let mut hash = crate::api::fnv::EMPTY;
    let mut add = |text: &str| hash = crate::api::fnv::add(hash, text.as_bytes()).wrapping_mul(31);
    add(&meta.namespace);
    add(owner(meta).map_or("", |(_, name)| name.as_str()));
    for (k, v) in meta.labels.entries() {
        add(k);
        add(v);
    }
    (Arc::as_ptr(&pod.spec) as usize, hash)
}
