//! Services, their endpoints, and the endpoint that a request to them would reach now.
//!
//! The route is what kube-proxy would know: the EndpointSlices in the store. Whether a pod answers there is the true state of its node. Simplified:
//! kube-proxy picks among endpoints at random, here they take turns.

use super::cluster::{Health, health};
use super::run::Run;
use crate::api::kind::Kind;
use crate::api::kind::endpointslice::Endpoint;
use crate::api::kind::pod::ip_text;
use crate::api::kind::service::Service;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::kubelet::RunState;
use crate::persistent::OrdMap;
use crate::sim::Cluster;
use arcstr::ArcStr;
use std::rc::Rc;
use std::sync::Arc;

/// A person's choices for the Services.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServicesSelection {
    /// The Service that was asked last, and the number of requests to it.
    pub asked: Option<(Key, usize)>,
}

impl ServicesSelection {
    /// Sends one more request to a Service.
    pub fn ask(&mut self, key: Key) {
        let so_far = self.asked.take().filter(|(asked, _)| *asked == key).map_or(0, |(_, n)| n);
        self.asked = Some((key, so_far + 1));
    }
}

/// All Services.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServicesView {
    /// The Services by name, as many as are shown.
    pub services: Vec<Rc<ServiceCard>>,
    /// The number of Services that are not shown.
    pub more: usize,
}

/// A Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceCard {
    /// Namespace and name.
    pub key: Key,
    /// `ClusterIP`, `NodePort` …
    pub type_: String,
    /// Its address.
    pub address: String,
    /// Ports: `80 to 8080, TCP, port 31000 of every node`.
    pub ports: Vec<String>,
    /// The labels of its pods.
    pub selector: String,
    /// Its EndpointSlices.
    pub slices: Vec<SliceCard>,
    /// The number of endpoints that a request may go to.
    pub open: usize,
    /// The number of all endpoints.
    pub all: usize,
    /// A sentence about what would happen to a request now.
    pub outlook: String,
    /// The request that a person sent, and its result.
    pub request: Option<Reached>,
}

/// An EndpointSlice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceCard {
    /// Name.
    pub name: String,
    /// Its endpoints, as many as are shown.
    pub endpoints: Vec<EndpointLine>,
    /// The number of endpoints that are not shown.
    pub more: usize,
    /// Whether the request goes to one of its endpoints.
    pub on_the_way: bool,
}

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointLine {
    /// Its IP address.
    pub ip: String,
    /// The pod's namespace; empty if the target is no pod.
    pub namespace: String,
    /// The pod's name.
    pub pod: String,
    /// Its node.
    pub node: String,
    /// The health of the pod.
    pub health: Health,
    /// The slice's three conditions as text.
    pub conditions: String,
    /// Whether the request goes there.
    pub reached: bool,
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The number of the request, from 1.
    pub number: usize,
    /// Whether a pod answered.
    pub answered: bool,
    /// A sentence about it.
    pub words: String,
}

const SERVICES_SHOWN: usize = 40;
const ENDPOINTS_SHOWN: usize = 12;
/// The label with the name of a slice's Service.
const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// Returns all Services at the moment looked at.
pub fn services(run: &Run, selection: &ServicesSelection) -> ServicesView {
    let cluster = run.cluster();
    let store = &cluster.api.store;
    let mut slices: OrdMap<(ArcStr, ArcStr), Vec<&Arc<Object>>> = OrdMap::new();
    for slice in store.all(Kind::ENDPOINT_SLICE) {
        if let Some(of) = slice.meta.labels.get(SERVICE_NAME) {
            slices.entry((slice.meta.namespace.clone(), of.clone())).or_default().push(slice);
        }
    }
    let mut all: Vec<&Arc<Object>> = store.range(Kind::SERVICE, "", None).collect();
    // The API server's own Service, which always exists, comes last.
    all.sort_by_key(|o| o.meta.name == "kubernetes");
    let more = all.len().saturating_sub(SERVICES_SHOWN);
    let card = |object: &Arc<Object>| {
        let key = object.key();
        let mut own = slices.get(&(key.namespace.clone(), key.name.clone())).cloned().unwrap_or_default();
        own.sort_by_key(|slice| slice.meta.uid);
        let asked = selection.asked.as_ref().filter(|(asked, _)| *asked == key).map(|(_, n)| *n);
        Some(Rc::new(service_card(key, object.service()?, &own, asked, cluster)))
    };
    ServicesView { services: all.into_iter().take(SERVICES_SHOWN).filter_map(card).collect(), more }
}

