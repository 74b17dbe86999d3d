//! `kubectl drain`: cordons a node and evicts its pods. Counterpart: `kubectl/pkg/drain`.
//!
//! Simplification: evictions are sent one after the other, where the real client sends them in parallel.

use super::errors::Stop;
use super::flags::{Args, Flag, Takes, switch, takes, text};
use super::print::{DryRun, Output, report};
use super::resource::Selection;
use super::{Cx, Failures, Run, cordon_taint};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Answer, Request, Subresource, Verb};
use crate::api::selector::Selector;
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::api::value::Value;
use arcstr::ArcStr;
use std::sync::Arc;

const SKIP: &str = "skip-wait-for-delete-timeout";
const FLAGS: &[Flag] = &[
    text("selector").or('l'),
    takes("dry-run", Takes::Maybe("unchanged")),
    switch("ignore-daemonsets"),
    switch("force"),
    switch("delete-emptydir-data"),
    switch("disable-eviction"),
    takes("timeout", Takes::Duration),
    takes("grace-period", Takes::Int),
    takes(SKIP, Takes::Int),
    text("pod-selector"),
    takes("chunk-size", Takes::Int),
];

const MIRROR: &str = "kubernetes.io/config.mirror";
const RETRY: Span = Span::secs(5);
const LOOK_AGAIN: Span = Span::secs(1);

/// Runs `kubectl drain NODE`.
pub fn drain(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("drain", &[FLAGS], words)?;
    cordon_taint::check_choice("drain", &args)?;
    if Selector::parse(args.text("pod-selector").unwrap_or("")).is_err() {
        return Err(Stop::plain("--pod-selector=<pod_selector> must be a valid label selector"));
    }
    let nodes = nodes(cx, &args)?;
    let dry_run = DryRun::of(&args)?;
    for node in &nodes {
        cordon_taint::set_unschedulable(cx, node, true, "cordon", dry_run)?;
    }
    let (mut pending, mut failures) = (Vec::new(), Failures::default());
    for node in &nodes {
        let before = failures.0.len();
        let evicted = evict_pods(cx, &args, node, dry_run);
        failures.keep(evicted)?;
        let Some(failure) = failures.0.get(before) else {
            report(cx, Output::Human, dry_run, Kind::NODE, &node.to_map(), "drained")?;
            continue;
        };
        pending.push(node.meta.name.clone());
        let text = format!("error: unable to drain node \"{}\" due to error: {}, continuing command...", node.meta.name, failure.message());
        cx.eprintln(text);
    }
    if pending.is_empty() {
        return Ok(());
    }
    cx.eprintln("There are pending nodes to be drained:");
    pending.iter().for_each(|name| cx.eprintln(format!(" {name}")));
    Err(Stop::many(failures.0))
}

/// Reads the nodes that the command names or selects; the first that does not exist ends the command.
pub fn nodes(cx: &mut Cx, args: &Args) -> Run<Vec<Arc<Object>>> {
    if let Some(labels) = args.text("selector") {
        return Selection { namespace: ArcStr::default(), labels, fields: "", all: true }.list(cx, Kind::NODE);
    }
    let mut nodes = Vec::new();
    for word in &args.words {
        let name = word.trim_start_matches("node/").trim_start_matches("nodes/");
        nodes.push(cx.object(Request::new(Verb::Get, Kind::NODE, "", name))?.clone());
    }
    Ok(nodes)
}

