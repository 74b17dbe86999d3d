//! `kubectl debug`: adds a container for debugging to a running pod, to a copy of it, or to a node. Counterpart: `kubectl/pkg/cmd/debug`.
//!
//! Simplifications: the profile `general` is the only one, there is no `--custom`, and the new container does not see the processes of the target
//! container.

use super::attach;
use super::changes::Change;
use super::errors::Stop;
use super::flags::{Args, Flag, switch, text};
use super::resource::{self, Selection};
use super::{Cx, Run};
use crate::api::fnv;
use crate::api::kind::Kind;
use crate::api::merge;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{PatchType, Payload, Request, Subresource, Verb};
use crate::api::time::Span;
use crate::api::value::{Map, Value};
use crate::map;
use arcstr::ArcStr;

const FLAGS: &[Flag] = &[
    switch("arguments-only"),
    switch("attach"),
    text("container").or('c'),
    text("copy-to"),
    switch("replace"),
    text("env"),
    text("image"),
    text("image-pull-policy"),
    switch("quiet").or('q'),
    switch("same-node"),
    text("set-image"),
    switch("share-processes"),
    switch("stdin").or('i'),
    text("target"),
    switch("tty").or('t'),
    text("profile"),
    switch("keep-labels"),
    switch("keep-annotations"),
    switch("keep-liveness"),
    switch("keep-readiness"),
    switch("keep-startup"),
    switch("keep-init-containers"),
];

/// The time that `kubectl debug` waits for its container to start.
const PATIENCE: Span = Span::secs(300);

/// Runs `kubectl debug (POD | TYPE/NAME) --image=…`.
pub fn debug(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("debug", &[FLAGS], words)?;
    let [name] = args.words.as_slice() else { return Err(Stop::plain("NAME or filename is required for debug")) };
    check(&args)?;
    let target = resource::pod_or(&cx.env.kinds, name)?;
    let selection = Selection::of(cx, &args)?;
    let object = selection.read(cx, &target)?.remove(0);
    let attaches = args.on("attach") || args.on("stdin");
    if let Some(target) = args.text("target") {
        cx.println(format!("Targeting container \"{target}\". If you don't see processes from this container it may be because the container runtime doesn't support this feature."));
    }
    let (pod, container) = match object.kind() {
        Kind::NODE => on_node(cx, &args, &object)?,
        Kind::POD if args.text("copy-to").is_some() => in_copy(cx, &args, &object)?,
        Kind::POD => in_pod(cx, &args, &object)?,
        kind => return Err(Stop::plain(format!("\"{}, Kind={}\" not supported by debug", kind.row().api_version, kind.row().name))),
    };
    if !attaches || container.is_empty() {
        return Ok(());
    }
    wait_and_attach(cx, &args, pod, &container)
}

fn check(args: &Args) -> Run {
    let copies = args.text("copy-to").is_some();
    let has_image = args.text("image").is_some();
    let refuse = |why: &str| Err(Stop::plain(why));
    if copies {
        if !has_image && args.text("set-image").is_none() && args.after_dashes.is_empty() {
            return refuse("you must specify --image, --set-image or command arguments.");
        }
        if !args.after_dashes.is_empty() && !has_image && args.text("container").is_none() {
            return refuse("you must specify an existing container or a new image when specifying args.");
        }
        if args.text("target").is_some() {
            return refuse("--target is incompatible with --copy-to. Use --share-processes instead.");
        }
    } else {
        for flag in ["replace", "same-node"] {
            if args.on(flag) {
                return refuse(&format!("--{flag} may only be used with --copy-to."));
            }
        }
        if args.text("set-image").is_some() {
            return refuse("--set-image may only be used with --copy-to.");
        }
        if !has_image {
            return refuse("you must specify --image when not using --copy-to.");
        }
    }
    if args.on("tty") && !args.on("stdin") {
        return refuse("-i/--stdin is required for containers with -t/--tty=true");
    }
    match args.text("profile").unwrap_or("general") {
        "general" => Ok(()),
        other => refuse(&format!("this playground has no debugging profile \"{other}\", only \"general\"")),
    }
}

/// Returns five random characters for the end of a name, which are the same for the same name at the same moment.
fn suffix(cx: &Cx, name: &str) -> String {
    let seed = fnv::add(cx.env.now.0 as u64, name.as_bytes());
    String::from_utf8_lossy(&Rng::new(seed, 31).suffix()).into_owned()
}

