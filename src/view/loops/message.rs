//! The details of a message that a person has opened: its sender, receiver, times, cause and content.

use super::actor::Actor;
use super::wires::LOOKED_THROUGH;
use crate::api::request::{Answer, Payload, Request, Response};
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::api::yaml;
use crate::sim::{Cluster, Process, Step, Timer};
use crate::view::clock;
use crate::view::object::who;
use crate::view::rings::{key_text, name_of};
use crate::view::run::Run;
use std::sync::Arc;

/// The identifier of a message: the step that sent it, and its time of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageId {
    /// The number of the step that sent the message.
    pub cause: u64,
    /// The virtual time at which the message arrives, in microseconds.
    pub due: i64,
}

/// The details of a message that a person has opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageDetails {
    /// The message in a few words, such as `POST pods`.
    pub title: String,
    /// The sender and the receiver: `scheduler → API server`.
    pub way: String,
    /// The time at which the message was sent, and the time at which it arrives or arrived, as text.
    pub times: String,
    /// A sentence about the step that sent the message; empty if that step is no longer recorded.
    pub why: String,
    /// The body of the request, or the object of the watch event, as YAML; empty if there is none.
    pub body: String,
    /// The content of the answer, as YAML; empty if the message is no answer.
    pub answer: String,
}

/// The number of steps after the one that sent a message that are searched for its arrival.
const ARRIVED_WITHIN: u64 = 20_000;
/// The greatest number of lines of YAML that are shown.
const LINES_SHOWN: usize = 160;

/// Finds a message by its identifier, in flight or arrived; `None` if it is neither any more.
pub fn find(run: &Run, actor: &Actor, id: MessageId) -> Option<MessageDetails> {
    let (cluster, trail) = (run.cluster(), run.session.trail());
    let is_it =
        |step: &Step, cause: u64, at: Time| cause == id.cause && at.0 == id.due && actor.line(step, cause, cluster, trail).is_some();
    let mut waiting = cluster.queue.iter().take(4 * LOOKED_THROUGH);
    if let Some((due, entry)) = waiting.find(|(due, e)| is_it(&e.step, e.cause, *due)) {
        let left = format!("arrives in {}", clock::span(due - cluster.now));
        return Some(open(run, &entry.step, id.cause, left));
    }
    let until = cluster.steps.min(id.cause + ARRIVED_WITHIN);
    let record = (id.cause + 1..=until).map_while(|n| trail.get(n)).find(|r| is_it(&r.step, r.cause, r.at))?;
    let arrived = format!("arrived at {}", clock::clock(record.at - run.start));
    Some(open(run, &record.step, id.cause, arrived))
}

fn open(run: &Run, step: &Step, cause: u64, arrives: String) -> MessageDetails {
    let cluster = run.cluster();
    let sender = run.session.trail().get(cause);
    let sent = sender.map(|r| format!("sent at {}, ", clock::clock(r.at - run.start))).unwrap_or_default();
    let (from, to) = match step {
        Step::Arrive { from, .. } | Step::Open { from, .. } => (*from, Process::ApiServer),
        Step::Answer { to, .. } | Step::Expired { to, .. } | Step::Deliver { to, .. } | Step::Bookmark { to, .. } => {
            (Process::ApiServer, *to)
        }
        _ => (Process::ApiServer, Process::ApiServer),
    };
    let (body, answer) = match step {
        Step::Arrive { request, .. } => (body(request), String::new()),
        Step::Answer { request, response, .. } => (body(request), said(response)),
        Step::Deliver { object, .. } => (object_text(&object.to_map()), String::new()),
        _ => (String::new(), String::new()),
    };
    MessageDetails {
        title: text(step),
        way: format!("{} → {}", process_name(from, cluster), process_name(to, cluster)),
        times: sent + &arrives,
        why: sender.map(|r| happened(&r.step, cluster)).unwrap_or_default(),
        body,
        answer,
    }
}

/// Describes the message that a step delivers; empty if the step delivers none.
pub fn text(step: &Step) -> String {
    match step {
        Step::Arrive { request, .. } => request_text(request),
        Step::Answer { request, response, .. } => format!("{} to {}", response.code(), request_text(request)),
        Step::Open { kind, revision, .. } => format!("WATCH {} from rev {revision}", kind.row().plural),
        Step::Expired { kind, .. } => format!("410 to WATCH {}", kind.row().plural),
        Step::Deliver { type_, object, revision, .. } => {
            format!("{} {} {} rev {revision}", type_.text(), object.kind().row().singular, object.meta.name)
        }
        Step::Bookmark { kind, revision, .. } => format!("BOOKMARK {} rev {revision}", kind.row().plural),
        _ => String::new(),
    }
}

