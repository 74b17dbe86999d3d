//! The data plane: requests between pods, and the rules by which they travel. Counterparts: kube-proxy, CoreDNS, and the pod network.
//!
//! Nothing in this module happens by itself. [`Rules`] are what a kube-proxy makes of Services and EndpointSlices; [`Versions`] keeps recent versions of
//! them, from which the rules in force on each node are chosen; and `dns` resolves names. The simulator sends requests by these (`sim/traffic`).
//!
//! Simplifications: addresses are IPv4, a request and its answer are one message, and packets are lost only if the machine at the other end is down.

mod clients;
mod container_clients;
mod dns;
pub mod ingress;
pub mod policy;
mod rules;
mod versions;

pub use clients::{NAMES, NetProgram, Nslookup, Printed};
pub use dns::{Resolved, Resolver, SEARCH_DOMAIN, name_of, resolv_conf};
pub use rules::{Chosen, Client, Rules, Verdict};
pub use versions::Versions;

use crate::api::kind::pod::ip_text;
use crate::api::meta::Key;
use crate::api::time::Span;
use arcstr::ArcStr;

/// The sender of a network request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A machine outside the cluster, such as the person's own.
    Outside,
    /// A client that runs in the cluster but belongs to no workload, on the first node that is up.
    #[default]
    Inside,
    /// A pod of the cluster.
    Pod {
        /// The pod's namespace.
        namespace: ArcStr,
        /// The pod's name.
        name: ArcStr,
        /// The name of the pod's node.
        node: ArcStr,
        /// The pod's IPv4 address.
        ip: u32,
    },
}

/// The protocol of a network request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// An HTTP GET request.
    #[default]
    Http,
    /// A TCP connection that is opened and closed again.
    Tcp,
    /// A question to the cluster's DNS: only the name is looked up.
    Dns,
}

/// A request over the network to a name or an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetRequest {
    /// The sender of the request.
    pub from: Origin,
    /// The destination: a name or an IPv4 address.
    pub host: ArcStr,
    /// The destination port.
    pub port: u16,
    /// The path of an HTTP request.
    pub path: ArcStr,
    /// The protocol of the request.
    pub protocol: Protocol,
    /// The time after which the sender gives up; 0 for the default.
    pub timeout: Span,
}

/// A hop of a network request on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hop {
    /// DNS resolved a name, or found that it does not exist.
    Resolved {
        /// The full names in the order in which they were tried. The last one exists if there are addresses.
        tried: Vec<String>,
        /// The addresses of the name; empty if no name exists.
        addresses: Vec<u32>,
        /// The names that DNS has for these addresses (PTR), each `""` if there is none. Empty unless somebody asked for the name only.
        names: Vec<String>,
    },
    /// The kube-proxy rules of a node sent the request to an endpoint of a Service.
    Service {
        /// The Service that was addressed.
        service: Key,
        /// The port of the Service that was addressed.
        port: u16,
        /// The name of the node whose rules decided.
        node: ArcStr,
        /// The number of endpoints among which the rules chose.
        endpoints: usize,
    },
    /// The ingress controller sent the request to a Service, or found no rule for the request.
    Ingress {
        /// The host and path of the request.
        asked: ArcStr,
        /// The Ingress and its Service; `None` if no rule matched.
        route: Option<(Key, Key)>,
    },
    /// A NetworkPolicy dropped the request.
    Blocked {
        /// The NetworkPolicy that dropped the request.
        policy: Key,
    },
    /// The request arrived at an address, where there may be no machine.
    Address {
        /// The IPv4 address.
        ip: u32,
        /// The destination port.
        port: u16,
        /// The pod that has the address, or that the kube-proxy rules expect there; `None` if there is none.
        pod: Option<Key>,
        /// The name of the node at the address; empty if there is none.
        node: ArcStr,
    },
}

