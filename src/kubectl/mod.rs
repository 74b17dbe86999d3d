//! kubectl: words in, API requests and text out. Counterpart: `kubectl` v1.36.
//!
//! The client is pure. A command is a function that is run again from its start with all answers so far: the first question without an
//! answer is the step's result. So a command can be stopped, looked at and resumed at any point, and costs nothing while it waits.

mod absent;
mod apply;
mod auth;
mod autoscale;
mod complete;
mod config;
mod create;
mod delete;
mod derived;
mod describe;
mod diff;
mod drain;
mod edit;
mod errors;
mod events;
mod exec;
mod explain;
mod flags;
mod follow;
mod from;
mod generate;
mod get;
mod gotemplate;
mod help;
mod info;
mod jsonpath;
mod kinds;
mod label;
mod logs;
mod manifest;
mod node;
mod patch;
mod print;
mod raw;
mod resource;
mod rollout;
mod scale;
mod served;
mod server_side;
mod set;
mod sort;
mod templates;
mod wait;
mod words;

pub use complete::{Completion, Names, complete};
pub use edit::Saved;
pub use errors::Failure;
pub use explain::{enum_of, type_text};
pub use print::cell;
pub use words::split;

use crate::api::kind::{Kind, Kinds};
use crate::api::object::Object;
use crate::api::request::{Answer, ReadAt, Request, Verb};
use crate::api::status::Status;
use crate::api::time::{Span, Time};
use crate::api::watch::{WatchEvent, WatchType};
use crate::sim::{Effect, Next, Output, Program, Progress, Question, Reply, Start, Told};
use arcstr::ArcStr;
use std::any::Any;
use std::sync::Arc;

/// Where a command runs.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// The namespace of the current context.
    pub namespace: ArcStr,
    /// When the command was given.
    pub now: Time,
    /// The kinds that the API server serves.
    pub kinds: Kinds,
    /// Files it may read: path and text.
    pub files: Vec<(String, String)>,
    /// Whether there is an editor to hand a draft to.
    pub editor: bool,
}

/// A command line that a person runs in a cluster.
#[derive(Clone, Debug)]
pub struct CommandLine {
    /// The words after `kubectl`.
    pub words: Vec<String>,
    /// What is piped into it.
    pub stdin: String,
    /// The namespace of the current context.
    pub namespace: ArcStr,
    /// Files it may read: path and text.
    pub files: Vec<(String, String)>,
    /// Whether there is an editor to hand a draft to.
    pub editor: bool,
}

