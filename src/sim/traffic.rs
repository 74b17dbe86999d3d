//! Requests over the cluster's network: from a sender, through DNS and the kube-proxy rules of a node, to a container; and their results.
//!
//! The result of a request is decided at the moment it is sent; its answer arrives later. Requests draw from a random stream of their own, so a run in
//! which somebody sends requests is otherwise the same as one without.

use super::cluster::Cluster;
use super::metrics::Served;
use super::program::{Forward, Next, Wait};
use super::step::Process;
use crate::api::json;
use crate::api::kind::Kind;
use crate::api::kind::ingress::{ADDRESS, is_served};
use crate::api::kind::pod::ip_parse;
use crate::api::meta::{Key, StrMap};
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{Response, Verb};
use crate::api::status::Status;
use crate::api::time::{Span, Time};
use crate::apiserver::{HttpRequest, body, route, unrouted};
use crate::kubelet::Contact;
use crate::network::policy::{self, End};
use crate::network::{
    Chosen, Client, Hop, NetAnswer, NetRequest, NetResult, Origin, Protocol, Resolver, Verdict, Versions, ingress, name_of,
};
use crate::persistent::{OrdMap, Vector};
use arcstr::ArcStr;
use std::sync::Arc;

/// The address of the first node, 10.0.0.11.
const FIRST_NODE: u32 = 0x0a00_000b;
/// The first address of the pod network, 10.244.0.0.
const FIRST_POD: u32 = 0x0af4_0000;
/// The address of the API server, 10.0.0.1.
const API_SERVER: u32 = 0x0a00_0001;
/// The address of the person's machine, outside the cluster, 192.168.0.2.
const OUTSIDE: u32 = 0xc0a8_0002;
/// The label that the DNS pods have in real clusters: its key and value.
const DNS_LABELS: (&str, &str) = ("k8s-app", "kube-dns");
/// The time that a sender waits for an answer if its request names no timeout.
const PATIENCE: Span = Span::secs(10);
/// The number of seconds whose results are kept.
const SECONDS_KEPT: usize = 20_000;
/// The number of hosts whose last request is kept.
const HOSTS_KEPT: usize = 1_000;
/// The number of requests that are kept with their hops.
const REQUESTS_KEPT: usize = 32;

/// The results of the requests that were sent in one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// The beginning of the second.
    pub at: Time,
    /// The number of requests that were answered.
    pub answered: u32,
    /// The number of connections that were refused.
    pub refused: u32,
    /// The number of requests that were not answered in time.
    pub timed_out: u32,
    /// The number of requests that failed otherwise: no such name, or an error of the server.
    pub failed: u32,
}

impl Second {
    /// Returns the number of all requests of the second.
    pub fn all(&self) -> u32 {
        self.answered + self.refused + self.timed_out + self.failed
    }
}

/// A request that was sent, and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The time at which the request was sent.
    pub at: Time,
    /// The request as it was sent.
    pub request: Arc<NetRequest>,
    /// The result of the request, and the hops on the way to it.
    pub answer: Arc<NetAnswer>,
}

/// The kube-proxy rules of the nodes, and the requests so far.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// The kube-proxy rules of the nodes, in their recent versions.
    pub rules: Versions,
    /// The results of requests, counted per second, oldest first.
    pub seconds: Vector<Second>,
    /// The latest requests, oldest first, at most `REQUESTS_KEPT`.
    pub last: Vector<Arc<Sent>>,
    /// The last request to each host, and how many requests went to that host up to then.
    pub last_to: OrdMap<ArcStr, (u64, Arc<Sent>)>,
    /// The endpoints that clients of Services with session affinity were given, by Service, port and client address, each with the time of the client's
    /// last request.
    affinity: OrdMap<(Key, u16, u32), (u32, Time)>,
    /// The requests that pods have answered lately.
    pub(super) served: OrdMap<Key, Served>,
    rng: Rng,
}

