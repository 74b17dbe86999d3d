//! The presentation of Ingresses, IngressClasses and NetworkPolicies on the page: their routes and rules in words.

use super::{ANY, KindView, each};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};

pub const INGRESS: KindView = KindView { kind: Some(Kind::INGRESS), words: routes, ..ANY };
pub const CLASS: KindView = KindView { kind: Some(Kind::INGRESS_CLASS), words: class, ..ANY };
pub const POLICY: KindView = KindView { kind: Some(Kind::NETWORK_POLICY), words: policy, ..ANY };

fn service(backend: Option<&Value>) -> String {
    let Some(service) = backend.and_then(|b| b.get("service")).and_then(Value::as_map) else { return "nothing".to_owned() };
    let port = service.map("port").map(|p| p.int("number").map_or_else(|| p.str("name").to_owned(), |n| n.to_string()));
    format!("{}:{}", service.str("name"), port.unwrap_or_default())
}

/// Describes the routes of an Ingress: `shop.example/cart to cart:80`.
fn routes(object: &Object) -> String {
    let of = |rule: &Map| {
        let host = if rule.str("host").is_empty() { "*" } else { rule.str("host") };
        let paths = rule.map("http").map(|h| h.list("paths")).unwrap_or_default().iter().filter_map(Value::as_map);
        paths.map(|path| format!("{host}{} to {}", path.str("path"), service(path.get("backend")))).collect::<Vec<_>>().join(", ")
    };
    let ruled = each(object, &["spec", "rules"], of);
    let tree = object.to_map();
    match tree.at(&["spec", "defaultBackend"]) {
        Some(backend) if ruled.is_empty() => format!("everything to {}", service(Some(backend))),
        Some(backend) => format!("{ruled}; the rest to {}", service(Some(backend))),
        None => ruled,
    }
}

fn class(object: &Object) -> String {
    let controller = object.to_map().at(&["spec", "controller"]).and_then(Value::as_str).unwrap_or_default().to_owned();
    format!("Ingresses of this class are for {controller}")
}

/// Describes a NetworkPolicy by its pods and the number of its rules: `pods with app=db: reached by 1 rule, they reach nobody`.
fn policy(object: &Object) -> String {
    let (tree, empty) = (object.to_map(), Map::new());
    let spec = tree.map("spec").unwrap_or(&empty);
    let selector = Selector::from_label_selector(spec.map("podSelector").unwrap_or(&empty)).map(|s| s.to_string()).unwrap_or_default();
    let pods = if selector.is_empty() { "all pods".to_owned() } else { format!("pods with {selector}") };
    let types: Vec<&str> = spec.list("policyTypes").iter().filter_map(Value::as_str).collect();
    let side = |type_: &str, key: &str, nobody: &str, some: &str| {
        types.contains(&type_).then(|| match spec.list(key).len() {
            0 => nobody.to_owned(),
            1 => format!("{some} 1 rule"),
            n => format!("{some} {n} rules"),
        })
    };
    let sides =
        [side("Ingress", "ingress", "nobody reaches them", "reached by"), side("Egress", "egress", "they reach nobody", "reach by")];
    format!("{pods}: {}", sides.into_iter().flatten().collect::<Vec<_>>().join(", "))
}
