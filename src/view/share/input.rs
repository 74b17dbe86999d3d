//! What a person did, written down: `{"apply": …}`, `{"kubectl": […]}`, `{"line": …, "env": {…}}`, `{"save": …, "of": {…}}`, `{"fault": …}` or
//! `{"interrupt": 3}`.
//!
//! The surroundings of a terminal's line (namespace, files, variables, history) are written as what differs from the line before, so that
//! a long session stays short.

use super::{faults, read_kind};
use crate::api::value::{Map, Value};
use crate::kubectl::{CommandLine, Saved};
use crate::map;
use crate::shell::{Env, Line};
use crate::sim::{Command, Draft, Fault};
use crate::text::Str;
use crate::view::desk::NAMESPACE;
use crate::view::slot::read_texts;
use crate::view::terminal;
use std::sync::Arc;

/// Something a person did.
#[derive(Clone, Debug)]
pub enum Input {
    /// kubectl, by a button or the editor.
    Kubectl(CommandLine),
    /// A line in the terminal.
    Line(Line),
    /// An object saved in the editor.
    Save(Saved),
    /// Something was broken or mended.
    Fault(Fault),
    /// A program was interrupted.
    Interrupt(u64),
}

impl Input {
    /// What a command was, if a person's words can say it.
    pub fn of(command: &Command) -> Option<Input> {
        Some(match command {
            Command::Fault(fault) => Input::Fault(fault.clone()),
            Command::Interrupt(id) => Input::Interrupt(*id),
            Command::Run(program) => {
                let source = program.source()?;
                if let Some(line) = source.downcast_ref::<Line>() {
                    Input::Line(line.clone())
                } else if let Some(saved) = source.downcast_ref::<Saved>() {
                    Input::Save(saved.clone())
                } else {
                    Input::Kubectl(source.downcast_ref::<CommandLine>()?.clone())
                }
            }
        })
    }
    /// Written down; `env` is that of the last line before, and becomes this one's.
    pub(super) fn write(&self, env: &mut Env) -> Value {
        let mut out = Map::new();
        match self {
            Input::Fault(fault) => return faults::write(fault),
            Input::Interrupt(id) => drop(out.insert("interrupt", Value::Int(*id as i64))),
            Input::Kubectl(c) => {
                if c.words == APPLY && c.namespace == NAMESPACE {
                    out.insert("apply", c.stdin.as_str());
                } else {
                    out.insert("kubectl", texts(&c.words));
                    if !c.stdin.is_empty() {
                        out.insert("stdin", c.stdin.as_str());
                    }
                    if c.namespace != NAMESPACE {
                        out.insert("namespace", &c.namespace);
                    }
                }
            }
            Input::Line(line) => {
                out.insert("line", line.text.as_str());
                let differs = difference(env, line);
                if !differs.is_empty() {
                    out.insert("env", differs);
                }
                *env = line.env.clone();
            }
            Input::Save(saved) => {
                let d = &saved.draft;
                out.insert("save", saved.text.as_str());
                let (kind, original) = (d.kind.row().name, d.original.as_str());
                out.insert("of", map! { "kind" => kind, "namespace" => &d.namespace, "name" => &d.name, "original" => original });
            }
        }
        out.into()
    }
    /// Read again; `env` is that of the last line before, and becomes this one's.
    pub(super) fn read(map: &Map, env: &mut Env) -> Result<Input, String> {
        let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("{key} must be a text"));
        let (input, known): (Input, &[&str]) = if map.has("fault") {
            return faults::read(map).map(Input::Fault);
        } else if map.has("apply") {
            (kubectl(APPLY.map(str::to_owned).to_vec(), text("apply")?, NAMESPACE), &["apply"])
        } else if let Some(words) = map.get("kubectl") {
            let words = read_texts(words).ok_or("kubectl must be a list of words")?;
            let namespace = if map.has("namespace") { text("namespace")? } else { NAMESPACE.to_owned() };
            let stdin = if map.has("stdin") { text("stdin")? } else { String::new() };
            (kubectl(words, stdin, &namespace), &["kubectl", "stdin", "namespace"])
        } else if map.has("line") {
            let line = text("line")?;
            let none = Map::new();
            let differs = match map.get("env") {
                None => &none,
                Some(value) => value.as_map().ok_or("env must be an object")?,
            };
            *env = changed(env, differs, &line)?;
            (Input::Line(Line { text: line, env: env.clone() }), &["line", "env"])
        } else if map.has("save") {
            let of = map.map("of").ok_or("save lacks what it is of")?;
            let kind = read_kind(of.str("kind"))?;
            let (namespace, name, original) = (of.str("namespace").into(), of.str("name").into(), of.str("original").to_owned());
            let draft = Draft { kind, namespace, name, original };
            (Input::Save(Saved { draft, text: text("save")? }), &["save", "of"])
        } else if let Some(id) = map.int("interrupt") {
            (Input::Interrupt(u64::try_from(id).map_err(|_| "interrupt must be a program's number")?), &["interrupt"])
        } else {
            return Err("it is none of apply, kubectl, line, save, fault and interrupt".to_owned());
        };
        match map.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            Some((key, _)) => Err(format!("the field \"{key}\" is not known")),
            None => Ok(input),
        }
    }
}

