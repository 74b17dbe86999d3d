//! The live diagram of a loop: etcd, the API server, the watch, the cache, the queue, the controller, and the messages between them. There is no line between
//! two controllers, because controllers exchange no messages.

use super::actor::{Actor, Line};
use super::message::{self, MessageId};
use crate::api::kind::Kind;
use crate::sim::{Cluster, Step};
use crate::store::{Change, Store};
use crate::view::clock;
use crate::view::notes::passes::Noted;
use crate::view::run::Run;

/// The live diagram of the loop at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wires {
    /// The name of the process in which the shown controller, scheduler or kubelet runs.
    pub process: String,
    /// The current revision of the store.
    pub store: u64,
    /// The newest revision that concerns the shown component: the revision of the last change to an object that it watches or, if that is newer, the
    /// revision that its caches have received.
    pub watched: u64,
    /// The newest revision that the caches of the shown component have received.
    pub cache: u64,
    /// The newest revision that the caches of the shown component held when the shown pass observed, or when the last pass did if none is shown; 0 without
    /// any pass.
    pub view: u64,
    /// The pass that `view` is of: `this pass`, `last pass` or, for an earlier one, `pass at 3.1 s`.
    pub pass: String,
    /// The number of changes that the shown component watches and its caches have not received.
    pub cache_behind: usize,
    /// The number of changes that the shown component watches and that the shown pass has not seen; 0 for a pass that is over while the caches are up to date.
    pub view_behind: usize,
    /// The state of the watches of the shown component: `open`, `opening`, `broken`, `listing` or `down`.
    pub stream: &'static str,
    /// The extra latency of the component's link to the API server, as text; empty if a fault has added none.
    pub slow: String,
    /// The number of objects in the caches of the shown component.
    pub objects: usize,
    /// The number of requests and answers of the shown component in flight.
    pub asked: usize,
    /// The number of API calls that a fault is still to make fail.
    pub armed: u32,
    /// The length of the work queue, as text; for a kubelet the number of its pod workers.
    pub queue: String,
    /// The current phase of the shown component: `idle`, `observe`, `diff` or `act`.
    pub phase: &'static str,
    /// The messages in flight, the earliest to arrive first.
    pub flights: Vec<Flight>,
    /// The messages that have just arrived and are drawn once more.
    pub glows: Vec<Glow>,
    /// A counter that grows with every screen on which a message glows; it tells when a glow ends.
    age: u64,
}

/// A message in flight, as the diagram draws it.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// The identifier by which the page opens the details of the message.
    pub id: MessageId,
    /// The line of the diagram on which the message travels.
    pub line: Line,
    /// The part of its line that the message has travelled, in thousandths.
    pub progress: u32,
    /// The message in a few words, such as `POST pods`.
    pub text: String,
    /// The virtual time until the message arrives, as text.
    pub left: String,
}

/// A message that has just arrived: the diagram shows it a little longer, so that people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glow {
    /// The number of the step that delivered the message.
    pub number: u64,
    /// The line of the diagram on which the message travelled.
    pub line: Line,
    born: u64,
}

/// The number of entries of the cluster's step queue that are searched for messages, so that a frame costs no more in a large cluster.
pub const LOOKED_THROUGH: usize = 200;
/// The number of newest revisions that are searched for changes that a cache has missed.
pub const WINDOW: u64 = 1_000;
/// The greatest number of messages in flight that are shown.
const SHOWN: usize = 24;
/// The number of screens for which a glow lasts.
const GLOW_LASTS: u64 = 40;
/// The least number of screens between two new glows on one line.
const GLOW_APART: u64 = 5;

