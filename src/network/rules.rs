//! The rules that a kube-proxy makes of Services and EndpointSlices. Counterpart: `pkg/proxy` (`serviceport.go`, `topology.go`) and the iptables proxier.
//!
//! Left out: topology hints and `trafficDistribution`, load balancer source ranges, external IPs.

use crate::api::kind::Kind;
use crate::api::kind::endpointslice::Endpoint;
use crate::api::kind::pod::ip_parse;
use crate::api::kind::service::{Service, ServicePort};
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::time::Span;
use crate::api::value::Value;
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::sync::Arc;

/// The label of an EndpointSlice that names its Service.
const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// Services, their EndpointSlices, and indexes over them. A copy is a few pointers.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    services: OrdMap<Key, Arc<Object>>,
    /// The EndpointSlices of each Service, by the slices' names.
    slices: OrdMap<Key, OrdMap<ArcStr, Arc<Object>>>,
    by_address: OrdMap<u32, Key>,
    by_node_port: OrdMap<u16, Key>,
}

/// The client that sends a request to a Service, as the kube-proxy rules of a node see it.
#[derive(Clone, Debug)]
pub struct Client {
    /// The name of the node whose rules apply.
    pub node: ArcStr,
    /// Set if the request comes from outside the cluster through a node port.
    pub external: bool,
}

/// An endpoint that the rules may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The address of the endpoint.
    pub ip: u32,
    /// The port of the endpoint.
    pub port: u16,
    /// The pod behind the endpoint, if it has one.
    pub pod: Option<Key>,
    /// The name of the endpoint's node.
    pub node: ArcStr,
}

/// The decision of the rules about a connection to a Service's port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The connection goes to one of these endpoints.
    Endpoints(Vec<Chosen>),
    /// There is no usable endpoint: the connection is refused.
    Reject,
    /// The traffic policy is `Local` and the node has no endpoint: the packets are dropped.
    Drop,
}

impl Rules {
    /// Returns whether rules are made from objects of this kind.
    pub fn hear_of(kind: Kind) -> bool {
        matches!(kind, Kind::SERVICE | Kind::ENDPOINT_SLICE)
    }
    /// Updates the rules after a change of an object; kinds other than Service and EndpointSlice are ignored.
    pub fn changed(&mut self, object: &Arc<Object>, deleted: bool) {
        match object.kind() {
            Kind::SERVICE => self.service_changed(object, deleted),
            Kind::ENDPOINT_SLICE => self.slice_changed(object, deleted),
            _ => {}
        }
    }
    fn service_changed(&mut self, object: &Arc<Object>, deleted: bool) {
        let key = object.key();
        if let Some(old) = self.services.remove(&key)
            && let Some(old) = old.service()
        {
            self.by_address.remove(&ip_parse(&old.spec.cluster_ip));
            for port in old.spec.ports.iter().filter(|p| p.node_port > 0) {
                self.by_node_port.remove(&(port.node_port as u16));
            }
        }
        let Some(service) = object.service().filter(|_| !deleted) else { return };
        let ip = ip_parse(&service.spec.cluster_ip);
        if ip != 0 {
            self.by_address.insert(ip, key.clone());
        }
        for port in service.spec.ports.iter().filter(|p| p.node_port > 0) {
            self.by_node_port.insert(port.node_port as u16, key.clone());
        }
        self.services.insert(key, object.clone());
    }
    fn slice_changed(&mut self, object: &Arc<Object>, deleted: bool) {
        let Some(name) = object.meta.labels.get(SERVICE_NAME) else { return };
        let key = Key { namespace: object.meta.namespace.clone(), name: name.clone() };
        let mut slices = self.slices.get(&key).cloned().unwrap_or_default();
        if deleted {
            slices.remove(&object.meta.name);
        } else {
            slices.insert(object.meta.name.clone(), object.clone());
        }
        if slices.is_empty() {
            self.slices.remove(&key);
        } else {
            self.slices.insert(key, slices);
        }
    }
    /// The rules of a cluster without Services.
    pub const NONE: Rules =
        Rules { services: OrdMap::new(), slices: OrdMap::new(), by_address: OrdMap::new(), by_node_port: OrdMap::new() };

