//! `kubectl run`. Counterparts: `kubectl/pkg/cmd/run`, `kubectl/pkg/generate/versioned/run.go`.

use super::create_kinds::{create_object, number, overridden, pairs, texts};
use super::errors::Stop;
use super::flags::{Args, Flag, OUTPUT, RECORD, Takes, switch, takes, text};
use super::print::DryRun;
use super::{Cx, Run};
use crate::api::kind::Kind;
use crate::api::names;
use crate::api::value::Map;
use crate::map;

const RUN: &[Flag] = &[
    text("image"),
    text("labels").or('l'),
    text("port"),
    text("env"),
    text("restart"),
    switch("command"),
    text("image-pull-policy"),
    text("annotations"),
    text("overrides"),
    switch("save-config"),
    RECORD,
    text("detach-keys"),
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
/// Runs `kubectl run NAME --image=…`.
pub fn run(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("run", &[OUTPUT, RUN], words)?;
    args.require(&["image"])?;
    let name = args.words.first().ok_or_else(|| Stop::usage("run", "NAME is required for run"))?;
    let attached = if args.text("attach").is_some() { args.on("attach") } else { args.on("stdin") };
    check_run(&args, attached)?;
    let mut command: Vec<String> = args.words.iter().skip(1).cloned().collect();
    command.extend(args.after_dashes.iter().cloned());
    let mut container = map! { "name" => name.as_str(), "image" => args.text("image").unwrap_or(""), "resources" => Map::new() };
    if !command.is_empty() {
        container.insert(if args.on("command") { "command" } else { "args" }, texts(&command));
    }
    if let Some(port) = args.text("port").filter(|port| !port.is_empty()) {
        container.insert("ports", vec![map! { "containerPort" => number(port)? }.into()]);
    }
    if let Some(policy) = args.text("image-pull-policy").filter(|policy| !policy.is_empty()) {
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
    let restart = args.text("restart").filter(|restart| !restart.is_empty()).unwrap_or("Always");
    let mut metadata = map! { "name" => name.as_str(), "labels" => labels.clone() };
    for annotation in args.all("annotations") {
        let (key, value) = annotation.split_once('=').ok_or_else(|| Stop::plain(format!("invalid annotations format: {annotation}")))?;
        metadata.map_mut("annotations").insert(key, value);
    }
    let mut object = map! {
        "metadata" => metadata,
        "spec" => map! { "containers" => vec![container.into()], "dnsPolicy" => "ClusterFirst", "restartPolicy" => restart },
        "status" => Map::new(),
    };
    overridden(&args, Kind::POD, &mut object)?;
    let service = args.on("expose").then(|| service_of(&args, name, labels));
    if !attached {
        // The real client creates the pod first and prints the Service first.
        let before = std::mem::take(&mut cx.output);
        cx.documents = usize::from(service.is_some());
        create_object(cx, &args, Kind::POD, object, "created", None)?;
        let pod = std::mem::replace(&mut cx.output, before);
        if let Some(service) = service {
            cx.documents = 0;
            create_object(cx, &args, Kind::SERVICE, service?, "created", None)?;
            if args.text("output") == Some("yaml") {
                cx.println("---");
            }
        }
        cx.print(&pod.stdout());
        cx.output.err(&pod.stderr());
        return Ok(());
    }
    let namespace = super::resource::namespace(cx, &args).0;
    let shown = cx.output.clone();
    create_object(cx, &args, Kind::POD, object, "created", None)?;
    if let Some(service) = service {
        create_object(cx, &args, Kind::SERVICE, service?, "created", None)?;
    }
    // The client prints no message about the pod that it attaches to.
    cx.output = shown;
    super::attach::after_run(cx, &args, &namespace, name)
}

/// Sets the environment variables of a container from the flag `--env`.
pub(super) fn set_environment(args: &Args, container: &mut Map) -> Run {
    let mut env = Vec::new();
    for pair in args.all("env") {
        let (key, value) = pair
            .split_once('=')
            .filter(|(key, _)| names::strict_env_name(key).is_empty())
            .ok_or_else(|| Stop::plain(format!("invalid env: {pair}")))?;
        env.push(map! { "name" => key, "value" => value }.into());
    }
    if !env.is_empty() {
        container.insert("env", env);
    }
    Ok(())
}

/// Refuses flags of `kubectl run` that do not go together.
fn check_run(args: &Args, attached: bool) -> Result<(), Stop> {
    let image = args.text("image").unwrap_or("");
    let restart = args.text("restart").unwrap_or("");
    let policy = args.text("image-pull-policy").unwrap_or("");
    let text = if image.is_empty() {
        return Err(Stop::plain("--image is required"));
    } else if !is_image(image) {
        return Err(Stop::plain(format!("Invalid image name \"{image}\": invalid reference format")));
    } else if args.on("tty") && !args.on("stdin") {
        "-i/--stdin is required for containers with -t/--tty=true".to_owned()
    } else if args.on("expose") && args.text("port").is_none_or(str::is_empty) {
        "--port must be set when exposing a service".to_owned()
    } else if !matches!(restart, "" | "Always" | "OnFailure" | "Never") {
        format!("invalid restart policy: {restart}")
    } else if args.on("rm") && !attached {
        "--rm should only be used for attached containers".to_owned()
    } else if attached && !matches!(DryRun::of(args)?, DryRun::None) {
        "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)".to_owned()
    } else if !matches!(policy, "" | "Always" | "IfNotPresent" | "Never") {
        format!("invalid image pull policy: {policy}")
    } else {
        return Ok(());
    };
    Err(Stop::usage("run", &text))
}

/// Returns true for `[HOST[:PORT]/]PATH[:TAG][@DIGEST]` with a path in lower case. Counterpart: `reference.ReferenceRegexp`.
fn is_image(image: &str) -> bool {
    let (name, digest) = image.split_once('@').map_or((image, "sha256:0"), |(name, digest)| (name, digest));
    let (head, last) = name.rsplit_once('/').map_or(("", name), |(head, last)| (head, last));
    let (last, tag) = last.split_once(':').unwrap_or((last, "latest"));
    let ends = |part: &str| part.starts_with(|c: char| c.is_ascii_alphanumeric()) && part.ends_with(|c: char| c.is_ascii_alphanumeric());
    let is_path = |part: &str| ends(part) && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c));
    let is_host = |part: &str| ends(part) && part.chars().all(|c| c.is_ascii_alphanumeric() || ".-:".contains(c));
    let is_tag = !tag.is_empty() && !tag.starts_with(['.', '-']) && tag.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    let mut folders = head.split('/').filter(|_| !head.is_empty());
    let hosted = folders.next().is_none_or(is_host);
    is_path(last) && is_tag && hosted && folders.all(is_path) && digest.contains(':')
}

/// Returns the Service that `kubectl run --expose` makes.
fn service_of(args: &Args, name: &str, selector: Map) -> Result<Map, Stop> {
    let port = number(args.text("port").unwrap_or(""))?;
    let port = map! { "port" => port, "protocol" => "TCP", "targetPort" => port };
    let spec = map! { "ports" => vec![port.into()], "selector" => selector };
    Ok(map! { "metadata" => map! { "name" => name }, "spec" => spec, "status" => map! { "loadBalancer" => Map::new() } })
}
