//! kubectl: words in, API requests and text out. Counterpart: `kubectl` v1.36.
//!
//! The client is pure. A command is a function that is run again from its start with all answers so far: the first question without an
//! answer is the step's result. So a command can be stopped, looked at and resumed at any point, and costs nothing while it waits.

mod apply;
mod create;
mod delete;
mod errors;
mod flags;
mod generate;
mod get;
mod info;
mod label;
mod manifest;
mod node;
mod patch;
mod print;
mod resource;
mod rollout;
mod scale;
mod set;
mod template;
mod words;

pub use errors::Failure;
pub use words::split;

use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Answer, Request, Response};
use crate::api::status::Status;
use crate::api::time::{Span, Time};
use crate::api::watch::WatchEvent;
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

/// What a command wants to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// The answer to a request.
    Request(Box<Request>),
    /// That some time has passed.
    Sleep(Span),
    /// The next change of some objects.
    Watch(Box<Watch>),
}

/// Which changes are waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    /// Kind of the objects.
    pub kind: Kind,
    /// Their namespace.
    pub namespace: SmolStr,
    /// The one object, or `""` for all.
    pub name: SmolStr,
    /// The first change after this revision.
    pub after: u64,
    /// Until when to wait, if not for ever.
    pub until: Option<Time>,
}

/// An answer, and when it arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// When it arrived.
    pub at: Time,
    /// What it is.
    pub body: ReplyBody,
}

/// What a reply says.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyBody {
    /// The server's answer.
    Response(Response),
    /// The time has passed.
    Slept,
    /// The change, or `None` when the time to wait is over.
    Change(Option<WatchEvent>),
}

/// How far a command has got.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it has printed so far.
    pub stdout: String,
    /// What it has complained about so far.
    pub stderr: String,
    /// What comes next.
    pub next: Next,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// A question must be answered first.
    Ask(Question),
    /// It has ended with this exit code.
    Done(i32),
}

/// Runs a command (without the word `kubectl`) as far as the answers reach.
pub fn run(words: &[String], stdin: &str, env: &Env, answers: &[Reply]) -> Step {
    let mut cx = Cx { env, stdin, answers, now: env.now, out: String::new(), err: String::new(), question: None, warned: Vec::new() };
    let next = match dispatch(&mut cx, words) {
        Ok(()) => Next::Done(0),
        Err(Stop::Ask) => Next::Ask(cx.question.take().unwrap_or(Question::Sleep(Span(0)))),
        Err(Stop::Failed(failure)) => {
            cx.err.push_str(&failure.text());
            Next::Done(1)
        }
    };
    Step { stdout: cx.out, stderr: cx.err, next }
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
    answers: &'a [Reply],
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
    fn ask(&mut self, question: Question) -> Run<&'a ReplyBody> {
        match self.answers.split_first() {
            Some((reply, rest)) => {
                self.answers = rest;
                self.now = reply.at;
                Ok(&reply.body)
            }
            None => {
                self.question = Some(question);
                Err(Stop::Ask)
            }
        }
    }
    /// The server's answer or refusal; its warnings are shown, each once.
    fn try_request(&mut self, request: Request) -> Run<Result<&'a Answer, &'a Status>> {
        let ReplyBody::Response(response) = self.ask(Question::Request(Box::new(request)))? else {
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
    /// The next change, or `None` when the time to wait is over.
    fn watch(&mut self, watch: Watch) -> Run<Option<&'a WatchEvent>> {
        match self.ask(Question::Watch(Box::new(watch)))? {
            ReplyBody::Change(change) => Ok(change.as_ref()),
            _ => Ok(None),
        }
    }
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
    ("api-resources", info::api_resources),
    ("api-versions", info::api_versions),
    ("apply", apply::apply),
    ("cluster-info", info::cluster_info),
    ("cordon", node::cordon),
    ("create", create::create),
    ("delete", delete::delete),
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
    ("uncordon", node::uncordon),
    ("version", info::version),
];

/// Commands of the real client that this one does not have.
const ABSENT: &[&str] = &[
    "alpha",
    "attach",
    "auth",
    "autoscale",
    "certificate",
    "completion",
    "config",
    "cp",
    "debug",
    "describe",
    "diff",
    "drain",
    "edit",
    "events",
    "exec",
    "explain",
    "help",
    "kustomize",
    "logs",
    "options",
    "plugin",
    "port-forward",
    "proxy",
    "top",
    "wait",
];

fn dispatch(cx: &mut Cx, words: &[String]) -> Run {
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
    let near: String = known.filter(|known| words::distance(known, name) <= 2).map(|known| format!("\t{known}\n")).collect();
    let mut text = format!("unknown command \"{name}\" for \"kubectl\"");
    if !near.is_empty() {
        text.push_str("\n\nDid you mean this?\n");
        text.push_str(near.trim_end_matches('\n'));
    }
    Err(Failure::plain(text).into())
}

#[cfg(test)]
mod tests;
