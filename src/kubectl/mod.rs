//! kubectl: words in, API requests and text out. Counterpart: `kubectl` v1.36.
//!
//! The client is pure. A command is a function that is run again from its start with all answers so far: the first question without an
//! answer is the step's result. So a command can be stopped, looked at and resumed at any point, and costs nothing while it waits.

mod apply;
mod autoscale;
mod create;
mod delete;
mod derived;
mod describe;
mod drain;
mod errors;
mod events;
mod flags;
mod generate;
mod get;
mod gotemplate;
mod info;
mod jsonpath;
mod label;
mod manifest;
mod node;
mod patch;
mod print;
mod raw;
mod resource;
mod rollout;
mod scale;
mod served;
mod set;
mod sort;
mod templates;
mod wait;
mod words;

pub use errors::Failure;
pub use words::split;

use crate::api::object::Object;
use crate::api::request::{Answer, Request, Verb};
use crate::api::status::{Reason, Status};
use crate::api::time::{Span, Time};
use crate::sim::{Program, Progress, Question, Reply};
use smol_str::SmolStr;
use std::sync::Arc;

/// Where a command runs.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// The namespace of the current context.
    pub namespace: SmolStr,
    /// When the command was given.
    pub now: Time,
    /// Files it may read: path and text.
    pub files: Vec<(String, String)>,
}

/// A command line that a person runs in a cluster.
#[derive(Clone, Debug)]
pub struct CommandLine {
    /// The words after `kubectl`.
    pub words: Vec<String>,
    /// What is piped into it.
    pub stdin: String,
    /// The namespace of the current context.
    pub namespace: SmolStr,
    /// Files it may read: path and text.
    pub files: Vec<(String, String)>,
}

impl Program for CommandLine {
    fn run(&self, started: Time, _now: Time, replies: &[Reply]) -> Progress {
        let env = Env { namespace: self.namespace.clone(), now: started, files: self.files.clone() };
        run(&self.words, &self.stdin, &env, replies)
    }
    fn title(&self) -> String {
        format!("kubectl {}", self.words.join(" "))
    }
}

/// Runs a command (without the word `kubectl`) as far as the answers reach.
pub fn run(words: &[String], stdin: &str, env: &Env, replies: &[Reply]) -> Progress {
    let mut cx = Cx { env, stdin, replies, now: env.now, out: String::new(), err: String::new(), question: None, warned: Vec::new() };
    let next = match dispatch(&mut cx, words) {
        Ok(()) => Err(0),
        Err(Stop::Ask) => Ok(cx.question.take().unwrap_or(Question::Sleep(Span(0)))),
        Err(Stop::Failed(failure)) => {
            cx.err.push_str(&failure.text());
            Err(1)
        }
    };
    Progress { stdout: cx.out, stderr: cx.err, next }
}

/// Why a run ends before the command does.
#[derive(Debug)]
enum Stop {
    /// A question has no answer yet.
    Ask,
    /// It failed.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

type Run<T = ()> = Result<T, Stop>;

/// One run of a command: answers in, text out.
struct Cx<'a> {
    env: &'a Env,
    stdin: &'a str,
    replies: &'a [Reply],
    now: Time,
    out: String,
    err: String,
    question: Option<Question>,
    warned: Vec<String>,
}

impl<'a> Cx<'a> {
    fn say(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }
    fn complain(&mut self, line: impl AsRef<str>) {
        self.err.push_str(line.as_ref());
        self.err.push('\n');
    }
    fn ask(&mut self, question: Question) -> Run<&'a Reply> {
        match self.replies.split_first() {
            Some((reply, rest)) => {
                self.replies = rest;
                self.now = reply.at;
                Ok(reply)
            }
            None => {
                self.question = Some(question);
                Err(Stop::Ask)
            }
        }
    }
    /// The server's answer or refusal; its warnings are shown, each once.
    fn try_request(&mut self, request: Request) -> Run<Result<&'a Answer, &'a Status>> {
        let Some(response) = self.ask(Question::Request(request))?.response.as_deref() else {
            return Err(Failure::plain("the answer does not fit the question").into());
        };
        for warning in &response.warnings {
            if !self.warned.contains(warning) {
                self.warned.push(warning.clone());
                self.complain(format!("Warning: {warning}"));
            }
        }
        Ok(response.result.as_ref().map_err(|status| &**status))
    }
    /// The server's answer; a refusal is a failure.
    fn request(&mut self, request: Request) -> Run<&'a Answer> {
        self.try_request(request)?.map_err(|status| Failure::server(status).into())
    }
    /// The object that the server answers with.
    fn object(&mut self, request: Request) -> Run<&'a Arc<Object>> {
        match self.request(request)? {
            Answer::Object { object, .. } => Ok(object),
            _ => Err(Failure::plain("the server's answer is no object").into()),
        }
    }
    fn sleep(&mut self, span: Span) -> Run {
        self.ask(Question::Sleep(span)).map(|_| ())
    }
    /// Waits for a change of an object that was last seen as given.
    ///
    /// The real client watches; this one looks again and again, so it can miss a state that does not last.
    fn next_change(&mut self, seen: &Object, until: Option<Time>) -> Run<Change<'a>> {
        let began = self.now;
        loop {
            self.sleep(pause_after(self.now - began))?;
            match self.try_request(Request::new(Verb::Get, seen.kind(), seen.meta.namespace.clone(), seen.meta.name.clone()))? {
                Ok(Answer::Object { object, .. }) if object.meta.uid != seen.meta.uid => return Ok(Change::Gone),
                Ok(Answer::Object { object, .. }) if object.meta.resource_version != seen.meta.resource_version => {
                    return Ok(Change::To(object));
                }
                Err(status) if status.reason == Reason::NotFound => return Ok(Change::Gone),
                _ => {}
            }
            if until.is_some_and(|until| self.now >= until) {
                return Ok(Change::None);
            }
        }
    }
}

