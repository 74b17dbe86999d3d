//! `kubectl describe` of a Service. Counterpart: `describe.ServiceDescriber`.

use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::{head, labels_and_annotations, list};
use crate::kubectl::{Cx, Run};

/// Writes the description of a Service.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let spec = tree.map("spec").unwrap_or(&empty);
    let join = |key: &str| spec.list(key).iter().map(plain).collect::<Vec<_>>().join(",");
    let or_none = |text: String| if text.is_empty() { "<none>".to_owned() } else { text };
    head(object, description);
    labels_and_annotations(object, description);
    let selector: Vec<String> = spec.map("selector").into_iter().flat_map(Map::iter).map(|(k, v)| format!("{k}={}", plain(v))).collect();
    description.line(0, format!("Selector:\t{}", or_none(selector.join(","))));
    description.line(0, format!("Type:\t{}", spec.str("type")));
    description.line(0, format!("IP Family Policy:\t{}", spec.str("ipFamilyPolicy")));
    description.line(0, format!("IP Families:\t{}", or_none(join("ipFamilies"))));
    description.line(0, format!("IP:\t{}", spec.str("clusterIP")));
    description.line(0, format!("IPs:\t{}", or_none(join("clusterIPs"))));
    if !spec.str("externalName").is_empty() {
        description.line(0, format!("External Name:\t{}", spec.str("externalName")));
    }
    let slices = list(cx, Kind::ENDPOINT_SLICE, &object.meta.namespace)?;
    let slices: Vec<Map> =
        slices.iter().filter(|s| s.meta.labels.get("kubernetes.io/service-name") == Some(&object.meta.name)).map(|s| s.to_map()).collect();
    for port in spec.list("ports").iter().filter_map(Value::as_map) {
        let name = if port.str("name").is_empty() { "<unset>" } else { port.str("name") };
        let protocol = port.str("protocol");
        description.line(0, format!("Port:\t{name}\t{}/{protocol}", port.int("port").unwrap_or(0)));
        description.line(0, format!("TargetPort:\t{}/{protocol}", port.get("targetPort").map(plain).unwrap_or_default()));
        if let Some(node_port) = port.int("nodePort").filter(|n| *n != 0) {
            description.line(0, format!("NodePort:\t{name}\t{node_port}/{protocol}"));
        }
        description.line(0, format!("Endpoints:\t{}", endpoints(&slices, port.str("name"))));
    }
    description.line(0, format!("Session Affinity:\t{}", spec.str("sessionAffinity")));
    for (title, key) in [("External Traffic Policy", "externalTrafficPolicy"), ("Internal Traffic Policy", "internalTrafficPolicy")] {
        if !spec.str(key).is_empty() {
            description.line(0, format!("{title}:\t{}", spec.str(key)));
        }
    }
    Ok(())
}

/// Formats the addresses of at most three ready endpoints behind a port, and the number of those that are left out.
fn endpoints(slices: &[Map], port: &str) -> String {
    let mut all = Vec::new();
    for slice in slices {
        let ports = slice.list("ports").iter().filter_map(Value::as_map).filter(|p| p.str("name") == port);
        for number in ports.filter_map(|p| p.int("port")) {
            let ready = |e: &&Map| e.at(&["conditions", "ready"]).and_then(Value::as_bool) != Some(false);
            let endpoints = slice.list("endpoints").iter().filter_map(Value::as_map).filter(ready);
            all.extend(endpoints.flat_map(|e| e.list("addresses")).filter_map(Value::as_str).map(|ip| format!("{ip}:{number}")));
        }
    }
    let shown = all.iter().take(3).cloned().collect::<Vec<_>>().join(",");
    if all.len() > 3 { format!("{shown} + {} more...", all.len() - 3) } else { shown }
}
