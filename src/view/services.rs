//! Services, their endpoints, and the endpoint that a request to them would reach now.
//!
//! The field `outlook` is made from what kube-proxy will know: the EndpointSlices in the store. The last request and its hops are those that the cluster
//! itself sent (`sim/traffic`).

use super::charts::tenths;
use super::cluster::{Health, health};
use super::run::{NAMESPACE, Run};
use crate::api::kind::Kind;
use crate::api::kind::endpointslice::Endpoint;
use crate::api::kind::pod::ip_text;
use crate::api::kind::service::Service;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::Span;
use crate::api::value::{Map, Value};
use crate::network::NetResult;
use crate::persistent::OrdMap;
use crate::shell::{Env, Line};
use crate::sim::{Cluster, Command, Sent};
use arcstr::ArcStr;
use std::rc::Rc;
use std::sync::Arc;

/// The view of all Services with their endpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServicesView {
    /// The Services that are shown, by namespace and name; those called `kubernetes` come last.
    pub services: Vec<Rc<ServiceCard>>,
    /// The number of Services that are not shown.
    pub more: usize,
}

/// A Service, as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceCard {
    /// The namespace and name of the Service.
    pub key: Key,
    /// The type of the Service: `ClusterIP`, `NodePort` …
    pub type_: String,
    /// The cluster IP or the external name of the Service, or a text that says that the Service has no address.
    pub address: String,
    /// The ports of the Service: `80 to 8080, TCP; port 31000 of every node`.
    pub ports: Vec<String>,
    /// The labels by which the Service selects its pods.
    pub selector: String,
    /// The EndpointSlices of the Service.
    pub slices: Vec<SliceCard>,
    /// The number of endpoints that a request may go to now.
    pub open: usize,
    /// The number of all endpoints of the Service.
    pub all: usize,
    /// A sentence about what would happen to a request to the Service now.
    pub outlook: String,
    /// The last request to the Service, and its result.
    pub request: Option<Reached>,
    /// Set if a program sends a steady load to the Service.
    pub load: bool,
    /// The share of requests that were answered lately, as text; empty without requests.
    pub rate: String,
    /// Set if requests can be sent to the Service, because it has a port.
    pub can_ask: bool,
}

/// An EndpointSlice of a Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceCard {
    /// The name of the EndpointSlice.
    pub name: String,
    /// The endpoints of the slice, as many as are shown.
    pub endpoints: Vec<EndpointLine>,
    /// The number of endpoints of the slice that are not shown.
    pub more: usize,
    /// Set if the last request to the Service went to an endpoint of the slice.
    pub on_the_way: bool,
}

/// An endpoint of an EndpointSlice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointLine {
    /// The IP address of the endpoint.
    pub ip: String,
    /// The namespace of the endpoint's pod; empty if the target is no pod.
    pub namespace: String,
    /// The name of the endpoint's pod; empty if the target is no pod.
    pub pod: String,
    /// The node of the endpoint.
    pub node: String,
    /// The health of the endpoint's pod.
    pub health: Health,
    /// The conditions of the endpoint that hold (ready, serving, terminating), as text.
    pub conditions: String,
    /// Set if the last request to the Service went to this endpoint.
    pub reached: bool,
}

/// A request to a Service, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The number of the request in the run, from 1.
    pub number: u64,
    /// Set if the request was answered successfully.
    pub answered: bool,
    /// A sentence about the result of the request.
    pub words: String,
    /// The hops of the request, a sentence each.
    pub way: Vec<String>,
}

const SERVICES_SHOWN: usize = 40;
/// The number of newest programs that are searched for one that sends a load.
const PROGRAMS_SEEN: u64 = 256;
/// The requests per second of a steady load.
const LOAD_RATE: u32 = 50;
/// The number of seconds over which the share of answered requests is measured.
const RATE_SECONDS: i64 = 10;
/// The virtual time in which an answer to a request usually arrives.
const ANSWER: Span = Span::millis(4);
/// The maximum number of simulator steps that are done to wait for an answer.
const MOST_STEPS: u64 = 2_000;
/// The greatest number of endpoints of a slice that are shown.
const ENDPOINTS_SHOWN: usize = 12;
/// The label with the name of a slice's Service.
const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// Returns all Services at the selected moment.
pub fn services(run: &Run) -> ServicesView {
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
    all.order_by_key(|o| o.meta.name == "kubernetes");
    let more = all.len().saturating_sub(SERVICES_SHOWN);
    let card = |object: &Arc<Object>| {
        let key = object.key();
        let mut own = slices.get(&(key.namespace.clone(), key.name.clone())).cloned().unwrap_or_default();
        own.order_by_key(|slice| slice.meta.uid);
        Some(Rc::new(service_card(key, object.service()?, &own, cluster)))
    };
    ServicesView { services: all.into_iter().take(SERVICES_SHOWN).filter_map(card).collect(), more }
}