impl Traffic {
    /// Creates the state of a cluster in which no requests have been sent.
    pub(super) fn new(seed: u64) -> Traffic {
        let (rules, seconds, last, last_to, affinity, served) = Default::default();
        Traffic { rules, seconds, last, last_to, affinity, served, rng: Rng::new(seed, 11) }
    }
    fn count(&mut self, at: Time, answer: &NetAnswer) {
        let second = at.whole_second();
        if self.seconds.last().is_none_or(|s| s.at != second) {
            self.seconds.push_back(Second { at: second, ..Second::default() });
        }
        if self.seconds.len() > SECONDS_KEPT {
            self.seconds.pop_front();
        }
        let newest = self.seconds.len() - 1;
        let Some(counted) = self.seconds.get_mut(newest) else { return };
        *(match answer.result {
            _ if answer.is_success() => &mut counted.answered,
            NetResult::Refused => &mut counted.refused,
            NetResult::TimedOut => &mut counted.timed_out,
            _ => &mut counted.failed,
        }) += 1;
    }
}

/// A sender of requests, with its place in the network.
struct Sender {
    ip: u32,
    namespace: ArcStr,
    /// The number and name of the sender's node; `None` outside the cluster.
    node: Option<(u32, ArcStr)>,
    origin: Origin,
}

/// A request on its way, with the hops so far.
struct Journey<'a> {
    request: &'a NetRequest,
    sender: Sender,
    hops: Vec<Hop>,
}

