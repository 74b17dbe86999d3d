//! `kubectl create ingress`, and `kubectl describe` of an Ingress and an IngressClass. Counterparts: `create_ingress.go`, `describe.IngressDescriber`,
//! `describe.IngressClassDescriber`.

use super::service::{endpoints, slices_of};
use crate::api::kind::Kind;
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Answer, Request, Verb};
use crate::api::value::{Map, Value};
use crate::kubectl::create_kinds::{create_object, one_name};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::labels_and_annotations;
use crate::kubectl::errors::Stop;
use crate::kubectl::flags::{Args, CREATED, Flag, OUTPUT, text};
use crate::kubectl::{Cx, Run};
use crate::map;

const FLAGS: &[Flag] = &[text("class"), text("rule"), text("default-backend"), text("annotation")];

/// Runs `kubectl create ingress NAME --rule=HOST/PATH=SERVICE:PORT[,tls[=SECRET]]`.
pub fn create(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create ingress", &[OUTPUT, CREATED, FLAGS], words)?;
    let name = one_name("create ingress", &args)?;
    let (given, default) = (args.all("rule"), args.text("default-backend").unwrap_or(""));
    if given.is_empty() && default.is_empty() {
        let text = "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)";
        return Err(Stop::plain(text));
    }
    let read = |text| {
        let why = || Stop::plain(format!("rule {text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]"));
        rule(text).ok_or_else(why)
    };
    let found: Vec<Rule> = given.into_iter().map(read).collect::<Result<_, _>>()?;
    let mut metadata = map! { "name" => name };
    for annotation in args.all("annotation") {
        let why = || Stop::plain(format!("annotation {annotation} is invalid and should be in format key=[value]"));
        let (key, value) = annotation.split_once('=').ok_or_else(why)?;
        metadata.map_mut("annotations").insert(key, value);
    }
    let mut spec = Map::new();
    if let Some(class) = args.text("class").filter(|class| !class.is_empty()) {
        spec.insert("ingressClassName", class);
    }
    if !default.is_empty() {
        let (service, port) = default
            .split_once(':')
            .filter(|(_, port)| !port.contains(':'))
            .ok_or_else(|| Stop::plain("default-backend should be in format servicename:serviceport"))?;
        spec.insert("defaultBackend", backend(service, port));
    }
    let (tls, rules) = (tls(&found), rules(&found));
    for (key, list) in [("tls", tls), ("rules", rules)] {
        if !list.is_empty() {
            spec.insert(key, list.into_iter().map(Value::Map).collect::<Vec<_>>());
        }
    }
    let object = map! { "metadata" => metadata, "spec" => spec, "status" => map! { "loadBalancer" => Map::new() } };
    create_object(cx, &args, Kind::INGRESS, object, "created", Some("failed to create ingress: "))
}

/// A rule from the flag `--rule`; `tls` is the name of the Secret, `""` for none.
struct Rule<'a> {
    host: &'a str,
    path: &'a str,
    service: &'a str,
    port: &'a str,
    tls: Option<&'a str>,
}

fn rule(text: &str) -> Option<Rule<'_>> {
    let (head, tls) = text.split_once(',').map_or((text, None), |(head, tls)| (head, Some(tls)));
    let (host, rest) = head.split_once('/')?;
    let (path, target) = rest.split_once('=')?;
    let (service, port) = target.split_once(':')?;
    let is_word = |text: &str, more: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-' || more.contains(c));
    let fits = is_word(host, "*.") && is_word(service, "") && is_word(port, "") && !service.is_empty() && !port.is_empty();
    let tls = tls.map(|tls| tls.split_once('=').map_or("", |(_, secret)| secret));
    fits.then_some(Rule { host, path, service, port, tls })
}

fn backend(service: &str, port: &str) -> Map {
    let port = port.parse::<i64>().map_or_else(|_| map! { "name" => port }, |number| map! { "number" => number });
    map! { "service" => map! { "name" => service, "port" => port } }
}

/// Returns the TLS entries: one for each Secret, with each host once.
fn tls(rules: &[Rule]) -> Vec<Map> {
    let (mut all, mut hosts): (Vec<Map>, Vec<&str>) = (Vec::new(), Vec::new());
    for (rule, secret) in rules.iter().filter_map(|rule| Some((rule, rule.tls?))) {
        if hosts.contains(&rule.host) {
            continue;
        }
        hosts.push(rule.host);
        let host = Value::from(rule.host);
        match all.iter_mut().find(|entry| entry.str("secretName") == secret) {
            Some(entry) => {
                let hosts = entry.list("hosts").iter().cloned().chain([host]).collect::<Vec<_>>();
                entry.insert("hosts", hosts);
            }
            None => {
                let mut entry = Map::new();
                if !rule.host.is_empty() {
                    entry.insert("hosts", vec![host]);
                }
                if !secret.is_empty() {
                    entry.insert("secretName", secret);
                }
                all.extend(Some(entry).filter(|entry| !entry.is_empty()));
            }
        }
    }
    all
}

/// Returns the rules: one for each host, with all its paths. A path that ends in `*` stands for all that begin like it.
fn rules(rules: &[Rule]) -> Vec<Map> {
    let mut all: Vec<Map> = Vec::new();
    for rule in rules {
        let path = format!("/{}", rule.path);
        let (path, type_) = path.strip_suffix('*').map_or((path.as_str(), "Exact"), |path| (path, "Prefix"));
        let path = Value::Map(map! { "backend" => backend(rule.service, rule.port), "path" => path, "pathType" => type_ });
        match all.iter_mut().find(|known| known.str("host") == rule.host) {
            Some(known) => {
                let http = known.map_mut("http");
                let paths = http.list("paths").iter().cloned().chain([path]).collect::<Vec<_>>();
                http.insert("paths", paths);
            }
            None => {
                let mut entry = map! { "http" => map! { "paths" => vec![path] } };
                if !rule.host.is_empty() {
                    entry.insert("host", rule.host);
                }
                all.push(entry);
            }
        }
    }
    all
}

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
