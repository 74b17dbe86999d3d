//! One open pass of a controller: the observed objects, the differences between desired and actual, the requests and the API server's answers.

use super::clock;
use super::clock::count;
use super::kinds;
use super::loops::message;
use super::monologue;
use super::notes::passes::{CHANGES_COUNTED, Noted, Passes, Phase, RequestState, SEEN_SHOWN};
use super::rings::key_text;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Payload, Request, Response, Subresource};
use crate::api::time::Time;
use crate::controller::{Difference, Figure, Outcome};
use crate::scheduler;

/// A pass that is open, as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassCard {
    /// The number of the pass in the run.
    pub number: u64,
    /// The name of the pass's controller.
    pub controller: String,
    /// The key of the object that the pass reconciles.
    pub key: String,
    /// The time at which the pass began, as text.
    pub at: String,
    /// The time that the pass took, as text; empty until it is over.
    pub took: String,
    /// The phase of the pass: `observe`, `diff`, `act` or `done`.
    pub phase: &'static str,
    /// The state of the phase observe: reading the cache.
    pub observe: PhaseState,
    /// The state of the phase diff, in which the controller compares desired and actual. Until this phase is done, the differences are unknown.
    pub diff: PhaseState,
    /// The state of the phase act, in which the controller sends requests. Until the phase diff is done, the requests are unknown.
    pub act: PhaseState,
    /// The number of answered requests and of all: `2 of 3`.
    pub progress: String,
    /// The newest revision that the controller's cache had received when the pass observed.
    pub cache_revision: u64,
    /// The revision of the store when the pass observed.
    pub store_revision: u64,
    /// The number of changes to the watched kinds that the cache had not received then, counted up to `CHANGES_COUNTED`.
    pub behind: usize,
    /// The controller's thoughts in the pass, a sentence each.
    pub monologue: Vec<String>,
    /// The objects that the pass observed.
    pub observed: Vec<Seen>,
    /// The number of observed objects that are not listed.
    pub more: usize,
    /// The differences between desired and actual that the pass found.
    pub differences: Vec<Differs>,
    /// The requests of the pass, with their answers.
    pub actions: Vec<Done>,
    /// The number of requests that are not listed.
    pub unlisted: usize,
    /// The request of the pass that is open, if one is.
    pub opened: Option<Opened>,
}

impl PassCard {
    /// Returns the number of changes that the cache had not received, as text; `16 or more` from `CHANGES_COUNTED` on.
    pub fn unheard(&self) -> String {
        if self.behind < CHANGES_COUNTED { self.behind.to_string() } else { format!("{CHANGES_COUNTED} or more") }
    }
}

/// The state of a phase of a pass. A phase that has not begun says so, because an empty list would read as "nothing".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhaseState {
    /// The phase has not begun: a sentence about why it is empty.
    Pending(String),
    /// The phase is under way: a sentence about what it waits for.
    Now(String),
    /// The phase is over: a sentence if there is nothing to list, otherwise empty.
    Done(String),
}

impl PhaseState {
    /// Returns the name of the CSS class for the state.
    pub fn class(&self) -> &'static str {
        match self {
            PhaseState::Pending(_) => "pending",
            PhaseState::Now(_) => "now",
            PhaseState::Done(_) => "over",
        }
    }
    /// Returns the sentence of the state; empty if the list speaks for itself.
    pub fn words(&self) -> &str {
        match self {
            PhaseState::Pending(words) | PhaseState::Now(words) | PhaseState::Done(words) => words,
        }
    }
}

/// An object as a pass observed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The kind and name of the object.
    pub what: String,
    /// The state of the object, in a few words.
    pub state: String,
    /// The resourceVersion of the object.
    pub revision: u64,
    /// Set if the store already had a newer version of the object, or had deleted it.
    pub stale: bool,
}

/// A difference between desired and actual that a pass found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// The thing that differs, such as `pods`.
    pub what: String,
    /// The desired value of the thing that differs.
    pub desired: String,
    /// The actual value of the thing that differs.
    pub actual: String,
    /// The difference as a sentence; empty if it is one of numbers, which speak for themselves.
    pub words: String,
}

/// A request of a pass, and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The index of the request among those of the pass.
    pub place: usize,
    /// The HTTP method of the request.
    pub method: &'static str,
    /// The path of the request.
    pub path: String,
    /// The path of the request from the resource on, for a narrow column.
    pub short: String,
    /// The name of the object, if the path does not contain it.
    pub name: String,
    /// The HTTP status of the answer; 0 while there is none.
    pub code: u16,
    /// The answer as text: the revision, or the refusal.
    pub answer: String,
    /// Set if the API server refused the request.
    pub refused: bool,
}

