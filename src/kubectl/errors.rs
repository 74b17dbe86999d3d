//! Failures and their text. Counterpart: `kubectl/pkg/cmd/util/helpers.go`.

use super::flags::Asked;
use crate::api::status::{Reason, Status};
use crate::sim::{Next, Program, Question};
use std::sync::Arc;

/// Why a run ends before its command does: it failed, or it has to wait, or another program takes over. One type for all of them and a single pointer,
/// since nearly every function here can fail.
#[derive(Debug)]
pub struct Failure(Box<Why>);

/// The ways to end.
#[derive(Debug)]
enum Why {
    /// In the client's own words.
    Plain(String),
    /// Text that is shown as it is.
    Raw(String),
    /// The server refused.
    Server(Status),
    /// Several things failed.
    Many(Vec<Failure>),
    /// No failure: help was asked for instead.
    Help(Asked),
    /// No failure: a question has no answer yet.
    Ask(Question),
    /// No failure: another program goes on from here.
    Become(Arc<dyn Program>),
    /// It ends with a code of its own and nothing more to say.
    Exit(i32),
}

impl Failure {
    /// A failure in the client's own words.
    pub fn plain(text: impl Into<String>) -> Failure {
        Failure(Box::new(Why::Plain(text.into())))
    }
    /// Text that is shown as it is.
    pub fn raw(text: String) -> Failure {
        Failure(Box::new(Why::Raw(text)))
    }
    /// A refusal of the server.
    pub fn server(status: &Status) -> Failure {
        Failure(Box::new(Why::Server(status.clone())))
    }
    /// Several failures.
    pub fn many(all: Vec<Failure>) -> Failure {
        Failure(Box::new(Why::Many(all)))
    }
    /// No failure: help was asked for instead.
    pub fn help(asked: Asked) -> Failure {
        Failure(Box::new(Why::Help(asked)))
    }
    /// No failure: a question has no answer yet.
    pub fn ask(question: Question) -> Failure {
        Failure(Box::new(Why::Ask(question)))
    }
    /// No failure: another program goes on from here.
    pub fn give_way(program: Arc<dyn Program>) -> Failure {
        Failure(Box::new(Why::Become(program)))
    }
    /// The end with a code of its own.
    pub fn exit(code: i32) -> Failure {
        Failure(Box::new(Why::Exit(code)))
    }
    /// What comes next, where there is nothing to be said.
    pub fn next(&self) -> Option<Next> {
        match &*self.0 {
            Why::Ask(question) => Some(Next::Ask(question.clone())),
            Why::Become(program) => Some(Next::Become(program.clone())),
            Why::Exit(code) => Some(Next::Exit(*code)),
            _ => None,
        }
    }
    /// The command whose help was asked for.
    pub fn asked(&self) -> Option<&Asked> {
        match &*self.0 {
            Why::Help(asked) => Some(asked),
            _ => None,
        }
    }
    /// A wrong use of a command.
    pub fn usage(command: &str, text: &str) -> Failure {
        Failure::plain(format!("{text}\nSee 'kubectl {command} -h' for help and examples"))
    }
    /// A refusal, said to have happened while doing something with what a source holds.
    pub fn while_doing(doing: &str, source: &str, status: &Status) -> Failure {
        let mut status = status.clone();
        if !source.is_empty() {
            status.message = format!("error when {doing} \"{source}\": {}", status.message);
        }
        Failure(Box::new(Why::Server(status)))
    }
    /// Whether it says that something is not there, and nothing else.
    pub fn is_not_found(&self) -> bool {
        match &*self.0 {
            Why::Server(status) => status.reason == Reason::NotFound,
            Why::Many(all) => all.iter().all(Failure::is_not_found),
            _ => false,
        }
    }
    /// What is printed.
    pub fn text(&self) -> String {
        match &*self.0 {
            Why::Plain(text) if text.starts_with("error: ") => format!("{text}\n"),
            Why::Plain(text) => format!("error: {text}\n"),
            Why::Raw(text) => text.clone(),
            Why::Server(status) if status.reason == Reason::Invalid => invalid(status),
            Why::Server(status) => format!("{}\n", standard(status)),
            Why::Many(all) => all.iter().map(Failure::line).collect(),
            _ => String::new(),
        }
    }
    /// What is printed when there are others.
    fn line(&self) -> String {
        match &*self.0 {
            Why::Plain(text) | Why::Raw(text) => format!("{text}\n"),
            Why::Server(status) => format!("{}\n", standard(status)),
            Why::Many(all) => all.iter().map(Failure::line).collect(),
            _ => String::new(),
        }
    }
    /// The message alone, as it is put into other sentences.
    pub fn message(&self) -> String {
        match &*self.0 {
            Why::Plain(text) | Why::Raw(text) => text.clone(),
            Why::Server(status) => status.message.clone(),
            Why::Many(all) => format!("[{}]", all.iter().map(Failure::message).collect::<Vec<_>>().join(", ")),
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

/// A 422: one mistake on the line, several as a list.
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