impl Program for CommandLine {
    fn run(&self, start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let env = Env {
            namespace: self.namespace.clone(),
            now: start.at,
            kinds: start.kinds.clone(),
            files: self.files.clone(),
            editor: self.editor,
        };
        run(&self.words, &self.stdin, &env, replies)
    }
    fn title(&self) -> String {
        format!("kubectl {}", self.words.join(" "))
    }
    fn source(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

/// Runs a command (without the word `kubectl`) as far as the answers reach.
pub fn run(words: &[String], stdin: &str, env: &Env, replies: &[Reply]) -> Progress {
    let mut cx = Cx::new(env, stdin, replies);
    let result = dispatch(&mut cx, words);
    cx.finish(result)
}

/// A turn of a program that needs nothing but its answers, as one that follows something.
fn turn(start: &Start, replies: &[Reply], act: impl FnOnce(&mut Cx) -> Run) -> Progress {
    let env = Env { now: start.at, kinds: start.kinds.clone(), ..Env::default() };
    let mut cx = Cx::new(&env, "", replies);
    let result = act(&mut cx);
    cx.finish(result)
}

type Run<T = ()> = Result<T, Failure>;

/// One run of a command: answers in, text out.
struct Cx<'a> {
    env: &'a Env,
    stdin: &'a str,
    replies: &'a [Reply],
    now: Time,
    output: Output,
    effects: Vec<Effect>,
    /// What the next request is made for, if that is worth a word of its own.
    why: &'static str,
    /// In whose name it writes.
    manager: ArcStr,
    warned: Vec<String>,
    /// The store's revision of the last list or object that was read.
    revision: u64,
    /// The exit code of a failure; `diff` keeps 1 for a difference.
    failure_code: i32,
    /// What a watch has brought that has not been looked at yet.
    heard: &'a [WatchEvent],
}

impl<'a> Cx<'a> {
    fn new(env: &'a Env, stdin: &'a str, replies: &'a [Reply]) -> Cx<'a> {
        let (output, effects, warned) = Default::default();
        Cx {
            env,
            stdin,
            replies,
            now: env.now,
            output,
            effects,
            why: "",
            manager: ArcStr::default(),
            warned,
            revision: 0,
            failure_code: 1,
            heard: &[],
        }
    }
    /// What has come of a run.
    fn finish(mut self, result: Run) -> Progress {
        let next = match result.as_ref().map_err(|failure| (failure, failure.next(), failure.asked())) {
            Ok(()) => Next::Exit(0),
            Err((_, Some(next), _)) => next,
            Err((_, _, Some(asked))) => {
                help::page(&mut self, asked);
                Next::Exit(0)
            }
            Err((failure, ..)) => {
                self.output.err(&failure.text());
                Next::Exit(self.failure_code)
            }
        };
        Progress { output: self.output, effects: self.effects, next }
    }
    fn print(&mut self, text: &str) {
        self.output.out(text);
    }
    fn say(&mut self, line: impl AsRef<str>) {
        self.output.out(line.as_ref());
        self.output.out("\n");
    }
    fn complain(&mut self, line: impl AsRef<str>) {
        self.output.err(line.as_ref());
        self.output.err("\n");
    }
    fn ask(&mut self, question: Question) -> Run<&'a Told> {
        match self.replies.split_first() {
            Some((reply, rest)) => {
                self.replies = rest;
                self.now = reply.at;
                Ok(&reply.told)
            }
            None => Err(Failure::ask(question)),
        }
    }
    /// The server's answer or refusal; its warnings are shown, each once.
    fn try_request(&mut self, mut request: Request) -> Run<Result<&'a Answer, &'a Status>> {
        let why = match (std::mem::take(&mut self.why), request.verb) {
            ("", Verb::Get) => "to see what is there",
            ("", Verb::List | Verb::Watch) => "to find what is meant",
            ("", Verb::Create) => "to make it",
            ("", Verb::Update) => "to put this in its place",
            ("", Verb::Patch) => "to send only what differs",
            ("", Verb::Delete | Verb::DeleteCollection) => "to have it removed",
            (why, _) => why,
        };
        if matches!(request.verb, Verb::Create | Verb::Update | Verb::Patch) {
            let options = request.options.get_or_insert_default();
            if options.field_manager.is_empty() {
                options.field_manager = self.manager.clone();
            }
        }
        let Told::Response(response) = self.ask(Question::Request { request, why })? else {
            return Err(Failure::plain("the answer does not fit the question"));
        };
        for warning in &response.warnings {
            if !self.warned.contains(warning) {
                self.warned.push(warning.clone());
                self.complain(format!("Warning: {warning}"));
            }
        }
        match &response.result {
            Ok(Answer::List(list)) => self.revision = list.revision,
            Ok(Answer::Object { object, .. }) => self.revision = object.meta.resource_version,
            _ => {}
        }
        Ok(response.result.as_ref())
    }
    /// The server's answer; a refusal is a failure.
    fn request(&mut self, request: Request) -> Run<&'a Answer> {
        self.try_request(request)?.map_err(Failure::server)
    }
    /// The object that the server answers with.
    fn object(&mut self, request: Request) -> Run<&'a Arc<Object>> {
        match self.request(request)? {
            Answer::Object { object, .. } => Ok(object),
            _ => Err(Failure::plain("the server's answer is no object")),
        }
    }
    fn sleep(&mut self, span: Span) -> Run {
        self.ask(Question::Sleep(span)).map(|_| ())
    }
    /// The next changes on a watch; none if time is up.
    fn watch(&mut self, request: Request, until: Option<Time>) -> Run<&'a [WatchEvent]> {
        match self.ask(Question::Watch { request, until })? {
            Told::Events(events) => Ok(events),
            Told::Response(response) => match &response.result {
                Err(status) => Err(Failure::server(status)),
                Ok(_) => Ok(&[]),
            },
            _ => Ok(&[]),
        }
    }
    /// Waits for a change of an object that was last seen as given.
    fn next_change(&mut self, seen: &Object, until: Option<Time>) -> Run<Change<'a>> {
        let is_news = |e: &&WatchEvent| e.object.meta.uid == seen.meta.uid && e.revision > seen.meta.resource_version;
        loop {
            if let Some(event) = self.heard.iter().find(is_news) {
                return Ok(if event.type_ == WatchType::Deleted { Change::Gone } else { Change::To(&event.object) });
            }
            let request = watch_of(seen.kind(), &seen.meta.namespace, seen.meta.resource_version)
                .with(|o| o.field_selector = format!("metadata.name={}", seen.meta.name));
            self.heard = self.watch(request, until)?;
            if self.heard.is_empty() {
                return Ok(Change::None);
            }
        }
    }
}