/// How long to wait before the next look: less often the longer nothing has happened.
fn pause_after(quiet: Span) -> Span {
    match quiet.as_secs() {
        0 => Span::millis(20),
        1..10 => Span::millis(100),
        _ => Span::millis(500),
    }
}

/// What became of an object.
enum Change<'a> {
    /// Nothing in time.
    None,
    /// It is now this.
    To(&'a Arc<Object>),
    /// It is no more.
    Gone,
}

/// Several failures while going on with the rest.
#[derive(Default)]
struct Failures(Vec<Failure>);

impl Failures {
    /// Keeps a failure for the end; a question without an answer still stops the run.
    fn keep<T>(&mut self, result: Run<T>) -> Run<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Failed(failure)) => {
                self.0.push(failure);
                Ok(None)
            }
            Err(Stop::Ask) => Err(Stop::Ask),
        }
    }
    fn finish(mut self) -> Run {
        match self.0.len() {
            0 => Ok(()),
            1 => Err(self.0.remove(0).into()),
            _ => Err(Failure::Many(self.0).into()),
        }
    }
}

type Command = fn(&mut Cx, &[String]) -> Run;

const COMMANDS: &[(&str, Command)] = &[
    ("annotate", label::annotate),
    ("api-resources", served::api_resources),
    ("api-versions", served::api_versions),
    ("apply", apply::apply),
    ("auth", info::auth),
    ("autoscale", autoscale::autoscale),
    ("cluster-info", info::cluster_info),
    ("cordon", node::cordon),
    ("create", create::create),
    ("delete", delete::delete),
    ("describe", describe::describe),
    ("drain", drain::drain),
    ("events", events::events),
    ("expose", generate::expose),
    ("get", get::get),
    ("label", label::label),
    ("patch", patch::patch),
    ("replace", create::replace),
    ("rollout", rollout::rollout),
    ("run", generate::run),
    ("scale", scale::scale),
    ("set", set::set),
    ("taint", node::taint),
    ("top", info::top),
    ("uncordon", node::uncordon),
    ("version", info::version),
    ("wait", wait::wait),
];

/// Commands of the real client that this one does not have.
const ABSENT: &[&str] = &[
    "alpha",
    "attach",
    "certificate",
    "completion",
    "config",
    "cp",
    "debug",
    "diff",
    "edit",
    "exec",
    "explain",
    "help",
    "kustomize",
    "logs",
    "options",
    "plugin",
    "port-forward",
    "proxy",
];

fn dispatch(cx: &mut Cx, words: &[String]) -> Run {
    let words = &flags::command_first(words);
    let Some((name, rest)) = words.split_first() else {
        cx.say(info::OVERVIEW);
        return Ok(());
    };
    if let Some((_, command)) = COMMANDS.iter().find(|(known, _)| known == name) {
        return command(cx, rest);
    }
    if ABSENT.contains(&name.as_str()) {
        return Err(Failure::plain(format!("this playground has no \"kubectl {name}\"")).into());
    }
    let known = COMMANDS.iter().map(|(known, _)| *known).chain(ABSENT.iter().copied());
    let near: String = known.filter(|known| words::alike(known, name)).map(|known| format!("\t{known}\n")).collect();
    let mut text = format!("unknown command \"{name}\" for \"kubectl\"");
    if !near.is_empty() {
        text.push_str("\n\nDid you mean this?\n");
        text.push_str(near.trim_end_matches('\n'));
    }
    Err(Failure::plain(text).into())
}

#[cfg(test)]
mod tests;