    /// Returns the time for which clients of a Service stay with their endpoint; `None` without session affinity.
    pub fn affinity(&self, key: &Key) -> Option<Span> {
        let spec = self.service(key)?.spec.raw();
        let seconds = spec.at(&["sessionAffinityConfig", "clientIP", "timeoutSeconds"]).and_then(Value::as_int);
        (spec.str("sessionAffinity") == "ClientIP").then(|| Span::secs(seconds.unwrap_or(10_800)))
    }
    /// Returns all Services.
    pub fn services(&self) -> &OrdMap<Key, Arc<Object>> {
        &self.services
    }
    /// Returns the Service with a key.
    pub fn service(&self, key: &Key) -> Option<&Service> {
        self.services.get(key)?.service()
    }
    /// Returns the key of the Service with this cluster IP.
    pub fn at_address(&self, ip: u32) -> Option<&Key> {
        self.by_address.get(&ip)
    }
    /// Returns the key of the Service with this node port, and the Service's port behind it.
    pub fn at_node_port(&self, node_port: u16) -> Option<(&Key, u16)> {
        let key = self.by_node_port.get(&node_port)?;
        let port = self.service(key)?.spec.ports.iter().find(|p| p.node_port == i32::from(node_port))?;
        Some((key, port.port as u16))
    }
    /// Returns all endpoints of a Service, each with the ports of its slice.
    pub fn endpoints(&self, key: &Key) -> impl Iterator<Item = (&Endpoint, &[Value])> {
        let slices = self.slices.get(key).into_iter().flat_map(|slices| slices.values()).filter_map(|o| o.endpoint_slice());
        slices.flat_map(|slice| slice.endpoints.iter().map(|e| (e, slice.ports.as_slice())))
    }
    /// Decides to which endpoints a Service's port may send a client; `None` if there is no such Service or port. Counterpart: `CategorizeEndpoints`.
    pub fn decide(&self, key: &Key, port: u16, client: &Client) -> Option<Verdict> {
        let service = self.service(key)?;
        let port = service.spec.ports.iter().find(|p| p.port == i32::from(port))?;
        let all: Vec<(&Endpoint, Chosen)> =
            self.endpoints(key).filter_map(|(e, ports)| Some((e, chosen(e, target(ports, port)?)))).collect();
        let field = if client.external { "externalTrafficPolicy" } else { "internalTrafficPolicy" };
        let local = service.spec.raw().str(field) == "Local";
        // A terminating pod still receives requests if no other is ready.
        let usable = |scope: &dyn Fn(&Endpoint) -> bool| -> Vec<Chosen> {
            let pick = |test: &dyn Fn(&Endpoint) -> bool| -> Vec<Chosen> {
                all.iter().filter(|(e, _)| scope(e) && test(e)).map(|(_, chosen)| chosen.clone()).collect()
            };
            let ready = pick(&|e| e.ready);
            if ready.is_empty() { pick(&|e| e.serving && e.terminating) } else { ready }
        };
        let anywhere = usable(&|_| true);
        if anywhere.is_empty() {
            return Some(Verdict::Reject);
        }
        if !local {
            return Some(Verdict::Endpoints(anywhere));
        }
        let here = usable(&|e| e.node == client.node);
        Some(if here.is_empty() { Verdict::Drop } else { Verdict::Endpoints(here) })
    }
}

fn chosen(endpoint: &Endpoint, port: u16) -> Chosen {
    let pod = endpoint.target.as_ref().map(|(namespace, name, _)| Key { namespace: namespace.clone(), name: name.clone() });
    Chosen { ip: endpoint.ip, port, pod, node: endpoint.node.clone() }
}

/// Returns the target port of a Service's port in a slice: the port of the same name.
fn target(ports: &[Value], port: &ServicePort) -> Option<u16> {
    let same = |p: &&Value| p.get("name").and_then(Value::as_str).unwrap_or("") == port.name.as_str();
    ports.iter().find(same)?.get("port")?.as_int().and_then(|n| u16::try_from(n).ok())
}
