//! One reconcile opened: what was observed, where desired and actual differ, what was asked for and what the API server said.

use super::clock;
use super::clock::count;
use super::kinds;
use super::loops::message;
use super::loops::wires::missed;
use super::monologue;
use super::notes::passes::{CHANGES_KEPT, Noted, Passes, Phase, RequestState};
use super::rings::key_text;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Payload, Request, Response, Subresource};
use crate::api::time::Time;
use crate::controller::{Figure, Outcome};
use crate::scheduler;

/// A reconcile, opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassCard {
    /// Its number on this desk.
    pub number: u64,
    /// Whose.
    pub controller: String,
    /// Over what.
    pub key: String,
    /// When.
    pub at: String,
    /// How long it took, once it is over.
    pub took: String,
    /// Which phase it is in: `diff`, `act` or `done`.
    pub phase: &'static str,
    /// How far reading the cache is.
    pub observe: PhaseState,
    /// How far the comparison is. Unless it is done, the differences are not known.
    pub diff: PhaseState,
    /// How far the requests are. Unless the comparison is done, the actions are not known.
    pub act: PhaseState,
    /// Requests answered of all sent: `2 of 3`.
    pub progress: String,
    /// The newest revision that the cache had heard of.
    pub cache_revision: u64,
    /// The revision of the store at that moment.
    pub store_revision: u64,
    /// Changes to what it watches that the cache had not heard of, counted up to `CHANGES_KEPT`.
    pub behind: usize,
    /// The controller's thoughts.
    pub monologue: Vec<String>,
    /// What was observed.
    pub observed: Vec<Seen>,
    /// How much more was observed than is listed.
    pub more: usize,
    /// Where desired and actual differ.
    pub differences: Vec<Differs>,
    /// What was done.
    pub actions: Vec<Done>,
    /// The request that is open.
    pub opened: Option<Opened>,
}

impl PassCard {
    /// Returns the number of changes that the cache had not heard of, in words where there were more than are counted.
    pub fn unheard(&self) -> String {
        if self.behind < CHANGES_KEPT { self.behind.to_string() } else { format!("{CHANGES_KEPT} or more") }
    }
}

/// How far a phase of a pass is. A phase that has not come yet says so, because an empty list would read as "nothing".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhaseState {
    /// It has not come yet: a sentence on why it is empty.
    Pending(String),
    /// The pass is in it: a sentence on what it waits for.
    Now(String),
    /// It is over: a sentence where there is nothing to list, otherwise empty.
    Done(String),
}

impl PhaseState {
    /// The name of its style.
    pub fn class(&self) -> &'static str {
        match self {
            PhaseState::Pending(_) => "pending",
            PhaseState::Now(_) => "now",
            PhaseState::Done(_) => "over",
        }
    }
    /// Its sentence; empty where the list speaks for itself.
    pub fn words(&self) -> &str {
        match self {
            PhaseState::Pending(words) | PhaseState::Now(words) | PhaseState::Done(words) => words,
        }
    }
}

/// An object as a pass saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Kind and name.
    pub what: String,
    /// In what state.
    pub state: String,
    /// At which resourceVersion.
    pub revision: u64,
    /// Whether the store already had a newer version, or none any more.
    pub stale: bool,
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// Of what.
    pub what: String,
    /// What is wanted.
    pub desired: String,
    /// What is there.
    pub actual: String,
}

/// A request and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The HTTP method.
    pub method: &'static str,
    /// The path.
    pub path: String,
    /// The path from the resource on, for a narrow column.
    pub short: String,
    /// The name of the object, where the path does not say it.
    pub name: String,
    /// The code of the answer; 0 while there is none.
    pub code: u16,
    /// The answer in words: the revision, or the refusal.
    pub answer: String,
    /// Whether it was refused.
    pub refused: bool,
}

/// A request opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its place among the actions.
    pub place: usize,
    /// The whole path.
    pub path: String,
    /// What it carried, as YAML.
    pub body: String,
    /// What was answered, as YAML.
    pub answer: String,
}

/// A pass in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassLine {
    /// Its number on this desk.
    pub number: u64,
    /// Over what.
    pub key: String,
    /// When.
    pub at: String,
    /// What came of it: `3 requests`.
    pub result: String,
    /// Whether it found a difference.
    pub drift: bool,
}

/// How many observed objects are listed.
const SEEN_SHOWN: usize = 12;
/// How many requests are listed.
const ACTIONS_SHOWN: usize = 24;

