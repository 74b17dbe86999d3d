//! Creates objects from flags: `kubectl create TYPE`, `run`, `expose`. Counterparts: `kubectl/pkg/cmd/create`, `run`, `expose`.

use super::errors::Stop;
use super::flags::{Args, Flag, OUTPUT, Takes, switch, takes, text};
use super::print::{DryRun, Output, report};
use super::resource::{self, Target};
use super::{Command, Cx, Run, create_data, create_policy, kinds};
use crate::api::kind::{Kind, PodSelector};
use crate::api::object::Object;
use crate::api::request::{Answer, PatchType, Payload, Request, Verb};
use crate::api::status::Status;
use crate::api::value::{Map, Value};
use crate::api::{json, merge};
use crate::map;
use arcstr::ArcStr;

const DEPLOYMENT: &[Flag] = &[text("image"), takes("replicas", Takes::Int).or('r'), takes("port", Takes::Int), switch("save-config")];
const PRIORITY_CLASS: &[Flag] =
    &[takes("value", Takes::Int), switch("global-default"), text("description"), text("preemption-policy"), switch("save-config")];
const RUN: &[Flag] = &[
    text("image"),
    text("labels").or('l'),
    takes("port", Takes::Int),
    text("env"),
    text("restart"),
    switch("command"),
    text("image-pull-policy"),
    text("annotations"),
    text("overrides"),
    switch("save-config"),
    text("override-type"),
    switch("attach"),
    switch("stdin").or('i'),
    switch("tty").or('t'),
    switch("rm"),
    switch("quiet").or('q'),
    switch("expose"),
    switch("privileged"),
    switch("leave-stdin-open"),
    takes("pod-running-timeout", Takes::Duration),
    takes("cascade", Takes::Maybe("background")),
    switch("force"),
    takes("grace-period", Takes::Int),
    takes("timeout", Takes::Duration),
    switch("wait"),
];
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
];

/// The subcommands of `kubectl create`: their names, and the function of each.
pub const SUBCOMMANDS: &[(&[&str], Command)] = &[
    (&["configmap", "cm"], create_data::config_map),
    (&["cronjob", "cj"], kinds::cronjob::create),
    (&["deployment", "deploy", "dep"], deployment),
    (&["job"], kinds::job::create),
    (&["namespace", "ns"], namespace),
    (&["quota", "resourcequota"], create_policy::quota),
    (&["poddisruptionbudget", "pdb"], kinds::poddisruptionbudget::create),
    (&["priorityclass", "pc"], priority_class),
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
    if args.on("save-config") {
        object = super::apply::with_last_applied(&object);
    }
    if dry_run == DryRun::Client {
        report(cx, output, dry_run, kind, &object, done);
        return Ok(());
    }
    let mut request = Request::new(Verb::Create, kind, place, "").with(|o| o.dry_run = dry_run == DryRun::Server);
    request.payload = Payload::Tree(Box::new(Value::Map(object)));
    let refused = |status: &Status| match wrap {
        Some(words) => Stop::plain(format!("{words}{}", status.message)),
        None => Stop::server(status),
    };
    match cx.try_request(request)? {
        Ok(Answer::Object { object, .. }) => report(cx, output, dry_run, kind, &object.to_map(), done),
        Ok(_) => {}
        Err(status) => return Err(refused(status)),
    }
    Ok(())
}

/// Returns an object that has only `metadata.name`.
pub fn named(name: &str) -> Map {
    map! { "metadata" => map! { "name" => name } }
}

fn texts(words: &[String]) -> Vec<Value> {
    words.iter().map(|word| word.as_str().into()).collect()
}

/// Returns the container name for an image: its last part without tag and digest.
fn container_name(image: &str) -> &str {
    let last = image.rsplit('/').next().unwrap_or(image);
    let last = last.split('@').next().unwrap_or(last);
    last.split(':').next().unwrap_or(last)
}

fn deployment(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create deployment", &[OUTPUT, DEPLOYMENT], words)?;
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
    let args = Args::read("create namespace", &[OUTPUT, &[switch("save-config")]], words)?;
    let mut object = named(one_name("create namespace", &args)?);
    object.insert("spec", Map::new());
    object.insert("status", Map::new());
    create_object(cx, &args, Kind::NAMESPACE, object, "created", None)
}