fn service_card(key: Key, service: &Service, slices: &[&Arc<Object>], asked: Option<usize>, cluster: &Cluster) -> ServiceCard {
    let endpoints = || slices.iter().filter_map(|o| o.endpoint_slice()).flat_map(|slice| &slice.endpoints);
    let route = Route::of(endpoints());
    let target = asked.and_then(|n| route.open.get((n - 1) % route.open.len().max(1)).copied());
    let request = asked.map(|number| reached(number, &key, service, target, cluster));
    let slice_card = |object: &&Arc<Object>| {
        let slice = object.endpoint_slice()?;
        let is_target = |e: &Endpoint| target.is_some_and(|t| std::ptr::eq(t, e));
        let place = slice.endpoints.iter().position(is_target);
        // Show a part of the list that contains the endpoint of the request.
        let from = place.map_or(0, |at| at.saturating_sub(ENDPOINTS_SHOWN - 1));
        let shown = slice.endpoints.iter().skip(from).take(ENDPOINTS_SHOWN);
        let lines: Vec<EndpointLine> = shown.map(|e| endpoint_line(e, is_target(e), cluster)).collect();
        let more = slice.endpoints.len() - lines.len();
        Some(SliceCard { name: object.meta.name.to_string(), endpoints: lines, more, on_the_way: place.is_some() })
    };
    ServiceCard {
        type_: service.spec.type_.to_string(),
        address: address(service),
        ports: service.spec.raw().list("ports").iter().filter_map(Value::as_map).map(port).collect(),
        selector: selector(service),
        slices: slices.iter().filter_map(slice_card).collect(),
        open: route.open.len(),
        all: endpoints().count(),
        outlook: outlook(service, &route),
        request,
        key,
    }
}

/// The endpoints among which kube-proxy picks.
struct Route<'a> {
    open: Vec<&'a Endpoint>,
    /// Whether they are only endpoints that are terminating but still serve.
    last_resort: bool,
}

