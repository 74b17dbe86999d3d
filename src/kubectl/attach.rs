//! `kubectl attach`, and what `kubectl run --attach`, `-i` and `--rm` do once the pod is created. Counterpart: `kubectl/pkg/cmd/attach`.
//!
//! Prints the container's output until the container ends; with `-i` it sends the person's input to the container, if that has a standard input.

use super::attachable::pod_of;
use super::changes::Change;
use super::errors::Stop;
use super::exec::{container_of, default_container, keyboard, stream};
use super::flags::{Args, Flag, switch, text};
use super::resource::Selection;
use super::{Cx, Run};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{ExecOptions, LogOptions, Payload, Request, Subresource, Verb};
use crate::api::time::Span;
use crate::sim::{ReplyBody, Wait};
use arcstr::ArcStr;
use std::sync::Arc;

const FLAGS: &[Flag] =
    &[text("container").or('c'), switch("stdin").or('i'), switch("tty").or('t'), switch("quiet").or('q'), text("pod-running-timeout")];

/// The time that `kubectl run` waits for its pod to leave the phase Pending.
const PATIENCE: Span = Span::secs(60);

/// Runs `kubectl attach POD [-c CONTAINER]`.
pub fn attach(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("attach", &[FLAGS], words)?;
    let [name] = args.words.as_slice() else {
        return Err(Stop::plain("at least 1 argument is required for attach"));
    };
    let selection = Selection::of(cx, &args)?;
    let (_, object) = pod_of(cx, &selection, name)?;
    let Some(pod) = object.pod() else { return Ok(()) };
    if pod.status.phase.is_terminal() {
        return Err(Stop::plain(format!("cannot attach a container in a completed pod; current phase is {}", pod.status.phase.text())));
    }
    let container = container_of(cx, &object, pod, args.text("container"), args.on("quiet"))?;
    stay(cx, &args, &object, container, false)
}

/// Attaches to a container: prints its output until it ends, and with `-i` sends what the person types. With `from_start`, prints its earlier output first.
pub fn stay(cx: &mut Cx, args: &Args, pod: &Object, container: ArcStr, from_start: bool) -> Run {
    let mut request = Request::new(Verb::Create, Kind::POD, pod.meta.namespace.clone(), pod.meta.name.clone());
    request.subresource = Subresource::Exec;
    let (input, types) = keyboard(cx, args);
    let options = ExecOptions { container, input, types, tty: args.on("tty") && types, attach: true, from_start, ..ExecOptions::default() };
    request.payload = Payload::Exec(Box::new(options));
    if !args.on("quiet") {
        cx.eprintln("All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed through the command prompt.");
        cx.eprintln("If you don't see a command prompt, try pressing enter.");
    }
    stream(cx, request, None).map(|_| ())
}

/// Prints the log of a container from its beginning until the container ends.
fn show(cx: &mut Cx, pod: &Object, container: ArcStr) -> Run {
    let mut request = Request::new(Verb::Get, Kind::POD, pod.meta.namespace.clone(), pod.meta.name.clone());
    request.subresource = Subresource::Log;
    request.payload = Payload::Log(Box::new(LogOptions { container, follow: true, ..LogOptions::default() }));
    let requests = Arc::new(vec![request]);
    loop {
        let ReplyBody::Text(pieces, over) = cx.wait_for(Wait::Follow(requests.clone()))? else { return Ok(()) };
        pieces.iter().for_each(|(_, text)| cx.print(text));
        if *over {
            return Ok(());
        }
    }
}

/// Waits for the pod that `kubectl run` has created, prints its output (with `-i` attached to it), and with `--rm` deletes it in the end.
pub fn after_run(cx: &mut Cx, args: &Args, namespace: &ArcStr, name: &str) -> Run {
    let until = cx.now + PATIENCE;
    let mut pod = cx.object(Request::new(Verb::Get, Kind::POD, namespace.clone(), name))?.clone();
    while pod.pod().is_some_and(|p| p.status.phase.text() == "Pending") {
        match cx.next_change(&pod, Some(until))? {
            Change::To(changed) => pod = changed.clone(),
            Change::Gone | Change::None => return Err(Stop::plain("timed out waiting for the condition")),
        }
    }
    let container = pod.pod().and_then(|p| default_container(&pod, p)).unwrap_or_default();
    let over = pod.pod().is_some_and(|p| p.status.phase.is_terminal());
    if args.on("stdin") && !over {
        stay(cx, args, &pod, container, true)?;
    } else {
        show(cx, &pod, container)?;
    }
    if args.on("rm") {
        cx.request(Request::delete(Kind::POD, namespace, &name.into()))?;
        cx.println(format!("pod \"{name}\" deleted from {namespace} namespace"));
    }
    Ok(())
}