fn container_name(cx: &mut Cx, args: &Args, object: &Object) -> String {
    if let Some(name) = args.text("container") {
        return name.to_owned();
    }
    let name = format!("debugger-{}", suffix(cx, &object.meta.name));
    if !args.on("quiet") {
        cx.println(format!("Defaulting debug container name to {name}."));
    }
    name
}

/// Sets the fields of a container that the flags give: image, pull policy, command and so on.
fn fill(args: &Args, container: &mut Map) -> Run {
    if let Some(image) = args.text("image") {
        container.insert("image", image);
    }
    if let Some(policy) = args.text("image-pull-policy") {
        container.insert("imagePullPolicy", policy);
    }
    if !args.after_dashes.is_empty() {
        let words: Vec<Value> = args.after_dashes.iter().map(|word| word.as_str().into()).collect();
        container.remove("args");
        container.insert(if args.on("arguments-only") { "args" } else { "command" }, words);
    }
    super::run::set_environment(args, container)?;
    for (flag, field) in [("stdin", "stdin"), ("tty", "tty")] {
        container.remove(field);
        if args.on(flag) {
            container.insert(field, true);
        }
    }
    container.insert_default("terminationMessagePolicy", "File");
    Ok(())
}

/// Allows the container to trace processes of others, as the profile `general` does.
fn allow_tracing(container: &mut Map) {
    let capabilities = map! { "add" => vec!["SYS_PTRACE".into()] };
    container.insert("securityContext", map! { "capabilities" => capabilities });
}

fn in_pod(cx: &mut Cx, args: &Args, object: &Object) -> Run<(Object, String)> {
    let name = container_name(cx, args, object);
    let mut container = map! { "name" => name.as_str() };
    fill(args, &mut container)?;
    allow_tracing(&mut container);
    if let Some(target) = args.text("target") {
        container.insert("targetContainerName", target);
    }
    let old = object.to_map();
    let mut new = old.clone();
    let spec = new.map_mut("spec");
    let all: Vec<Value> = spec.list("ephemeralContainers").iter().cloned().chain([container.into()]).collect();
    spec.insert("ephemeralContainers", all);
    let patch = merge::two_way(Kind::POD.row().schema, &old, &new);
    let mut request = Request::new(Verb::Patch, Kind::POD, object.meta.namespace.clone(), object.meta.name.clone());
    request.subresource = Subresource::EphemeralContainers;
    request.payload = Payload::Patch(PatchType::Strategic, Box::new(patch));
    cx.purpose = "to add a container to the pod";
    Ok(((**cx.object(request)?).clone(), name))
}

fn create(cx: &mut Cx, namespace: ArcStr, pod: Map) -> Run<Object> {
    let mut request = Request::new(Verb::Create, Kind::POD, namespace, "");
    request.payload = Payload::Tree(Box::new(pod.into()));
    Ok((**cx.object(request)?).clone())
}

fn in_copy(cx: &mut Cx, args: &Args, object: &Object) -> Run<(Object, String)> {
    let tree = object.to_map();
    let mut spec = tree.map("spec").cloned().unwrap_or_default();
    spec.remove("ephemeralContainers");
    if !args.on("same-node") {
        spec.remove("nodeName");
    }
    drop_token(&mut spec);
    let keeps = |flag: &str| args.on(flag);
    for container in spec.get_mut("containers").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
        for (flag, field) in [("keep-liveness", "livenessProbe"), ("keep-readiness", "readinessProbe"), ("keep-startup", "startupProbe")] {
            if !keeps(flag) {
                container.remove(field);
            }
        }
        for pair in args.list("set-image") {
            let (name, image) = pair.split_once('=').ok_or_else(|| Stop::plain(format!("invalid image: {pair}")))?;
            if name == "*" || name == container.str("name") {
                container.insert("image", image);
            }
        }
    }
    if args.text("keep-init-containers") == Some("false") {
        spec.remove("initContainers");
    }
    let known = |spec: &Map, name: &str| spec.list("containers").iter().position(|c| c.get("name").and_then(Value::as_str) == Some(name));
    let name = match args.text("container").filter(|name| known(&spec, name).is_some()) {
        Some(name) => name.to_owned(),
        None if args.text("image").is_none() => String::new(),
        None => container_name(cx, args, object),
    };
    if !name.is_empty() {
        let mut containers = spec.list("containers").to_vec();
        let at = known(&spec, &name).unwrap_or_else(|| {
            containers.push(map! { "name" => name.as_str() }.into());
            containers.len() - 1
        });
        if let Some(container) = containers.get_mut(at).and_then(Value::as_map_mut) {
            fill(args, container)?;
            allow_tracing(container);
        }
        spec.insert("containers", containers);
        spec.insert("shareProcessNamespace", args.text("share-processes") != Some("false"));
    }
    let copy = args.text("copy-to").unwrap_or_default();
    let mut meta = map! { "name" => copy, "namespace" => &object.meta.namespace };
    for (flag, field) in [("keep-labels", "labels"), ("keep-annotations", "annotations")] {
        if let Some(value) = tree.at(&["metadata", field]).filter(|_| keeps(flag)) {
            meta.insert(field, value.clone());
        }
    }
    let pod = map! { "apiVersion" => "v1", "kind" => "Pod", "metadata" => meta, "spec" => spec };
    let made = create(cx, object.meta.namespace.clone(), pod)?;
    if args.on("replace") {
        cx.request(Request::delete(Kind::POD, &object.meta.namespace, &object.meta.name))?;
    }
    Ok((made, name))
}