fn service_card(key: Key, service: &Service, slices: &[&Arc<Object>], cluster: &Cluster) -> ServiceCard {
    let endpoints = || slices.iter().filter_map(|o| o.endpoint_slice()).flat_map(|slice| &slice.endpoints);
    let route = Route::of(endpoints());
    let sent = cluster.traffic().last_to.get(host(&key).as_str());
    let target = sent.and_then(|(_, sent)| sent.answer.address()).map(|(ip, _)| ip);
    let request = sent.map(|(number, sent)| reached(*number, sent, cluster));
    let slice_card = |object: &&Arc<Object>| {
        let slice = object.endpoint_slice()?;
        let is_target = |e: &Endpoint| target == Some(e.ip);
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
        load: address_of(&key, service).is_some_and(|address| running_load(cluster, &address).is_some()),
        rate: if sent.is_some() { success_rate(cluster) } else { String::new() },
        can_ask: !service.spec.ports.is_empty(),
        key,
    }
}

/// Returns the host name by which a client in any namespace finds a Service.
fn host(key: &Key) -> String {
    format!("{}.{}", key.name, key.namespace)
}

/// Returns the URL of a Service's first port; `None` if it has no port.
fn address_of(key: &Key, service: &Service) -> Option<String> {
    let port = service.spec.ports.first()?.port;
    Some(format!("http://{}:{port}/", host(key)))
}

/// Returns the number of the program that sends a load to a URL, if one runs.
fn running_load(cluster: &Cluster, address: &str) -> Option<u64> {
    let line = load_line(address);
    let newest = cluster.last_console();
    let runs = |id: &u64| cluster.console(*id).is_some_and(|c| c.exit().is_none() && c.program.title() == line);
    (newest.saturating_sub(PROGRAMS_SEEN)..=newest).rev().find(runs)
}

fn load_line(address: &str) -> String {
    format!("load {address} --rate={LOAD_RATE}")
}

/// Returns the share of requests that were answered in the last seconds, in words; empty if there was at most one.
pub fn success_rate(cluster: &Cluster) -> String {
    let from = cluster.now + Span::secs(-RATE_SECONDS);
    let recent = cluster.traffic().seconds.iter().filter(|s| s.at > from);
    let (answered, all) = recent.fold((0u64, 0u64), |(a, all), s| (a + u64::from(s.answered), all + u64::from(s.all())));
    match all {
        0 => String::new(),
        1 => String::new(),
        _ => format!("{} % of {all} requests answered in the last {RATE_SECONDS} s", tenths((answered * 1000 / all) as i64)),
    }
}

impl Run {
    /// Sends a request to a Service from a client in the cluster, and lets enough time pass for an answer.
    pub fn send_request(&mut self, key: &Key) {
        let Some(address) = self.address_of(key) else { return };
        self.enter_beside(&format!("request {address}"));
        let until = self.now() + ANSWER;
        self.advance(until, MOST_STEPS);
    }
    /// Begins to send a steady load to a Service, or ends it.
    pub fn toggle_load(&mut self, key: &Key) {
        let Some(address) = self.address_of(key) else { return };
        match running_load(self.cluster(), &address) {
            Some(id) => self.give(Command::Interrupt(id)),
            None => self.enter_beside(&load_line(&address)),
        }
    }
    fn address_of(&self, key: &Key) -> Option<String> {
        let object = self.cluster().api.store.get(Kind::SERVICE, key)?;
        address_of(key, object.service()?)
    }
    /// Runs a line of the shell without showing it in the terminal.
    fn enter_beside(&mut self, text: &str) {
        let env = Env { namespace: NAMESPACE.into(), width: 80, ..Env::default() };
        self.give(Command::Run(Arc::new(Line { text: text.to_owned(), env })));
    }
}

/// The endpoints among which kube-proxy picks one for a request.
struct Route<'a> {
    open: Vec<&'a Endpoint>,
    /// Set if no endpoint is ready. The endpoints in `open` are then those that are terminating but still serve.
    last_resort: bool,
}

impl<'a> Route<'a> {
    /// Picks the ready endpoints of a Service; if there are none, those that are terminating but still serve.
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

fn reached(number: u64, sent: &Sent, cluster: &Cluster) -> Reached {
    let answer = &sent.answer;
    let at = answer.address().map(|(ip, port)| format!("{}:{port}", ip_text(ip)));
    let place = match (answer.pod(), at) {
        (Some(pod), Some(at)) => format!("{} at {at}", pod.name),
        (None, Some(at)) => at,
        _ => String::new(),
    };
    let words = match &answer.result {
        _ if cluster.now < sent.at + answer.took => {
            format!("on its way{}", if place.is_empty() { String::new() } else { format!(" to {place}") })
        }
        NetResult::Http { status: 200, .. } => match answer.pod() {
            Some(pod) => format!("{} answers, {}", pod.name, place.trim_start_matches(pod.name.as_str()).trim_start()),
            None => format!("{place} answers"),
        },
        NetResult::Http { status, .. } => format!("{place} answers with status {status}"),
        NetResult::Refused if place.is_empty() => "Refused: the rules of the node have no endpoint to pass it to".to_owned(),
        NetResult::Refused => format!("Refused by {place}: nothing listens there"),
        NetResult::TimedOut if place.is_empty() => "Lost: the rules of the node drop it".to_owned(),
        NetResult::TimedOut => format!("Lost: no answer from {place}"),
        NetResult::NoSuchHost => "DNS knows no such name".to_owned(),
        NetResult::Connected | NetResult::Addresses(_) => "answered".to_owned(),
    };
    Reached { number, answered: answer.is_success(), words: format!("{words}."), way: answer.words() }
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
