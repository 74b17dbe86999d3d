//! Distributes a Service's endpoints over its EndpointSlices. Counterpart: `k8s.io/endpointslice/reconciler.go`.
//!
//! Endpoints stay in the slice that they are in. New ones go first into slices that change anyway, fullest first, then into one unchanged slice that has room
//! for all the rest, else into new slices. Slices are never balanced against each other.

use super::{HEADLESS, MANAGED_BY, MANAGER, SERVICE_NAME, TRIGGER_TIME, is_ready, removal};
use crate::api::Body;
use crate::api::kind::Kind;
use crate::api::kind::endpointslice::{Endpoint, EndpointSlice};
use crate::api::kind::pod::Pod;
use crate::api::kind::service::{Service, ServicePort};
use crate::api::meta::{Meta, StrMap, Uid};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::Request;
use crate::api::time::Time;
use crate::api::value::Value;
use crate::controller::Observation;
use crate::map;
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::Arc;

/// The largest number of endpoints in a slice.
const CAPACITY: usize = 100;

/// The writes that bring a service's slices up to date.
#[derive(Debug, Default)]
pub struct Changes {
    create: Vec<Object>,
    update: Vec<Object>,
    delete: Vec<Arc<Object>>,
    /// The number of endpoints that all slices of the service together should hold.
    pub desired: usize,
}

impl Changes {
    /// Returns true if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.create.is_empty() && self.update.is_empty() && self.delete.is_empty()
    }
    /// Returns the requests for the changes, in the order in which they are sent.
    pub fn requests(self) -> Vec<Request> {
        let create = self.create.into_iter().map(Request::create);
        let update = self.update.into_iter().map(Request::update);
        create.chain(update).chain(self.delete.iter().map(|s| removal(s))).collect()
    }
}

/// The desired endpoints with the same ports, by the uid of their pod.
type Desired = OrdMap<Uid, Endpoint>;

/// Works out the changes that bring a service's slices in step with its pods.
pub fn arrange(seen: &Observation, object: &Object, service: &Service, trigger: Option<Time>) -> Changes {
    let labels = slice_labels(object, service);
    let mut groups = desired(seen, service);
    let mut changes = Changes { desired: groups.iter().map(|(_, d)| d.len()).sum(), ..Changes::default() };
    let slices: Vec<_> = seen.related(Kind::ENDPOINT_SLICE).collect();
    for slice in &slices {
        let ports = slice.endpoint_slice().map_or(&[][..], |s| &s.ports);
        if !groups.iter().any(|(p, _)| p == ports) {
            groups.push((ports.to_vec(), Desired::new()));
        }
    }
    for (ports, endpoints) in groups {
        let own = slices.iter().filter(|s| s.endpoint_slice().is_some_and(|s| s.ports == ports));
        arrange_group(own.map(|s| Arc::clone(s)), &ports, endpoints, object, &labels, &mut changes);
    }
    keep_one(&slices, object, &labels, &mut changes);
    // Update a slice that would be deleted instead of creating a new one.
    while let (Some(old), true) = (changes.delete.last(), !changes.create.is_empty()) {
        let mut new = changes.create.remove(0);
        new.meta = Meta { labels: new.meta.labels, ..old.meta.clone() };
        changes.update.push(new);
        changes.delete.pop();
    }
    for slice in changes.create.iter_mut().chain(&mut changes.update) {
        slice.meta.annotations = match trigger {
            Some(time) => slice.meta.annotations.with(TRIGGER_TIME, time.rfc3339()),
            None => slice.meta.annotations.without(TRIGGER_TIME),
        };
    }
    changes
}

/// Keeps or creates one empty slice if no other slice is left, because a service without endpoints has one, too.
fn keep_one(slices: &[&Arc<Object>], object: &Object, labels: &StrMap, changes: &mut Changes) {
    if slices.len() != changes.delete.len() || !changes.create.is_empty() {
        return;
    }
    let empty = |s: &Arc<Object>| s.endpoint_slice().is_some_and(|s| s.endpoints.is_empty() && s.ports.is_empty());
    match changes.delete.as_slice() {
        [only] if empty(only) && only.meta.labels == *labels => changes.delete.clear(),
        _ => changes.create.push(new_slice(object, labels, Vec::new(), Vec::new())),
    }
}

fn arrange_group(
    slices: impl Iterator<Item = Arc<Object>>,
    ports: &[Value],
    mut wanted: Desired,
    object: &Object,
    labels: &StrMap,
    changes: &mut Changes,
) {
    let (mut updated, mut unchanged): (Vec<Object>, Vec<Arc<Object>>) = (Vec::new(), Vec::new());
    for slice in slices {
        let Some(body) = slice.endpoint_slice() else { continue };
        let kept: Vec<Endpoint> = body.endpoints.iter().filter_map(|e| take(&mut wanted, e)).collect();
        if kept.is_empty() {
            changes.delete.push(slice);
        } else if kept != body.endpoints || slice.meta.labels != *labels {
            updated.push(with_endpoints(&slice, kept, labels));
        } else {
            unchanged.push(slice);
        }
    }
    updated.order_by_key(|s| std::cmp::Reverse(s.endpoint_slice().map_or(0, |s| s.endpoints.len())));
    for slice in updated.iter_mut().filter_map(Object::endpoint_slice_mut) {
        fill(&mut slice.endpoints, &mut wanted);
    }
    let size = |s: &Arc<Object>| s.endpoint_slice().map_or(0, |s| s.endpoints.len());
    let room = unchanged.iter().filter(|s| size(s) + wanted.len() <= CAPACITY).max_by_key(|s| size(s));
    if let (Some(slice), false) = (room, wanted.is_empty()) {
        let mut endpoints = slice.endpoint_slice().map(|s| s.endpoints.clone()).unwrap_or_default();
        fill(&mut endpoints, &mut wanted);
        updated.push(with_endpoints(slice, endpoints, labels));
    }
    while !wanted.is_empty() {
        let mut endpoints = Vec::new();
        fill(&mut endpoints, &mut wanted);
        changes.create.push(new_slice(object, labels, endpoints, ports.to_vec()));
    }
    changes.update.append(&mut updated);
}