fn priority_class(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create priorityclass", &[OUTPUT, PRIORITY_CLASS], words)?;
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
    let args = Args::read("create serviceaccount", &[OUTPUT, &[switch("save-config")]], words)?;
    let object = named(one_name("create serviceaccount", &args)?);
    create_object(cx, &args, Kind::SERVICE_ACCOUNT, object, "created", Some("failed to create serviceaccount: "))
}

fn service(cx: &mut Cx, words: &[String]) -> Run {
    let Some((variety, words)) = words.split_first() else { return Ok(()) };
    let save = switch("save-config");
    let (type_, wrap, flags) = match variety.as_str() {
        "clusterip" => ("ClusterIP", "failed to create ClusterIP service: ", vec![text("clusterip"), text("tcp"), save]),
        "nodeport" => ("NodePort", "failed to create NodePort service: ", vec![takes("node-port", Takes::Int), text("tcp"), save]),
        "loadbalancer" => ("LoadBalancer", "failed to create LoadBalancer service: ", vec![text("tcp"), save]),
        "externalname" => ("ExternalName", "failed to create ExternalName service: ", vec![text("external-name"), text("tcp"), save]),
        _ => return Err(Stop::usage("create service", &format!("unknown command \"{}\"", variety))),
    };
    let args = Args::read(&format!("create service {variety}"), &[OUTPUT, &flags], words)?;
    if type_ == "ExternalName" {
        args.require(&["external-name"])?;
    }
    let name = one_name(&format!("create service {variety}"), &args)?;
    let mut spec = map! { "selector" => map! { "app" => name }, "type" => type_ };
    let mut ports = Vec::new();
    for pair in args.list("tcp") {
        let (port, target) = pair.split_once(':').unwrap_or((pair, pair));
        let number: i64 = port.parse().map_err(|_| Stop::plain(format!("strconv.Atoi: parsing \"{port}\": invalid syntax")))?;
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

/// Sets the environment variables of a container from the flag `--env`.
pub(super) fn set_environment(args: &Args, container: &mut Map) -> Run {
    let mut env = Vec::new();
    for pair in args.all("env") {
        let (key, value) = pair.split_once('=').ok_or_else(|| Stop::plain(format!("invalid env: {pair}")))?;
        env.push(map! { "name" => key, "value" => value }.into());
    }
    if !env.is_empty() {
        container.insert("env", env);
    }
    Ok(())
}

/// Runs `kubectl run NAME --image=…`.
pub fn run(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("run", &[OUTPUT, RUN], words)?;
    args.require(&["image"])?;
    args.refuse("run", &["expose"])?;
    let attached = ["attach", "stdin", "tty"].iter().any(|flag| args.on(flag));
    if args.on("rm") && !attached {
        return Err(Stop::plain("--rm should only be used for attached containers"));
    }
    let name = args.words.first().ok_or_else(|| Stop::usage("run", "NAME is required for run"))?;
    let mut command: Vec<String> = args.words.iter().skip(1).cloned().collect();
    command.extend(args.after_dashes.iter().cloned());
    let mut container = map! { "name" => name.as_str(), "image" => args.text("image").unwrap_or(""), "resources" => Map::new() };
    if !command.is_empty() {
        container.insert(if args.on("command") { "command" } else { "args" }, texts(&command));
    }
    if let Some(port) = args.int("port") {
        container.insert("ports", vec![map! { "containerPort" => port }.into()]);
    }
    if let Some(policy) = args.text("image-pull-policy") {
        container.insert("imagePullPolicy", policy);
    }
    set_environment(&args, &mut container)?;
    if args.on("stdin") {
        container.insert("stdin", true);
        if !args.on("leave-stdin-open") {
            container.insert("stdinOnce", true);
        }
    }
    if args.on("tty") {
        container.insert("tty", true);
    }
    if args.on("privileged") {
        container.insert("securityContext", map! { "privileged" => true });
    }
    let labels = match args.text("labels") {
        Some(labels) => pairs(labels)?,
        None => map! { "run" => name.as_str() },
    };
    let restart = args.text("restart").unwrap_or("Always");
    if !matches!(restart, "Always" | "OnFailure" | "Never") {
        return Err(Stop::plain(format!("invalid restart policy: {restart}")));
    }
    let mut object = map! {
        "metadata" => map! { "name" => name.as_str(), "labels" => labels },
        "spec" => map! { "containers" => vec![container.into()], "dnsPolicy" => "ClusterFirst", "restartPolicy" => restart },
        "status" => Map::new(),
    };
    if let Some(overrides) = args.text("overrides") {
        let patch = json::parse(overrides).map_err(Stop::plain)?;
        let merged = merge::apply(PatchType::Merge, Kind::POD.row().schema, &object, &patch);
        object = merged.map_err(|status| Stop::plain(status.message.clone()))?;
    }
    if !attached || args.text("dry-run").is_some() {
        return create_object(cx, &args, Kind::POD, object, "created", None);
    }
    let namespace = super::resource::namespace(cx, &args).0;
    let shown = cx.output.clone();
    create_object(cx, &args, Kind::POD, object, "created", None)?;
    // The client prints no message about the pod that it attaches to.
    cx.output = shown;
    super::attach::after_run(cx, &args, &namespace, name)
}

/// Parses `a=b,c=d` into a map.
fn pairs(text: &str) -> Result<Map, Stop> {
    let mut all = Map::new();
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or_else(|| Stop::plain(format!("unexpected label spec: {pair}")))?;
        all.insert(key, value);
    }
    Ok(all)
}

/// Runs `kubectl expose TYPE NAME --port=…`.
pub fn expose(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("expose", &[OUTPUT, EXPOSE], words)?;
    args.refuse("expose", &["overrides", "override-type", "load-balancer-ip", "external-ip"])?;
    let targets = resource::targets(&cx.env.kinds, &args.words)?;
    let [Target { kind, name: Some(name) }] = targets.as_slice() else { return Err(resource::nothing_given()) };
    let place = resource::namespace(cx, &args).0;
    let target = cx.object(Request::new(Verb::Get, *kind, place, name.as_str()))?;
    let selector = match args.text("selector") {
        Some(text) => pairs(text)?,
        None => selector_of(target)?,
    };
    let ports = ports_of(&args, target)?;
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
    let mut meta = map! { "name" => args.text("name").unwrap_or(name) };
    if !labels.is_empty() {
        meta.insert("labels", labels);
    }
    let object = map! { "metadata" => meta, "spec" => spec, "status" => map! { "loadBalancer" => Map::new() } };
    create_object(cx, &args, Kind::SERVICE, object, "exposed", None)
}

fn selector_of(target: &Object) -> Result<Map, Stop> {
    let tree = target.to_map();
    let found = match target.kind().row().pod_selector {
        PodSelector::Itself => tree.at(&["metadata", "labels"]),
        PodSelector::Labels => tree.at(&["spec", "selector"]),
        PodSelector::LabelSelector => tree.at(&["spec", "selector", "matchLabels"]),
        PodSelector::Nothing => None,
    };
    let found = found.and_then(Value::as_map).filter(|m| !m.is_empty()).cloned();
    found.filter(|_| kinds::of(target.kind()).is_exposable).ok_or_else(|| {
        let row = target.kind().row();
        let kind = if row.group.is_empty() { row.name.to_owned() } else { format!("{}.{}", row.name, row.group) };
        Stop::plain(format!("cannot expose a {kind}"))
    })
}

fn ports_of(args: &Args, target: &Object) -> Result<Vec<Value>, Stop> {
    let tree = target.to_map();
    let path = target.kind().row().pod_spec;
    let spec = if path.is_empty() { None } else { tree.at(path).and_then(Value::as_map) };
    let containers = spec.map(|s| s.list("containers")).unwrap_or_default();
    let mut numbers: Vec<i64> = args.list("port").iter().filter_map(|p| p.parse().ok()).collect();
    if numbers.is_empty() {
        let ports = containers.iter().filter_map(Value::as_map).flat_map(|c| c.list("ports"));
        numbers = ports.filter_map(|p| p.get("containerPort").and_then(Value::as_int)).collect();
    }
    if numbers.is_empty() {
        return Err(Stop::plain("couldn't find port via --port flag or introspection"));
    }
    let many = numbers.len() > 1;
    let port = |(i, number): (usize, &i64)| {
        let target = args.text("target-port").map(|t| t.parse::<i64>().map_or_else(|_| t.into(), Value::Int));
        let mut port = map! {
            "port" => *number,
            "protocol" => args.text("protocol").unwrap_or("TCP"),
            "targetPort" => target.unwrap_or(Value::Int(*number)),
        };
        if many {
            port.insert("name", format!("port-{}", i + 1));
        }
        Value::Map(port)
    };
    Ok(numbers.iter().enumerate().map(port).collect())
}