/// The pass to show: the one chosen, else the one in hand, else the one that ended just now, else the newest that did something, else the newest.
pub fn shown(passes: &Passes, controller: usize, chosen: Option<u64>, now: Time) -> Option<&Noted> {
    chosen
        .and_then(|number| passes.pass(number))
        .or_else(|| passes.in_hand(controller))
        .or_else(|| passes.of(controller).next_back().filter(|p| p.ended == Some(now)))
        .or_else(|| passes.of(controller).rev().find(|p| p.is_telling()))
        .or_else(|| passes.of(controller).next_back())
}

/// The last passes of a controller, newest first.
pub fn lines(passes: &Passes, controller: usize, start: Time) -> Vec<PassLine> {
    let line = |p: &Noted| PassLine {
        number: p.number,
        key: p.key.key.to_string(),
        at: clock::moment(p.at - start),
        result: result(p),
        drift: !p.differences.is_empty(),
    };
    passes.in_hand(controller).into_iter().chain(passes.of(controller).rev()).map(line).collect()
}

fn result(pass: &Noted) -> String {
    if pass.cut_short {
        return "cut short".to_owned();
    }
    if let Some(decision) = &pass.decision {
        let is_refused = pass.actions.iter().any(|(_, answer)| answer.as_ref().is_some_and(|a| a.result.is_err()));
        return match &decision.outcome {
            scheduler::Outcome::Placed { node, .. } if pass.ended.is_none() => format!("binding to {node}"),
            scheduler::Outcome::Placed { node, .. } if is_refused => format!("{node}: refused"),
            scheduler::Outcome::Placed { node, .. } => node.to_string(),
            scheduler::Outcome::Unschedulable { .. } => "no node fits".to_owned(),
            scheduler::Outcome::Nominated { node, .. } => format!("makes room on {node}"),
        };
    }
    match pass.actions.len() {
        _ if !pass.compared => "not compared yet".to_owned(),
        n if pass.ended.is_none() => format!("{} of {n} answered", pass.answered_count()),
        0 if matches!(pass.outcome, Some(Outcome::Retry(_))) => "tries again".to_owned(),
        0 => "nothing to do".to_owned(),
        n => count(n, "request", "requests"),
    }
}

/// How far observe, diff and act are.
fn phases(pass: &Noted) -> (PhaseState, PhaseState, PhaseState) {
    use PhaseState::{Done, Now, Pending};
    let observe = match &pass.seen.primary {
        None if pass.seen.related.is_empty() => "nothing: the object is gone from the cache",
        _ => "",
    };
    let ends = pass.ended.is_some();
    let diff = match (pass.compared, ends) {
        (false, true) => Pending("never compared: its process ended".to_owned()),
        (false, false) => Now("not compared yet: this comes next".to_owned()),
        (true, false) if pass.phase() == Phase::Diff => Now("all answers are in: it compares once more".to_owned()),
        (true, _) => Done(no_difference(pass).to_owned()),
    };
    let act = match (pass.compared, ends) {
        (false, true) => Pending("nothing was asked for".to_owned()),
        (false, false) => Pending("nothing is asked for yet".to_owned()),
        (true, false) if pass.phase() == Phase::Act => Now(String::new()),
        (true, _) if !pass.actions.is_empty() => Done(String::new()),
        (true, _) if matches!(pass.outcome, Some(Outcome::Retry(_))) => Done("nothing was asked for: it tries again later".to_owned()),
        (true, _) => Done("nothing to do".to_owned()),
    };
    (Done(observe.to_owned()), diff, act)
}

/// What a comparison came to that lists no difference.
fn no_difference(pass: &Noted) -> &'static str {
    let is_status = |(action, _): &(crate::controller::Action, _)| action.request.subresource == Subresource::Status;
    match pass.actions.as_slice() {
        _ if pass.decision.is_some() || !pass.differences.is_empty() => "",
        _ if !pass.seen.expectations_met => "not counted: what it asked for has not all reached its cache",
        [] => "no difference",
        actions if actions.iter().all(is_status) => "only the status is out of date",
        _ => "something has to be changed",
    }
}