impl Cluster {
    /// Returns the kube-proxy rules of the nodes and the requests so far.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }
    /// Sends a request over the network, and records it with its result.
    pub(super) fn send_over_network(&mut self, request: &Arc<NetRequest>) -> Arc<NetAnswer> {
        let answer = Arc::new(self.travel(request));
        let now = self.now;
        let traffic = &mut self.traffic;
        if request.protocol != Protocol::Dns {
            traffic.count(now, &answer);
        }
        let sent = Arc::new(Sent { at: now, request: request.clone(), answer: answer.clone() });
        let number = traffic.last_to.get(&request.host).map_or(1, |(number, _)| number + 1);
        traffic.last_to.insert(request.host.clone(), (number, sent.clone()));
        while traffic.last_to.len() > HOSTS_KEPT {
            traffic.last_to.pop_first();
        }
        traffic.last.push_back(sent);
        if traffic.last.len() > REQUESTS_KEPT {
            traffic.last.pop_front();
        }
        answer
    }
    /// Updates which nodes receive changes of Services and endpoints, after a fault.
    pub(super) fn update_hearing(&mut self) {
        for n in 0..self.nodes.len() as u32 {
            let link = self.link(Process::Kubelet(n));
            let hears = self.is_up(n) && !link.down;
            self.traffic.rules.set_hearing(n, hears, link.extra, self.now);
        }
    }
    /// Returns whether a node's machine is running: it has power and is not frozen.
    fn is_up(&self, n: u32) -> bool {
        self.nodes.get(n as usize).is_some_and(|node| node.powered && !node.frozen)
    }
    fn travel(&mut self, request: &NetRequest) -> NetAnswer {
        let timeout = if request.timeout.0 > 0 { request.timeout } else { PATIENCE };
        let Some(sender) = self.sender(&request.from) else {
            return NetAnswer { result: NetResult::TimedOut, hops: Vec::new(), took: timeout };
        };
        let mut journey = Journey { request, sender, hops: Vec::new() };
        let result = self.result_of(&mut journey);
        let travelled = Span::micros(400 + self.traffic.rng.below(1_600) as i64);
        let took = if result == NetResult::TimedOut { timeout } else { travelled };
        NetAnswer { result, hops: journey.hops, took }
    }
    /// Returns the NetworkPolicy that keeps a sender from a receiver; `None` if the connection is allowed.
    fn blocked(&self, sender: &Sender, to: &End, port: u16, protocol: &str) -> Option<Key> {
        if sender.ip == to.ip || self.api.store.count(Kind::NETWORK_POLICY) == 0 {
            return None;
        }
        let from = self.end_at(sender.ip, Some(&sender.origin)).unwrap_or(End { ip: sender.ip, ..End::default() });
        let list = |namespace: &str| self.api.store.range(Kind::NETWORK_POLICY, namespace, None).cloned().collect();
        policy::blocking(&list, &from, to, port, protocol)
    }
    /// Returns a pod as one end of a connection, found by the sender's name (`origin`) or else by its address. `None` if there is no such pod.
    fn end_at(&self, ip: u32, origin: Option<&Origin>) -> Option<End> {
        let object = match origin {
            Some(Origin::Pod { namespace, name, .. }) => self.stored_pod(namespace, name)?,
            Some(_) => return None,
            None => {
                let has_address = |o: &&Arc<Object>| o.pod().is_some_and(|p| p.status.pod_ip == ip && !p.status.phase.is_terminal());
                self.api.store.all(Kind::POD).find(has_address).cloned()?
            }
        };
        Some(End::at_pod(&object, object.pod()?, self.labels_of(&object.meta.namespace)))
    }
    fn labels_of(&self, namespace: &str) -> StrMap {
        let found = self.api.store.get(Kind::NAMESPACE, &Key::new("", namespace.to_owned()));
        found.map(|o| o.meta.labels.clone()).unwrap_or_default()
    }
    /// Sends a request from outside through the ingress controller.
    fn through_ingress(&mut self, journey: &mut Journey) -> NetResult {
        let request = journey.request;
        let host = if ip_parse(&request.host) == 0 { request.host.as_str() } else { "" };
        let all: Vec<Arc<Object>> = self.served_ingresses();
        let route = ingress::route(&all.iter().collect::<Vec<_>>(), host, &request.path);
        let asked = ArcStr::from(format!("{}{}", request.host, request.path));
        journey.hops.push(Hop::Ingress { asked, route: route.as_ref().map(|r| (r.ingress.clone(), r.service.clone())) });
        let Some(route) = route else { return NetResult::Http { status: 404, body: "default backend - 404".to_owned() } };
        let Some(n) = (0..self.nodes.len() as u32).find(|n| self.is_up(*n)) else { return NetResult::TimedOut };
        let ports = self.rules_on(n).service(&route.service).map(|s| s.spec.ports.clone()).unwrap_or_default();
        let port = ports.iter().find(|p| match &route.port {
            ingress::Port::Number(number) => p.port == i32::from(*number),
            ingress::Port::Name(name) => p.name == *name,
        });
        let unavailable = NetResult::Http { status: 503, body: "503 Service Temporarily Unavailable".to_owned() };
        let Some(port) = port.map(|p| p.port as u16) else { return unavailable };
        journey.sender = Sender {
            ip: FIRST_NODE + n,
            namespace: route.service.namespace.clone(),
            node: Some((n, self.node_name(n))),
            origin: Origin::Inside,
        };
        let client = Client { node: self.node_name(n), external: false };
        match self.reach_service(journey, &route.service, port, n, &client) {
            NetResult::Refused => unavailable,
            NetResult::TimedOut => NetResult::Http { status: 504, body: "504 Gateway Time-out".to_owned() },
            result => result,
        }
    }
    fn served_ingresses(&self) -> Vec<Arc<Object>> {
        let is_ours = |o: &&Arc<Object>| is_served(o, self.api.store.range(Kind::INGRESS_CLASS, "", None));
        self.api.store.range(Kind::INGRESS, "", None).filter(is_ours).cloned().collect()
    }
    fn sender(&self, origin: &Origin) -> Option<Sender> {
        let on_node = |n: u32| Some((n, self.nodes.get(n as usize)?.name.clone()));
        match origin {
            Origin::Outside => Some(Sender { ip: OUTSIDE, namespace: "default".into(), node: None, origin: Origin::Outside }),
            Origin::Inside => {
                let n = (0..self.nodes.len() as u32).find(|n| self.is_up(*n))?;
                Some(Sender { ip: FIRST_NODE + n, namespace: "default".into(), node: on_node(n), origin: Origin::Inside })
            }
            Origin::Pod { namespace, node, ip, .. } => {
                let n = self.node_number(node).filter(|n| self.is_up(*n))?;
                Some(Sender { ip: *ip, namespace: namespace.clone(), node: on_node(n), origin: origin.clone() })
            }
        }
    }
    fn result_of(&mut self, journey: &mut Journey) -> NetResult {
        let request = journey.request;
        let mut ip = ip_parse(&request.host);
        if ip == 0 {
            let addresses = self.addresses(journey);
            if request.protocol == Protocol::Dns {
                return if addresses.is_empty() { NetResult::NoSuchHost } else { NetResult::Addresses(addresses) };
            }
            if addresses.is_empty() {
                return NetResult::NoSuchHost;
            }
            ip = addresses[self.traffic.rng.below(addresses.len() as u64) as usize];
        } else if request.protocol == Protocol::Dns {
            return NetResult::Addresses(vec![ip]);
        }
        self.reach_address(journey, ip, request.port)
    }
    /// Returns the addresses of the request's host. A machine outside the cluster does not ask the cluster's DNS.
    fn addresses(&mut self, journey: &mut Journey) -> Vec<u32> {
        let host = journey.request.host.as_str();
        if host == "localhost" {
            return vec![journey.sender.ip];
        }
        if journey.sender.node.is_none() {
            // Host names of Ingresses are known outside the cluster, as if somebody kept them in a public DNS zone.
            let known = self.served_ingresses().iter().any(|ingress| ingress::names_host(ingress, host));
            let addresses = if known { vec![ip_parse(ADDRESS)] } else { Vec::new() };
            journey.hops.push(Hop::Resolved { tried: vec![host.to_owned()], addresses: addresses.clone(), names: Vec::new() });
            return addresses;
        }
        let dns = End {
            namespace: "kube-system".into(),
            namespace_labels: self.labels_of("kube-system"),
            labels: [(DNS_LABELS.0.into(), DNS_LABELS.1.into())].into_iter().collect(),
            ..End::default()
        };
        if let Some(policy) = self.blocked(&journey.sender, &dns, 53, "UDP") {
            journey.hops.push(Hop::Blocked { policy });
            return Vec::new();
        }
        let resolver = Resolver::in_namespace(&journey.sender.namespace);
        let rules = self.traffic.rules.newest();
        let found = resolver.resolve(host, rules);
        let named = if journey.request.protocol == Protocol::Dns { found.addresses.as_slice() } else { &[] };
        let names = named.iter().map(|ip| name_of(*ip, rules)).collect();
        journey.hops.push(Hop::Resolved { tried: found.tried, addresses: found.addresses.clone(), names });
        found.addresses
    }
    /// Returns the pod to which a port of the person's machine is forwarded, if any.
    fn forwarded(&self, local: u16) -> Option<Forward> {
        let open = self.consoles.values().filter_map(|console| match &console.progress.next {
            Next::Wait(Wait::Forward(ports)) => ports.iter().find(|f| f.local == local).cloned(),
            _ => None,
        });
        open.last()
    }
    fn reach_address(&mut self, journey: &mut Journey, ip: u32, port: u16) -> NetResult {
        let ip = if ip >> 24 == 127 { journey.sender.ip } else { ip };
        if ip == ip_parse(ADDRESS) && journey.sender.node.is_none() {
            return if matches!(port, 80 | 443) { self.through_ingress(journey) } else { NetResult::Refused };
        }
        if ip == OUTSIDE {
            let Some(forward) = self.forwarded(port) else { return NetResult::Refused };
            if forward.pod.is_empty() {
                journey.hops.push(Hop::Address { ip, port, pod: None, node: "the control plane".into() });
                return self.ask_by_proxy(&journey.request.path);
            }
            let Some(pod) = self.stored_pod(&forward.namespace, &forward.pod) else { return NetResult::Refused };
            let (ip, key) = (pod.pod().map_or(0, |p| p.status.pod_ip), pod.key());
            // A forwarded port ends inside the pod, where no NetworkPolicy holds.
            journey.sender.ip = ip;
            return self.reach_machine(journey, ip, forward.remote, None, Some(key));
        }
        let node_number = ip.checked_sub(FIRST_NODE).filter(|n| (*n as usize) < self.nodes.len());
        if let Some((n, name)) = journey.sender.node.clone() {
            let service = self.rules_on(n).at_address(ip).cloned();
            if let Some(service) = service {
                let client = Client { node: name, external: false };
                return self.reach_service(journey, &service, port, n, &client);
            }
        } else if node_number.is_none() {
            // Addresses of pods and Services are not routed outside the cluster.
            journey.hops.push(Hop::Address { ip, port, pod: None, node: ArcStr::default() });
            return NetResult::TimedOut;
        }
        if let Some(n) = node_number.filter(|n| self.is_up(*n)) {
            let service = self.rules_on(n).at_node_port(port).map(|(key, port)| (key.clone(), port));
            if let Some((service, port)) = service {
                let client = Client { node: self.node_name(n), external: journey.sender.node.is_none() };
                return self.reach_service(journey, &service, port, n, &client);
            }
        }
        self.reach_machine(journey, ip, port, node_number, None)
    }
    fn rules_on(&self, n: u32) -> &crate::network::Rules {
        self.traffic.rules.on_node(n, self.link(Process::Kubelet(n)).extra, self.now)
    }
    fn reach_service(&mut self, journey: &mut Journey, service: &Key, port: u16, n: u32, client: &Client) -> NetResult {
        let verdict = self.rules_on(n).decide(service, port, client);
        let affinity = self.rules_on(n).affinity(service);
        let mut hop = |endpoints| journey.hops.push(Hop::Service { service: service.clone(), port, node: client.node.clone(), endpoints });
        let endpoints = match verdict {
            Some(Verdict::Endpoints(endpoints)) => endpoints,
            Some(Verdict::Reject) => {
                hop(0);
                return NetResult::Refused;
            }
            // Packets to a port that the Service does not have get lost.
            Some(Verdict::Drop) | None => {
                hop(0);
                return NetResult::TimedOut;
            }
        };
        hop(endpoints.len());
        let chosen = self.choose(&endpoints, service, port, journey.sender.ip, affinity);
        let number = chosen.ip.checked_sub(FIRST_NODE).filter(|n| (*n as usize) < self.nodes.len());
        self.reach_machine(journey, chosen.ip, chosen.port, number, chosen.pod)
    }
    /// Chooses an endpoint of a Service: at random, or with session affinity the one that the client reached last.
    fn choose(&mut self, endpoints: &[Chosen], service: &Key, port: u16, client: u32, affinity: Option<Span>) -> Chosen {
        let now = self.now;
        let at_random = self.traffic.rng.below(endpoints.len() as u64) as usize;
        let Some(timeout) = affinity else { return endpoints[at_random].clone() };
        let key = (service.clone(), port, client);
        let kept = self.traffic.affinity.get(&key).filter(|(_, at)| now - *at <= timeout).map(|(ip, _)| *ip);
        let chosen = kept.and_then(|ip| endpoints.iter().find(|e| e.ip == ip)).unwrap_or(&endpoints[at_random]).clone();
        self.traffic.affinity.insert(key, (chosen.ip, now));
        chosen
    }
    /// Delivers the request to the machine that has the address. `expected` is the pod that the kube-proxy rules expect there.
    fn reach_machine(&mut self, journey: &mut Journey, ip: u32, port: u16, node: Option<u32>, expected: Option<Key>) -> NetResult {
        let request = journey.request;
        if ip == API_SERVER {
            journey.hops.push(Hop::Address { ip, port, pod: None, node: "the control plane".into() });
            return if port == 6443 { api_server_says(request) } else { NetResult::Refused };
        }
        let of_pods = ip.checked_sub(FIRST_POD).map(|offset| offset >> 8).filter(|n| (*n as usize) < self.nodes.len());
        let number = node.or(of_pods);
        let name = number.map(|n| self.node_name(n)).unwrap_or_default();
        let Some(n) = number.filter(|n| self.is_up(*n)) else {
            journey.hops.push(Hop::Address { ip, port, pod: expected, node: name });
            return NetResult::TimedOut;
        };
        let from_its_node =
            !matches!(journey.sender.origin, Origin::Pod { .. }) && journey.sender.node.as_ref().is_some_and(|(m, _)| *m == n);
        if node.is_none()
            && !from_its_node
            && self.api.store.count(Kind::NETWORK_POLICY) > 0
            && let Some(policy) = self.end_at(ip, None).and_then(|to| self.blocked(&journey.sender, &to, port, "TCP"))
        {
            journey.hops.push(Hop::Blocked { policy });
            return NetResult::TimedOut;
        }
        let now = self.now;
        let process = self.nodes.get_mut(n as usize).map(Arc::make_mut);
        let contact = process.map_or(Contact::Nobody, |process| process.kubelet.connect(ip, port, &request.path, now));
        let (pod, result) = match contact {
            Contact::Nobody if node.is_some() => (None, NetResult::Refused),
            Contact::Nobody => (expected, NetResult::TimedOut),
            Contact::Closed(pod) => (Some(pod), NetResult::Refused),
            Contact::Open(pod, ..) if request.protocol == Protocol::Tcp => (Some(pod), NetResult::Connected),
            Contact::Open(pod, status, body) => {
                self.count_served(&pod);
                (Some(pod), NetResult::Http { status, body })
            }
        };
        journey.hops.push(Hop::Address { ip, port, pod, node: name });
        result
    }
}

