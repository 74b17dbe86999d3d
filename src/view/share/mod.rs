//! The share state: one versioned JSON object that holds the inputs of a run, never its results. Replaying it gives the run again.
//!
//! `{v, seed, cluster, manifest, commands: [{at, after, do}], at, after, view, lesson}`. Times are microseconds since the run began. `after` is the number
//! of the step right before a moment; without it, the moment comes after all steps that are due by then. Defaults are left out. Unknown fields are
//! refused, except in `view`, which changes nothing but the look. Everything else is checked too, because strangers write it. Texts and links of earlier
//! versions of this page, which must stay readable, are in `tests/page/old_runs`.
//!
//! | file | what |
//! | --- | --- |
//! | `input` | one input of a person |
//! | `environment` | the files and variables of a terminal's line |
//! | `selection` | the open parts of the page |
//! | `link` | a share state packed into a link |
//! | `sentence` | mistakes in a text, as sentences |
//! | `replay` | replays the run, in slices |

mod environment;
mod input;
pub mod link;
mod replay;
mod selection;
pub(crate) mod sentence;

pub use input::{Input, read_fault};
pub use replay::Replay;

use super::run::Run;
use super::selection::Selection;
use super::settings;
use super::terminal::Terminal;
use crate::api::json;
use crate::api::kind::{Kind, Kinds};
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value, to_value};
use crate::shell::Env;
use crate::sim::Config;
use serde::{Deserialize, Serialize};

/// The greatest length of a share state that comes from elsewhere, in bytes.
pub const LONGEST: usize = 1_000_000;
/// The version of the share state's format.
const VERSION: i64 = 1;
/// The most commands of a share state: more than any person gives.
const MOST_COMMANDS: usize = 20_000;
/// The longest run, in microseconds: a hundred years. A longer one is a mistake.
const LONGEST_RUN: i64 = 3_155_760_000_000_000;

/// The share state of a run.
#[derive(Clone, Debug, Default)]
pub struct Share {
    /// The configuration of the cluster, with the seed.
    pub config: Config,
    /// The text in the editor.
    pub manifest: String,
    /// The inputs of the person, in order.
    pub commands: Vec<Done>,
    /// The selected moment of the run.
    pub at: Moment,
    /// The selection on the page.
    pub view: Selection,
    /// The lesson that the learner takes, if there is one.
    pub lesson: Option<String>,
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// The time since the run began.
    pub at: Span,
    /// The number of the step right before the moment; `None` if the moment comes after all steps that are due by `at`.
    pub after: Option<u64>,
}

/// An input of a person, and its moment.
#[derive(Clone, Debug)]
pub struct Done {
    /// The moment at which the person gave the input.
    pub moment: Moment,
    /// The input of the person.
    pub input: Input,
}