const APPLY: [&str; 3] = ["apply", "-f", "-"];

fn kubectl(words: Vec<String>, stdin: String, namespace: &str) -> Input {
    Input::Kubectl(CommandLine { words, stdin, namespace: namespace.into(), files: Vec::new(), editor: false })
}

fn texts(list: &[String]) -> Vec<Value> {
    list.iter().map(|t| t.as_str().into()).collect()
}

fn pairs<'a>(list: impl Iterator<Item = &'a (String, String)>) -> Vec<Value> {
    list.map(|(name, text)| Value::List(vec![name.as_str().into(), text.as_str().into()])).collect()
}

fn read_pairs(value: &Value, what: &str) -> Result<Vec<(String, String)>, String> {
    let pair = |v: &Value| match read_texts(v)?.as_slice() {
        [name, text] => Some((name.clone(), text.clone())),
        _ => None,
    };
    let list = value.as_list().and_then(|list| list.iter().map(pair).collect());
    list.ok_or_else(|| format!("{what} must be a list of pairs of texts"))
}

/// What of a line's surroundings differs from those of the line before. Where that cannot be said, all of it, anew.
fn difference(before: &Env, line: &Line) -> Map {
    let differs = from(before, line);
    match changed(before, &differs, &line.text) {
        Ok(env) if env == line.env => differs,
        _ => {
            let mut anew = from(&Env::default(), line);
            anew.insert("anew", true);
            anew
        }
    }
}

fn from(before: &Env, line: &Line) -> Map {
    let (env, mut out) = (&line.env, Map::new());
    if env.namespace != before.namespace {
        out.insert("namespace", &env.namespace);
    }
    let files = pairs(env.files.iter().filter(|file| !before.files.contains(file)));
    if !files.is_empty() {
        out.insert("files", files);
    }
    if env.variables != before.variables {
        out.insert("variables", pairs(env.variables.iter()));
    }
    if env.history != remembered(before, &line.text) {
        out.insert("history", texts(&env.history));
    }
    if env.status != before.status {
        out.insert("status", env.status);
    }
    if env.width != before.width {
        out.insert("width", Value::Int(env.width as i64));
    }
    if env.editor != before.editor {
        out.insert("editor", env.editor);
    }
    out
}

/// The history once a line has been entered.
fn remembered(before: &Env, line: &str) -> Arc<Vec<String>> {
    let mut history = (*before.history).clone();
    terminal::remember(&mut history, line);
    Arc::new(history)
}

/// The surroundings that differ so from those before.
fn changed(before: &Env, differs: &Map, line: &str) -> Result<Env, String> {
    let mut env = if differs.bool("anew") { Env::default() } else { before.clone() };
    env.history = remembered(&env, line);
    for (key, value) in differs.iter() {
        let wrong = || format!("env.{key} is not what it must be");
        match key.as_str() {
            "anew" => {}
            "namespace" => env.namespace = Str::from(value.as_str().ok_or_else(wrong)?),
            "files" => {
                let files = Arc::make_mut(&mut env.files);
                for (name, text) in read_pairs(value, "env.files")? {
                    match files.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, old)) => *old = text,
                        None => files.push((name, text)),
                    }
                }
            }
            "variables" => env.variables = Arc::new(read_pairs(value, "env.variables")?),
            "history" => env.history = Arc::new(read_texts(value).ok_or_else(wrong)?),
            "status" => env.status = value.as_int().and_then(|n| n.try_into().ok()).ok_or_else(wrong)?,
            "width" => env.width = value.as_int().filter(|n| (20..=400).contains(n)).ok_or_else(wrong)? as usize,
            "editor" => env.editor = value.as_bool().ok_or_else(wrong)?,
            _ => return Err(format!("the field \"env.{key}\" is not known")),
        }
    }
    Ok(env)
}
