//! The page's end of the message port to its host: carries out requests on the page's model and answers them, and turns what happens in the run into events.
//!
//! Every request gets exactly one answer. Some answers come later: when a program ends, when a run has been opened, or when desired and actual agree. An
//! invalid request is refused with a code and changes nothing.

use super::message::{Code, Event, Outgoing, Payload, REQUESTS, Refusal, Request, StepBy, Until};
use super::parameters::{example_manifest, set_nodes, span, speed_of};
use super::watcher::Watcher;
use crate::api::json;
use crate::api::time::Span;
use crate::api::value::{Value, from_value};
use crate::page::host_requests::{Entered, HostStep};
use crate::page::preferences::PREFERENCES;
use crate::page::{Action, Pace, Page};
use crate::view::share::{LONGEST, Share, link};
use crate::view::{FIRST_MANIFEST, Panel};

/// The longest request, in bytes of its JSON.
pub const LONGEST_REQUEST: usize = 2 * LONGEST;
/// The most requests that may wait for their answers at once.
const MOST_WAITING: usize = 100;
/// The most steps that one request may ask for.
const MOST_STEPS: u32 = 10_000;
/// The longest id of a request, in bytes.
const LONGEST_ID: usize = 100;
/// The virtual time after which a run until converged gives up, unless the request sets another limit.
const PATIENCE: Span = Span::secs(3_600);

/// The page's end of the message port: the requests that wait for their answers, and the events to report.
#[derive(Debug, Default)]
pub struct Port {
    waiting: Vec<Waiting>,
    watcher: Watcher,
}

