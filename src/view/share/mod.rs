//! The share state: one versioned JSON object that holds what was put into a run, never what came of it. The run is had again by replaying it.
//!
//! `{v, seed, cluster, manifest, commands: [{at, after, do}], at, after, view, lesson}`. Times are microseconds since the run began; `after` is the
//! number of the step right before, without which a moment comes after everything that is due by then. What is as it is by default is left out.
//! What is unknown is refused, except in `view`, which changes nothing but the look.
//!
//! | file | what |
//! | --- | --- |
//! | `input` | one thing that a person did |
//! | `faults` | one thing that a person broke |
//! | `look` | what was looked at |
//! | `replay` | the run had again, in slices |

pub mod faults;
mod input;
mod look;
mod replay;

pub use input::Input;
pub use replay::Replay;

use super::desk::Desk;
use super::look::Look;
use super::settings::{self, SETTINGS};
use super::terminal::Terminal;
use crate::api::json;
use crate::api::kind::Kind;
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use crate::map;
use crate::sim::Config;

/// A state from elsewhere that is longer than this is refused.
pub const LONGEST: usize = 1_000_000;
/// The version of the format.
const VERSION: i64 = 1;
/// More commands than this no person gives.
const MOST_COMMANDS: usize = 20_000;
/// A run of more than a hundred years is a mistake.
const LONGEST_RUN: i64 = 3_155_760_000_000_000;

/// A run as it can be shared.
#[derive(Clone, Debug, Default)]
pub struct Share {
    /// What the cluster is made of; the seed is a part of it.
    pub config: Config,
    /// What stands in the editor.
    pub manifest: String,
    /// What a person did, in order.
    pub commands: Vec<Done>,
    /// The moment looked at.
    pub at: Moment,
    /// What was looked at.
    pub view: Look,
    /// The lesson that was taken.
    pub lesson: Option<String>,
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// How long the run has been going.
    pub at: Span,
    /// After which step; without it, after all that are due.
    pub after: Option<u64>,
}

/// What a person did at a moment.
#[derive(Clone, Debug)]
pub struct Done {
    /// When.
    pub moment: Moment,
    /// What.
    pub input: Input,
}