/// The request of a pass that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The index of the request among the requests of the pass.
    pub place: usize,
    /// The whole path of the request, with its query.
    pub path: String,
    /// The body of the request, as YAML.
    pub body: String,
    /// The answer to the request, as YAML; empty while there is none.
    pub answer: String,
}

/// A pass in the list of a controller's passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassLine {
    /// The number of the pass in the run.
    pub number: u64,
    /// The key of the object that the pass reconciles.
    pub key: String,
    /// The time at which the pass began, as text.
    pub at: String,
    /// The result of the pass: `3 requests`.
    pub result: String,
    /// Set if the pass found a difference.
    pub drift: bool,
}

/// The number of requests of a pass that are listed, and the number of refused ones that are listed besides.
const ACTIONS_SHOWN: usize = 24;

/// Returns the pass to show: the chosen one, else the one under way, else the one that has just ended, else the newest that made a difference, else the newest
/// that did something, else the newest.
pub fn shown(passes: &Passes, controller: usize, chosen: Option<u64>, now: Time) -> Option<&Noted> {
    chosen
        .and_then(|number| passes.pass(number))
        .or_else(|| passes.in_hand(controller))
        .or_else(|| passes.of(controller).next_back().filter(|p| p.ended == Some(now)))
        .or_else(|| passes.of(controller).rev().find(|p| p.makes_difference()))
        .or_else(|| passes.of(controller).rev().find(|p| p.is_telling()))
        .or_else(|| passes.of(controller).next_back())
}

/// Returns the last passes of a controller, newest first.
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

/// Describes what came of a pass in a few words.
pub fn result(pass: &Noted) -> String {
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
        _ if pass.compared.is_none() => "not compared yet".to_owned(),
        n if pass.ended.is_none() => format!("{} of {n} answered", pass.answered_count()),
        0 if matches!(pass.outcome, Some(Outcome::Retry(_))) => "tries again".to_owned(),
        0 if !pass.differences.is_empty() => "waits".to_owned(),
        0 => "nothing to do".to_owned(),
        n => count(n, "request", "requests"),
    }
}

/// Returns the states of the phases observe, diff and act of a pass.
fn phases(pass: &Noted, shown: Phase) -> (PhaseState, PhaseState, PhaseState) {
    use PhaseState::{Done, Now, Pending};
    let observe = match &pass.seen.primary {
        None if pass.seen.related.is_empty() => "nothing: the object is gone from the cache",
        _ => "",
    };
    let ends = pass.ended.is_some();
    let diff = match (pass.compared.is_some(), ends) {
        (false, true) => Pending("never compared: its process ended".to_owned()),
        (false, false) => Pending("not compared yet: this comes next".to_owned()),
        (true, false) if shown == Phase::Diff => Now(no_difference(pass).to_owned()),
        (true, _) => Done(no_difference(pass).to_owned()),
    };
    let act = match (pass.compared.is_some(), ends) {
        (false, true) => Pending("nothing was asked for".to_owned()),
        (false, false) => Pending("nothing is asked for yet".to_owned()),
        (true, false) if shown == Phase::Diff => Pending("the first request leaves now".to_owned()),
        (true, false) if pass.phase() == Phase::Diff => Now("all answers are in: it looks whether anything is left to do".to_owned()),
        (true, false) => Now(String::new()),
        (true, _) if !pass.actions.is_empty() => Done(String::new()),
        (true, _) if matches!(pass.outcome, Some(Outcome::Retry(_))) => Done("nothing was asked for: it tries again later".to_owned()),
        (true, _) if !pass.differences.is_empty() => Done("nothing is asked for: it waits".to_owned()),
        (true, _) => Done("nothing to do".to_owned()),
    };
    let observe = if shown == Phase::Observe && !ends { Now(observe.to_owned()) } else { Done(observe.to_owned()) };
    (observe, diff, act)
}

/// Returns a sentence for a pass that lists no difference; empty for one that does.
fn no_difference(pass: &Noted) -> &'static str {
    let is_status = |(action, _): &(crate::controller::Action, _)| action.request.subresource == Subresource::Status;
    match () {
        _ if pass.decision.is_some() || !pass.differences.is_empty() => "",
        _ if !pass.seen.expectations_met => "not counted: what it asked for has not all reached its cache",
        _ if pass.actions.is_empty() => "no difference",
        _ if pass.actions.iter().all(is_status) => "only the status is out of date",
        _ => "something has to be changed",
    }
}

