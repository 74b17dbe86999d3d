//! The columns that `kubectl get` shows for Service objects.

use super::Service;
use crate::api::duration::{labels, or_none, since};
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for Services.
pub const COLUMNS: &[Column] =
    &[column("Name"), column("Type"), column("Cluster-IP"), column("External-IP"), column("Port(s)"), column("Age"), wide("Selector")];

/// Returns the cells of a Service's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(service) = object.service() else { return Vec::new() };
    vec![
        (&object.meta.name).into(),
        (&service.spec.type_).into(),
        or_none(service.spec.cluster_ip.as_str()).into(),
        external_ip(service).into(),
        or_none(&ports(service)).into(),
        since(object.meta.created, now).into(),
        labels(&service.spec.selector).into(),
    ]
}

fn external_ip(service: &Service) -> String {
    let mut all: Vec<&str> = service.spec.raw().list("externalIPs").iter().filter_map(Value::as_str).collect();
    match service.spec.type_.as_str() {
        "ExternalName" => return service.spec.raw().str("externalName").to_owned(),
        "LoadBalancer" => {
            let ingress = service.status.at(&["loadBalancer", "ingress"]).and_then(Value::as_list).unwrap_or_default();
            let address = |i: &'_ Value| i.get("ip").or_else(|| i.get("hostname")).and_then(Value::as_str).map(str::to_owned);
            let given: Vec<String> = ingress.iter().filter_map(address).collect();
            let mut given: Vec<&str> = given.iter().map(String::as_str).collect();
            given.append(&mut all);
            return if given.is_empty() { "<pending>".to_owned() } else { given.join(",") };
        }
        _ => {}
    }
    or_none(&all.join(",")).to_owned()
}

fn ports(service: &Service) -> String {
    let port = |p: &Value| {
        let p = p.as_map()?;
        let (number, protocol) = (p.int("port").unwrap_or(0), p.str("protocol"));
        Some(match p.int("nodePort").unwrap_or(0) {
            0 => format!("{number}/{protocol}"),
            node => format!("{number}:{node}/{protocol}"),
        })
    };
    service.spec.raw().list("ports").iter().filter_map(port).collect::<Vec<_>>().join(",")
}
