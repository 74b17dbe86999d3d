//! Creates objects from flags: `kubectl create TYPE`, and what `run` and `expose` share with it. Counterpart: `kubectl/pkg/cmd/create`.

use super::errors::Stop;
use super::flags::{Args, CREATED, Flag, OUTPUT, Takes, switch, takes, text};
use super::print::{DryRun, Output, report};
use super::resource;
use super::rollout::record;
use super::{Command, Cx, Run, create_data, create_policy, kinds};
use crate::api::kind::Kind;
use crate::api::request::{Answer, PatchType, Payload, Request, Verb};
use crate::api::status::Status;
use crate::api::value::{Map, Value};
use crate::api::{json, merge, names};
use crate::map;
use arcstr::ArcStr;
use std::num::{IntErrorKind, ParseIntError};

const DEPLOYMENT: &[Flag] = &[text("image"), takes("replicas", Takes::Int).or('r'), takes("port", Takes::Int)];
const PRIORITY_CLASS: &[Flag] = &[takes("value", Takes::Int), switch("global-default"), text("description"), text("preemption-policy")];

/// The subcommands of `kubectl create`: their names, and the function of each.
pub const SUBCOMMANDS: &[(&[&str], Command)] = &[
    (&["clusterrole"], create_policy::cluster_role),
    (&["clusterrolebinding"], create_policy::cluster_role_binding),
    (&["configmap", "cm"], create_data::config_map),
    (&["cronjob", "cj"], kinds::cronjob::create),
    (&["deployment", "deploy"], deployment),
    (&["ingress", "ing"], kinds::ingress::create),
    (&["job"], kinds::job::create),
    (&["namespace", "ns"], namespace),
    (&["quota", "resourcequota"], create_policy::quota),
    (&["poddisruptionbudget", "pdb"], kinds::poddisruptionbudget::create),
    (&["priorityclass", "pc"], priority_class),
    (&["role"], create_policy::role),
    (&["rolebinding"], create_policy::role_binding),
    (&["secret"], create_data::secret),
    (&["service", "svc"], service),
    (&["serviceaccount", "sa"], service_account),
    (&["token"], super::token::token),
];

/// Returns the function that runs `kubectl create WORD`, if there is such a subcommand.
pub fn subcommand(word: &str) -> Option<Command> {
    SUBCOMMANDS.iter().find(|(names, _)| names.contains(&word)).map(|(_, command)| *command)
}

/// Returns the only word of the arguments, which is a name; fails unless there is exactly one word.
pub fn one_name<'w>(command: &str, args: &'w Args) -> Result<&'w str, Stop> {
    match args.words.as_slice() {
        [name] => Ok(name),
        words => Err(Stop::usage(command, &format!("exactly one NAME is required, got {}", words.len()))),
    }
}

/// Creates an object, or only prints it in a client dry run. `done` is the verb of the report; `wrap` is put before the message of a refusal.
pub fn create_object(cx: &mut Cx, args: &Args, kind: Kind, mut object: Map, done: &str, wrap: Option<&str>) -> Run {
    let (output, dry_run) = (Output::of(args, false)?, DryRun::of(args)?);
    let row = kind.row();
    object.insert("apiVersion", row.api_version);
    object.insert("kind", row.name);
    let (place, asked_for) = resource::namespace(cx, args);
    let place = if row.namespaced { place } else { ArcStr::default() };
    if row.namespaced && (asked_for || dry_run != DryRun::Client) {
        object.map_mut("metadata").insert("namespace", &place);
    }
    record(args, &mut object);
    if args.on("save-config") {
        object = super::apply::with_last_applied(&object);
    }
    if dry_run == DryRun::Client {
        report(cx, output, dry_run, kind, &object, done)?;
        return Ok(());
    }
    let mut request = Request::new(Verb::Create, kind, place, "").with(|o| o.dry_run = dry_run == DryRun::Server);
    request.payload = Payload::Tree(Box::new(Value::Map(object)));
    let refused = |status: &Status| match wrap {
        Some(words) => Stop::plain(format!("{words}{}", status.message)),
        None => Stop::server(status),
    };
    match cx.try_request(request)? {
        Ok(Answer::Object { object, .. }) => report(cx, output, dry_run, kind, &object.to_map(), done)?,
        Ok(_) => {}
        Err(status) => return Err(refused(status)),
    }
    Ok(())
}

