//! `kubectl describe` of an Ingress and an IngressClass. Counterparts: `describe.IngressDescriber`, `describe.IngressClassDescriber`.

use super::service::{endpoints, slices_of};
use crate::api::kind::Kind;
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Answer, Request, Verb};
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::labels_and_annotations;
use crate::kubectl::{Cx, Run};

/// Writes the description of an Ingress.
pub fn ingress(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let (tree, empty) = (object.to_map(), Map::new());
    let spec = tree.map("spec").unwrap_or(&empty);
    let metadata = tree.map("metadata").unwrap_or(&empty);
    description.line(0, format!("Name:\t{}", object.meta.name));
    description.labels(0, "Labels", metadata.map("labels").unwrap_or(&empty));
    description.line(0, format!("Namespace:\t{}", object.meta.namespace));
    let balancers = tree.at(&["status", "loadBalancer", "ingress"]).and_then(Value::as_list).unwrap_or_default();
    let mut addresses: Vec<&str> = maps(balancers).map(|(_, b)| if b.has("ip") { b.str("ip") } else { b.str("hostname") }).collect();
    addresses.retain(|address| !address.is_empty());
    addresses.order();
    addresses.dedup();
    description.line(0, format!("Address:\t{}", addresses.join(",")));
    description.line(0, format!("Ingress Class:\t{}", spec.get("ingressClassName").map_or("<none>".to_owned(), plain)));
    let default = match spec.map("defaultBackend") {
        Some(backend) => backend_text(cx, object, backend)?,
        None => "<default>".to_owned(),
    };
    description.line(0, format!("Default backend:\t{default}"));
    for (i, tls) in maps(spec.list("tls")) {
        if i == 0 {
            description.line(0, "TLS:");
        }
        let hosts: Vec<String> = tls.list("hosts").iter().map(plain).collect();
        let what = if tls.has("secretName") { format!("{} terminates", tls.str("secretName")) } else { "SNI routes".to_owned() };
        description.line(1, format!("{what} {}", hosts.join(",")));
    }
    description.line(0, "Rules:");
    description.line(1, "Host\tPath\tBackends");
    description.line(1, "----\t----\t--------");
    let mut rules = maps(spec.list("rules")).filter_map(|(_, rule)| Some((rule.str("host"), rule.map("http")?))).peekable();
    if rules.peek().is_none() {
        description.line(1, format!("*\t*\t{default}"));
    }
    for (host, http) in rules {
        description.line(1, format!("{}\t", if host.is_empty() { "*" } else { host }));
        for (_, path) in maps(http.list("paths")) {
            let backend = backend_text(cx, object, path.map("backend").unwrap_or(&empty))?;
            description.line(2, format!("\t{} \t{backend}", path.str("path")));
        }
    }
    description.annotations(0, "Annotations", metadata.map("annotations").unwrap_or(&empty));
    Ok(())
}

/// Formats a backend with the endpoints of its Service. Counterpart: `IngressDescriber.describeBackendV1`.
fn backend_text(cx: &mut Cx, ingress: &Object, backend: &Map) -> Run<String> {
    if let Some(resource) = backend.map("resource") {
        let group = resource.get("apiGroup").map_or("<none>".to_owned(), plain);
        return Ok(format!("APIGroup: {group}, Kind: {}, Name: {}", resource.str("kind"), resource.str("name")));
    }
    let Some(service) = backend.map("service") else { return Ok(String::new()) };
    let (name, namespace) = (service.str("name"), &ingress.meta.namespace);
    let wanted = service.map("port").and_then(|port| port.get("number").or_else(|| port.get("name"))).cloned().unwrap_or_default();
    let text = format!("{name}:{}", plain(&wanted));
    let slices = slices_of(cx, namespace, name)?;
    let found = match cx.try_request(Request::new(Verb::Get, Kind::SERVICE, namespace.clone(), name))? {
        Ok(Answer::Object { object, .. }) => object.to_map(),
        Ok(_) => return Ok(text),
        Err(status) => return Ok(format!("{text} (<error: {}>)", status.message)),
    };
    let ports = found.at(&["spec", "ports"]).and_then(Value::as_list).unwrap_or_default();
    let port = maps(ports).find(|(_, port)| port.get("port") == Some(&wanted) || port.get("name") == Some(&wanted));
    Ok(format!("{text} ({})", endpoints(&slices, port.map_or("", |(_, port)| port.str("name")))))
}

/// Writes the description of an IngressClass.
pub fn class(_: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let (tree, empty) = (object.to_map(), Map::new());
    let spec = tree.map("spec").unwrap_or(&empty);
    description.line(0, format!("Name:\t{}", object.meta.name));
    labels_and_annotations(object, description);
    description.line(0, format!("Controller:\t{}", spec.str("controller")));
    if let Some(parameters) = spec.map("parameters") {
        description.line(0, "Parameters:");
        description.given(1, "APIGroup", parameters.str("apiGroup"));
        description.line(1, format!("Kind:\t{}", parameters.str("kind")));
        description.line(1, format!("Name:\t{}", parameters.str("name")));
    }
    Ok(())
}
