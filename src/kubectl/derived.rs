//! `kubectl get` of kinds that the store does not hold because their objects are derived from others: `endpoints`, `componentstatuses`.
//!
//! Endpoints are built from a Service's EndpointSlices. A component counts as healthy if it renewed its lease in the last 15 seconds, where the real
//! server calls the component's health endpoint.

use super::api_resources;
use super::describe::description::{Description, plain};
use super::flags::Args;
use super::print::{Output, document, table};
use super::resource::Selection;
use super::{Cx, Run, templates};
use crate::api::duration::{or_none, since};
use crate::api::kind::{Kind, Kinds, ListContent, Served};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Answer, Request, Verb};
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

/// An object of a derived kind: its tree for YAML and JSON, and its cells in the table.
struct DerivedObject {
    tree: Map,
    cells: Vec<String>,
}

/// Returns the derived kind that the words of a command name, and the names of its objects; `None` for any other kind.
pub fn derived_kind(kinds: &Kinds, words: &[String]) -> Option<(Served, Vec<String>)> {
    let (first, rest) = words.split_first()?;
    let (kind, name) = first.split_once('/').map_or((first.as_str(), None), |(kind, name)| (kind, Some(name.to_owned())));
    if name.is_some() && !rest.is_empty() {
        return None;
    }
    let served = api_resources::find(kinds, kind).filter(|s| s.content == ListContent::Derived)?;
    Some((served, name.into_iter().chain(rest.iter().cloned()).collect()))
}

/// Splits the words of `kubectl get` into commands about one kind each if one of several kinds is a derived one; returns a single part if not.
pub fn parts(kinds: &Kinds, words: &[String]) -> Vec<Vec<String>> {
    let is_derived = |kind: &str| api_resources::find(kinds, kind).is_some_and(|served| served.content == ListContent::Derived);
    let of = |word: &str| word.split('/').next().is_some_and(is_derived);
    match words {
        [_, ..] if words.iter().all(|word| word.contains('/')) && words.iter().any(|word| of(word)) => {
            words.iter().map(|word| vec![word.clone()]).collect()
        }
        [types, names @ ..] if types.split(',').any(is_derived) => {
            types.split(',').map(|kind| std::iter::once(kind.to_owned()).chain(names.iter().cloned()).collect()).collect()
        }
        _ => vec![words.to_vec()],
    }
}

/// Runs `kubectl get` for a derived kind.
pub fn get(cx: &mut Cx, args: &Args, output: Output, kind: Served, names: &[String]) -> Run {
    let selection = Selection::of(cx, args)?;
    let (head, mut all) = match kind.plural {
        "endpoints" => endpoints(cx, &selection)?,
        _ => components(cx)?,
    };
    let name_of = |derived: &DerivedObject| derived.tree.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("").to_owned();
    let mut missing = super::Failures::default();
    if !names.is_empty() {
        let absent = names.iter().filter(|name| !all.iter().any(|s| name_of(s) == **name));
        missing.0.extend(absent.map(|name| api_resources::missing(&kind, name)).filter(|_| !args.on("ignore-not-found")));
        all.retain(|s| names.contains(&name_of(s)));
    }
    match output {
        Output::Name => all.iter().for_each(|s| cx.println(format!("{}/{}", singular(&kind), name_of(s)))),
        Output::Human | Output::Wide if all.is_empty() && missing.0.is_empty() => nothing(cx, &kind, &selection.namespace),
        Output::Human | Output::Wide => {
            let with_namespace = kind.namespaced && args.on("all-namespaces");
            let keys = args.list("label-columns");
            let mut head: Vec<String> = head.iter().map(|h| (*h).to_owned()).collect();
            head.extend(keys.iter().map(|key| key.rsplit('/').next().unwrap_or(key).to_ascii_uppercase()));
            head.extend(args.on("show-labels").then(|| "LABELS".to_owned()));
            let mut rows = if args.on("no-headers") { Vec::new() } else { vec![placed(with_namespace, "NAMESPACE", head)] };
            for s in &all {
                let namespace = s.tree.at(&["metadata", "namespace"]).and_then(Value::as_str).unwrap_or("");
                let mut cells = s.cells.clone();
                if args.on("show-kind") {
                    cells[0] = format!("{}/{}", singular(&kind), cells[0]);
                }
                let labels = s.tree.at(&["metadata", "labels"]).and_then(Value::as_map);
                let pairs = || labels.into_iter().flat_map(Map::iter).map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")));
                let value = |wanted: &&str| pairs().find(|(key, _)| key == wanted).map_or("", |(_, value)| value).to_owned();
                cells.extend(keys.iter().map(value));
                cells.extend(args.on("show-labels").then(|| {
                    let all = pairs().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",");
                    or_none(&all).to_owned()
                }));
                rows.push(placed(with_namespace, namespace, cells));
            }
            if !all.is_empty() {
                cx.print(&table(&rows));
            }
        }
        _ => {
            let mut trees: Vec<Map> = all.into_iter().map(|s| s.tree).collect();
            let whole = if names.len() == 1 {
                trees.pop()
            } else {
                let items: Vec<Value> = trees.into_iter().map(Value::Map).collect();
                Some(map! { "apiVersion" => "v1", "kind" => "List", "items" => items, "metadata" => map! { "resourceVersion" => "" } })
            };
            match (whole, output) {
                (whole, Output::Template) => templates::show(cx, args, whole)?,
                (Some(whole), _) => document(cx, output, &whole),
                (None, _) => {}
            }
        }
    }
    missing.finish()
}