impl Share {
    /// The run on a desk.
    pub fn of(desk: &Desk, look: &Look, manifest: &str) -> Share {
        let moment = |at: Time, after: u64| Moment { at: at - desk.start, after: Some(after) };
        let done = desk
            .session
            .commands()
            .iter()
            .filter_map(|given| Some(Done { moment: moment(given.at, given.after), input: Input::of(&given.command)? }));
        let cluster = desk.cluster();
        Share {
            config: (*cluster.config).clone(),
            manifest: manifest.to_owned(),
            commands: done.collect(),
            at: moment(cluster.now, cluster.steps),
            view: look.clone(),
            lesson: None,
        }
    }
    /// The manifest that was applied last.
    pub fn applied(&self) -> Option<&str> {
        self.commands.iter().rev().find_map(|done| match &done.input {
            Input::Kubectl(c) if c.words.first().is_some_and(|w| w == "apply") => Some(c.stdin.as_str()),
            _ => None,
        })
    }
    /// As JSON.
    pub fn write(&self) -> String {
        let mut env = Terminal::default().env().clone();
        let done = |d: &Done| {
            let mut out = write_moment(d.moment);
            out.insert("do", d.input.write(&mut env));
            Value::Map(out)
        };
        let mut out = map! {
            "v" => VERSION,
            "seed" => Value::Int(self.config.seed as i64),
            "cluster" => write_config(&self.config),
            "manifest" => self.manifest.as_str(),
            "commands" => self.commands.iter().map(done).collect::<Vec<Value>>(),
            "view" => look::write(&self.view),
        };
        for (key, value) in write_moment(self.at).iter() {
            out.insert(key.clone(), value.clone());
        }
        if let Some(lesson) = &self.lesson {
            out.insert("lesson", lesson.as_str());
        }
        json::to_string(&out.into())
    }
    /// From JSON that came from elsewhere; the error says what is wrong with it.
    pub fn read(text: &str) -> Result<Share, String> {
        if text.len() > LONGEST {
            return Err(format!("it is {} kB long, and {} kB is the most", text.len() / 1000, LONGEST / 1000));
        }
        Share::read_own(text)
    }
    /// From JSON that this page wrote itself, however long.
    pub fn read_own(text: &str) -> Result<Share, String> {
        let value = json::parse(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let map = value.as_map().ok_or("it is no JSON object")?;
        match map.get("v") {
            Some(Value::Int(VERSION)) => {}
            Some(Value::Int(other)) => return Err(format!("it has version {other}, and this page reads version {VERSION}")),
            _ => return Err("it has no version".to_owned()),
        }
        let mut share = Share { at: read_moment(map)?, ..Share::default() };
        for (key, value) in map.iter() {
            let wrong = |what: &str| format!("{key} must be {what}");
            match key.as_str() {
                "v" | "at" | "after" => {}
                "seed" => settings::find("seed").map_or(Ok(()), |s| s.set(&mut share.config, value))?,
                "cluster" => read_config(&mut share.config, "", value.as_map().ok_or_else(|| wrong("an object"))?)?,
                "manifest" => share.manifest = value.as_str().ok_or_else(|| wrong("a text"))?.to_owned(),
                "commands" => share.commands = read_commands(value.as_list().ok_or_else(|| wrong("a list"))?)?,
                "view" => share.view = look::read(value.as_map().ok_or_else(|| wrong("an object"))?),
                "lesson" => share.lesson = Some(value.as_str().ok_or_else(|| wrong("a text"))?.to_owned()),
                _ => return Err(format!("the field \"{key}\" is not known")),
            }
        }
        Ok(share)
    }
}

fn write_moment(moment: Moment) -> Map {
    let mut out = map! { "at" => Value::Int(moment.at.0) };
    if let Some(after) = moment.after {
        out.insert("after", Value::Int(after as i64));
    }
    out
}

fn read_moment(map: &Map) -> Result<Moment, String> {
    let number = |key: &str| match map.get(key) {
        None => Ok(None),
        Some(Value::Int(n)) if (0..=LONGEST_RUN).contains(n) => Ok(Some(*n)),
        Some(_) => Err(format!("{key} must be a whole number that is not below zero")),
    };
    Ok(Moment { at: Span(number("at")?.unwrap_or(0)), after: number("after")?.map(|n| n as u64) })
}

fn read_commands(list: &[Value]) -> Result<Vec<Done>, String> {
    if list.len() > MOST_COMMANDS {
        return Err(format!("it has {} commands, and {MOST_COMMANDS} is the most", list.len()));
    }
    let mut env = Terminal::default().env().clone();
    let mut commands: Vec<Done> = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let wrong = |why: String| format!("command {}: {why}", i + 1);
        let map = value.as_map().ok_or_else(|| wrong("it is no object".to_owned()))?;
        if let Some((key, _)) = map.iter().find(|(key, _)| !["at", "after", "do"].contains(&key.as_str())) {
            return Err(wrong(format!("the field \"{key}\" is not known")));
        }
        let moment = read_moment(map).map_err(wrong)?;
        if commands.last().is_some_and(|last| last.moment.at > moment.at) {
            return Err(wrong("it is given before the one before it".to_owned()));
        }
        let what = map.map("do").ok_or_else(|| wrong("it does not say what to do".to_owned()))?;
        commands.push(Done { moment, input: Input::read(what, &mut env).map_err(wrong)? });
    }
    Ok(commands)
}

/// What differs from the default, as a tree of paths.
fn write_config(config: &Config) -> Map {
    let (mut out, default) = (Map::new(), Config::default());
    for setting in SETTINGS.iter().filter(|s| s.path != "seed") {
        let value = setting.of(config);
        if value == setting.of(&default) {
            continue;
        }
        let (mut place, mut path) = (&mut out, setting.path);
        while let Some((first, rest)) = path.split_once('.') {
            (place, path) = (place.map_mut(first), rest);
        }
        place.insert(path, value);
    }
    out
}

fn read_config(config: &mut Config, outer: &str, map: &Map) -> Result<(), String> {
    for (key, value) in map.iter() {
        let path = if outer.is_empty() { key.to_string() } else { [outer, key].join(".") };
        match (settings::find(&path), value) {
            (Some(setting), value) if setting.path != "seed" => setting.set(config, value)?,
            (None, Value::Map(inner)) if path.len() < 100 => read_config(config, &path, inner)?,
            _ => return Err(format!("the field \"cluster.{path}\" is not known")),
        }
    }
    Ok(())
}

fn read_kind(name: &str) -> Result<Kind, String> {
    Kind::all().find(|kind| kind.row().name == name).ok_or_else(|| format!("there is no kind \"{name}\""))
}
