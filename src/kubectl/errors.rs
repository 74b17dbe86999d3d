//! The errors of a command and their text. Counterpart: `kubectl/pkg/cmd/util/helpers.go`.

use super::flags::HelpRequest;
use crate::api::status::{Reason, Status};
use crate::sim::{Next, Program, Wait};
use std::sync::Arc;

/// The reason why a run of a command stops early: it failed, it waits for an answer, or another program takes over. Boxed to the size of one pointer,
/// because nearly every function of this module returns it.
#[derive(Debug)]
pub struct Stop(Box<StopReason>);

/// The reasons for which a run of a command stops early.
#[derive(Debug)]
enum StopReason {
    /// An error of the client, printed after `error: `.
    Plain(String),
    /// An error whose text is printed unchanged.
    Raw(String),
    /// A refusal by the API server.
    Server(Status),
    /// Several failures, of which each is printed.
    Many(Vec<Stop>),
    /// Not a failure: the person asked for help with `--help`.
    Help(HelpRequest),
    /// Not a failure: a question to the cluster has no answer yet.
    Wait(Wait),
    /// Not a failure: another program continues the command.
    Become(Arc<dyn Program>),
    /// Ends the command with an exit code and prints nothing more.
    Exit(i32),
}

impl Stop {
    /// Creates an error of the client, printed after `error: `.
    pub fn plain(text: impl Into<String>) -> Stop {
        Stop(Box::new(StopReason::Plain(text.into())))
    }
    /// Creates an error whose text is printed unchanged.
    pub fn raw(text: String) -> Stop {
        Stop(Box::new(StopReason::Raw(text)))
    }
    /// Creates the error of a command that asks for the kind of a word itself; the others say `error: ` before it. Counterpart: `NoResourceMatchError`.
    pub fn no_resource(name: &str, group: &str) -> Stop {
        let place = if group.is_empty() { String::new() } else { format!(" in group \"{group}\"") };
        Stop::raw(format!("the server doesn't have a resource type \"{name}\"{place}\n"))
    }
    /// Creates the error for a refusal by the API server.
    pub fn server(status: &Status) -> Stop {
        Stop(Box::new(StopReason::Server(status.clone())))
    }
    /// Joins several failures into one.
    pub fn many(all: Vec<Stop>) -> Stop {
        Stop(Box::new(StopReason::Many(all)))
    }
    /// Creates a stop at which the help page of a command is printed.
    pub fn help(request: HelpRequest) -> Stop {
        Stop(Box::new(StopReason::Help(request)))
    }
    /// Creates a stop at a question that has no answer yet.
    pub fn wait(wait: Wait) -> Stop {
        Stop(Box::new(StopReason::Wait(wait)))
    }
    /// Creates a stop after which another program continues the command.
    pub fn hand_over(program: Arc<dyn Program>) -> Stop {
        Stop(Box::new(StopReason::Become(program)))
    }
    /// Creates a stop with an exit code, at which nothing more is printed.
    pub fn exit(code: i32) -> Stop {
        Stop(Box::new(StopReason::Exit(code)))
    }
    /// Returns the next act of the program that stopped: to wait, to hand over to another program, or to exit. `None` if the stop is an error or a request for
    /// help.
    pub fn next(&self) -> Option<Next> {
        match &*self.0 {
            StopReason::Wait(wait) => Some(Next::Wait(wait.clone())),
            StopReason::Become(program) => Some(Next::Replace(program.clone())),
            StopReason::Exit(code) => Some(Next::Exit(*code)),
            _ => None,
        }
    }
    /// Returns the command whose help the person asked for, if that is why the run stopped.
    pub fn help_request(&self) -> Option<&HelpRequest> {
        match &*self.0 {
            StopReason::Help(request) => Some(request),
            _ => None,
        }
    }
    /// Creates an error that points to the command's help. Counterpart: `cmdutil.UsageErrorf`.
    pub fn usage(command: &str, text: &str) -> Stop {
        Stop::plain(format!("{text}\nSee 'kubectl {command} -h' for help and examples"))
    }
    /// Creates the error for a refusal by the API server while a file was handled: `error when creating "web.yaml": …`. Counterpart:
    /// `cmdutil.AddSourceToErr`.
    pub fn while_doing(doing: &str, source: &str, status: &Status) -> Stop {
        let mut status = status.clone();
        if !source.is_empty() {
            status.message = format!("error when {doing} \"{source}\": {}", status.message);
        }
        Stop(Box::new(StopReason::Server(status)))
    }
    /// Returns a refusal as that of a file whose object was to be replaced.
    pub fn while_replacing(self, source: &str) -> Stop {
        match &*self.0 {
            StopReason::Server(status) => Stop::while_doing("replacing", source, status),
            _ => self,
        }
    }
    /// Creates the error for an object in a file that cannot be addressed, because it has no name.
    pub fn nameless(doing: &str, source: &str) -> Stop {
        Stop::plain(format!("error when {doing} \"{source}\": resource name may not be empty"))
    }
    /// Returns whether the failure consists only of NotFound errors.
    pub fn is_not_found(&self) -> bool {
        match &*self.0 {
            StopReason::Server(status) => status.reason == Reason::NotFound,
            StopReason::Many(all) => all.iter().all(Stop::is_not_found),
            _ => false,
        }
    }
    /// Returns whether the server no longer has the version that was asked for.
    pub fn is_expired(&self) -> bool {
        matches!(&*self.0, StopReason::Server(status) if status.reason == Reason::Expired)
    }
    /// Returns the error text for stderr.
    pub fn text(&self) -> String {
        match &*self.0 {
            StopReason::Plain(text) => {
                let prefix = if text.starts_with("error: ") { "" } else { "error: " };
                let end = if text.ends_with('\n') { "" } else { "\n" };
                format!("{prefix}{text}{end}")
            }
            StopReason::Raw(text) => text.clone(),
            StopReason::Server(status) if status.reason == Reason::Invalid => invalid(status),
            StopReason::Server(status) => format!("{}\n", standard(status)),
            StopReason::Many(all) => all.iter().map(Stop::line).collect(),
            _ => String::new(),
        }
    }
    /// Returns the error text for stderr if this is one of several failures, which are printed without `error: `.
    fn line(&self) -> String {
        match &*self.0 {
            StopReason::Plain(text) | StopReason::Raw(text) => format!("{text}\n"),
            StopReason::Server(status) => format!("{}\n", standard(status)),
            StopReason::Many(all) => all.iter().map(Stop::line).collect(),
            _ => String::new(),
        }
    }
    /// Returns the message alone, for use inside another sentence.
    pub fn message(&self) -> String {
        match &*self.0 {
            StopReason::Plain(text) | StopReason::Raw(text) => text.clone(),
            StopReason::Server(status) => status.message.clone(),
            StopReason::Many(all) => format!("[{}]", all.iter().map(Stop::message).collect::<Vec<_>>().join(", ")),
            _ => String::new(),
        }
    }
}

fn standard(status: &Status) -> String {
    if status.reason == Reason::Unknown {
        return format!("Error from server: {}", status.message);
    }
    format!("Error from server ({}): {}", status.reason.text(), status.message)
}

/// Formats an Invalid error (422): one cause on the same line, several causes as a list.
fn invalid(status: &Status) -> String {
    let subject = if status.kind.is_empty() && status.name.is_empty() {
        "The request is invalid".to_owned()
    } else {
        format!("The {} \"{}\" is invalid", status.kind, status.name)
    };
    let mut mistakes: Vec<String> = Vec::new();
    for cause in &status.causes {
        let text = if cause.field.is_empty() { cause.message.clone() } else { format!("{}: {}", cause.field, cause.message) };
        if !mistakes.contains(&text) {
            mistakes.push(text);
        }
    }
    match mistakes.as_slice() {
        [] => format!("{subject}: {}\n", status.message),
        [one] => format!("{subject}: {one}\n"),
        all => format!("{subject}: \n{}", all.iter().map(|m| format!("* {m}\n")).collect::<String>()),
    }
}
