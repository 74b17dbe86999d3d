//! The kubectl client: takes the words of a command line, makes API requests, and writes text. Counterpart: `kubectl` v1.36.
//!
//! The client is pure. A command is a function that is run again from its start with all answers so far, and stops at the first question without an
//! answer, which the simulator then asks. So a command can be paused, inspected and resumed at any point, and costs nothing while it waits.
//!
//! A command is in the file of its name, except for these: `create TYPE` is in `create_kinds`, `create configmap` and `create secret` in `create_data`,
//! `create quota` and those of roles in `create_policy`, `label` and `annotate` in `label_annotate`, `cordon`, `uncordon` and `taint` in `cordon_taint`,
//! `proxy` in `port_forward`, `api-versions` in `api_resources`, `options` in `help`, `version`, `cluster-info` and `completion` in `info`. `flags` says how
//! to add a flag.

mod absent;
mod api_resources;
mod apply;
mod attach;
mod attachable;
mod auth;
mod autoscale;
mod changes;
mod command_line;
mod complete;
mod config;
mod cordon_taint;
mod cp;
mod create;
mod create_data;
mod create_kinds;
mod create_policy;
mod debug;
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
mod explain_custom;
mod expose;
mod flags;
mod follow;
mod get;
mod gotemplate;
mod help;
mod info;
mod jsonpath;
mod kinds;
mod kustomize;
mod label_annotate;
mod logs;
mod manifest;
pub mod manifest_url;
mod patch;
mod port_forward;
mod print;
mod prune;
mod raw;
mod replace;
mod resource;
mod rollout;
mod run;
mod scale;
mod server_side;
mod set;
mod sort;
mod templates;
mod token;
mod top;
mod wait;

pub use command_line::split;
pub use complete::{Completion, CompletionSource, complete};
pub use edit::SaveEdit;
pub use errors::Stop;
pub use explain::{enum_of, type_text};
pub use print::cell;
pub use raw::HttpCall;

use crate::api::kind::{Kind, Kinds};
use crate::api::object::Object;
use crate::api::request::{Answer, FieldValidation, ReadAt, Request, Response, User, Verb};
use crate::api::status::Status;
use crate::api::time::{Span, Time};
use crate::api::value::Map;
use crate::api::watch::WatchEvent;
use crate::sim::{Effect, Next, Output, Program, Progress, Reply, ReplyBody, Start, Wait};
use arcstr::ArcStr;
use std::any::Any;
use std::sync::Arc;

/// The environment in which a command runs.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// The namespace of the current context.
    pub namespace: ArcStr,
    /// The time at which the command was started.
    pub now: Time,
    /// The kinds that the API server serves.
    pub kinds: Kinds,
    /// The files that the command may read: the path and content of each.
    pub files: Vec<(String, String)>,
    /// Set if the terminal has an editor for `kubectl edit`.
    pub editor: bool,
}

/// A command line that a person runs in a cluster.
///
/// The command only needs an API server, as the real kubectl does, so one can be run without a whole cluster:
///
/// ```
/// use loopscope::api::Time;
/// use loopscope::api::random::Rng;
/// use loopscope::apiserver::ApiServer;
/// use loopscope::kubectl::CommandLine;
/// use loopscope::sim::run_alone;
/// use std::sync::Arc;
///
/// let (mut server, mut now) = (ApiServer::new(Rng::new(7, 1)), Time(0));
/// let words = ["get", "pods"].map(String::from).to_vec();
/// let line = CommandLine { words, namespace: "default".into(), ..CommandLine::default() };
/// let (output, exit) = run_alone(Arc::new(line), &mut server, &mut now);
/// assert_eq!((output.stderr().as_str(), exit), ("No resources found in default namespace.\n", Some(0)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    /// The words after `kubectl`.
    pub words: Vec<String>,
    /// The standard input of the command.
    pub stdin: String,
    /// The namespace of the current context.
    pub namespace: ArcStr,
    /// The files that the command may read: the path and content of each.
    pub files: Vec<(String, String)>,
    /// Set if the terminal has an editor for `kubectl edit`.
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