impl Share {
    /// Returns the share state of a run.
    pub fn of(run: &Run, selection: &Selection, manifest: &str) -> Share {
        let moment = |at: Time, after: u64| Moment { at: at - run.start, after: Some(after) };
        let done = run
            .session
            .commands()
            .iter()
            .filter_map(|given| Some(Done { moment: moment(given.at, given.after), input: Input::of(&given.command)? }));
        let cluster = run.cluster();
        Share {
            config: (*cluster.config).clone(),
            manifest: manifest.to_owned(),
            commands: done.collect(),
            at: moment(cluster.now, cluster.steps),
            view: selection.clone(),
            lesson: None,
        }
    }
    /// Returns the manifest that was applied last.
    pub fn applied(&self) -> Option<&str> {
        self.commands.iter().rev().find_map(|done| match &done.input {
            Input::Kubectl(c) if c.words.first().is_some_and(|w| w == "apply") => Some(c.stdin.as_str()),
            _ => None,
        })
    }
    /// Writes the share state as JSON.
    pub fn write(&self) -> String {
        let mut env = Terminal::default().env().clone();
        let given = |done: &Done| {
            let what = to_tree(done.input.write(&mut env));
            to_tree(Given { at: done.moment.at.0, after: done.moment.after, what: Some(what) })
        };
        let document = Document {
            v: VERSION,
            seed: Some(to_tree(self.config.seed)),
            cluster: settings::changes(&self.config),
            manifest: self.manifest.clone(),
            commands: self.commands.iter().map(given).collect(),
            at: self.at.at.0,
            after: self.at.after,
            view: to_tree(selection::write(&self.view)),
            lesson: self.lesson.clone(),
        };
        json::text_of(&document)
    }
    /// Reads a share state that came from elsewhere; the error is a sentence about what is wrong.
    pub fn read(text: &str) -> Result<Share, String> {
        if text.len() > LONGEST {
            return Err(format!("it is {} kB long, and {} kB is the most", text.len() / 1000, LONGEST / 1000));
        }
        Share::read_own(text)
    }
    /// Reads a share state that this page wrote itself, however long it is.
    pub fn read_own(text: &str) -> Result<Share, String> {
        let value = json::parse(text).map_err(|error| format!("it is not JSON: {error}"))?;
        if value.as_map().is_none() {
            return Err("it is no JSON object".to_owned());
        }
        match value.get("v").and_then(Value::as_int) {
            Some(VERSION) => {}
            Some(other) => return Err(format!("it has version {other}, and this page reads version {VERSION}")),
            None => return Err("it has no version".to_owned()),
        }
        let document: Document = sentence::read(&value)?;
        if document.view.as_map().is_none() {
            return Err("view must be an object".to_owned());
        }
        Ok(Share {
            at: read_moment(document.at, document.after)?,
            config: settings::read(document.seed.as_ref().map(read_seed).transpose()?, document.cluster)?,
            manifest: document.manifest,
            commands: read_commands(document.commands)?,
            view: selection::read(&document.view),
            lesson: document.lesson,
        })
    }
}

/// The share state as it is serialized.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    v: i64,
    seed: Option<Value>,
    #[serde(default)]
    cluster: Map,
    #[serde(default)]
    manifest: String,
    #[serde(default)]
    commands: Vec<Value>,
    #[serde(default)]
    at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
    #[serde(default = "empty")]
    view: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<String>,
}

/// A command as it is serialized.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(default)]
    at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
    #[serde(rename = "do")]
    what: Option<Value>,
}

fn empty() -> Value {
    Value::Map(Map::new())
}

/// Converts serializable data to a tree.
pub(in crate::view) fn to_tree(data: impl Serialize) -> Value {
    to_value(&data).expect("plain data with keys that are texts")
}

/// Reads a seed. Trees hold numbers up to the greatest `i64`, which is the greatest seed too.
fn read_seed(value: &Value) -> Result<u64, String> {
    value.as_int().and_then(|seed| seed.try_into().ok()).ok_or_else(|| format!("seed must be a whole number from 0 to {}", i64::MAX))
}

fn read_moment(at: i64, after: Option<u64>) -> Result<Moment, String> {
    let most = LONGEST_RUN as u64;
    if !(0..=LONGEST_RUN).contains(&at) || after.is_some_and(|after| after > most) {
        let key = if (0..=LONGEST_RUN).contains(&at) { "after" } else { "at" };
        return Err(format!("{key} must be a whole number from 0 to {LONGEST_RUN}"));
    }
    Ok(Moment { at: Span(at), after })
}

fn read_commands(list: Vec<Value>) -> Result<Vec<Done>, String> {
    if list.len() > MOST_COMMANDS {
        return Err(format!("it has {} commands, and {MOST_COMMANDS} is the most", list.len()));
    }
    let mut env = Terminal::default().env().clone();
    let mut commands: Vec<Done> = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let done = read_command(value, commands.last(), &mut env).map_err(|why| format!("command {}: {why}", i + 1))?;
        commands.push(done);
    }
    Ok(commands)
}

fn read_command(value: &Value, before: Option<&Done>, env: &mut Env) -> Result<Done, String> {
    let given: Given = sentence::read(value)?;
    let moment = read_moment(given.at, given.after)?;
    if before.is_some_and(|before| before.moment.at > moment.at) {
        return Err("it is given before the one before it".to_owned());
    }
    let Some(Value::Map(what)) = given.what else { return Err("it does not say what to do".to_owned()) };
    Ok(Done { moment, input: Input::read(what, env)? })
}

fn read_kind(name: &str) -> Result<Kind, String> {
    Kinds::default().named(name).ok_or_else(|| format!("there is no kind \"{name}\""))
}
