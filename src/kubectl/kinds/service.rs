//! `kubectl describe` of a Service. Counterpart: `describe.ServiceDescriber`.

use super::storageclass::pairs;
use crate::api::duration::or_none;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::{head, labels_and_annotations, list};
use crate::kubectl::{Cx, Run};
use arcstr::ArcStr;

/// Writes the description of a Service.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let spec = tree.map("spec").unwrap_or(&empty);
    let join = |key: &str| spec.list(key).iter().map(plain).collect::<Vec<_>>().join(",");
    head(object, description);
    labels_and_annotations(object, description);
    description.line(0, format!("Selector:\t{}", pairs(spec.map("selector").unwrap_or(&empty))));
    description.line(0, format!("Type:\t{}", spec.str("type")));
    description.given(0, "IP Family Policy", spec.str("ipFamilyPolicy"));
    description.line(0, format!("IP Families:\t{}", or_none(&join("ipFamilies"))));
    description.line(0, format!("IP:\t{}", spec.str("clusterIP")));
    description.line(0, format!("IPs:\t{}", or_none(&join("clusterIPs"))));
    description.given(0, "External IPs", &join("externalIPs"));
    description.given(0, "Desired LoadBalancer IP", spec.str("loadBalancerIP"));
    description.given(0, "External Name", spec.str("externalName"));
    let balancers = tree.at(&["status", "loadBalancer", "ingress"]).and_then(Value::as_list).unwrap_or_default();
    description.given(0, "LoadBalancer Ingress", &balancers.iter().filter_map(Value::as_map).map(balancer).collect::<Vec<_>>().join(", "));
    let slices = slices_of(cx, &object.meta.namespace, &object.meta.name)?;
    for port in spec.list("ports").iter().filter_map(Value::as_map) {
        let name = if port.str("name").is_empty() { "<unset>" } else { port.str("name") };
        let protocol = port.str("protocol");
        description.line(0, format!("Port:\t{name}\t{}/{protocol}", port.int("port").unwrap_or(0)));
        description.line(0, format!("TargetPort:\t{}/{protocol}", port.get("targetPort").map(plain).unwrap_or_default()));
        description.given(0, "AppProtocol", port.str("appProtocol"));
        if let Some(node_port) = port.int("nodePort").filter(|n| *n != 0) {
            description.line(0, format!("NodePort:\t{name}\t{node_port}/{protocol}"));
        }
        description.line(0, format!("Endpoints:\t{}", endpoints(&slices, port.str("name"))));
    }
    description.line(0, format!("Session Affinity:\t{}", spec.str("sessionAffinity")));
    description.given(0, "External Traffic Policy", spec.str("externalTrafficPolicy"));
    description.given(0, "Internal Traffic Policy", spec.str("internalTrafficPolicy"));
    description.given(0, "HealthCheck NodePort", &spec.int("healthCheckNodePort").map(|port| port.to_string()).unwrap_or_default());
    description.given(0, "LoadBalancer Source Ranges", &join("loadBalancerSourceRanges"));
    description.given(0, "Traffic Distribution", spec.str("trafficDistribution"));
    Ok(())
}

fn balancer(ingress: &Map) -> String {
    match (ingress.str("ip"), ingress.str("ipMode")) {
        ("", _) => ingress.str("hostname").to_owned(),
        (ip, "") => ip.to_owned(),
        (ip, mode) => format!("{ip} ({mode})"),
    }
}

/// Returns the EndpointSlices of a Service.
pub fn slices_of(cx: &mut Cx, namespace: &ArcStr, service: &str) -> Run<Vec<Map>> {
    let slices = list(cx, Kind::ENDPOINT_SLICE, namespace)?;
    let is_own = |slice: &Object| slice.meta.labels.get("kubernetes.io/service-name").is_some_and(|name| *name == service);
    Ok(slices.iter().filter(|slice| is_own(slice)).map(|slice| slice.to_map()).collect())
}

/// Formats the addresses of at most three ready endpoints behind a port, and the number of those that are left out. Counterpart: `formatEndpointSlices`.
pub fn endpoints(slices: &[Map], port: &str) -> String {
    if slices.is_empty() {
        return "<none>".to_owned();
    }
    let mut all = Vec::new();
    for slice in slices {
        let ready = |e: &&Map| e.at(&["conditions", "ready"]).and_then(Value::as_bool) != Some(false);
        let endpoints = slice.list("endpoints").iter().filter_map(Value::as_map).filter(ready);
        let addresses: Vec<&str> = endpoints.filter_map(|e| e.list("addresses").first()?.as_str()).collect();
        if slice.list("ports").is_empty() {
            all.extend(addresses.iter().map(|ip| (*ip).to_owned()));
        }
        for number in slice.list("ports").iter().filter_map(Value::as_map).filter(|p| p.str("name") == port).filter_map(|p| p.int("port")) {
            all.extend(addresses.iter().map(|ip| format!("{ip}:{number}")));
        }
    }
    let shown = all.iter().take(3).cloned().collect::<Vec<_>>().join(",");
    if all.len() > 3 { format!("{shown} + {} more...", all.len() - 3) } else { shown }
}
