//! `kubectl expose`. Counterpart: `kubectl/pkg/cmd/expose`.

use super::create_kinds::{create_object, number, overridden, pairs};
use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, RECORD, switch, text};
use super::{Cx, Run, kinds, resource};
use crate::api::kind::{Kind, PodSelector};
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::map;

const EXPOSE: &[Flag] = &[
    text("port"),
    text("target-port"),
    text("name"),
    text("type"),
    text("protocol"),
    text("selector"),
    text("labels").or('l'),
    text("cluster-ip"),
    text("external-ip"),
    text("session-affinity"),
    text("load-balancer-ip"),
    text("overrides"),
    text("override-type"),
    switch("save-config"),
    RECORD,
];

/// Runs `kubectl expose TYPE NAME --port=…`.
pub fn expose(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("expose", &[NAMED, OUTPUT, EXPOSE], words)?;
    let words = args.words.clone();
    // Here `--selector` is that of the Service.
    resource::each(cx, &args.without("selector"), &words, |cx, target| expose_one(cx, &args, target))
}

fn expose_one(cx: &mut Cx, args: &Args, target: &Object) -> Run {
    let selector = match args.text("selector") {
        Some(text) => pairs(text)?,
        None => selector_of(target)?,
    };
    let ports = ports_of(args, target)?;
    let mut spec = map! { "selector" => selector, "ports" => ports };
    for (flag, field) in [("type", "type"), ("cluster-ip", "clusterIP"), ("session-affinity", "sessionAffinity")] {
        if let Some(value) = args.text(flag) {
            spec.insert(field, value);
        }
    }
    let labels = match args.text("labels") {
        Some(text) => pairs(text)?,
        None => target.meta.labels.to_map(),
    };
    if let Some(address) = args.text("external-ip").filter(|address| !address.is_empty()) {
        spec.insert("externalIPs", vec![Value::from(address)]);
    }
    if let Some(address) = args.text("load-balancer-ip").filter(|_| args.text("type") == Some("LoadBalancer")) {
        spec.insert("loadBalancerIP", address);
    }
    let own = target.meta.name.get(..63).unwrap_or(&target.meta.name);
    let mut meta = map! { "name" => args.text("name").filter(|name| !name.is_empty()).unwrap_or(own) };
    if !labels.is_empty() {
        meta.insert("labels", labels);
    }
    let mut object = map! { "metadata" => meta, "spec" => spec, "status" => map! { "loadBalancer" => Map::new() } };
    overridden(args, Kind::SERVICE, &mut object)?;
    create_object(cx, args, Kind::SERVICE, object, "exposed", None)
}

fn selector_of(target: &Object) -> Result<Map, Stop> {
    let row = target.kind().row();
    if !kinds::of(target.kind()).is_exposable {
        let kind = if row.group.is_empty() { row.name.to_owned() } else { format!("{}.{}", row.name, row.group) };
        return Err(Stop::plain(format!("cannot expose a {kind}")));
    }
    let tree = target.to_map();
    let expressions = tree.at(&["spec", "selector", "matchExpressions"]).and_then(Value::as_list).unwrap_or_default();
    if row.pod_selector == PodSelector::LabelSelector && !expressions.is_empty() {
        let shown = maps(expressions).map(|(_, e)| {
            let values: Vec<&str> = e.list("values").iter().filter_map(Value::as_str).collect();
            format!("{{Key:{} Operator:{} Values:[{}]}}", e.str("key"), e.str("operator"), values.join(" "))
        });
        let shown = shown.collect::<Vec<_>>().join(" ");
        return Err(Stop::plain(format!(
            "couldn't retrieve selectors via --selector flag or introspection: couldn't convert expressions - \"[{shown}]\" to map-based selector format"
        )));
    }
    let found = match row.pod_selector {
        PodSelector::Itself => tree.at(&["metadata", "labels"]),
        PodSelector::Labels => tree.at(&["spec", "selector"]),
        PodSelector::LabelSelector => tree.at(&["spec", "selector", "matchLabels"]),
        PodSelector::Nothing => None,
    };
    found.and_then(Value::as_map).filter(|m| !m.is_empty()).cloned().ok_or_else(|| {
        let why =
            if target.kind() == Kind::POD { "the pod has no labels and cannot be exposed" } else { "the service has no pod selector set" };
        Stop::plain(format!("couldn't retrieve selectors via --selector flag or introspection: {why}"))
    })
}

/// Returns the ports of the Service: those of `--port`, else those of the object. The protocols are the object's, too.
fn ports_of(args: &Args, target: &Object) -> Result<Vec<Value>, Stop> {
    let tree = target.to_map();
    let row = target.kind().row();
    let mut known: Vec<(String, String)> = Vec::new();
    let mut add = |port: &Map, key: &str| {
        known.extend(port.get(key).and_then(Value::as_int).map(|number| (number.to_string(), port.str("protocol").to_owned())));
    };
    match row.pod_spec {
        [] => maps(tree.map("spec").map_or(&[], |spec| spec.list("ports"))).for_each(|(_, port)| add(port, "port")),
        path => {
            let containers = tree.at(path).and_then(Value::as_map).map_or(&[][..], |spec| spec.list("containers"));
            maps(containers).flat_map(|(_, c)| maps(c.list("ports"))).for_each(|(_, port)| add(port, "containerPort"));
        }
    }
    let given = args.text("port").unwrap_or("");
    let wanted: Vec<&str> =
        if given.is_empty() { known.iter().map(|(port, _)| port.as_str()).collect() } else { given.split(',').collect() };
    if wanted.is_empty() && args.text("cluster-ip") != Some("None") {
        return Err(Stop::plain("couldn't find port via --port flag or introspection"));
    }
    let aim = args.text("target-port").filter(|aim| !aim.is_empty()).map(|t| t.parse::<i64>().map_or_else(|_| t.into(), Value::Int));
    let mut ports = Vec::new();
    for (i, text) in wanted.iter().enumerate() {
        let port = number(text)?;
        let held = known.iter().find(|(port, _)| port == text).map(|(_, protocol)| protocol.as_str());
        let protocol = args.text("protocol").or(held).filter(|protocol| !protocol.is_empty()).unwrap_or("TCP");
        let mut entry = map! { "port" => port, "protocol" => protocol, "targetPort" => aim.clone().unwrap_or(Value::Int(port)) };
        if wanted.len() > 1 {
            entry.insert("name", format!("port-{}", i + 1));
        }
        ports.push(entry.into());
    }
    Ok(ports)
}
