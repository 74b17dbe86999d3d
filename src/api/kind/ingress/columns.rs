//! The columns that `kubectl get` shows for Ingress objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column};
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};

/// The columns that `kubectl get` shows for Ingresses.
pub const COLUMNS: &[Column] = &[column("Name"), column("Class"), column("Hosts"), column("Address"), column("Ports"), column("Age")];

/// The number of hosts that the HOSTS column shows.
const MOST_HOSTS: usize = 3;

/// Returns the cells of an Ingress's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let (tree, empty) = (object.to_map(), Map::new());
    let spec = tree.map("spec").unwrap_or(&empty);
    let class = spec.get("ingressClassName").and_then(Value::as_str).unwrap_or("<none>");
    let rules = spec.list("rules");
    let hosts: Vec<&str> = maps(rules).map(|(_, rule)| rule.str("host")).filter(|host| !host.is_empty()).collect();
    let shown = match hosts.as_slice() {
        [] => "*".to_owned(),
        [first @ .., _] if hosts.len() > MOST_HOSTS => {
            format!("{} + {} more...", first[..MOST_HOSTS].join(","), rules.len().saturating_sub(MOST_HOSTS))
        }
        all => all.join(","),
    };
    let points = tree.at(&["status", "loadBalancer", "ingress"]).and_then(Value::as_list).unwrap_or_default();
    let address =
        |(_, point): (usize, &Map)| if point.str("ip").is_empty() { point.str("hostname").to_owned() } else { point.str("ip").to_owned() };
    let addresses: Vec<String> = maps(points).map(address).collect();
    let ports = if spec.list("tls").is_empty() { "80" } else { "80, 443" };
    let age = since(object.meta.created, now);
    vec![(&object.meta.name).into(), class.into(), shown.into(), addresses.join(",").into(), ports.into(), age.into()]
}