/// The result of a network request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetResult {
    /// An HTTP answer.
    Http {
        /// The HTTP status code.
        status: u16,
        /// The response body.
        body: String,
    },
    /// The TCP connection was opened.
    Connected,
    /// DNS answered with the addresses of the name.
    Addresses(Vec<u32>),
    /// Nobody listens at the port.
    Refused,
    /// No answer came in time.
    TimedOut,
    /// The name does not exist.
    NoSuchHost,
}

/// The result of a network request, with the hops on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetAnswer {
    /// The result of the request.
    pub result: NetResult,
    /// The hops of the request, in order.
    pub hops: Vec<Hop>,
    /// The time from the request to its answer.
    pub took: Span,
}

impl NetAnswer {
    /// Returns whether the request succeeded: it got an HTTP response with a status below 500, a connection, or at least one address from DNS.
    pub fn is_success(&self) -> bool {
        match &self.result {
            NetResult::Http { status, .. } => *status < 500,
            NetResult::Connected => true,
            NetResult::Addresses(all) => !all.is_empty(),
            _ => false,
        }
    }
    /// Returns the pod at the last address that the request reached, if there is one.
    pub fn pod(&self) -> Option<&Key> {
        self.hops.iter().rev().find_map(|hop| match hop {
            Hop::Address { pod, .. } => pod.as_ref(),
            _ => None,
        })
    }
    /// Returns the address and port that the request reached last.
    pub fn address(&self) -> Option<(u32, u16)> {
        self.hops.iter().rev().find_map(|hop| match hop {
            Hop::Address { ip, port, .. } => Some((*ip, *port)),
            _ => None,
        })
    }
    /// Returns the hops and the result as sentences.
    pub fn words(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.hops.iter().map(Hop::words).collect();
        lines.push(match &self.result {
            NetResult::Http { status, .. } => format!("answer: HTTP {status}"),
            NetResult::Connected => "the connection is open".to_owned(),
            NetResult::Addresses(_) => "the name is known".to_owned(),
            NetResult::Refused => "connection refused".to_owned(),
            NetResult::TimedOut => "no answer in time".to_owned(),
            NetResult::NoSuchHost => "no such name".to_owned(),
        });
        lines
    }
}

impl Hop {
    fn words(&self) -> String {
        match self {
            Hop::Resolved { tried, addresses, .. } => {
                let name = tried.last().map_or("", String::as_str);
                let all: Vec<String> = addresses.iter().map(|ip| ip_text(*ip)).collect();
                if all.is_empty() { format!("DNS knows no {name}") } else { format!("DNS: {name} is {}", all.join(", ")) }
            }
            Hop::Service { service, port, node, endpoints: 0 } => {
                format!("the rules on {node} have no endpoint for port {port} of Service {}/{}", service.namespace, service.name)
            }
            Hop::Service { service, port, node, endpoints } => {
                let noun = if *endpoints == 1 { "endpoint" } else { "endpoints" };
                format!(
                    "the rules on {node} choose among {endpoints} {noun} of Service {}/{}, port {port}",
                    service.namespace, service.name
                )
            }
            Hop::Ingress { asked, route: Some((ingress, service)) } => {
                format!("Ingress {}/{} sends {asked} to Service {}", ingress.namespace, ingress.name, service.name)
            }
            Hop::Ingress { asked, route: None } => format!("no Ingress has a rule for {asked}"),
            Hop::Blocked { policy } => format!("NetworkPolicy {}/{} lets nothing of it through", policy.namespace, policy.name),
            Hop::Address { ip, port, pod: Some(pod), node } => {
                format!("{}:{port} is pod {}/{} on {node}", ip_text(*ip), pod.namespace, pod.name)
            }
            Hop::Address { ip, port, pod: None, node } if node.is_empty() => format!("{}:{port} is nobody's address", ip_text(*ip)),
            Hop::Address { ip, port, pod: None, node } => format!("{}:{port} is on {node}, where no pod has it", ip_text(*ip)),
        }
    }
}