/// Removes the endpoint of the same pod from the wanted ones and returns it; `None` if there is none or the pod's address has changed.
fn take(wanted: &mut Desired, old: &Endpoint) -> Option<Endpoint> {
    let (_, _, uid) = old.target.as_ref()?;
    wanted.get(uid).filter(|e| e.ip == old.ip)?;
    wanted.remove(uid)
}

fn fill(endpoints: &mut Vec<Endpoint>, wanted: &mut Desired) {
    while endpoints.len() < CAPACITY {
        let Some((_, endpoint)) = wanted.pop_first() else { return };
        endpoints.push(endpoint);
    }
}

fn with_endpoints(slice: &Object, endpoints: Vec<Endpoint>, labels: &StrMap) -> Object {
    let mut slice = slice.clone();
    slice.meta.labels = labels.clone();
    if let Some(body) = slice.endpoint_slice_mut() {
        body.endpoints = endpoints;
    }
    slice
}

fn new_slice(object: &Object, labels: &StrMap, endpoints: Vec<Endpoint>, ports: Vec<Value>) -> Object {
    let meta = Meta {
        generate_name: ArcStr::from(format!("{}-", object.meta.name)),
        namespace: object.meta.namespace.clone(),
        labels: labels.clone(),
        owners: Some(Arc::new([object.controller_ref()])),
        ..Meta::default()
    };
    let body = EndpointSlice { address_type: literal!("IPv4"), endpoints, ports };
    Object { meta, body: Body::EndpointSlice(Box::new(body)) }
}

/// Returns the labels of a service's slices: the service's own, and those by which its slices are found.
fn slice_labels(object: &Object, service: &Service) -> StrMap {
    let own = object.meta.labels.entries().iter().filter(|(k, _)| ![SERVICE_NAME, MANAGED_BY, HEADLESS].contains(&k.as_str()));
    let mut labels: Vec<_> = own.cloned().collect();
    labels.push((literal!(SERVICE_NAME), object.meta.name.clone()));
    labels.push((literal!(MANAGED_BY), literal!(MANAGER)));
    if matches!(service.spec.cluster_ip.as_str(), "None" | "") {
        labels.push((literal!(HEADLESS), ArcStr::default()));
    }
    labels.into_iter().collect()
}

/// Returns the endpoints that a service should have, grouped by their ports.
fn desired(seen: &Observation, service: &Service) -> Vec<(Vec<Value>, Desired)> {
    let mut groups: Vec<(Vec<Value>, Desired)> = Vec::new();
    for object in seen.related(Kind::POD) {
        let Some(pod) = object.pod().filter(|p| p.status.pod_ip != 0 && !p.status.phase.is_terminal()) else { continue };
        let ports: Vec<Value> = service.spec.ports.iter().filter_map(|p| endpoint_port(p, pod)).collect();
        let endpoint = endpoint(object, pod, &seen.key.key.name, service);
        match groups.iter_mut().find(|(p, _)| *p == ports) {
            Some((_, endpoints)) => drop(endpoints.insert(object.meta.uid, endpoint)),
            None => groups.push((ports, Desired::from_iter([(object.meta.uid, endpoint)]))),
        }
    }
    groups
}

fn endpoint(object: &Object, pod: &Pod, name: &str, service: &Service) -> Endpoint {
    let (serving, terminating) = (is_ready(pod), object.meta.is_deleting());
    let has_name = pod.spec.raw.str("subdomain") == name;
    Endpoint {
        ip: pod.status.pod_ip,
        ready: service.spec.publish_not_ready_addresses || serving && !terminating,
        serving,
        terminating,
        node: pod.node.clone(),
        hostname: if has_name { pod.spec.raw.str("hostname").into() } else { ArcStr::new() },
        target: Some((object.meta.namespace.clone(), object.meta.name.clone(), object.meta.uid)),
        written: None,
    }
}

/// Returns a service's port as an endpoint port of one pod; `None` if the pod has no port of the target's name.
fn endpoint_port(port: &ServicePort, pod: &Pod) -> Option<Value> {
    let number = match &port.target_port {
        Value::Int(n) => *n,
        Value::Str(name) => {
            let containers = pod.spec.containers.iter().chain(pod.spec.init_containers.iter().filter(|c| c.sidecar));
            let named = containers.flat_map(|c| &c.ports).find(|(n, _, protocol)| n == name && *protocol == port.protocol);
            i64::from(named?.1)
        }
        _ => i64::from(port.port),
    };
    let mut m = map! { "name" => &port.name, "protocol" => &port.protocol, "port" => number };
    if let Some(app) = &port.app_protocol {
        m.insert("appProtocol", app);
    }
    Some(m.into())
}