/// Evicts the pods of a node that the flags allow to evict, and waits until they are gone.
fn evict_pods(cx: &mut Cx, args: &Args, node: &Object, dry_run: DryRun) -> Run {
    let fields = format!("spec.nodeName={}", node.meta.name);
    let labels = args.text("pod-selector").unwrap_or("");
    let pods = Selection { namespace: ArcStr::default(), labels, fields: &fields, all: true }.list(cx, Kind::POD)?;
    let filtered = filter_pods(args, cx.now, pods);
    if !filtered.refused.is_empty() {
        return Err(match filtered.refused.len() {
            1 => Stop::plain(filtered.refused.join("")),
            _ => Stop::many(filtered.refused.into_iter().map(Stop::plain).collect()),
        });
    }
    if !filtered.warnings.is_empty() {
        cx.eprintln(format!("Warning: {}", filtered.warnings.join("; ")));
    }
    if dry_run != DryRun::None {
        let which = if dry_run == DryRun::Server { "server dry run" } else { "dry run" };
        for pod in &filtered.to_evict {
            cx.println(format!("evicting pod {}/{} ({which})", pod.meta.namespace, pod.meta.name));
        }
        return Ok(());
    }
    let grace = args.int("grace-period").filter(|seconds| *seconds >= 0);
    let deletes = args.on("disable-eviction");
    let limit = args.duration("timeout").filter(|t| t.0 > 0);
    let deadline = limit.map(|t| cx.now + t);
    let mut evictions: Vec<Eviction> = filtered.to_evict.into_iter().map(|pod| Eviction { pod, evicted: false, again: cx.now }).collect();
    while !evictions.is_empty() {
        for one in &mut evictions {
            if !one.evicted && one.again <= cx.now {
                let mut request = Request::delete(Kind::POD, &one.pod.meta.namespace, &one.pod.meta.name).with(|o| o.grace_seconds = grace);
                if deletes {
                    one.delete(cx, request)?;
                } else {
                    (request.verb, request.subresource) = (Verb::Create, Subresource::Eviction);
                    evict(cx, one, request, deadline, args.text("timeout").unwrap_or(""), node)?;
                }
            }
        }
        remove_deleted(cx, &mut evictions, if deletes { "deleted" } else { "evicted" }, args.int(SKIP))?;
        let late = evictions.first().filter(|one| one.evicted && deadline.is_some_and(|deadline| cx.now >= deadline));
        if let Some(Eviction { pod, .. }) = late {
            let (name, namespace) = (&pod.meta.name, &pod.meta.namespace);
            let text = match deletes {
                true => "context deadline exceeded".to_owned(),
                false => {
                    format!("error when waiting for pod \"{name}\" in namespace \"{namespace}\" to terminate: context deadline exceeded")
                }
            };
            cx.eprintln(format!("There are pending pods in node \"{}\" when an error occurred: {text}", node.meta.name));
            evictions.iter().for_each(|one| cx.eprintln(format!("pod/{}", one.pod.meta.name)));
            return Err(Stop::plain(text));
        }
        if !evictions.is_empty() {
            cx.sleep(LOOK_AGAIN)?;
        }
    }
    Ok(())
}

/// A pod that is to be evicted, or has been evicted and is not gone yet.
struct Eviction {
    pod: Arc<Object>,
    evicted: bool,
    again: Time,
}

impl Eviction {
    /// Deletes the pod whatever its disruption budget says, as `--disable-eviction` asks for. Counterpart: `Helper.deletePods`.
    fn delete(&mut self, cx: &mut Cx, request: Request) -> Run {
        self.evicted = true;
        match cx.try_request(request)? {
            Err(status) if status.reason != Reason::NotFound => Err(Stop::plain(status.message.clone())),
            _ => Ok(()),
        }
    }
}

fn evict(cx: &mut Cx, one: &mut Eviction, request: Request, deadline: Option<Time>, limit: &str, node: &Object) -> Run {
    let (name, namespace) = (one.pod.meta.name.clone(), one.pod.meta.namespace.clone());
    cx.println(format!("evicting pod {namespace}/{name}"));
    let failed = format!("error when evicting pods/\"{name}\" -n \"{namespace}\"");
    if deadline.is_some_and(|deadline| cx.now > deadline) {
        let text = format!("{failed}: global timeout reached: {limit}");
        cx.eprintln(format!("There are pending pods in node \"{}\" when an error occurred: {text}\npod/{name}", node.meta.name));
        return Err(Stop::plain(text));
    }
    match cx.try_request(request)? {
        Ok(_) => one.evicted = true,
        Err(status) if status.reason == Reason::NotFound => one.evicted = true,
        Err(status) if status.reason == Reason::TooManyRequests => {
            cx.eprintln(format!("{failed} (will retry after 5s): {}", status.message));
            one.again = cx.now + RETRY;
        }
        Err(status) => return Err(Stop::plain(format!("{failed}: {}", status.message))),
    }
    Ok(())
}