/// A request whose answer comes later.
#[derive(Debug)]
struct Waiting {
    id: Value,
    what: Awaited,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Awaited {
    /// The end of a program, by the number of its console.
    Program(u64),
    /// The end of loading a run.
    Opening,
    /// Convergence of the cluster, or the end of the time limit for it.
    Convergence,
}

/// The outcome of a request: its result, or what the answer has to wait for.
enum Outcome {
    Now(Payload),
    Later(Awaited),
}

impl Port {
    /// Starts anew with a host that has just connected. Returns the first messages for it.
    pub fn open(&mut self, page: &Page) -> Vec<Outgoing> {
        *self = Port::default();
        self.watcher.begin(page);
        let ready = Event::Ready { version: env!("CARGO_PKG_VERSION"), features: REQUESTS, status: page.status() };
        // A notice at the start of the page, such as that a link cannot be opened, is an error to the host.
        let notice = page.screen().notice.filter(|notice| notice.offer.is_none());
        let error = notice.map(|notice| Event::Error { code: "notice", message: notice.text.to_string() });
        [Some(ready), error].into_iter().flatten().map(Outgoing::Event).collect()
    }
    /// Carries out a request, given as JSON. Returns messages for the host; the answer may come later, from [`Port::look`].
    pub fn receive(&mut self, page: &mut Page, text: &str) -> Vec<Outgoing> {
        self.receive_as(page, text, Value::Null)
    }
    /// Carries out a request as [`Port::receive`] does. If no id can be read from the JSON, a refusal carries the id `known`.
    pub fn receive_as(&mut self, page: &mut Page, text: &str, known: Value) -> Vec<Outgoing> {
        let (id, outcome) = match read(text) {
            Err((Value::Null, refusal)) => (known, Err(refusal)),
            Err((id, refusal)) => (id, Err(refusal)),
            Ok((id, request)) => (id, self.carry_out(page, request)),
        };
        let mut out = self.look(page);
        match outcome {
            Ok(Outcome::Now(ok)) => out.push(Outgoing::Answer { id, ok }),
            Err(error) => out.push(Outgoing::Refused { id, error }),
            Ok(Outcome::Later(what)) => {
                self.waiting.push(Waiting { id, what });
                out.extend(self.look(page));
            }
        }
        out
    }
    /// Returns the answers to earlier requests that can be given by now, and the events since the last call. The page calls this function whenever it is drawn.
    pub fn look(&mut self, page: &Page) -> Vec<Outgoing> {
        let mut out = Vec::new();
        self.waiting.retain(|waiting| match waiting.what.answer(page) {
            Some(ok) => {
                out.push(Outgoing::Answer { id: waiting.id.clone(), ok });
                false
            }
            None => true,
        });
        out.extend(self.watcher.look(page).into_iter().map(Outgoing::Event));
        out
    }
    fn carry_out(&mut self, page: &mut Page, request: Request) -> Result<Outcome, Refusal> {
        if self.waiting.len() >= MOST_WAITING {
            return Err(Refusal::new(Code::Busy, format!("{MOST_WAITING} requests wait already")));
        }
        match request {
            Request::Load(load) => {
                let mut config = (*page.run().cluster().config).clone();
                config.seed = load.seed.unwrap_or(config.seed);
                if let Some(count) = load.nodes {
                    set_nodes(&mut config, count).ok_or_else(|| bad("nodes must be a whole number from 1 to 5000"))?;
                }
                let example = load.example.as_deref().map(|name| example_manifest(name).ok_or_else(|| bad("there is no such example")));
                let manifest = match (load.manifest, example.transpose()?) {
                    (Some(manifest), _) => check_length(manifest)?,
                    (None, example) => example.unwrap_or(FIRST_MANIFEST).to_owned(),
                };
                let at = moment(load.at.unwrap_or(0.0))?;
                page.host_open(Page::fresh_run(config, &manifest, at), !load.paused);
                Ok(Outcome::Later(Awaited::Opening))
            }
            Request::SetState { state } => {
                page.host_open(read_state(state)?, false);
                Ok(Outcome::Later(Awaited::Opening))
            }
            Request::Apply { manifest } => Ok(Outcome::Later(Awaited::Program(page.host_apply(&check_length(manifest)?)))),
            Request::Kubectl { line } => match page.host_enter(&check_length(line)?) {
                Entered::Answered(result) => Ok(Outcome::Now(Payload::Result(result))),
                Entered::Runs(console) => Ok(Outcome::Later(Awaited::Program(console))),
                Entered::Busy => Err(Refusal::new(Code::Busy, "the terminal runs another command")),
            },
            Request::Run { until: Some(Until::Converged), within, .. } => {
                let within = within.map(moment).transpose()?.unwrap_or(PATIENCE);
                page.host_converge(within);
                Ok(Outcome::Later(Awaited::Convergence))
            }
            other => move_or_ask(page, other).map(Outcome::Now),
        }
    }
}

/// Carries out a request that is answered at once.
fn move_or_ask(page: &mut Page, request: Request) -> Result<Payload, Refusal> {
    match request {
        Request::Step { by, count } => {
            if count > MOST_STEPS {
                return Err(bad(&format!("count must be at most {MOST_STEPS}")));
            }
            let step = match by {
                StepBy::Event => HostStep::Event,
                StepBy::Phase => HostStep::Phase,
                StepBy::Back => HostStep::Back,
            };
            page.host_step(step, count);
        }
        Request::Run { speed, .. } => {
            let speed = speed.map(|speed| speed_of(&speed.text()).ok_or_else(|| bad("there is no such speed")));
            page.host_play(speed.transpose()?);
        }
        Request::Pause => page.host_pause(),
        Request::Seek { at } => {
            let reached = page.host_seek(moment(at)?);
            return Ok(Payload::Reached { status: page.status(), reached });
        }
        Request::Fork => page.host_fork(),
        Request::Fault(fault) => page.host_fault(fault),
        Request::GetState => return Ok(Payload::State { state: state_of(page) }),
        Request::SetTheme { theme } => {
            let row = PREFERENCES.iter().find(|row| row.name == "theme");
            let value = row.and_then(|row| row.find(&theme)).ok_or_else(|| bad("theme must be auto, light or dark"))?;
            page.update(Action::Prefer(value.preference));
        }
        Request::Focus { panel } => {
            let panel = panel.map(|name| Panel::named(&name).ok_or_else(|| bad("there is no such panel"))).transpose()?;
            page.host_focus(panel);
        }
        Request::Check | Request::Load(_) | Request::SetState { .. } | Request::Apply { .. } | Request::Kubectl { .. } => {}
    }
    Ok(Payload::Status(page.status()))
}

impl Awaited {
    /// Returns the answer to the waiting request, if there is one by now.
    fn answer(self, page: &Page) -> Option<Payload> {
        match self {
            Awaited::Program(console) => page.host_result(console).map(Payload::Result),
            Awaited::Opening => (!page.is_opening()).then(|| Payload::Status(page.status())),
            Awaited::Convergence => {
                let is_over = !matches!(page.pace(), Pace::ToConvergence(_));
                is_over.then(|| Payload::Reached { status: page.status(), reached: page.status().converged })
            }
        }
    }
}

/// Returns the share state of the page's run as a JSON object.
pub(super) fn state_of(page: &Page) -> Value {
    json::parse(&page.share().write()).unwrap_or_default()
}

/// Reads a request. A refusal comes with the request's id, so that the host knows which request was refused.
fn read(text: &str) -> Result<(Value, Request), (Value, Refusal)> {
    if text.len() > LONGEST_REQUEST {
        return Err((Value::Null, Refusal::new(Code::TooLong, format!("a request has at most {} kB", LONGEST_REQUEST / 1_000))));
    }
    let no_object = || (Value::Null, bad("a request is an object with an id and a type"));
    let Ok(Value::Map(mut fields)) = json::parse(text) else { return Err(no_object()) };
    let id = match fields.take("id") {
        Some(id @ (Value::Int(_) | Value::Float(_))) => id,
        Some(Value::Str(id)) if id.len() <= LONGEST_ID => Value::Str(id),
        _ => return Err(no_object()),
    };
    let known = fields.get("type").and_then(Value::as_str).map(|name| REQUESTS.contains(&name));
    match known {
        None => return Err((id, bad("a request has a type"))),
        Some(false) => return Err((id, Refusal::new(Code::UnknownType, "this page does not know this type of request"))),
        Some(true) => {}
    }
    match from_value(&Value::Map(fields)) {
        Ok(request) => Ok((id, request)),
        Err(why) => Err((id, bad(&why.to_string()))),
    }
}

fn read_state(state: Value) -> Result<Share, Refusal> {
    let refused = |why: String| Refusal::new(Code::BadState, format!("the state cannot be opened: {why}"));
    let text = match state {
        Value::Str(text) if text.trim_start().starts_with('{') => text.to_string(),
        Value::Str(text) => {
            let payload = text.rsplit(link::PREFIX).next().unwrap_or_default();
            link::unpack(payload).map_err(|why| refused(why.to_owned()))?
        }
        other => json::to_string(&other),
    };
    Share::read(&text).map_err(refused)
}

fn moment(seconds: f64) -> Result<Span, Refusal> {
    span(seconds).ok_or_else(|| bad("a time is a number of seconds from 0 to thirty days"))
}

fn check_length(text: String) -> Result<String, Refusal> {
    if text.len() > LONGEST {
        return Err(Refusal::new(Code::TooLong, format!("a text has at most {} kB", LONGEST / 1_000)));
    }
    Ok(text)
}

fn bad(message: &str) -> Refusal {
    Refusal::new(Code::BadInput, message)
}