impl<'a> Route<'a> {
    /// Picks the ready endpoints; if there are none, those that are terminating but still serve.
    fn of(endpoints: impl Iterator<Item = &'a Endpoint> + Clone) -> Route<'a> {
        let ready: Vec<&Endpoint> = endpoints.clone().filter(|e| e.ready).collect();
        if !ready.is_empty() {
            return Route { open: ready, last_resort: false };
        }
        Route { open: endpoints.filter(|e| e.serving && e.terminating).collect(), last_resort: true }
    }
}

fn outlook(service: &Service, route: &Route) -> String {
    match (service.spec.type_.as_str(), route.open.len(), route.last_resort) {
        ("ExternalName", ..) => "It is only a name for another host: nothing of the cluster is in between.".to_owned(),
        (_, 0, _) => "A request would be refused: no endpoint is ready.".to_owned(),
        (_, n, true) => format!("No endpoint is ready: a request would go to one of {n} that still serve while they end."),
        (_, 1, _) => "A request would go to the one ready endpoint.".to_owned(),
        (_, n, _) => format!("A request would go to one of {n} ready endpoints."),
    }
}

fn reached(number: usize, key: &Key, service: &Service, target: Option<&Endpoint>, cluster: &Cluster) -> Reached {
    if service.spec.type_ == "ExternalName" {
        let words = format!("DNS names {}: the request leaves the cluster.", service.spec.raw().str("externalName"));
        return Reached { number, answered: true, words };
    }
    let Some(endpoint) = target else {
        let words = format!("Refused: kube-proxy knows no endpoint of {} that it could pass the request to.", key.name);
        return Reached { number, answered: false, words };
    };
    let (who, ip) = (endpoint.target.as_ref().map_or("", |t| t.1.as_str()), ip_text(endpoint.ip));
    let trouble = trouble(endpoint, cluster);
    let words = match trouble {
        None if who.is_empty() => format!("{ip} answers."),
        None => format!("{who} answers, at {ip} on {}.", endpoint.node),
        Some(trouble) => format!("It goes to {who} at {ip}, and {trouble}."),
    };
    Reached { number, answered: trouble.is_none(), words }
}

/// Returns the reason why no pod answers at an endpoint, whatever its slice says.
fn trouble(endpoint: &Endpoint, cluster: &Cluster) -> Option<&'static str> {
    let (_, _, uid) = endpoint.target.as_ref()?;
    let process = cluster.node_number(&endpoint.node).and_then(|n| cluster.nodes.get(n as usize))?;
    if !process.powered {
        return Some("is lost: the node has no power, which nobody has noticed yet");
    }
    if process.frozen {
        return Some("waits in vain: the node stands still");
    }
    let runs = process.kubelet.containers(*uid).iter().any(|c| c.state == RunState::Running && !c.init);
    (!runs).then_some("is refused there: no container of the pod runs")
}

fn endpoint_line(endpoint: &Endpoint, reached: bool, cluster: &Cluster) -> EndpointLine {
    let (namespace, pod) = endpoint.target.as_ref().map_or(("", ""), |t| (&t.0, &t.1));
    let object = cluster.api.store.get(Kind::POD, &Key::new(namespace, pod));
    let of_pod = object.and_then(|o| Some(health(o, o.pod()?)));
    let mut conditions = Vec::new();
    for (word, holds) in [("ready", endpoint.ready), ("serving", endpoint.serving), ("terminating", endpoint.terminating)] {
        if holds {
            conditions.push(word);
        }
    }
    EndpointLine {
        ip: ip_text(endpoint.ip),
        namespace: namespace.to_owned(),
        pod: pod.to_owned(),
        node: endpoint.node.to_string(),
        health: of_pod.unwrap_or(if endpoint.ready { Health::Good } else { Health::Bad }),
        conditions: if conditions.is_empty() { "not ready".to_owned() } else { conditions.join(", ") },
        reached,
    }
}

fn address(service: &Service) -> String {
    match (service.spec.type_.as_str(), service.spec.cluster_ip.as_str()) {
        ("ExternalName", _) => service.spec.raw().str("externalName").to_owned(),
        (_, "None") => "no address: its name stands for the pods' own".to_owned(),
        (_, ip) => ip.to_owned(),
    }
}

fn port(port: &Map) -> String {
    let number = |key: &str| port.int(key).unwrap_or(0).to_string();
    let mut text = number("port");
    match port.get("targetPort") {
        Some(Value::Int(to)) if *to != port.int("port").unwrap_or(0) => text.push_str(&format!(" to {to}")),
        Some(Value::Str(name)) => text.push_str(&format!(" to {name}")),
        _ => {}
    }
    text.push_str(&format!(", {}", port.str("protocol")));
    if port.int("nodePort").is_some_and(|n| n > 0) {
        text.push_str(&format!("; port {} of every node", number("nodePort")));
    }
    text
}

fn selector(service: &Service) -> String {
    let parts: Vec<String> = service.spec.selector.entries().iter().map(|(k, v)| format!("{k}={v}")).collect();
    if parts.is_empty() { "none: its endpoints are kept by hand".to_owned() } else { parts.join(",") }
}
