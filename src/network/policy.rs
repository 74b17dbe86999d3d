//! NetworkPolicies: decide which connections between pods are allowed. Counterpart: the enforcement of `networking.k8s.io/v1` policies by a network
//! plugin.
//!
//! A pod that no policy selects for a direction is open in that direction; a pod that a policy selects is closed, except for what some policy allows. A
//! pod always reaches itself, and its own node always reaches it. Policies hold from the moment they are stored: the delay of a real plugin is left out.

use crate::api::kind::pod::{Pod, ip_parse};
use crate::api::meta::{Key, StrMap};
use crate::api::object::Object;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use std::sync::Arc;

/// One end of a connection.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// The IPv4 address of this end.
    pub ip: u32,
    /// The pod's namespace; `""` if this end is not a pod.
    pub namespace: ArcStr,
    /// The labels of the pod's namespace.
    pub namespace_labels: StrMap,
    /// The pod's labels.
    pub labels: StrMap,
    /// The named ports of the pod's containers, with their numbers.
    pub ports: Vec<(ArcStr, u16)>,
}

impl End {
    /// Returns the end of a connection at a pod.
    pub fn at_pod(object: &Object, pod: &Pod, namespace_labels: StrMap) -> End {
        let ports = pod.spec.containers.iter().flat_map(|c| &c.ports).map(|(name, port, _)| (name.clone(), *port as u16)).collect();
        let (namespace, labels) = (object.meta.namespace.clone(), object.meta.labels.clone());
        End { ip: pod.status.pod_ip, namespace, namespace_labels, labels, ports }
    }
    fn is_pod(&self) -> bool {
        !self.namespace.is_empty()
    }
}

/// The direction of a connection, seen from the pod that a policy selects.
#[derive(Clone, Copy)]
enum Direction {
    Ingress,
    Egress,
}

/// Returns a policy that blocks a connection: one that selects the sender or the receiver, if no policy that selects the same pod allows the connection.
/// Returns `None` if the connection is allowed. `list` returns the policies of a namespace.
pub fn blocking(list: &dyn Fn(&str) -> Vec<Arc<Object>>, from: &End, to: &End, port: u16, protocol: &str) -> Option<Key> {
    let wall = |pod: &End, other: &End, direction| {
        let policies = if pod.is_pod() { list(&pod.namespace) } else { Vec::new() };
        let selecting: Vec<&Arc<Object>> = policies.iter().filter(|p| selects(p, pod, direction)).collect();
        let allowed = selecting.iter().any(|p| allows(p, other, to, port, protocol, direction));
        selecting.first().filter(|_| !allowed).map(|policy| policy.key())
    };
    wall(from, to, Direction::Egress).or_else(|| wall(to, from, Direction::Ingress))
}

fn spec(policy: &Object) -> Option<&Map> {
    policy.network_policy()?.content.map("spec")
}

fn matches(selector: Option<&Map>, labels: &StrMap) -> bool {
    selector.and_then(|s| Selector::from_label_selector(s).ok()).is_some_and(|s| s.matches(labels.entries()))
}

fn selects(policy: &Object, pod: &End, direction: Direction) -> bool {
    let name = match direction {
        Direction::Ingress => "Ingress",
        Direction::Egress => "Egress",
    };
    let Some(spec) = spec(policy) else { return false };
    let selector = spec.map("podSelector");
    let chosen = selector.is_none_or(Map::is_empty) || matches(selector, &pod.labels);
    chosen && spec.list("policyTypes").iter().any(|t| t.as_str() == Some(name))
}

fn allows(policy: &Object, other: &End, to: &End, port: u16, protocol: &str, direction: Direction) -> bool {
    let (rules, peers) = match direction {
        Direction::Ingress => ("ingress", "from"),
        Direction::Egress => ("egress", "to"),
    };
    let Some(spec) = spec(policy) else { return false };
    spec.list(rules).iter().filter_map(Value::as_map).any(|rule| {
        let (peers, ports) = (rule.list(peers), rule.list("ports"));
        let peer = peers.is_empty() || peers.iter().filter_map(Value::as_map).any(|p| is_peer(p, other, &policy.meta.namespace));
        peer && (ports.is_empty() || ports.iter().filter_map(Value::as_map).any(|p| is_port(p, to, port, protocol)))
    })
}

fn is_peer(peer: &Map, other: &End, namespace: &str) -> bool {
    if let Some(block) = peer.map("ipBlock") {
        let inside = |cidr: &str| contains(cidr, other.ip);
        return inside(block.str("cidr")) && !block.list("except").iter().filter_map(Value::as_str).any(inside);
    }
    let (pods, namespaces) = (peer.map("podSelector"), peer.map("namespaceSelector"));
    let by_namespace = match namespaces {
        None => other.namespace == namespace,
        Some(selector) => selector.is_empty() || matches(Some(selector), &other.namespace_labels),
    };
    other.is_pod() && by_namespace && pods.is_none_or(|selector| selector.is_empty() || matches(Some(selector), &other.labels))
}

fn is_port(rule: &Map, to: &End, port: u16, protocol: &str) -> bool {
    let wanted = if rule.str("protocol").is_empty() { "TCP" } else { rule.str("protocol") };
    let number = i64::from(port);
    let is_it = match rule.get("port") {
        None => true,
        Some(Value::Str(name)) => to.ports.iter().any(|(n, p)| n == name && *p == port),
        Some(first) => {
            let first = first.as_int().unwrap_or(-1);
            (first..=rule.int("endPort").unwrap_or(first)).contains(&number)
        }
    };
    wanted == protocol && is_it
}

fn contains(cidr: &str, ip: u32) -> bool {
    let (address, bits) = cidr.split_once('/').unwrap_or((cidr, "32"));
    let bits: u32 = bits.parse().unwrap_or(32).min(32);
    let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
    ip & mask == ip_parse(address) & mask
}