/// Removes the token volume that admission added to the pod, since admission will add it to the copy, too.
fn drop_token(spec: &mut Map) {
    let is_token = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).is_some_and(|name| name.starts_with("kube-api-access-"));
    let without = |list: &[Value], key: &str| list.iter().filter(|v| !is_token(v, key)).cloned().collect::<Vec<_>>();
    let volumes = without(spec.list("volumes"), "name");
    spec.insert("volumes", volumes);
    for list in ["containers", "initContainers"] {
        for container in spec.get_mut(list).and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
            let mounts = without(container.list("volumeMounts"), "name");
            container.insert("volumeMounts", mounts);
        }
    }
}

fn on_node(cx: &mut Cx, args: &Args, node: &Object) -> Run<(Object, String)> {
    let container_name = args.text("container").unwrap_or("debugger").to_owned();
    let name = format!("node-debugger-{}-{}", node.meta.name, suffix(cx, &node.meta.name));
    if !args.on("quiet") {
        cx.println(format!("Creating debugging pod {name} with container {container_name} on node {}.", node.meta.name));
    }
    let mut container = map! { "name" => container_name.as_str() };
    fill(args, &mut container)?;
    container.insert("volumeMounts", vec![map! { "name" => "host-root", "mountPath" => "/host" }.into()]);
    let spec = map! {
        "containers" => vec![container.into()],
        "nodeName" => &node.meta.name,
        "restartPolicy" => "Never",
        "tolerations" => vec![map! { "operator" => "Exists" }.into()],
        "hostNetwork" => true,
        "hostPID" => true,
        "hostIPC" => true,
        "volumes" => vec![map! { "name" => "host-root", "hostPath" => map! { "path" => "/" } }.into()],
    };
    let namespace = resource::namespace(cx, args).0;
    let labels = map! { "app.kubernetes.io/managed-by" => "kubectl-debug" };
    let pod =
        map! { "apiVersion" => "v1", "kind" => "Pod", "metadata" => map! { "name" => name.as_str(), "labels" => labels }, "spec" => spec };
    Ok((create(cx, namespace, pod)?, container_name))
}

/// Waits until the container runs or has ended, then attaches to it and prints its output.
fn wait_and_attach(cx: &mut Cx, args: &Args, pod: Object, container: &str) -> Run {
    let until = cx.now + PATIENCE;
    let mut pod = std::sync::Arc::new(pod);
    while !has_begun(&pod, container) {
        match cx.next_change(&pod, Some(until))? {
            Change::To(changed) => pod = changed.clone(),
            Change::Gone | Change::None => return Err(Stop::plain("timed out waiting for the condition")),
        }
    }
    attach::stay(cx, args, &pod, container.into(), true)
}

fn has_begun(object: &Object, container: &str) -> bool {
    use crate::api::kind::pod::ContainerState;
    let Some(pod) = object.pod() else { return false };
    let ephemeral = pod.status.rare.iter().flat_map(|r| &r.ephemeral_container_statuses);
    let found = pod.status.container_statuses.iter().chain(ephemeral).find(|s| s.name == container);
    found.is_some_and(|s| !matches!(s.state, ContainerState::Waiting { .. }))
}
