//! The cluster's DNS. Counterpart: CoreDNS with its plugin `kubernetes`, and the resolver of a container (`/etc/resolv.conf`).
//!
//! Known names: `SERVICE.NAMESPACE.svc.cluster.local`, the pods of headless Services under their host names, `A-B-C-D.NAMESPACE.pod.cluster.local`, and
//! Services of the type ExternalName if their external name is in the cluster. Names outside the cluster do not exist.

use super::rules::Rules;
use crate::api::kind::endpointslice::Endpoint;
use crate::api::kind::pod::{ip_parse, ip_text};
use crate::api::meta::Key;
use crate::api::order::Order;

/// The DNS domain of the cluster.
pub const SEARCH_DOMAIN: &str = "cluster.local";
/// The address of the cluster's DNS server.
const NAME_SERVER: &str = "10.96.0.10";
/// The number of dots below which a name is first looked up in the search domains.
const NDOTS: usize = 5;
/// The maximum number of aliases (CNAME) that are followed.
const MAX_ALIASES: usize = 8;

/// The answer of DNS to a name, with the names that were tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The full names in the order in which they were tried.
    pub tried: Vec<String>,
    /// The targets of the aliases (CNAME) that were followed, if any.
    pub aliases: Vec<String>,
    /// The addresses of the name; empty if it does not exist.
    pub addresses: Vec<u32>,
}

/// The DNS settings of a sender, as in `/etc/resolv.conf`.
#[derive(Clone, Debug, Default)]
pub struct Resolver {
    /// The domains that are appended to short names.
    pub search: Vec<String>,
    /// The number of dots below which a name is first looked up in the search domains.
    pub ndots: usize,
}

/// Returns the content of `/etc/resolv.conf` in a container whose pod has the DNS policy `ClusterFirst`.
pub fn resolv_conf(namespace: &str) -> String {
    let search = Resolver::in_namespace(namespace).search.join(" ");
    format!("search {search}\nnameserver {NAME_SERVER}\noptions ndots:{NDOTS}\n")
}

impl Resolver {
    /// Creates the resolver of pods in a namespace.
    pub fn in_namespace(namespace: &str) -> Resolver {
        let search = vec![format!("{namespace}.svc.{SEARCH_DOMAIN}"), format!("svc.{SEARCH_DOMAIN}"), SEARCH_DOMAIN.to_owned()];
        Resolver { search, ndots: NDOTS }
    }
    /// Looks a name up, in the search domains where they apply. The names of the cluster follow from `rules`.
    pub fn resolve(&self, name: &str, rules: &Rules) -> Resolved {
        let mut resolved = Resolved::default();
        let name = name.to_ascii_lowercase();
        let mut names: Vec<String> = match name.strip_suffix('.') {
            Some(whole) => vec![whole.to_owned()],
            None => self.search.iter().map(|domain| format!("{name}.{domain}")).collect(),
        };
        if !name.ends_with('.') {
            let at = if name.matches('.').count() >= self.ndots { 0 } else { names.len() };
            names.insert(at, name);
        }
        for name in names {
            resolved.tried.push(name.clone());
            if let Some(addresses) = lookup(&name, rules, &mut resolved.aliases) {
                resolved.addresses = addresses;
                break;
            }
        }
        resolved
    }
}

/// Returns the addresses of a full name; `None` if there is no such name.
fn lookup(name: &str, rules: &Rules, aliases: &mut Vec<String>) -> Option<Vec<u32>> {
    let inside = name.strip_suffix(SEARCH_DOMAIN)?.strip_suffix('.')?;
    let labels: Vec<&str> = inside.split('.').collect();
    match labels.as_slice() {
        [address, _, "pod"] => match ip_parse(&address.replace('-', ".")) {
            0 => None,
            ip => Some(vec![ip]),
        },
        [service, namespace, "svc"] => service_addresses(service, namespace, rules, aliases),
        [host, service, namespace, "svc"] => {
            let key = Key::new(*namespace, *service);
            rules.service(&key).filter(|s| s.spec.cluster_ip == "None")?;
            let ready = rules.endpoints(&key).filter(|(e, _)| e.ready);
            let named = ready.filter(|(e, _)| host_name(e) == *host);
            let all: Vec<u32> = named.map(|(e, _)| e.ip).collect();
            (!all.is_empty()).then_some(all)
        }
        _ => None,
    }
}

/// Returns the name that DNS has for an address (PTR): that of a Service, or of an endpoint of a headless Service; `""` if there is none.
pub fn name_of(ip: u32, rules: &Rules) -> String {
    let full = |key: &Key| format!("{}.{}.svc.{SEARCH_DOMAIN}", key.name, key.namespace);
    if let Some(key) = rules.at_address(ip) {
        return full(key);
    }
    let headless = rules.services().keys().filter(|key| rules.service(key).is_some_and(|s| s.spec.cluster_ip == "None"));
    let mut named = headless
        .flat_map(|key| rules.endpoints(key).filter(|(e, _)| e.ip == ip).map(move |(e, _)| format!("{}.{}", host_name(e), full(key))));
    named.next().unwrap_or_default()
}

/// Returns the name of an endpoint of a headless Service: its host name, or its address with hyphens.
fn host_name(endpoint: &Endpoint) -> String {
    if endpoint.hostname.is_empty() { ip_text(endpoint.ip).replace('.', "-") } else { endpoint.hostname.to_string() }
}

fn service_addresses(service: &str, namespace: &str, rules: &Rules, aliases: &mut Vec<String>) -> Option<Vec<u32>> {
    let key = Key::new(namespace, service);
    let spec = &rules.service(&key)?.spec;
    if spec.type_ == "ExternalName" {
        let target = spec.raw().str("externalName").trim_end_matches('.').to_owned();
        if aliases.len() >= MAX_ALIASES || aliases.contains(&target) {
            return Some(Vec::new());
        }
        aliases.push(target.clone());
        return Some(lookup(&target, rules, aliases).unwrap_or_default());
    }
    match ip_parse(&spec.cluster_ip) {
        0 => {
            let ready = rules.endpoints(&key).filter(|(e, _)| e.ready).map(|(e, _)| e.ip);
            let mut all: Vec<u32> = ready.collect();
            all.order();
            all.dedup();
            (!all.is_empty()).then_some(all)
        }
        ip => Some(vec![ip]),
    }
}