/// Runs a command (the words after `kubectl`) up to the first question that `replies` does not answer.
pub fn run(words: &[String], stdin: &str, env: &Env, replies: &[Reply]) -> Progress {
    let mut cx = Cx::new(env, stdin, replies);
    cx.user = auth::impersonated(words);
    let result = dispatch(&mut cx, words);
    cx.finish(result)
}

/// Runs a program that needs neither files nor input, such as one that watches, with the answers so far.
fn run_program(start: &Start, replies: &[Reply], act: impl FnOnce(&mut Cx) -> Run) -> Progress {
    let env = Env { now: start.at, kinds: start.kinds.clone(), ..Env::default() };
    let mut cx = Cx::new(&env, "", replies);
    let result = act(&mut cx);
    cx.finish(result)
}

type Run<T = ()> = Result<T, Stop>;

/// The context of one run of a command: the answers so far, the output and the effects.
struct Cx<'a> {
    env: &'a Env,
    stdin: &'a str,
    replies: &'a [Reply],
    now: Time,
    output: Output,
    effects: Vec<Effect>,
    /// The purpose of the next request, in words; if empty, a default for its verb is used.
    purpose: &'static str,
    /// The field manager in whose name the command writes.
    manager: ArcStr,
    warned: Vec<String>,
    /// The number given by `-v`: from 6 on every request is printed.
    verbosity: i64,
    /// The store's revision of the last list or object that was read.
    revision: u64,
    /// The exit code of a failure; `diff` uses 2, because 1 means a difference.
    failure_code: i32,
    /// The events of the last watch answer, which `next_change` searches before it asks again.
    pending_events: &'a [WatchEvent],
    /// The user whom the command impersonates (`--as`).
    user: Option<User>,
    /// The treatment of unknown fields in objects that the command writes (`--validate`).
    validation: FieldValidation,
    /// The values of `-o` and `--template`.
    template: (String, Option<String>),
    /// Set if a template may not name what does not exist (`--allow-missing-template-keys=false`).
    strict_templates: bool,
    /// The number of documents that were printed.
    documents: usize,
    /// The objects that are printed as one list at the end, if the command does that.
    held: Option<Vec<Map>>,
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
            purpose: "",
            manager: ArcStr::default(),
            warned,
            verbosity: 0,
            revision: 0,
            failure_code: 1,
            pending_events: &[],
            user: None,
            validation: FieldValidation::Strict,
            template: Default::default(),
            strict_templates: false,
            documents: 0,
            held: None,
        }
    }
    /// Turns the result of a run into its output, its effects and what the program does next.
    fn finish(mut self, result: Run) -> Progress {
        let next = match result.as_ref().map_err(|failure| (failure, failure.next(), failure.help_request())) {
            Ok(()) => Next::Exit(0),
            Err((_, Some(next), _)) => next,
            Err((_, _, Some(request))) => {
                help::page(&mut self, request);
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
    fn println(&mut self, line: impl AsRef<str>) {
        self.output.out(line.as_ref());
        self.output.out("\n");
    }
    fn eprintln(&mut self, line: impl AsRef<str>) {
        self.output.err(line.as_ref());
        self.output.err("\n");
    }
    fn wait_for(&mut self, wait: Wait) -> Run<&'a ReplyBody> {
        match self.replies.split_first() {
            Some((reply, rest)) => {
                self.replies = rest;
                self.now = reply.at;
                Ok(&reply.body)
            }
            None => Err(Stop::wait(wait)),
        }
    }
    /// Sends a request. Returns the server's answer or refusal, and prints each of its warnings once.
    fn try_request(&mut self, mut request: Request) -> Run<Result<&'a Answer, &'a Status>> {
        let why = match (std::mem::take(&mut self.purpose), request.verb) {
            ("", Verb::Get) => "to see what is there",
            ("", Verb::List | Verb::Watch) => "to find what is meant",
            ("", Verb::Create) => "to make it",
            ("", Verb::Update) => "to put this in its place",
            ("", Verb::Patch) => "to send only what differs",
            ("", Verb::Delete | Verb::DeleteCollection) => "to have it removed",
            (why, _) => why,
        };
        if let Some(user) = &self.user {
            request.options.get_or_insert_default().user = Some(user.clone());
        }
        if matches!(request.verb, Verb::Create | Verb::Update | Verb::Patch) {
            let options = request.options.get_or_insert_default();
            if options.field_manager.is_empty() {
                options.field_manager = self.manager.clone();
            }
            if self.validation != FieldValidation::Strict {
                options.field_validation = self.validation;
            }
        }
        let (asked, method, path) = (self.now, request.method(), request.path());
        let ReplyBody::Response(response) = self.wait_for(Wait::Request { request, why })? else {
            return Err(Stop::plain("the answer does not fit the question"));
        };
        if self.verbosity >= 6 {
            self.tell(asked, method, &path, response);
        }
        for warning in &response.warnings {
            if !self.warned.contains(warning) {
                self.warned.push(warning.clone());
                self.eprintln(format!("Warning: {warning}"));
            }
        }
        match &response.result {
            Ok(Answer::List(list)) => self.revision = list.revision,
            Ok(Answer::Object { object, .. }) => self.revision = object.meta.resource_version,
            _ => {}
        }
        Ok(response.result.as_ref())
    }
    /// Prints a request and its answer as `-v=6` to `-v=8` do. Counterpart: `client-go/transport/round_trippers.go`.
    fn tell(&mut self, asked: Time, method: &str, path: &str, response: &Response) {
        let url = format!("{}{path}", config::SERVER);
        let line = |at: Time, text: String| print::log_line('I', at, &format!("round_trippers.go:632] {text}"));
        if self.verbosity >= 7 {
            self.eprintln(line(asked, format!("\"Request\" verb=\"{method}\" url=\"{url}\"")));
        }
        let (code, ms) = (response.code(), (self.now - asked).0 / 1000);
        let words = match code {
            200 => "OK",
            201 => "Created",
            403 => "Forbidden",
            404 => "Not Found",
            409 => "Conflict",
            422 => "Unprocessable Entity",
            _ => "",
        };
        self.eprintln(line(self.now, format!("\"Response\" verb=\"{method}\" url=\"{url}\" status=\"{code} {words}\" milliseconds={ms}")));
        if self.verbosity >= 8
            && let Ok(Answer::Object { object, .. }) = &response.result
        {
            let body = crate::api::json::to_string(&object.to_full_map().into());
            self.eprintln(line(self.now, format!("\"Response Body\" body={}", crate::api::json::to_string(&body.as_str().into()))));
        }
    }
    /// Sends a request and returns the answer; a refusal becomes a failure.
    fn request(&mut self, request: Request) -> Run<&'a Answer> {
        self.try_request(request)?.map_err(Stop::server)
    }
    /// Sends a request and returns the object in the answer; a refusal becomes a failure.
    fn object(&mut self, request: Request) -> Run<&'a Arc<Object>> {
        match self.request(request)? {
            Answer::Object { object, .. } => Ok(object),
            _ => Err(Stop::plain("the server's answer is no object")),
        }
    }
    fn sleep(&mut self, span: Span) -> Run {
        self.wait_for(Wait::Sleep(span)).map(|_| ())
    }
    /// Returns the next events of a watch; empty if the time `until` has come first.
    fn watch(&mut self, request: Request, until: Option<Time>) -> Run<&'a [WatchEvent]> {
        match self.wait_for(Wait::Watch { request, until })? {
            ReplyBody::Events(events) => Ok(events),
            ReplyBody::Response(response) => match &response.result {
                Err(status) => Err(Stop::server(status)),
                Ok(_) => Ok(&[]),
            },
            _ => Ok(&[]),
        }
    }
}

