//! `kubectl drain`: cordons a node and evicts its pods. Counterpart: `kubectl/pkg/drain`.
//!
//! Simplification: evictions are sent one after the other, where the real client sends them in parallel.

use super::errors::Failure;
use super::flags::{Args, Flag, Takes, switch, takes, text};
use super::print::{DryRun, Output, report};
use super::resource::Selection;
use super::{Cx, Failures, Run, node};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Answer, Request, Subresource, Verb};
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::api::value::Value;
use arcstr::ArcStr;
use std::sync::Arc;

const FLAGS: &[Flag] = &[
    text("selector").or('l'),
    takes("dry-run", Takes::Maybe("unchanged")),
    switch("ignore-daemonsets"),
    switch("force"),
    switch("delete-emptydir-data"),
    switch("disable-eviction"),
    takes("timeout", Takes::Duration),
    takes("grace-period", Takes::Int),
    takes("skip-wait-for-delete-timeout", Takes::Int),
    text("pod-selector"),
    takes("chunk-size", Takes::Int),
];

const MIRROR: &str = "kubernetes.io/config.mirror";
const RETRY: Span = Span::secs(5);
const LOOK_AGAIN: Span = Span::secs(1);

/// `kubectl drain NODE`
pub fn drain(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("drain", &[FLAGS], words)?;
    if args.words.is_empty() && args.text("selector").is_none() {
        return Err(Failure::usage("drain", "USAGE: drain NODE [flags]"));
    }
    let nodes = nodes(cx, &args)?;
    let dry_run = DryRun::of(&args)?;
    for node in &nodes {
        node::set_unschedulable(cx, node, true, "cordon", dry_run)?;
    }
    let (mut pending, mut failures) = (Vec::new(), Failures::default());
    for node in &nodes {
        let before = failures.0.len();
        let emptied = empty(cx, &args, node, dry_run);
        failures.keep(emptied)?;
        let Some(failure) = failures.0.get(before) else {
            report(cx, Output::Human, dry_run, Kind::NODE, &node.to_map(), "drained");
            continue;
        };
        pending.push(node.meta.name.clone());
        let text = format!("error: unable to drain node \"{}\" due to error: {}, continuing command...", node.meta.name, failure.message());
        cx.complain(text);
    }
    if pending.is_empty() {
        return Ok(());
    }
    cx.complain("There are pending nodes to be drained:");
    pending.iter().for_each(|name| cx.complain(format!(" {name}")));
    Err(Failure::many(failures.0))
}

fn nodes(cx: &mut Cx, args: &Args) -> Run<Vec<Arc<Object>>> {
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

/// Evicts the pods of a node that the filters allow, and waits until they are gone.
fn empty(cx: &mut Cx, args: &Args, node: &Object, dry_run: DryRun) -> Run {
    let fields = format!("spec.nodeName={}", node.meta.name);
    let labels = args.text("pod-selector").unwrap_or("");
    let pods = Selection { namespace: ArcStr::default(), labels, fields: &fields, all: true }.list(cx, Kind::POD)?;
    let sorted = sort(args, pods);
    if !sorted.refused.is_empty() {
        return Err(match sorted.refused.len() {
            1 => Failure::plain(sorted.refused.join("")),
            _ => Failure::many(sorted.refused.into_iter().map(Failure::plain).collect()),
        });
    }
    if !sorted.warnings.is_empty() {
        cx.complain(format!("Warning: {}", sorted.warnings.join("; ")));
    }
    if dry_run != DryRun::None {
        return Ok(());
    }
    let limit = args.duration("timeout").filter(|t| t.0 > 0);
    let deadline = limit.map(|t| cx.now + t);
    let mut leaving: Vec<Leaving> = sorted.leaving.into_iter().map(|pod| Leaving { pod, evicted: false, again: cx.now }).collect();
    while !leaving.is_empty() {
        for one in &mut leaving {
            if !one.evicted && one.again <= cx.now {
                evict(cx, one, deadline, args.text("timeout").unwrap_or(""), node)?;
            }
        }
        look(cx, &mut leaving)?;
        if !leaving.is_empty() {
            cx.sleep(LOOK_AGAIN)?;
        }
    }
    Ok(())
}

/// A pod that is being evicted.
struct Leaving {
    pod: Arc<Object>,
    evicted: bool,
    again: Time,
}

fn evict(cx: &mut Cx, one: &mut Leaving, deadline: Option<Time>, limit: &str, node: &Object) -> Run {
    let (name, namespace) = (one.pod.meta.name.clone(), one.pod.meta.namespace.clone());
    cx.say(format!("evicting pod {namespace}/{name}"));
    let failed = format!("error when evicting pods/\"{name}\" -n \"{namespace}\"");
    if deadline.is_some_and(|deadline| cx.now > deadline) {
        let text = format!("{failed}: global timeout reached: {limit}");
        cx.complain(format!("There are pending pods in node \"{}\" when an error occurred: {text}\npod/{name}", node.meta.name));
        return Err(Failure::plain(text));
    }
    let mut request = Request::new(Verb::Create, Kind::POD, namespace, name);
    request.subresource = Subresource::Eviction;
    match cx.try_request(request)? {
        Ok(_) => one.evicted = true,
        Err(status) if status.reason == Reason::NotFound => one.evicted = true,
        Err(status) if status.reason == Reason::TooManyRequests => {
            cx.complain(format!("{failed} (will retry after 5s): {}", status.message));
            one.again = cx.now + RETRY;
        }
        Err(status) => return Err(Failure::plain(format!("{failed}: {}", status.message))),
    }
    Ok(())
}

/// Removes the evicted pods that are gone from the list, and reports them.
fn look(cx: &mut Cx, leaving: &mut Vec<Leaving>) -> Run {
    let mut left = Vec::new();
    for one in leaving.drain(..) {
        if one.evicted {
            let meta = &one.pod.meta;
            let there = match cx.try_request(Request::new(Verb::Get, Kind::POD, meta.namespace.clone(), meta.name.clone()))? {
                Ok(Answer::Object { object, .. }) => object.meta.uid == meta.uid,
                _ => false,
            };
            if !there {
                cx.say(format!("pod/{} evicted", meta.name));
                continue;
            }
        }
        left.push(one);
    }
    *leaving = left;
    Ok(())
}

/// The pods of a node after the filters: those to evict, the warnings, and the reasons to refuse. Counterpart: `Helper.makeFilters`.
#[derive(Default)]
struct Sorted {
    leaving: Vec<Arc<Object>>,
    warnings: Vec<String>,
    refused: Vec<String>,
}

fn sort(args: &Args, pods: Vec<Arc<Object>>) -> Sorted {
    let (mut of_daemons, mut with_data, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    let mut sorted = Sorted::default();
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
        sorted.leaving.push(pod);
    }
    let mut judge = |names: Vec<String>, allowed: bool, what: &str, remedy: &str, doing: &str| {
        let list = names.join(", ");
        match (names.is_empty(), allowed) {
            (true, _) => {}
            (false, true) => sorted.warnings.push(format!("{doing} {what}: {list}")),
            (false, false) => sorted.refused.push(format!("cannot delete {what} (use {remedy}): {list}")),
        }
    };
    judge(of_daemons, args.on("ignore-daemonsets"), "DaemonSet-managed Pods", "--ignore-daemonsets to ignore", "ignoring");
    judge(with_data, args.on("delete-emptydir-data"), "Pods with local storage", "--delete-emptydir-data to override", "deleting");
    judge(alone, args.on("force"), "Pods that declare no controller", "--force to override", "deleting");
    sorted
}
