//! Ingresses: choose the Service for a request from outside the cluster, by its host and path. Counterpart: an ingress controller, such as ingress-nginx.
//!
//! As in real clusters, an Ingress does nothing by itself. The built-in ingress controller serves those Ingresses whose class names it as the controller.
//! Left out: TLS, annotations, and backends that are not Services.

use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use std::sync::Arc;

/// The destination that the Ingresses give a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The Ingress whose rule matched.
    pub ingress: Key,
    /// The Service to which the request goes.
    pub service: Key,
    /// The port of the Service, by number or name.
    pub port: Port,
}

/// A port of a Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Port {
    /// The number of the port.
    Number(u16),
    /// The name of the port.
    Name(ArcStr),
}

fn spec(ingress: &Object) -> Option<&Map> {
    ingress.ingress()?.content.map("spec")
}

/// Returns whether an Ingress has a rule for a host.
pub fn names_host(ingress: &Object, host: &str) -> bool {
    spec(ingress).is_some_and(|s| s.list("rules").iter().filter_map(Value::as_map).any(|rule| is_host(rule.str("host"), host)))
}

/// Returns whether the host of a rule matches a host: `*.example.com` matches names with one more label, and an empty host matches all.
fn is_host(rule: &str, host: &str) -> bool {
    match rule.strip_prefix("*.") {
        Some(end) => host.split_once('.').is_some_and(|(_, rest)| rest == end),
        None => rule.is_empty() || rule == host,
    }
}

/// Returns whether the path of a rule matches the path of a request.
fn is_path(rule: &Map, path: &str) -> bool {
    let (wanted, type_) = (rule.str("path"), rule.str("pathType"));
    if type_ == "Exact" {
        return wanted == path;
    }
    let start = wanted.trim_end_matches('/');
    path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the route of a request for a host and a path. A rule that names a host wins, then the longest path, then an exact path.
pub fn route(ingresses: &[&Arc<Object>], host: &str, path: &str) -> Option<Route> {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let mut best: Option<((bool, usize, bool), Route)> = None;
    for ingress in ingresses {
        let rules = spec(ingress).map(|s| s.list("rules")).unwrap_or_default().iter().filter_map(Value::as_map);
        for rule in rules.filter(|rule| is_host(rule.str("host"), host)) {
            let paths = rule.map("http").map(|http| http.list("paths")).unwrap_or_default().iter().filter_map(Value::as_map);
            for found in paths.filter(|p| is_path(p, path)) {
                let rank = (!rule.str("host").is_empty(), found.str("path").len(), found.str("pathType") == "Exact");
                if let Some(route) = to_service(ingress, found.get("backend"))
                    && best.as_ref().is_none_or(|(other, _)| rank > *other)
                {
                    best = Some((rank, route));
                }
            }
        }
    }
    let fallback = || ingresses.iter().find_map(|ingress| to_service(ingress, spec(ingress)?.get("defaultBackend")));
    best.map(|(_, route)| route).or_else(fallback)
}

fn to_service(ingress: &Object, backend: Option<&Value>) -> Option<Route> {
    let service = backend?.get("service")?.as_map()?;
    let port = service.map("port")?;
    let port = port.int("number").map_or_else(|| Port::Name(port.str("name").into()), |number| Port::Number(number as u16));
    Some(Route { ingress: ingress.key(), service: Key::new(ingress.meta.namespace.clone(), service.str("name")), port })
}
