//! One input of a person, as JSON: `{"apply": …}`, `{"kubectl": […]}`, `{"line": …, "env": {…}}`, `{"save": …, "of": {…}}`,
//! `{"request": {"verb": …, "path": …, "body": …}}`, `{"fault": …}`, `{"interrupt": 3}` or `{"type": "ls", "into": 3}`.

use super::environment::Change;
use super::{read_kind, sentence};
use crate::api::value::{Map, Value};
use crate::apiserver::HttpRequest;
use crate::kubectl::{CommandLine, HttpCall, SaveEdit};
use crate::shell::{Env, Line};
use crate::sim::{Command, Draft, Fault};
use crate::view::run::NAMESPACE;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An input of a person to a run.
#[derive(Clone, Debug)]
pub enum Input {
    /// A kubectl command that a button or the editor has given.
    Kubectl(CommandLine),
    /// A line that was entered in the terminal.
    Line(Line),
    /// An object that `kubectl edit` handed over and that was saved in the editor.
    Save(SaveEdit),
    /// A request by method and path that a script has sent.
    Request(HttpCall),
    /// A fault, or the end of one.
    Fault(Fault),
    /// The interruption of a program, by the program's number.
    Interrupt(u64),
    /// A line that was typed into the container session of the program with this number; `None` for the end of the input.
    Type(u64, Option<ArcStr>),
}