/// Describes a request by its method, and its path from the resource on: `PATCH pods/a/status`.
pub fn request_text(request: &Request) -> String {
    let path = request.path();
    let resource = path.find(request.kind.row().plural).unwrap_or(0);
    let mut text = format!("{} {}", request.method(), path.get(resource..).unwrap_or_default());
    if let Payload::Binding(node) = &request.payload {
        text.push_str(" → ");
        text.push_str(node);
    }
    text
}

/// Returns the body of a request, as YAML.
pub fn body(request: &Request) -> String {
    match &request.payload {
        Payload::Tree(tree) | Payload::Patch(_, tree) => capped(yaml::emit(tree)),
        Payload::Object(object) => object_text(&object.to_map()),
        Payload::Binding(node) => format!("target:\n  kind: Node\n  name: {node}\n"),
        Payload::None | Payload::Log(_) | Payload::Exec(..) => String::new(),
    }
}

/// Returns the content of an answer as YAML; of a list only its size and its revision.
pub fn said(response: &Response) -> String {
    match &response.result {
        Ok(Answer::Object { object, .. }) => object_text(&object.to_map()),
        Ok(Answer::List(listing)) => {
            format!("kind: List\nitems: {}\nresourceVersion: {}\n", listing.items.len(), listing.revision)
        }
        Ok(Answer::Tree(tree) | Answer::Created(tree)) => capped(yaml::emit(tree)),
        Ok(Answer::Text(text)) => capped(text.clone()),
        Ok(Answer::Done) => String::new(),
        Err(status) => capped(yaml::emit(&Value::Map(status.to_map()))),
    }
}

fn object_text(map: &Map) -> String {
    capped(yaml::emit(&Value::Map(map.clone())))
}

fn capped(mut text: String) -> String {
    if let Some((at, _)) = text.match_indices('\n').nth(LINES_SHOWN) {
        text.truncate(at);
        text.push_str("\n…\n");
    }
    text
}

/// Returns the name by which people call a process, such as `scheduler` or `you`.
pub fn process_name(process: Process, cluster: &Cluster) -> String {
    match process {
        Process::Manager(n) if cluster.managers.len() > 1 => format!("controller manager {n}"),
        Process::Person(_) => "you".to_owned(),
        other => who::process(other, cluster),
    }
}

/// Describes in a sentence what happened in a step.
pub fn happened(step: &Arc<Step>, cluster: &Cluster) -> String {
    let whose = |process: Process| process_name(process, cluster);
    match &**step {
        Step::Arrive { from, request, .. } => format!("the API server handled {} of {}", request_text(request), whose(*from)),
        Step::Answer { to, request, response, .. } => {
            format!("{} heard {} to {}", whose(*to), response.code(), request_text(request))
        }
        Step::Open { from, kind, .. } => format!("{} opened its watch on {}", whose(*from), kind.row().plural),
        Step::Expired { to, kind } => format!("{} was told that its revision of {} is gone", whose(*to), kind.row().plural),
        Step::Deliver { to, .. } | Step::Bookmark { to, .. } => format!("{} heard {}", whose(*to), text(step)),
        Step::Wake(Process::Manager(n), Timer::Diff(id) | Timer::Observe(id)) => {
            let pass = cluster.managers.get(*n as usize).and_then(|m| m.passes.get(id));
            pass.map_or_else(
                || "a pass found a difference".to_owned(),
                |p| format!("{} found a difference: {}", name_of(cluster, p.controller as usize), key_text(&p.key)),
            )
        }
        Step::Wake(_, Timer::Schedule) => "the scheduler chose a node".to_owned(),
        Step::Wake(_, Timer::Reflect(kind)) => format!("the watch on {} is tried again", kind.row().plural),
        Step::Wake(process, Timer::Kubelet(_)) => format!("{} looked after its pods", whose(*process)),
        Step::Wake(process, _) => format!("a timer of {} went off", whose(*process)),
        Step::Fault(_) => "something was broken or mended by you".to_owned(),
        Step::Run(program) => format!("you ran {}", program.title()),
        Step::Interrupt(_) => "you interrupted a program".to_owned(),
        Step::Type(..) => "you typed into a container".to_owned(),
        Step::Extend(extension) => format!("you had the cluster {}", extension.title()),
    }
}
