//! The cluster as a script sees it: the class `Cluster` of `engine.js`, without JavaScript. Every method takes JSON and returns JSON or an [`Error`], so all
//! of it is tested natively, and `src/bindings` is a few lines.
//!
//! JSON and not JavaScript values, for two reasons. A text cannot call back: no getter of a hostile object runs while the cluster is borrowed, and serde_json
//! refuses deep nesting, which would exhaust wasm's stack. And `JSON.parse` is the quickest way to hand over many objects.
//!
//! | file | what |
//! | --- | --- |
//! | `acting` | apply, kubectl, request, fault |
//! | `time` | step, advance, seek, and how long they may take |
//! | `reading` | get, list, status, history |
//! | `watching` | changes of objects since they were last asked for |
//! | `grading` | a learner's share state, replayed and judged |

mod acting;
mod grading;
mod reading;
mod time;
mod watching;

pub use grading::grade;

use crate::api::value::{self, Value as Tree};
use crate::view::Run;
use crate::view::settings;
use crate::view::share::{Replay, Share, link};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use watching::Watch;

/// A refused call: a code for programs and a message for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Error {
    /// A code for programs, one of [`CODES`].
    pub code: &'static str,
    /// A message for people.
    pub message: String,
}

/// All error codes. `freed` and `internal` are raised by `engine.js` and not here.
pub const CODES: &[&str] = &["bad-input", "bad-state", "bad-lesson", "unknown-kind", "unknown-method", "too-long", "freed", "internal"];

impl Error {
    /// Returns the error as JSON.
    pub fn to_json(&self) -> String {
        json!(self).to_string()
    }
}

type Answer = Result<Value, Error>;

fn error(code: &'static str, message: impl Into<String>) -> Error {
    Error { code, message: message.into() }
}

fn bad_input(message: impl Into<String>) -> Error {
    error("bad-input", message)
}

/// A cluster that a script owns, with its past.
#[derive(Debug)]
pub struct Engine {
    run: Run,
    /// The lesson that the last loaded share state names.
    lesson: Option<String>,
    watches: Vec<Watch>,
    last_watch: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    seed: Option<u64>,
    nodes: Option<Tree>,
    #[serde(default)]
    cluster: value::Map,
    state: Option<Value>,
}

impl Engine {
    /// Creates a cluster from options as JSON: `{"seed": 7, "nodes": 3, "cluster": {…}}`, where `cluster` has the settings of a share state, or `{"state": …}`.
    pub fn new(options: &str) -> Result<Engine, Error> {
        let Options { seed, nodes, mut cluster, state } = read(options)?;
        if let Some(state) = state {
            if seed.is_some() || nodes.is_some() || !cluster.is_empty() {
                return Err(bad_input("a state says itself what the cluster is made of: seed, nodes and cluster do not go with it"));
            }
            return Engine::of_share(read_state(&state)?);
        }
        match nodes {
            Some(group @ Tree::Map(_)) => cluster.insert("nodes", group),
            Some(count @ (Tree::Int(_) | Tree::Float(_))) => {
                if cluster.get("nodes").is_some_and(|group| group.as_map().is_none()) {
                    return Err(bad_input("cluster.nodes must be an object"));
                }
                cluster.map_mut("nodes").insert("count", count);
            }
            Some(_) => return Err(bad_input("nodes must be a number or an object")),
            None => {}
        }
        let config = settings::read(seed, cluster).map_err(bad_input)?;
        Ok(Engine::of_run(Run::new(config), None))
    }
    fn of_run(run: Run, lesson: Option<String>) -> Engine {
        Engine { run, lesson, watches: Vec::new(), last_watch: 0 }
    }
    fn of_share(share: Share) -> Result<Engine, Error> {
        let (run, share) = replay(share)?;
        Ok(Engine::of_run(run, share.lesson))
    }
    /// Calls the method of this name with its arguments as JSON. Returns its answer as JSON.
    pub fn call(&mut self, method: &str, input: &str) -> Result<String, Error> {
        let answer = match method {
            "apply" => self.apply(read(input)?),
            "kubectl" => self.kubectl(read(input)?),
            "request" => self.request(read(input)?),
            "fault" => self.fault(input),
            "step" => self.step(read(input)?),
            "advance" => self.advance(read(input)?),
            "converge" => self.converge(read(input)?),
            "seek" => self.seek(read(input)?),
            "get" => self.get(&read(input)?),
            "list" => self.list(&read(input)?),
            "status" => Ok(self.status()),
            "history" => Ok(self.history()),
            "watch" => self.watch(&read(input)?),
            "unwatch" => self.unwatch(read(input)?),
            "changes" => Ok(self.changes()),
            "share" => Ok(self.share()),
            "load" => self.load(&parse(input)?),
            "check" => self.check(&parse(input)?),
            other => Err(error("unknown-method", format!("there is no method \"{other}\""))),
        };
        answer.map(|value| value.to_string())
    }
    /// Returns an independent cluster with the same past, up to the selected moment.
    pub fn fork(&self) -> Engine {
        Engine::of_run(self.run.fork(), self.lesson.clone())
    }
    /// Returns the share state at the selected moment: as an object, and as the part of a link from `#s=` on.
    fn share(&self) -> Value {
        let share = Share { lesson: self.lesson.clone(), ..Share::of(&self.run, &Default::default(), "") };
        let manifest = share.applied().unwrap_or_default().to_owned();
        let text = Share { manifest, ..share }.write();
        let state: Value = serde_json::from_str(&text).unwrap_or_default();
        json!({ "state": state, "hash": format!("{}{}", link::PREFIX, link::pack(&text)) })
    }
    fn load(&mut self, state: &Value) -> Answer {
        let Engine { run, lesson, .. } = Engine::of_share(read_state(state)?)?;
        (self.run, self.lesson) = (run, lesson);
        self.jump();
        Ok(self.status())
    }
}

/// Replays a share state. Refuses one that takes more than `MOST_STEPS` steps, which no person's run does.
fn replay(share: Share) -> Result<(Run, Share), Error> {
    let mut replay = Replay::new(share);
    if !replay.advance(time::MOST_STEPS) {
        return Err(error("too-long", format!("the state takes more than {} steps to replay", time::MOST_STEPS)));
    }
    Ok(replay.finish())
}

/// Reads a share state given as an object, as its JSON text, as a link, or as the end of a link from `#s=` on.
fn read_state(value: &Value) -> Result<Share, Error> {
    let bad = |why: String| error("bad-state", format!("the state cannot be read: {why}"));
    let text = match value {
        Value::Object(_) => value.to_string(),
        Value::String(text) => match text.split_once(link::PREFIX) {
            Some((_, payload)) => link::unpack(payload.trim()).map_err(|why| bad(why.to_owned()))?,
            None => text.clone(),
        },
        _ => return Err(bad("it is neither an object nor a text".to_owned())),
    };
    Share::read(&text).map_err(bad)
}

fn parse(text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|why| bad_input(format!("the arguments are not JSON: {why}")))
}

/// Reads the arguments of a method from JSON. The error names the field that is wrong.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    crate::view::share::sentence::read(&parse(text)?.into()).map_err(bad_input)
}