/// Opens a pass, and one of its requests.
pub fn open(pass: &Noted, start: Time, action: Option<usize>) -> PassCard {
    let (observe, diff, act) = phases(pass);
    let objects = || pass.seen.primary.iter().chain(&pass.seen.related);
    PassCard {
        number: pass.number,
        controller: pass.controller_name.clone(),
        key: key_text(&pass.key),
        at: clock::moment(pass.at - start),
        took: pass.ended.map(|ended| clock::span(ended - pass.at)).unwrap_or_default(),
        phase: if pass.ended.is_some() { "done" } else { pass.phase().word() },
        observe,
        diff,
        act,
        progress: if pass.actions.is_empty() { String::new() } else { format!("{} of {}", pass.answered_count(), pass.actions.len()) },
        cache_revision: pass.view_revision(),
        store_revision: pass.store.revision(),
        behind: behind(pass),
        monologue: monologue::sentences(pass),
        observed: objects().take(SEEN_SHOWN).map(|o| seen(o, pass)).chain(snapshot(pass)).collect(),
        more: objects().count().saturating_sub(SEEN_SHOWN),
        differences: differences(pass),
        actions: (0..pass.actions.len().min(ACTIONS_SHOWN)).map(|place| done(pass, place)).collect(),
        opened: action.and_then(|place| opened(pass, place)),
    }
}

fn opened(pass: &Noted, place: usize) -> Option<Opened> {
    let (action, answer) = pass.actions.get(place)?;
    Some(Opened {
        place,
        path: action.request.url(),
        body: message::body(&action.request),
        answer: answer.as_deref().map(message::said).unwrap_or_default(),
    })
}

/// Changes to what the controller watches that had not reached its cache when the pass looked.
fn behind(pass: &Noted) -> usize {
    missed(&pass.store, &pass.heard).count()
}

/// The scheduler looks at its snapshot of the nodes, too many to be listed.
fn snapshot(pass: &Noted) -> Option<Seen> {
    let decision = pass.decision.as_ref()?;
    let revision = pass.heard.iter().find(|(kind, _)| *kind == Kind::NODE).map_or(0, |h| h.1);
    Some(Seen { what: count(decision.nodes as usize, "node", "nodes"), state: "in its snapshot".to_owned(), revision, stale: false })
}

fn seen(object: &Object, pass: &Noted) -> Seen {
    let stored = pass.store.get(object.kind(), &object.key());
    Seen {
        what: format!("{} {}", object.kind().row().singular, object.meta.name),
        state: (kinds::of(object.kind()).observed)(object),
        revision: object.meta.resource_version,
        stale: stored.is_none_or(|s| s.meta.resource_version != object.meta.resource_version),
    }
}

fn differences(pass: &Noted) -> Vec<Differs> {
    let text = |figure: &Figure| match figure {
        Figure::Int(n) => n.to_string(),
        Figure::Text(text) => text.to_string(),
    };
    let mut all: Vec<Differs> =
        pass.differences.iter().map(|d| Differs { what: d.what.to_owned(), desired: text(&d.desired), actual: text(&d.actual) }).collect();
    if pass.decision.is_some() {
        all.push(Differs { what: "node".to_owned(), desired: "one that fits".to_owned(), actual: "none".to_owned() });
    }
    all
}

fn done(pass: &Noted, place: usize) -> Done {
    let (action, answer) = &pass.actions[place];
    let (request, answer): (&Request, Option<&Response>) = (&action.request, answer.as_deref());
    let answered_name = answer.and_then(|a| a.object()).map(|o| o.meta.name.to_string());
    let name = if request.name.is_empty() { answered_name.unwrap_or_else(|| wanted_name(request)) } else { String::new() };
    let (code, words, refused) = match answer {
        None => (0, unanswered(pass.request_state(place)).to_owned(), false),
        Some(answer) => match answer.refusal() {
            Some(status) => (status.code, status.message.clone(), true),
            None => (answer.code(), answer.object().map(|o| format!("rev {}", o.meta.resource_version)).unwrap_or_default(), false),
        },
    };
    let path = request.path();
    let resource = path.find(request.kind.row().plural).unwrap_or(0);
    let mut short = path.get(resource..).unwrap_or_default().to_owned();
    if !name.is_empty() {
        short = format!("{short} {name}");
    }
    if let Payload::Binding(node) = &request.payload {
        short = format!("{short} → {node}");
    }
    Done { method: request.method(), path, short, name, code, answer: words, refused }
}

fn unanswered(state: RequestState) -> &'static str {
    match state {
        RequestState::NotSentYet => "not sent yet",
        RequestState::UnderWay => "under way",
        RequestState::NeverSent => "never sent",
        RequestState::Unanswered | RequestState::Answered => "no answer came",
    }
}

fn wanted_name(request: &Request) -> String {
    match &request.payload {
        Payload::Object(object) if object.meta.name.is_empty() => format!("{}…", object.meta.generate_name),
        Payload::Object(object) => object.meta.name.to_string(),
        _ => String::new(),
    }
}