/// Returns the diagram. `viewed` holds the shown or last pass, and whether it may still act on what it saw; `last` is the diagram before, and the number of
/// the step after which it was made.
pub fn wires(run: &Run, actor: &Actor, viewed: (Option<&Noted>, bool), phase: &'static str, last: (&Wires, u64)) -> Wires {
    let (viewed, is_used) = viewed;
    let seen = viewed.map_or(&[][..], |pass| &pass.heard);
    let cluster = run.cluster();
    let store = &cluster.api.store;
    let heard: Vec<(Kind, u64)> = actor.kinds(cluster).iter().map(|kind| (*kind, actor.heard(cluster, *kind).unwrap_or(0))).collect();
    let newest = |heard: &[(Kind, u64)]| heard.iter().map(|h| h.1).max().unwrap_or(0);
    let count = |heard: &[(Kind, u64)]| missed(store, heard).filter(|c| actor.watches(cluster, c)).count();
    let process = message::process_name(actor.process(), cluster);
    let flights = flights(run, actor);
    let age = last.0.age + 1;
    let glows = if last.0.process == process { glows(run, actor, last.0, last.1, age) } else { Vec::new() };
    // The age alone must not make two diagrams differ: without glows it does not grow.
    let age = if glows.is_empty() && last.0.glows.is_empty() { last.0.age } else { age };
    Wires {
        process,
        store: store.revision(),
        watched: missed(store, &heard).filter(|c| actor.watches(cluster, c)).map(|c| c.revision).max().unwrap_or(0).max(newest(&heard)),
        cache: newest(&heard),
        view: newest(seen),
        pass: viewed.map(|pass| pass_name(run, pass)).unwrap_or_default(),
        cache_behind: count(&heard),
        // A pass that is over has missed nothing while its cache is up to date: a change that concerns it would have queued another pass.
        view_behind: if seen.is_empty() || (!is_used && count(&heard) == 0) { 0 } else { count(seen) },
        stream: stream(actor, cluster),
        slow: Some(cluster.link(actor.process()).extra).filter(|e| e.0 > 0).map(clock::span).unwrap_or_default(),
        objects: actor.kinds(cluster).iter().map(|kind| actor.cached(cluster, *kind)).sum(),
        asked: flights.iter().filter(|f| matches!(f.line, Line::Request | Line::Answer)).count(),
        armed: cluster.failures().left(),
        queue: queue(actor, cluster),
        phase,
        flights,
        glows,
        age,
    }
}

/// Returns the changes among the newest [`WINDOW`] revisions that a cache has not received; `heard` is the revision that it has reached for each kind.
pub fn missed<'a>(store: &'a Store, heard: &'a [(Kind, u64)]) -> impl Iterator<Item = &'a Change> {
    missed_among(WINDOW, store, heard)
}

/// Returns the changes among the `newest` revisions that a cache has not received; `heard` is the revision that it has reached for each kind.
pub fn missed_among<'a>(newest: u64, store: &'a Store, heard: &'a [(Kind, u64)]) -> impl Iterator<Item = &'a Change> {
    let oldest = heard.iter().map(|h| h.1).min().unwrap_or(u64::MAX);
    let from = oldest.clamp(store.compacted(), store.revision()).max(store.revision().saturating_sub(newest));
    let unheard = |c: &&Change| heard.iter().any(|(kind, upto)| *kind == c.object.kind() && c.revision > *upto);
    store.changes_since(from).into_iter().flatten().filter(unheard)
}

/// Returns the state of the watches of the shown component: `open`, `opening`, `broken`, `listing` or `down`.
pub fn stream(actor: &Actor, cluster: &Cluster) -> &'static str {
    let process = actor.process();
    let kinds = actor.kinds(cluster);
    if !cluster.is_alive(process) {
        "down"
    } else if kinds.iter().all(|kind| cluster.is_watching(process, *kind)) {
        "open"
    } else if kinds.iter().any(|kind| actor.heard(cluster, *kind).is_none()) {
        "listing"
    } else if !cluster.link(process).down && is_opening(actor, cluster) {
        "opening"
    } else {
        "broken"
    }
}