/// Returns a request to watch a kind from a revision on.
fn watch_of(kind: Kind, namespace: &ArcStr, since: u64) -> Request {
    Request::new(Verb::Watch, kind, namespace.clone(), "").with(|o| o.at = ReadAt::NotOlderThan(since))
}

/// The failures of a command that handles several objects and goes on with the next one after a failure.
#[derive(Default)]
struct Failures(Vec<Stop>);

impl Failures {
    /// Collects a failure and returns `None` for it; a question without an answer still stops the run.
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
            _ => Err(Stop::many(self.0)),
        }
    }
}

type Command = fn(&mut Cx, &[String]) -> Run;

const COMMANDS: &[(&str, Command)] = &[
    ("annotate", label_annotate::annotate),
    ("api-resources", api_resources::api_resources),
    ("api-versions", api_resources::api_versions),
    ("apply", apply::apply),
    ("attach", attach::attach),
    ("auth", auth::auth),
    ("autoscale", autoscale::autoscale),
    ("cluster-info", info::cluster_info),
    ("completion", info::completion),
    ("config", config::config),
    ("cordon", cordon_taint::cordon),
    ("create", create::create),
    ("delete", delete::delete),
    ("describe", describe::describe),
    ("diff", diff::diff),
    ("drain", drain::drain),
    ("events", events::events),
    ("exec", exec::exec),
    ("edit", edit::edit),
    ("explain", explain::explain),
    ("expose", expose::expose),
    ("get", get::get),
    ("help", help::help),
    ("label", label_annotate::label),
    ("logs", logs::logs),
    ("options", help::options),
    ("patch", patch::patch),
    ("port-forward", port_forward::port_forward),
    ("replace", replace::replace),
    ("rollout", rollout::rollout),
    ("run", run::run),
    ("scale", scale::scale),
    ("set", set::set),
    ("taint", cordon_taint::taint),
    ("top", top::top),
    ("uncordon", cordon_taint::uncordon),
    ("version", info::version),
    ("wait", wait::wait),
    ("cp", cp::cp),
    ("proxy", port_forward::proxy),
    ("kustomize", kustomize::kustomize),
    ("debug", debug::debug),
];