impl Cluster {
    /// Answers a request that `kubectl proxy` passes on to the API server, in the name of its user.
    fn ask_by_proxy(&mut self, path: &str) -> NetResult {
        if let Some(body) = unrouted(&self.api.kinds, path) {
            return NetResult::Http { status: 200, body };
        }
        let http = HttpRequest { method: "GET".to_owned(), path: path.to_owned(), ..HttpRequest::default() };
        let request = route(&self.api.kinds, &http);
        let response = match request.as_ref().map_err(Clone::clone) {
            Err(status) => Response::refused(status),
            Ok(request) if !matches!(request.verb, Verb::Get | Verb::List) => {
                Response::refused(Status::bad_request("this playground passes on no watches by kubectl proxy"))
            }
            Ok(request) if Cluster::is_node_request(request) => self.handle_log(request),
            Ok(request) => match self.read_with_components(Process::Person(0), request) {
                Some(response) => response,
                None => {
                    self.measure_for(request);
                    self.api.handle(request, self.now).response
                }
            },
        };
        let text = match (&response.result, &request) {
            (Ok(answer), Ok(request)) => body(request, answer).map_or_else(|text| text, |tree| json::pretty(&tree, 2)),
            (Err(status), _) => json::pretty(&status.to_map().into(), 2),
            _ => String::new(),
        };
        NetResult::Http { status: response.code(), body: text }
    }
}

fn api_server_says(request: &NetRequest) -> NetResult {
    if request.protocol == Protocol::Tcp {
        return NetResult::Connected;
    }
    let why = format!("forbidden: User \\\"system:anonymous\\\" cannot get path \\\"{}\\\"", request.path);
    let body = format!(
        "{{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {{}},\n  \"status\": \"Failure\",\n  \"message\": \"{why}\",\n  \"reason\": \"Forbidden\",\n  \"details\": {{}},\n  \"code\": 403\n}}"
    );
    NetResult::Http { status: 403, body }
}
