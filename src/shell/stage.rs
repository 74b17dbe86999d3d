//! The commands of a pipeline after expansion: what each runs, its input and its outputs.

use super::Env;
use super::expand::{Expansion, Stop};
use super::machine::Frame;
use super::syntax::{Body, Command, Redirect};
use crate::filters::{self, Filter};

/// A filter in a pipe, and the files into which `tee` copies its output.
#[derive(Clone, Debug)]
pub struct PipeFilter {
    pub filter: Filter,
    pub copies: Vec<String>,
}

/// The destination of an output stream of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Sink {
    /// The frames below on the stack, and finally the terminal.
    Inherit,
    /// The input of the next command in the pipeline.
    Next,
    File {
        path: String,
        append: bool,
    },
    Null,
    /// The destination of the other stream (`2>&1`, `>&2`).
    Other,
}

/// A command of a pipeline after expansion.
#[derive(Clone, Debug)]
pub struct Stage {
    pub action: StageAction,
    pub input: Option<String>,
    pub out: Sink,
    pub errors: Sink,
}

#[derive(Clone, Debug)]
pub enum StageAction {
    Words(Vec<String>),
    /// Variables to set, and `true` if a command substitution in their values has set the exit code.
    Assign(Vec<(String, String)>, bool),
    Frame(Box<Frame>),
    Fail(String, i32),
}

/// Returns a path without a leading `./`.
pub fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

pub fn read_file(env: &Env, path: &str) -> Option<String> {
    let path = plain_path(path);
    if path == "/dev/null" {
        return Some(String::new());
    }
    env.files.iter().find(|(name, _)| name == path).map(|(_, text)| text.clone())
}

/// Creates a filter for a pipe; `None` if the words are not a filter, or if the filter reads files instead of its input.
pub fn pipe_filter(words: &[String], complaints: &mut String) -> Option<PipeFilter> {
    let (name, args) = words.split_first()?;
    if name == "tee" {
        let parsed = filters::parse("cat", &[])?.ok()?;
        let copies = args.iter().filter(|arg| !arg.starts_with('-')).map(|path| plain_path(path).to_owned()).collect();
        return Some(PipeFilter { filter: parsed.filter, copies });
    }
    match filters::parse(name, args)? {
        Ok(parsed) if parsed.files.iter().all(|file| file == "-") => Some(PipeFilter { filter: parsed.filter, copies: Vec::new() }),
        Ok(_) => None,
        Err((why, code)) => {
            complaints.push_str(&why);
            Some(PipeFilter { filter: Filter::fixed(String::new(), code), copies: Vec::new() })
        }
    }
}

/// Creates the filter at the start of a pipeline. A filter of files is returned with its output ready; any other must be fed its input.
pub fn file_filter(name: &str, args: &[String], complaints: &mut String, piped: bool, env: &Env) -> Option<PipeFilter> {
    let files = match filters::parse(name, args) {
        Some(Ok(parsed)) if parsed.files.iter().any(|file| file != "-") => Some(parsed),
        _ => None,
    };
    let Some(mut parsed) = files else {
        let words: Vec<String> = std::iter::once(name.to_owned()).chain(args.iter().cloned()).collect();
        let filter = pipe_filter(&words, complaints)?;
        let idle = (name == "awk" && args.iter().any(|arg| arg.trim_start().starts_with("BEGIN"))) || filter.filter.is_done();
        if !piped && !idle {
            complaints.push_str(&format!("{name}: reads a pipe or a file here, not the keyboard: write COMMAND | {name} …\n"));
            return Some(PipeFilter { filter: Filter::fixed(String::new(), 2), copies: Vec::new() });
        }
        return Some(filter);
    };
    let mut out = String::new();
    for file in &parsed.files {
        match read_file(env, file) {
            Some(text) => out.push_str(&parsed.filter.feed(&text)),
            None => complaints.push_str(&format!("{name}: {file}: No such file or directory\n")),
        }
    }
    let (rest, code) = parsed.filter.end();
    out.push_str(&rest);
    if let ("wc", [file]) = (name, parsed.files.as_slice())
        && complaints.is_empty()
    {
        out = format!("{} {file}\n", out.trim_end());
    }
    Some(PipeFilter {
        filter: Filter::fixed(
            out,
            if complaints.is_empty() { code } else { code.max(if matches!(name, "grep" | "sort") { 2 } else { 1 }) },
        ),
        copies: Vec::new(),
    })
}

fn sink(path: String, append: bool) -> Sink {
    match path.as_str() {
        "/dev/null" => Sink::Null,
        _ => Sink::File { path: plain_path(&path).to_owned(), append },
    }
}

/// Expands the words of a command into a stage of a pipeline.
pub fn stage(command: &Command, expansion: &mut Expansion, env: &Env) -> Result<Stage, Stop> {
    let action = match &command.body {
        Body::Simple { assigns, words } => {
            let results = expansion.results.len();
            let assigns: Vec<(String, String)> =
                assigns.iter().map(|(name, word)| Ok((name.clone(), expansion.text(word)?))).collect::<Result<_, Stop>>()?;
            let words = expansion.words(words)?;
            // No program of the terminal reads its environment, so an assignment before a command has no effect.
            if words.is_empty() && !assigns.is_empty() {
                StageAction::Assign(assigns, expansion.results.len() < results)
            } else {
                StageAction::Words(words)
            }
        }
        Body::For { name, words, body } => {
            let values = expansion.words(words)?.into();
            StageAction::Frame(Box::new(Frame::For { name: name.clone(), values, body: body.clone() }))
        }
        Body::While { test, body, until } => {
            let (test, body) = (test.clone(), body.clone());
            StageAction::Frame(Box::new(Frame::While { test, body, until: *until, testing: false }))
        }
        Body::If { arms, other } => {
            let arms = arms.iter().cloned().collect();
            StageAction::Frame(Box::new(Frame::If { arms, other: other.clone(), tested: None }))
        }
        Body::Background(list) => StageAction::Frame(Box::new(Frame::Background(list.clone()))),
        Body::SyntaxError(message) => StageAction::Fail(message.clone(), 2),
    };
    let mut stage = Stage { action, input: None, out: Sink::Inherit, errors: Sink::Inherit };
    for redirect in &command.redirects {
        match redirect {
            Redirect::In(word) => {
                let path = expansion.text(word)?;
                match read_file(env, &path) {
                    Some(text) => stage.input = Some(text),
                    None => stage.action = StageAction::Fail(format!("bash: {path}: No such file or directory\n"), 1),
                }
            }
            Redirect::Text(word) => stage.input = Some(expansion.text(word)?),
            Redirect::Out(word, append) => stage.out = sink(expansion.text(word)?, *append),
            Redirect::Err(word, append) => stage.errors = sink(expansion.text(word)?, *append),
            Redirect::Both(word) => {
                stage.out = sink(expansion.text(word)?, false);
                stage.errors = Sink::Other;
            }
            Redirect::ErrToOut => stage.errors = Sink::Other,
            Redirect::OutToErr => stage.out = Sink::Other,
        }
    }
    Ok(stage)
}
