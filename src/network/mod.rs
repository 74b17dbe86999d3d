//! The data plane: requests between pods, and the rules that lead them. Counterparts: kube-proxy, CoreDNS, and the network of pods.
//!
//! Nothing here moves by itself. [`Rules`] are what a kube-proxy makes of Services and EndpointSlices, [`Versions`] keeps recent versions of them, so that every
//! node can be asked for the rules that are in force there, and `dns` answers names. The simulator sends requests along these (`sim/traffic`).
//!
//! Simplifications: addresses are IPv4, a request and its answer are one message, and packets are lost only with the machine at the other end.

mod dns;
pub mod ingress;
pub mod policy;
mod programs;
mod rules;
mod tools;
mod versions;

pub use dns::{Resolved, Resolver, SEARCH_DOMAIN, resolv_conf};
pub use programs::{NAMES, NetProgram, Printed};
pub use rules::{Chosen, Client, Rules, Verdict};
pub use versions::Versions;

use crate::api::kind::pod::ip_text;
use crate::api::meta::Key;
use crate::api::time::Span;
use arcstr::ArcStr;

/// The sender of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A machine outside the cluster, such as the one in front of which the person sits.
    Outside,
    /// A client that runs in the cluster but belongs to no workload, on the first node that is up.
    #[default]
    Inside,
    /// A pod.
    Pod {
        /// Its namespace.
        namespace: ArcStr,
        /// Its name.
        name: ArcStr,
        /// Its node.
        node: ArcStr,
        /// Its address.
        ip: u32,
    },
}

/// The protocol of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// A GET over HTTP.
    #[default]
    Http,
    /// A TCP connection that is opened and closed again.
    Tcp,
    /// A question to the cluster's DNS: only the name is looked up.
    Dns,
}

/// A request to a name or an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetRequest {
    /// The sender.
    pub from: Origin,
    /// A name or an IPv4 address.
    pub host: ArcStr,
    /// The port.
    pub port: u16,
    /// The path, for HTTP.
    pub path: ArcStr,
    /// The protocol.
    pub protocol: Protocol,
    /// The time after which the sender gives up.
    pub timeout: Span,
}

/// A hop of a request on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hop {
    /// DNS answered a name: the names that were tried, the last of which exists, and its addresses.
    Resolved {
        /// The names in the order in which they were tried.
        tried: Vec<String>,
        /// The addresses; empty if no name exists.
        addresses: Vec<u32>,
    },
    /// The rules of a node sent the request to an endpoint of a Service.
    Service {
        /// The Service.
        service: Key,
        /// The Service's port.
        port: u16,
        /// The node whose rules these are.
        node: ArcStr,
        /// The number of endpoints among which they chose.
        endpoints: usize,
    },
    /// The ingress controller sent the request to a Service, or found no rule for it.
    Ingress {
        /// The requested host and path.
        asked: ArcStr,
        /// The Ingress and its Service; `None` without a rule.
        route: Option<(Key, Key)>,
    },
    /// A NetworkPolicy dropped the request.
    Blocked {
        /// The policy.
        policy: Key,
    },
    /// The request reached an address, at which there may be nobody.
    Address {
        /// The address.
        ip: u32,
        /// The port.
        port: u16,
        /// The pod, if the address is one's: its namespace and name.
        pod: Option<Key>,
        /// The node of the address.
        node: ArcStr,
    },
}

/// The end of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetResult {
    /// An HTTP answer.
    Http {
        /// The status.
        status: u16,
        /// The body.
        body: String,
    },
    /// The connection was open.
    Connected,
    /// The addresses of a name.
    Addresses(Vec<u32>),
    /// Nobody listens at the port.
    Refused,
    /// No answer came in time.
    TimedOut,
    /// The name does not exist.
    NoSuchHost,
}

/// The result of a request and the hops on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetAnswer {
    /// The result.
    pub result: NetResult,
    /// The hops in order.
    pub hops: Vec<Hop>,
    /// The time that it took.
    pub took: Span,
}

impl NetAnswer {
    /// Returns whether the request was answered: by HTTP with a status below 500, by a connection, or by addresses.
    pub fn is_success(&self) -> bool {
        match &self.result {
            NetResult::Http { status, .. } => *status < 500,
            NetResult::Connected => true,
            NetResult::Addresses(all) => !all.is_empty(),
            _ => false,
        }
    }
    /// Returns the pod that answered, if one did.
    pub fn pod(&self) -> Option<&Key> {
        self.hops.iter().rev().find_map(|hop| match hop {
            Hop::Address { pod, .. } => pod.as_ref(),
            _ => None,
        })
    }
    /// Returns the address and port that were tried last.
    pub fn address(&self) -> Option<(u32, u16)> {
        self.hops.iter().rev().find_map(|hop| match hop {
            Hop::Address { ip, port, .. } => Some((*ip, *port)),
            _ => None,
        })
    }
    /// Returns the hops as sentences.
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
            Hop::Resolved { tried, addresses } => {
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