/// Returns whether, for every kind whose watch is not open, a request to open it is in flight.
fn is_opening(actor: &Actor, cluster: &Cluster) -> bool {
    let process = actor.process();
    let asked = |kind: Kind| {
        let mut entries = cluster.queue.iter().take(LOOKED_THROUGH);
        entries.any(|(_, e)| matches!(&*e.step, Step::Open { from, kind: of, .. } if (*from, *of) == (process, kind)))
    };
    actor.kinds(cluster).into_iter().filter(|kind| !cluster.is_watching(process, *kind)).all(asked)
}

fn pass_name(run: &Run, pass: &Noted) -> String {
    let passes = &run.notes().passes;
    match passes.in_hand(pass.controller).or_else(|| passes.of(pass.controller).next_back()) {
        _ if pass.ended.is_none() => "this pass".to_owned(),
        Some(last) if last.number != pass.number => format!("pass at {}", clock::moment(pass.at - run.start)),
        _ => "last pass".to_owned(),
    }
}

fn queue(actor: &Actor, cluster: &Cluster) -> String {
    let (ready, waiting) = match actor {
        Actor::Controller { index, manager } => {
            let part = cluster.managers.get(*manager as usize).and_then(|m| m.parts.get(*index));
            part.map_or((0, 0), |p| (p.queue.lengths().0, p.queue.lengths().1))
        }
        Actor::Scheduler => {
            let (active, backing_off, aside) = cluster.scheduler.scheduler.queue_lengths();
            (active, backing_off + aside)
        }
        Actor::Kubelet(n) => {
            let pods = cluster.nodes.get(*n as usize).map_or(0, |p| p.kubelet.pods().count());
            return format!("{pods}{}", if pods == 1 { " pod worker" } else { " pod workers" });
        }
    };
    format!("{ready} ready · {waiting} wait")
}

fn flights(run: &Run, actor: &Actor) -> Vec<Flight> {
    let (cluster, trail) = (run.cluster(), run.session.trail());
    let mut all = Vec::new();
    for (due, entry) in cluster.queue.iter().take(LOOKED_THROUGH) {
        if gave_up(&entry.step) {
            continue;
        }
        let Some(line) = actor.line(&entry.step, entry.cause, cluster, trail) else { continue };
        let sent = trail.get(entry.cause).map_or(cluster.now, |r| r.at).min(cluster.now);
        let whole = (due - sent).0.max(1);
        all.push(Flight {
            id: MessageId { cause: entry.cause, due: due.0 },
            line,
            progress: ((cluster.now - sent).0.clamp(0, whole) * 1000 / whole) as u32,
            text: message::text(&entry.step),
            left: clock::span(due - cluster.now),
        });
        if all.len() == SHOWN {
            break;
        }
    }
    all
}

/// Returns whether a step is a client's own timeout (code 0). The API server sends no message then, so none is drawn.
fn gave_up(step: &Step) -> bool {
    matches!(step, Step::Answer { response, .. } if response.code() == 0)
}

/// Returns the glows of the diagram before that have not ended, and at most one new glow on each line for messages that have arrived since.
fn glows(run: &Run, actor: &Actor, last: &Wires, last_step: u64, age: u64) -> Vec<Glow> {
    let (cluster, trail) = (run.cluster(), run.session.trail());
    let mut all: Vec<Glow> =
        last.glows.iter().filter(|g| age.saturating_sub(g.born) < GLOW_LASTS && g.number <= cluster.steps).copied().collect();
    let first = last_step.max(cluster.steps.saturating_sub(LOOKED_THROUGH as u64)) + 1;
    for number in (first..=cluster.steps).rev() {
        let Some(record) = trail.get(number) else { break };
        let Some(line) = actor.line(&record.step, record.cause, cluster, trail).filter(|_| !gave_up(&record.step)) else { continue };
        if !all.iter().any(|g| g.line == line && age - g.born < GLOW_APART) {
            all.push(Glow { number, line, born: age });
        }
    }
    all
}
