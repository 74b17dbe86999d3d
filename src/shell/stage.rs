//! The commands of a pipeline after expansion: what each runs, its input and its outputs.

use super::Env;
use super::machine::{Frame, Run};
use crate::filters::{self, Filter};
use crate::posix::{Expansion, Flow, Node, Target, Tree, evaluate};

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
    /// Frames to push; the last runs first.
    Frames(Vec<Frame>),
    /// An error message, and the exit code.
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

impl Run<'_> {
    /// Expands the words of a command into a stage of a pipeline. `results` are the outputs of its command substitutions. An error is a message.
    pub fn stage(&mut self, command: &Tree, results: &[(Tree, String)]) -> Result<Stage, String> {
        let mut expansion = Expansion { scope: self, results };
        let mut all = &[][..];
        let action = match &**command {
            Node::Simple { assigns, words, redirects } => {
                all = redirects;
                let assigns: Vec<(String, String)> =
                    assigns.iter().map(|(name, word)| Ok((name.clone(), expansion.text(word)?))).collect::<Result<_, String>>()?;
                let words = expansion.words(words)?;
                // No program of the terminal reads its environment, so an assignment before a command has no effect.
                if words.is_empty() && !assigns.is_empty() {
                    StageAction::Assign(assigns, !results.is_empty())
                } else {
                    StageAction::Words(words)
                }
            }
            Node::Group(body, redirects) => {
                all = redirects;
                StageAction::Frames(vec![Frame::Flow(Flow::Node(body.clone()))])
            }
            Node::Subshell(body, redirects) => {
                all = redirects;
                StageAction::Frames(vec![Frame::Restore(self.m.env.variables.clone()), Frame::Flow(Flow::Node(body.clone()))])
            }
            Node::For { name, words, body } => {
                let values = words.as_ref().map_or(Ok(Vec::new()), |words| expansion.words(words))?.into();
                StageAction::Frames(vec![Frame::Flow(Flow::For { name: name.clone(), values, at: 0, body: body.clone() })])
            }
            Node::Case { word, arms } => {
                StageAction::Frames(expansion.choose(word, arms)?.map(|body| Frame::Flow(Flow::Node(body))).into_iter().collect())
            }
            Node::Arithmetic(word) => {
                let text = expansion.text(word)?;
                StageAction::Fail(String::new(), i32::from(evaluate(&text, expansion.scope)? == 0))
            }
            Node::Function { .. } => StageAction::Fail("bash: functions are not part of this shell\n".to_owned(), 2),
            Node::Wrong(message) => StageAction::Fail(format!("bash: {message}\n"), 2),
            _ => StageAction::Frames(vec![Frame::Flow(Flow::Node(command.clone()))]),
        };
        let mut stage = Stage { action, input: None, out: Sink::Inherit, errors: Sink::Inherit };
        for redirect in all {
            let to = match &redirect.to {
                Target::Read(word) => {
                    let path = Expansion { scope: self, results }.text(word)?;
                    match read_file(&self.m.env, &path) {
                        Some(text) => stage.input = Some(text),
                        None => stage.action = StageAction::Fail(format!("bash: {path}: No such file or directory\n"), 1),
                    }
                    continue;
                }
                Target::Text(word) => {
                    stage.input = Some(Expansion { scope: self, results }.text(word)?);
                    continue;
                }
                Target::Write(word) | Target::Append(word) | Target::Both(word) => {
                    let path = Expansion { scope: self, results }.text(word)?;
                    if let Target::Both(_) = redirect.to {
                        stage.errors = Sink::Other;
                    }
                    sink(path, matches!(redirect.to, Target::Append(_)))
                }
                Target::Same(fd) if *fd == redirect.fd || *fd == 0 => continue,
                Target::Same(_) => Sink::Other,
                Target::Close => Sink::Null,
            };
            match redirect.fd {
                1 => stage.out = to,
                2 => stage.errors = to,
                _ => {}
            }
        }
        Ok(stage)
    }
}