/// Makes the view of an open pass at the time `now` of a run that began at `start`, with the request that has the index `action` opened.
pub fn open(pass: &Noted, (start, now): (Time, Time), action: Option<usize>) -> PassCard {
    let shown = pass.phase_shown(now);
    let (observe, diff, act) = phases(pass, shown);
    PassCard {
        number: pass.number,
        controller: pass.controller_name.clone(),
        key: key_text(&pass.key),
        at: clock::clock(pass.at - start),
        took: pass.ended.map(|ended| clock::span(ended - pass.at)).unwrap_or_default(),
        phase: if pass.ended.is_some() { "done" } else { shown.word() },
        observe,
        diff,
        act,
        progress: if pass.actions.is_empty() { String::new() } else { format!("{} of {}", pass.answered_count(), pass.actions.len()) },
        cache_revision: pass.view_revision(),
        store_revision: pass.store_revision,
        behind: pass.behind,
        monologue: monologue::sentences(pass, now),
        observed: pass
            .seen
            .objects()
            .take(SEEN_SHOWN)
            .enumerate()
            .map(|(place, o)| seen(o, pass.is_stale(place)))
            .chain(snapshot(pass))
            .collect(),
        more: pass.seen.objects().count().saturating_sub(SEEN_SHOWN),
        differences: differences(pass, now),
        actions: listed(pass).map(|place| done(pass, place, shown)).collect(),
        unlisted: pass.actions.len() - listed(pass).count(),
        opened: action.and_then(|place| opened(pass, place)),
    }
}

/// Returns the requests that are listed: the first ones, and the first that were refused after those.
fn listed(pass: &Noted) -> impl Iterator<Item = usize> {
    let is_refused =
        |place: &usize| pass.actions.get(*place).is_some_and(|(_, answer)| answer.as_ref().is_some_and(|a| a.refusal().is_some()));
    let count = pass.actions.len();
    (0..count.min(ACTIONS_SHOWN)).chain((ACTIONS_SHOWN..count).filter(is_refused).take(ACTIONS_SHOWN))
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

/// Returns a line about the scheduler's snapshot of the nodes, which are too many to list.
fn snapshot(pass: &Noted) -> Option<Seen> {
    let decision = pass.decision.as_ref()?;
    let revision = pass.heard.iter().find(|(kind, _)| *kind == Kind::NODE).map_or(0, |h| h.1);
    Some(Seen { what: count(decision.nodes as usize, "node", "nodes"), state: "in its snapshot".to_owned(), revision, stale: false })
}

fn seen(object: &Object, stale: bool) -> Seen {
    Seen {
        what: format!("{} {}", object.kind().row().singular, object.meta.name),
        state: (kinds::of(object.kind()).observed)(object),
        revision: object.meta.resource_version,
        stale,
    }
}

fn differences(pass: &Noted, now: Time) -> Vec<Differs> {
    let noun = |d: &Difference| if let Figure::Int(n) = d.desired { monologue::noun(n, d.what) } else { d.what.to_owned() };
    let words = |d: &Difference| {
        if let Figure::Int(_) = d.desired { String::new() } else { monologue::told(monologue::difference(d, pass), pass, now) }
    };
    let text = monologue::text;
    let differs = |d: &Difference| Differs { what: noun(d), desired: text(&d.desired), actual: text(&d.actual), words: words(d) };
    let mut all: Vec<Differs> = pass.differences.iter().map(differs).collect();
    if let Some(decision) = &pass.decision {
        let (pod, nodes) = (&pass.key.key.name, count(decision.nodes as usize, "node", "nodes"));
        let words = format!("Pod {pod} wants a node and has none. It fits on {} of {nodes}.", decision.feasible);
        let words = monologue::told(words, pass, now);
        all.push(Differs { what: format!("node of {pod}"), desired: "one that fits".to_owned(), actual: "none".to_owned(), words });
    }
    all
}

fn done(pass: &Noted, place: usize, shown: Phase) -> Done {
    let (action, answer) = &pass.actions[place];
    let (request, answer): (&Request, Option<&Response>) = (&action.request, answer.as_deref());
    let answered_name = answer.and_then(|a| a.object()).map(|o| o.meta.name.to_string());
    let name = if request.name.is_empty() { answered_name.unwrap_or_else(|| wanted_name(request)) } else { String::new() };
    let (code, words, refused) = match answer {
        None if shown == Phase::Diff && pass.request_state(place) == RequestState::UnderWay => (0, "leaves now".to_owned(), false),
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
    Done { place, method: request.method(), path, short, name, code, answer: words, refused }
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
