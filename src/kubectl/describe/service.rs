//! The pages of a Service, a Namespace, a ConfigMap and a Secret.

use super::page::{Page, plain};
use super::{Cx, Run, head, labels_and_annotations, list};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::value::{Map, Value};

/// Writes the page of a Service.
pub fn service(cx: &mut Cx, object: &Object, page: &mut Page) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let spec = tree.map("spec").unwrap_or(&empty);
    let join = |key: &str| spec.list(key).iter().map(plain).collect::<Vec<_>>().join(",");
    let or_none = |text: String| if text.is_empty() { "<none>".to_owned() } else { text };
    head(object, page);
    labels_and_annotations(object, page);
    let selector: Vec<String> = spec.map("selector").into_iter().flat_map(Map::iter).map(|(k, v)| format!("{k}={}", plain(v))).collect();
    page.line(0, format!("Selector:\t{}", or_none(selector.join(","))));
    page.line(0, format!("Type:\t{}", spec.str("type")));
    page.line(0, format!("IP Family Policy:\t{}", spec.str("ipFamilyPolicy")));
    page.line(0, format!("IP Families:\t{}", or_none(join("ipFamilies"))));
    page.line(0, format!("IP:\t{}", spec.str("clusterIP")));
    page.line(0, format!("IPs:\t{}", or_none(join("clusterIPs"))));
    if !spec.str("externalName").is_empty() {
        page.line(0, format!("External Name:\t{}", spec.str("externalName")));
    }
    let slices = list(cx, Kind::ENDPOINT_SLICE, &object.meta.namespace)?;
    let slices: Vec<Map> =
        slices.iter().filter(|s| s.meta.labels.get("kubernetes.io/service-name") == Some(&object.meta.name)).map(|s| s.to_map()).collect();
    for port in spec.list("ports").iter().filter_map(Value::as_map) {
        let name = if port.str("name").is_empty() { "<unset>" } else { port.str("name") };
        let protocol = port.str("protocol");
        page.line(0, format!("Port:\t{name}\t{}/{protocol}", port.int("port").unwrap_or(0)));
        page.line(0, format!("TargetPort:\t{}/{protocol}", port.get("targetPort").map(plain).unwrap_or_default()));
        if let Some(node_port) = port.int("nodePort").filter(|n| *n != 0) {
            page.line(0, format!("NodePort:\t{name}\t{node_port}/{protocol}"));
        }
        page.line(0, format!("Endpoints:\t{}", endpoints(&slices, port.str("name"))));
    }
    page.line(0, format!("Session Affinity:\t{}", spec.str("sessionAffinity")));
    for (title, key) in [("External Traffic Policy", "externalTrafficPolicy"), ("Internal Traffic Policy", "internalTrafficPolicy")] {
        if !spec.str(key).is_empty() {
            page.line(0, format!("{title}:\t{}", spec.str(key)));
        }
    }
    Ok(())
}

/// Addresses of ready endpoints behind a port, the first three of them.
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

/// Writes the page of a Namespace.
pub fn namespace(object: &Object, page: &mut Page) {
    head(object, page);
    labels_and_annotations(object, page);
    let phase = if object.namespace().is_some_and(|n| n.terminating) { "Terminating" } else { "Active" };
    page.line(0, format!("Status:\t{phase}"));
    for text in ["", "No resource quota.", "", "No LimitRange resource."] {
        page.line(0, text);
    }
}

/// Writes the page of a ConfigMap.
pub fn config_map(object: &Object, page: &mut Page) {
    let tree = object.to_map();
    head(object, page);
    labels_and_annotations(object, page);
    for text in ["", "Data", "===="] {
        page.line(0, text);
    }
    for (key, value) in tree.map("data").into_iter().flat_map(Map::iter) {
        page.raw(format!("{key}:"));
        page.raw("----");
        plain(value).split('\n').for_each(|line| page.raw(line));
        page.raw("");
    }
    for text in ["", "BinaryData", "====", ""] {
        page.line(0, text);
    }
}

/// Writes the page of a Secret: its values stay hidden.
pub fn secret(object: &Object, page: &mut Page) {
    let tree = object.to_map();
    head(object, page);
    labels_and_annotations(object, page);
    page.line(0, "");
    page.line(0, format!("Type:\t{}", tree.str("type")));
    for text in ["", "Data", "===="] {
        page.line(0, text);
    }
    for (key, value) in tree.map("data").into_iter().flat_map(Map::iter) {
        let text = plain(value);
        let padding = text.bytes().rev().take_while(|b| *b == b'=').count();
        page.line(0, format!("{key}:\t{} bytes", (text.len() / 4 * 3).saturating_sub(padding)));
    }
}

/// Writes the page of a ServiceAccount.
pub fn service_account(object: &Object, page: &mut Page) {
    let tree = object.to_map();
    head(object, page);
    labels_and_annotations(object, page);
    for (title, key) in [("Image pull secrets", "imagePullSecrets"), ("Mountable secrets", "secrets"), ("Tokens", "")] {
        let names: Vec<String> = tree.list(key).iter().filter_map(|s| s.get("name")?.as_str()).map(str::to_owned).collect();
        page.list(0, title, &names);
    }
}

/// Writes the page of an EndpointSlice.
pub fn endpoint_slice(object: &Object, page: &mut Page) {
    let tree = object.to_map();
    let or_unset = |value: Option<&Value>| value.map(plain).filter(|text| !text.is_empty()).unwrap_or_else(|| "<unset>".to_owned());
    head(object, page);
    labels_and_annotations(object, page);
    page.line(0, format!("AddressType:\t{}", tree.str("addressType")));
    if tree.list("ports").is_empty() {
        page.line(0, "Ports: <unset>");
    } else {
        page.line(0, "Ports:");
        page.line(1, "Name\tPort\tProtocol");
        page.line(1, "----\t----\t--------");
        for port in tree.list("ports") {
            page.line(1, format!("{}\t{}\t{}", or_unset(port.get("name")), or_unset(port.get("port")), or_unset(port.get("protocol"))));
        }
    }
    if tree.list("endpoints").is_empty() {
        page.line(0, "Endpoints: <none>");
        return;
    }
    page.line(0, "Endpoints:");
    for endpoint in tree.list("endpoints") {
        let addresses: Vec<String> = endpoint.get("addresses").and_then(Value::as_list).unwrap_or_default().iter().map(plain).collect();
        page.line(1, format!("- Addresses:\t{}", addresses.join(", ")));
        page.line(2, "Conditions:");
        page.line(3, format!("Ready:\t{}", or_unset(endpoint.at(&["conditions", "ready"]))));
        page.line(2, format!("Hostname:\t{}", or_unset(endpoint.get("hostname"))));
        if let Some(target) = endpoint.get("targetRef").and_then(Value::as_map) {
            page.line(2, format!("TargetRef:\t{}/{}", target.str("kind"), target.str("name")));
        }
        page.line(2, format!("NodeName:\t{}", or_unset(endpoint.get("nodeName"))));
        page.line(2, format!("Zone:\t{}", or_unset(endpoint.get("zone"))));
    }
}