/// Returns an object that has only `metadata.name`.
pub fn named(name: &str) -> Map {
    map! { "metadata" => map! { "name" => name } }
}

pub fn texts(words: &[String]) -> Vec<Value> {
    words.iter().map(|word| word.as_str().into()).collect()
}

/// Returns the container name for an image: its last part without tag and digest.
fn container_name(image: &str) -> &str {
    let last = image.rsplit('/').next().unwrap_or(image);
    let last = last.split('@').next().unwrap_or(last);
    last.split(':').next().unwrap_or(last)
}

fn deployment(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create deployment", &[OUTPUT, DEPLOYMENT, CREATED], words)?;
    args.require(&["image"])?;
    let name = one_name("create deployment", &args)?;
    let images = args.list("image");
    if images.len() > 1 && !args.after_dashes.is_empty() {
        return Err(Stop::plain("cannot specify multiple --image options and command"));
    }
    let container = |image: &&str| {
        let mut c = map! { "name" => container_name(image), "image" => *image, "resources" => Map::new() };
        if !args.after_dashes.is_empty() {
            c.insert("command", texts(&args.after_dashes));
        }
        if let Some(port) = args.int("port") {
            c.insert("ports", vec![map! { "containerPort" => port }.into()]);
        }
        Value::Map(c)
    };
    let labels = map! { "app" => name };
    let template = map! {
        "metadata" => map! { "labels" => labels.clone() },
        "spec" => map! { "containers" => images.iter().map(container).collect::<Vec<_>>() },
    };
    let object = map! {
        "metadata" => map! { "name" => name, "labels" => labels.clone() },
        "spec" => map! {
            "replicas" => args.int("replicas").unwrap_or(1),
            "selector" => map! { "matchLabels" => labels },
            "strategy" => Map::new(),
            "template" => template,
        },
        "status" => Map::new(),
    };
    create_object(cx, &args, Kind::DEPLOYMENT, object, "created", Some("failed to create deployment: "))
}

fn namespace(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create namespace", &[OUTPUT, CREATED], words)?;
    let mut object = named(one_name("create namespace", &args)?);
    object.insert("spec", Map::new());
    object.insert("status", Map::new());
    create_object(cx, &args, Kind::NAMESPACE, object, "created", None)
}

fn priority_class(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create priorityclass", &[OUTPUT, PRIORITY_CLASS, CREATED], words)?;
    let mut object = named(one_name("create priorityclass", &args)?);
    object.insert("value", args.text("value").and_then(|v| v.parse::<i64>().ok()).unwrap_or(0));
    if args.on("global-default") {
        object.insert("globalDefault", true);
    }
    if let Some(description) = args.text("description") {
        object.insert("description", description);
    }
    object.insert("preemptionPolicy", args.text("preemption-policy").unwrap_or("PreemptLowerPriority"));
    create_object(cx, &args, Kind::PRIORITY_CLASS, object, "created", Some("failed to create priorityclass: "))
}

fn service_account(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create serviceaccount", &[OUTPUT, CREATED], words)?;
    let object = named(one_name("create serviceaccount", &args)?);
    create_object(cx, &args, Kind::SERVICE_ACCOUNT, object, "created", Some("failed to create serviceaccount: "))
}