/// An input as it is serialized.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Written {
    Apply(Apply),
    Kubectl(Kubectl),
    Line(TerminalLine),
    Save(Save),
    Request(Requested),
    Fault(Fault),
    Interrupt(Interrupt),
    Type(Type),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Apply {
    apply: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kubectl {
    kubectl: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    stdin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TerminalLine {
    line: String,
    #[serde(default, skip_serializing_if = "Change::is_nothing")]
    env: Change,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    save: String,
    of: Edited,
}

/// The object that was opened in the editor by `kubectl edit`.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Edited {
    kind: String,
    namespace: String,
    name: String,
    original: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Requested {
    request: Http,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Http {
    verb: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    content_type: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    accept: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Interrupt {
    interrupt: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Type {
    #[serde(rename = "type")]
    text: Option<String>,
    into: u64,
}

const APPLY: [&str; 3] = ["apply", "-f", "-"];

impl Input {
    /// Returns the input of a command; `None` if it cannot be serialized.
    pub fn of(command: &Command) -> Option<Input> {
        Some(match command {
            Command::Fault(fault) => Input::Fault(fault.clone()),
            Command::Interrupt(id) => Input::Interrupt(*id),
            Command::Type(id, text) => Input::Type(*id, text.clone()),
            // A controller is code, and a link cannot contain code.
            Command::Extend(_) => return None,
            Command::Run(program) => {
                let source = program.source()?;
                if let Some(line) = source.downcast_ref::<Line>() {
                    Input::Line(line.clone())
                } else if let Some(saved) = source.downcast_ref::<SaveEdit>() {
                    Input::Save(saved.clone())
                } else if let Some(call) = source.downcast_ref::<HttpCall>() {
                    Input::Request(call.clone())
                } else {
                    Input::Kubectl(source.downcast_ref::<CommandLine>()?.clone())
                }
            }
        })
    }
    /// Returns the command that a run is given.
    pub fn command(&self) -> Command {
        match self.clone() {
            Input::Kubectl(line) => Command::Run(Arc::new(line)),
            Input::Request(call) => Command::Run(Arc::new(call)),
            Input::Save(saved) => Command::Run(Arc::new(saved)),
            Input::Line(line) => Command::Run(Arc::new(line)),
            Input::Fault(fault) => Command::Fault(fault),
            Input::Interrupt(id) => Command::Interrupt(id),
            Input::Type(id, text) => Command::Type(id, text),
        }
    }
    /// Returns the input that applies a manifest.
    pub fn apply(manifest: &str) -> Input {
        kubectl(APPLY.map(str::to_owned).to_vec(), manifest.to_owned(), None)
    }
    /// Serializes the input. `env` holds the environment of the terminal line before, and is updated to the environment of this input's line.
    pub(super) fn write(&self, env: &mut Env) -> Written {
        match self {
            Input::Fault(fault) => Written::Fault(fault.clone()),
            Input::Interrupt(id) => Written::Interrupt(Interrupt { interrupt: *id }),
            Input::Type(id, text) => Written::Type(Type { text: text.as_ref().map(ToString::to_string), into: *id }),
            Input::Request(HttpCall(http)) => {
                let HttpRequest { method, path, body, content_type, accept } = http.clone();
                Written::Request(Requested { request: Http { verb: method, path, body, content_type, accept } })
            }
            Input::Kubectl(c) if c.words == APPLY && c.namespace == NAMESPACE => Written::Apply(Apply { apply: c.stdin.clone() }),
            Input::Kubectl(c) => {
                let namespace = (c.namespace != NAMESPACE).then(|| c.namespace.to_string());
                Written::Kubectl(Kubectl { kubectl: c.words.clone(), stdin: c.stdin.clone(), namespace })
            }
            Input::Line(line) => {
                let change = Change::between(env, line);
                *env = line.env.clone();
                Written::Line(TerminalLine { line: line.text.clone(), env: change })
            }
            Input::Save(SaveEdit { draft, text }) => {
                let kind = draft.kind.row().name.to_owned();
                let (namespace, name, original) = (draft.namespace.to_string(), draft.name.to_string(), draft.original.clone());
                Written::Save(Save { save: text.clone(), of: Edited { kind, namespace, name, original } })
            }
        }
    }
    /// Reads an input. `env` holds the environment of the terminal line before, and is updated to the environment of this input's line.
    pub(super) fn read(map: Map, env: &mut Env) -> Result<Input, String> {
        let has = |key: &str| map.has(key);
        if has("fault") {
            read_fault(map).map(Input::Fault)
        } else if has("apply") {
            let Apply { apply } = sentence::read(&map.into())?;
            Ok(kubectl(APPLY.map(str::to_owned).to_vec(), apply, None))
        } else if has("kubectl") {
            let Kubectl { kubectl: words, stdin, namespace } = sentence::read(&map.into())?;
            Ok(kubectl(words, stdin, namespace))
        } else if has("line") {
            let TerminalLine { line, env: change } = sentence::read(&map.into())?;
            *env = change.apply(env, &line)?;
            Ok(Input::Line(Line { text: line, env: env.clone() }))
        } else if has("save") {
            let Save { save, of } = sentence::read(&map.into())?;
            let draft = Draft { kind: read_kind(&of.kind)?, namespace: of.namespace.into(), name: of.name.into(), original: of.original };
            Ok(Input::Save(SaveEdit { draft, text: save }))
        } else if has("request") {
            let Requested { request: Http { verb, path, body, content_type, accept } } = sentence::read(&map.into())?;
            Ok(Input::Request(HttpCall(HttpRequest { method: verb, path, body, content_type, accept })))
        } else if has("interrupt") {
            sentence::read(&map.into()).map(|Interrupt { interrupt }| Input::Interrupt(interrupt))
        } else if has("into") {
            sentence::read(&map.into()).map(|Type { text, into }| Input::Type(into, text.map(Into::into)))
        } else {
            Err("it is none of apply, kubectl, line, save, request, fault and interrupt".to_owned())
        }
    }
}

fn kubectl(words: Vec<String>, stdin: String, namespace: Option<String>) -> Input {
    let namespace = namespace.unwrap_or_else(|| NAMESPACE.to_owned()).into();
    Input::Kubectl(CommandLine { words, stdin, namespace, files: Vec::new(), editor: false })
}

/// Reads a fault; the error is a sentence.
pub fn read_fault(map: Map) -> Result<Fault, String> {
    let name = map.str("fault").to_owned();
    sentence::read(&map.into()).map_err(|why| match why.strip_prefix("there is no ") {
        Some(rest) => format!("there is no fault {rest}"),
        None => format!("the fault {name}: {why}"),
    })
}