fn nothing(cx: &mut Cx, kind: &Served, namespace: &str) {
    if kind.namespaced && !namespace.is_empty() {
        cx.eprintln(format!("No resources found in {namespace} namespace."));
    } else {
        cx.eprintln("No resources found");
    }
}

fn singular(kind: &Served) -> String {
    if kind.group().is_empty() { kind.singular() } else { format!("{}.{}", kind.singular(), kind.group()) }
}

fn placed(with_namespace: bool, namespace: &str, mut cells: Vec<String>) -> Vec<String> {
    if with_namespace {
        cells.insert(0, namespace.to_owned());
    }
    cells
}

type Found = (&'static [&'static str], Vec<DerivedObject>);

fn listed(cx: &mut Cx, request: Request) -> Run<Vec<Arc<Object>>> {
    match cx.request(request)? {
        Answer::List(list) => Ok(list.items.clone()),
        _ => Ok(Vec::new()),
    }
}

/// Builds the Endpoints of each Service from its EndpointSlices.
fn endpoints(cx: &mut Cx, selection: &Selection) -> Run<Found> {
    let services = selection.list(cx, Kind::SERVICE)?;
    let slices = listed(cx, Request::new(Verb::List, Kind::ENDPOINT_SLICE, selection.namespace.clone(), ""))?;
    cx.eprintln("Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
    let mut all = Vec::new();
    for service in services {
        let of_service = |slice: &&Arc<Object>| {
            let owner = slice.meta.labels.get("kubernetes.io/service-name");
            slice.meta.namespace == service.meta.namespace && owner.is_some_and(|name| *name == service.meta.name)
        };
        let trees: Vec<Map> = slices.iter().filter(of_service).map(|slice| slice.to_map()).collect();
        if trees.is_empty() {
            continue;
        }
        let (mut addresses, mut ports) = (Vec::new(), Vec::new());
        for tree in &trees {
            for endpoint in tree.list("endpoints").iter().filter_map(Value::as_map) {
                if endpoint.at(&["conditions", "ready"]).and_then(Value::as_bool) != Some(false) {
                    addresses.extend(endpoint.list("addresses").iter().filter_map(Value::as_str).map(str::to_owned));
                }
            }
            if ports.is_empty() {
                ports = tree.list("ports").to_vec();
            }
        }
        addresses.order_by_key(|a| a.split('.').map(|part| part.parse::<u32>().unwrap_or(0)).collect::<Vec<_>>());
        let mut subset = Map::new();
        if !addresses.is_empty() {
            let ips: Vec<Value> = addresses.iter().map(|ip| map! { "ip" => ip.as_str() }.into()).collect();
            subset.insert("addresses", ips);
            subset.insert("ports", ports.clone());
        }
        let subsets: Vec<Value> = if addresses.is_empty() { Vec::new() } else { vec![subset.into()] };
        let meta = &service.meta;
        let mut metadata = map! { "name" => &meta.name, "namespace" => &meta.namespace, "creationTimestamp" => meta.created.rfc3339() };
        let mut labels = meta.labels.to_map();
        labels.insert("endpoints.kubernetes.io/managed-by", "endpoint-controller");
        metadata.insert("labels", labels);
        if let Some(annotations) = trees.iter().find_map(|tree| tree.at(&["metadata", "annotations"])) {
            metadata.insert("annotations", annotations.clone());
        }
        let mut tree = map! { "apiVersion" => "v1", "kind" => "Endpoints", "metadata" => metadata };
        if !subsets.is_empty() {
            tree.insert("subsets", subsets);
        }
        let cells = vec![meta.name.to_string(), hosts(&addresses, &ports), since(meta.created, cx.now)];
        all.push(DerivedObject { tree, cells });
    }
    Ok((&["NAME", "ENDPOINTS", "AGE"], all))
}

/// Runs `kubectl describe endpoints`. Counterpart: `describe.EndpointsDescriber`.
pub fn describe(cx: &mut Cx, args: &Args, kind: &Served, names: &[String]) -> Run {
    let selection = Selection::of(cx, args)?;
    let mut all: Vec<Map> = endpoints(cx, &selection)?.1.into_iter().map(|derived| derived.tree).collect();
    let name_of = |tree: &Map| tree.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("").to_owned();
    all.retain(|tree| names.is_empty() || names.contains(&name_of(tree)));
    let mut missing = super::Failures::default();
    missing
        .0
        .extend(names.iter().filter(|name| !all.iter().any(|tree| name_of(tree) == **name)).map(|name| api_resources::missing(kind, name)));
    let texts = |list: &[Value], key: &str| list.iter().filter_map(|item| item.get(key)).map(plain).collect::<Vec<_>>().join(",");
    let (several, empty) = (all.len() > 1, Map::new());
    for (i, tree) in all.iter().enumerate() {
        let mut description = Description::default();
        let metadata = tree.map("metadata").unwrap_or(&empty);
        description.line(0, format!("Name:\t{}", metadata.str("name")));
        description.line(0, format!("Namespace:\t{}", metadata.str("namespace")));
        description.labels(0, "Labels", metadata.map("labels").unwrap_or(&empty));
        description.annotations(0, "Annotations", metadata.map("annotations").unwrap_or(&empty));
        description.line(0, "Subsets:");
        for subset in tree.list("subsets").iter().filter_map(Value::as_map) {
            description.line(1, format!("Addresses:\t{}", or_none(&texts(subset.list("addresses"), "ip"))));
            description.line(1, "NotReadyAddresses:\t<none>");
            description.line(1, "Ports:");
            description.line(2, "Name\tPort\tProtocol");
            description.line(2, "----\t----\t--------");
            for port in subset.list("ports").iter().filter_map(Value::as_map) {
                let name = if port.str("name").is_empty() { "<unset>" } else { port.str("name") };
                description.line(2, format!("{name}\t{}\t{}", port.int("port").unwrap_or(0), port.str("protocol")));
            }
            description.line(0, "");
        }
        if !several {
            description.line(0, "Events:\t<none>");
        }
        cx.print(if i > 0 { "\n\n" } else { "" });
        cx.print(&description.text());
    }
    missing.finish()
}

/// Formats at most three pairs `ip:port`, and the number of those that are left out.
fn hosts(addresses: &[String], ports: &[Value]) -> String {
    const SHOWN: usize = 3;
    let port = |p: &Value| p.get("port").and_then(Value::as_int);
    let all: Vec<String> = ports.iter().filter_map(port).flat_map(|port| addresses.iter().map(move |ip| format!("{ip}:{port}"))).collect();
    match all.len() {
        0 => "<none>".to_owned(),
        1..=SHOWN => all.join(","),
        n => format!("{} + {} more...", all.get(..SHOWN).unwrap_or_default().join(","), n - SHOWN),
    }
}

fn components(cx: &mut Cx) -> Run<Found> {
    let leases = listed(cx, Request::new(Verb::List, Kind::LEASE, ArcStr::from("kube-system"), ""))?;
    cx.eprintln("Warning: v1 ComponentStatus is deprecated in v1.19+");
    let now = cx.now;
    let fresh = |name: &str| {
        let lease = leases.iter().find(|o| o.meta.name == name).and_then(|o| o.lease());
        let renewed: Option<Time> = lease.and_then(|lease| lease.spec.renew_time);
        renewed.is_some_and(|renewed| now - renewed < Span::secs(15))
    };
    let all = [("etcd-0", "", 0), ("controller-manager", "kube-controller-manager", 10257), ("scheduler", "kube-scheduler", 10259)];
    let rows = all.iter().map(|(name, lease, port)| {
        let refused = format!("Get \"https://127.0.0.1:{port}/healthz\": dial tcp 127.0.0.1:{port}: connect: connection refused");
        let (status, flag, message) =
            if lease.is_empty() || fresh(lease) { ("Healthy", "True", "ok") } else { ("Unhealthy", "False", refused.as_str()) };
        let condition = map! { "type" => "Healthy", "status" => flag, "message" => message };
        let tree = map! {
            "apiVersion" => "v1",
            "kind" => "ComponentStatus",
            "conditions" => vec![condition.into()],
            "metadata" => map! { "name" => *name, "creationTimestamp" => Value::Null },
        };
        DerivedObject { tree, cells: vec![(*name).to_owned(), status.to_owned(), message.to_owned(), String::new()] }
    });
    Ok((&["NAME", "STATUS", "MESSAGE", "ERROR"], rows.collect()))
}