fn service(cx: &mut Cx, words: &[String]) -> Run {
    let Some((variety, words)) = words.split_first() else { return Ok(()) };
    let (type_, wrap, flags) = match variety.as_str() {
        "clusterip" => ("ClusterIP", "failed to create ClusterIP service: ", vec![text("clusterip"), text("tcp")]),
        "nodeport" => ("NodePort", "failed to create NodePort service: ", vec![takes("node-port", Takes::Int), text("tcp")]),
        "loadbalancer" => ("LoadBalancer", "failed to create LoadBalancer service: ", vec![text("tcp")]),
        "externalname" => ("ExternalName", "failed to create ExternalName service: ", vec![text("external-name"), text("tcp")]),
        _ => {
            return Err(Stop::usage(
                "create service",
                &format!("unknown command \"{}\"", [std::slice::from_ref(variety), words].concat().join(" ")),
            ));
        }
    };
    let args = Args::read(&format!("create service {variety}"), &[OUTPUT, &flags, CREATED], words)?;
    if type_ == "ExternalName" {
        args.require(&["external-name"])?;
    }
    let name = one_name(&format!("create service {variety}"), &args)?;
    let external = args.text("external-name").unwrap_or("");
    if type_ == "ExternalName" && !names::dns_subdomain(external).is_empty() {
        return Err(Stop::plain(format!("invalid service external name {external}")));
    }
    let mut spec = map! { "selector" => map! { "app" => name }, "type" => type_ };
    let mut ports = Vec::new();
    for pair in args.list("tcp") {
        let mut parts = pair.split(':');
        let port = parts.next().unwrap_or("");
        let number = port_number(port)?;
        let given = parts.next();
        let target = given.unwrap_or(port);
        let check = |target: &str| target.parse::<i64>().map_or_else(|_| names::port_name(target), names::port_number);
        let problems = given.map(check).unwrap_or_default();
        if !problems.is_empty() {
            return Err(Stop::plain(problems.join(",")));
        }
        let target: Value = target.parse::<i64>().map_or_else(|_| target.into(), Value::Int);
        let mut port = map! { "name" => pair.replace(':', "-"), "port" => number, "protocol" => "TCP", "targetPort" => target };
        if let Some(node_port) = args.int("node-port") {
            port.insert("nodePort", node_port);
        }
        ports.push(Value::Map(port));
    }
    if ports.is_empty() && args.text("clusterip") != Some("None") && type_ != "ExternalName" {
        return Err(Stop::plain("at least one tcp port specifier must be provided"));
    }
    if !ports.is_empty() {
        spec.insert("ports", ports);
    }
    for (flag, field) in [("clusterip", "clusterIP"), ("external-name", "externalName")] {
        if let Some(value) = args.text(flag) {
            spec.insert(field, value);
        }
    }
    let object = map! {
        "metadata" => map! { "name" => name, "labels" => map! { "app" => name } },
        "spec" => spec,
        "status" => map! { "loadBalancer" => Map::new() },
    };
    create_object(cx, &args, Kind::SERVICE, object, "created", Some(wrap))
}

/// Parses a port from 0 to 65535. Counterpart: `utilsnet.ParsePort`.
fn port_number(text: &str) -> Result<i64, Stop> {
    let why = match text.parse::<u128>() {
        Ok(number) if number <= 65_535 => return Ok(number as i64),
        Ok(_) => "value out of range",
        Err(_) => "invalid syntax",
    };
    Err(Stop::plain(format!("strconv.ParseUint: parsing \"{text}\": {why}")))
}

/// Parses a number as Go's `strconv.Atoi` does.
pub fn number(text: &str) -> Result<i64, Stop> {
    text.parse().map_err(|error: ParseIntError| {
        let is_overflow = matches!(error.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow);
        let why = if is_overflow { "value out of range" } else { "invalid syntax" };
        Stop::plain(format!("strconv.Atoi: parsing \"{text}\": {why}"))
    })
}

/// Changes an object by the patch in `--overrides`.
pub fn overridden(args: &Args, kind: Kind, object: &mut Map) -> Result<(), Stop> {
    let Some(overrides) = args.text("overrides").filter(|overrides| !overrides.is_empty()) else { return Ok(()) };
    let patch_type = match args.text("override-type").unwrap_or("merge") {
        "merge" => PatchType::Merge,
        "json" => PatchType::Json,
        "strategic" => PatchType::Strategic,
        other => return Err(Stop::plain(format!("invalid override type: {other}"))),
    };
    let unreadable = |why: String| match patch_type {
        PatchType::Merge => "Invalid JSON Patch".to_owned(),
        PatchType::Strategic => "invalid JSON document".to_owned(),
        _ => why,
    };
    let patch = json::parse(overrides).map_err(|why| Stop::plain(unreadable(why)))?;
    *object = merge::apply(patch_type, kind.row().schema, object, &patch).map_err(|status| Stop::plain(status.message.clone()))?;
    Ok(())
}

/// Parses `a=b,c=d` into a map. Counterpart: `generate.ParseLabels`.
pub fn pairs(text: &str) -> Result<Map, Stop> {
    let mut all = Map::new();
    for pair in text.split(',').filter(|_| !text.is_empty()) {
        match pair.split_once('=') {
            Some(("", value)) if !value.contains('=') => return Err(Stop::plain("unexpected empty label key")),
            Some((key, value)) if !value.contains('=') => all.insert(key, value),
            _ => return Err(Stop::plain(format!("unexpected label spec: {pair}"))),
        }
    }
    Ok(all)
}