/// A watch of a kind from a revision on.
fn watch_of(kind: Kind, namespace: &ArcStr, since: u64) -> Request {
    Request::new(Verb::Watch, kind, namespace.clone(), "").with(|o| o.at = ReadAt::NotOlderThan(since))
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
            Err(stop) if stop.next().is_some() => Err(stop),
            Err(failure) => {
                self.0.push(failure);
                Ok(None)
            }
        }
    }
    fn finish(mut self) -> Run {
        match self.0.len() {
            0 => Ok(()),
            1 => Err(self.0.remove(0)),
            _ => Err(Failure::many(self.0)),
        }
    }
}

type Command = fn(&mut Cx, &[String]) -> Run;

const COMMANDS: &[(&str, Command)] = &[
    ("annotate", label::annotate),
    ("api-resources", served::api_resources),
    ("api-versions", served::api_versions),
    ("apply", apply::apply),
    ("auth", auth::auth),
    ("autoscale", autoscale::autoscale),
    ("cluster-info", info::cluster_info),
    ("config", config::config),
    ("cordon", node::cordon),
    ("create", create::create),
    ("delete", delete::delete),
    ("describe", describe::describe),
    ("diff", diff::diff),
    ("drain", drain::drain),
    ("events", events::events),
    ("exec", exec::exec),
    ("edit", edit::edit),
    ("explain", explain::explain),
    ("expose", generate::expose),
    ("get", get::get),
    ("help", help::help),
    ("label", label::label),
    ("logs", logs::logs),
    ("options", help::options),
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

/// In whose name a command writes.
fn field_manager(command: &str, words: &[String]) -> ArcStr {
    const FLAG: &str = "--field-manager";
    let after = words.iter().position(|word| word == FLAG).and_then(|at| words.get(at + 1)).map(String::as_str);
    let given = words.iter().find_map(|word| word.strip_prefix(FLAG)?.strip_prefix('='));
    match (given.or(after), command) {
        (Some(given), _) => given.into(),
        (None, "apply") => "kubectl-client-side-apply".into(),
        (
            None,
            "annotate" | "autoscale" | "create" | "edit" | "expose" | "label" | "patch" | "replace" | "rollout" | "run" | "set" | "taint",
        ) => ArcStr::from(format!("kubectl-{command}")),
        _ => "kubectl".into(),
    }
}

fn dispatch(cx: &mut Cx, words: &[String]) -> Run {
    // Flags that every command has may also stand before it.
    let (before, words) = words.split_at(flags::leading(words));
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let words = [&words[..end], before, &words[end..]].concat();
    if let Some(done) = help::group(cx, &words) {
        return done;
    }
    let Some((name, rest)) = words.split_first() else { return Ok(()) };
    if let Some((_, command)) = COMMANDS.iter().find(|(known, _)| known == name) {
        cx.manager = field_manager(name, rest);
        return command(cx, rest);
    }
    if let Some(refusal) = absent::command(name) {
        return Err(refusal);
    }
    let known = COMMANDS.iter().map(|(known, _)| *known).chain(absent::names());
    let near: String = known.filter(|known| words::alike(known, name)).map(|known| format!("\t{known}\n")).collect();
    let mut text = format!("unknown command \"{name}\" for \"kubectl\"");
    if !near.is_empty() {
        text.push_str("\n\nDid you mean this?\n");
        text.push_str(near.trim_end_matches('\n'));
    }
    Err(Failure::plain(text))
}

#[cfg(test)]
mod tests;