/// Removes evicted pods from the list once they are gone, and reports each.
fn remove_deleted(cx: &mut Cx, evictions: &mut Vec<Eviction>, verb: &str, skip: Option<i64>) -> Run {
    let mut left = Vec::new();
    for one in evictions.drain(..) {
        if one.evicted {
            let meta = &one.pod.meta;
            let there = match cx.try_request(Request::new(Verb::Get, Kind::POD, meta.namespace.clone(), meta.name.clone()))? {
                Ok(Answer::Object { object, .. }) if object.meta.uid == meta.uid => Some(object),
                _ => None,
            };
            let Some(object) = there else {
                cx.println(format!("pod/{} {verb}", meta.name));
                continue;
            };
            if let Some(seconds) = skip.filter(|seconds| goes_for_longer(object, cx.now, *seconds)) {
                cx.println(format!("pod \"{}\" has DeletionTimestamp older than {seconds} seconds, skipping", meta.name));
                continue;
            }
        }
        left.push(one);
    }
    *evictions = left;
    Ok(())
}

/// Returns whether a pod's `deletionTimestamp` is more than so many seconds ago; never for 0, the default.
fn goes_for_longer(pod: &Object, now: Time, seconds: i64) -> bool {
    seconds > 0 && pod.meta.deletion.as_ref().is_some_and(|deletion| now - deletion.at >= Span::secs(seconds + 1))
}

/// The pods of a node after `drain`'s filters: those to evict, the warnings, and the reasons to refuse the drain. Counterpart: `Helper.makeFilters`.
#[derive(Default)]
struct FilteredPods {
    to_evict: Vec<Arc<Object>>,
    warnings: Vec<String>,
    refused: Vec<String>,
}

fn filter_pods(args: &Args, now: Time, mut pods: Vec<Arc<Object>>) -> FilteredPods {
    if let Some(seconds) = args.int(SKIP) {
        pods.retain(|pod| !goes_for_longer(pod, now, seconds));
    }
    let (mut of_daemons, mut with_data, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    let mut filtered = FilteredPods::default();
    for pod in pods {
        let name = format!("{}/{}", pod.meta.namespace, pod.meta.name);
        let ended = pod.pod().is_some_and(|p| p.status.phase.is_terminal());
        if pod.meta.annotations.get(MIRROR).is_some() {
            continue;
        }
        if pod.meta.controller().is_some_and(|owner| owner.kind == "DaemonSet") && !ended {
            of_daemons.push(name);
            continue;
        }
        let volumes = pod.pod().map(|p| p.spec.raw.list("volumes")).unwrap_or_default();
        if !ended && volumes.iter().filter_map(Value::as_map).any(|v| v.has("emptyDir")) {
            with_data.push(name.clone());
        }
        if !ended && pod.meta.controller().is_none() {
            alone.push(name);
        }
        filtered.to_evict.push(pod);
    }
    let mut judge = |names: Vec<String>, allowed: bool, what: &str, remedy: &str, doing: &str| {
        let list = names.join(", ");
        match (names.is_empty(), allowed) {
            (true, _) => {}
            (false, true) => filtered.warnings.push(format!("{doing} {what}: {list}")),
            (false, false) => filtered.refused.push(format!("cannot delete {what} (use {remedy}): {list}")),
        }
    };
    judge(of_daemons, args.on("ignore-daemonsets"), "DaemonSet-managed Pods", "--ignore-daemonsets to ignore", "ignoring");
    judge(with_data, args.on("delete-emptydir-data"), "Pods with local storage", "--delete-emptydir-data to override", "deleting");
    judge(alone, args.on("force"), "Pods that declare no controller", "--force to override", "deleting");
    filtered
}