/// Returns the field manager of a command: `--field-manager`, or the real client's default.
fn field_manager(command: &str, words: &[String]) -> ArcStr {
    match (flags::given(words, "--field-manager", "--field-manager"), command) {
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
    // Global flags may also stand before the name of the command.
    let (before, words) = words.split_at(flags::leading_flag_count(words));
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let words: Vec<String> = words[..end].iter().chain(before).chain(&words[end..]).cloned().collect();
    if let Some(done) = help::group(cx, &words) {
        return done;
    }
    let Some((name, rest)) = words.split_first() else { return Ok(()) };
    if let Some((_, command)) = COMMANDS.iter().find(|(known, _)| known == name) {
        cx.manager = field_manager(name, rest);
        cx.verbosity = flags::verbosity(rest);
        let text = |long, short| flags::given(rest, long, short).map(str::to_owned);
        cx.template = (text("--output", "-o").unwrap_or_default(), text("--template", "--template"));
        let missing = "--allow-missing-template-keys";
        cx.strict_templates = text(missing, missing).as_deref() == Some("false");
        let mut flags = rest.iter().take_while(|word| *word != "--");
        if flags.clone().any(|word| word == "--dry-run") {
            cx.eprintln(print::log_line('W', cx.now, print::DRY_RUN_DEPRECATED));
        }
        if flags.any(|word| word == "--record" || word.starts_with("--record=")) {
            cx.eprintln("Flag --record has been deprecated, --record will be removed in the future");
        }
        return command(cx, rest);
    }
    if let Some(done) = absent::command(cx, name, rest) {
        return done;
    }
    if name.starts_with('-') {
        flags::Args::read("", &[], &words)?;
    }
    let known = COMMANDS.iter().map(|(known, _)| *known).chain(absent::names());
    let near: String = known.filter(|known| command_line::is_suggestion(known, name)).map(|known| format!("\t{known}\n")).collect();
    let mut text = format!("unknown command \"{name}\" for \"kubectl\"");
    if !near.is_empty() {
        text.push_str("\n\nDid you mean this?\n");
        text.push_str(near.trim_end_matches('\n'));
    }
    Err(Stop::plain(text))
}

#[cfg(test)]
mod tests;
