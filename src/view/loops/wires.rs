//! The live diagram: etcd, the API server, the watch, the cache, the queue, the controller, and the messages between them. There is no line
//! between two controllers, because there is none in the engine.

use super::actor::{Actor, Line};
use super::message::{self, MessageId};
use crate::api::kind::Kind;
use crate::sim::{Cluster, Step};
use crate::store::{Change, Store};
use crate::view::clock;
use crate::view::run::Run;

/// The diagram at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wires {
    /// The process of the one looked at.
    pub process: String,
    /// The store's revision.
    pub store: u64,
    /// The newest revision of what it watches, as far as the caches or the store tell.
    pub watched: u64,
    /// The newest revision its caches have heard of.
    pub cache: u64,
    /// The newest revision that the open pass, or the last one, saw; 0 for none.
    pub view: u64,
    /// Changes to its kinds that its caches have not heard of.
    pub cache_behind: usize,
    /// Changes to its kinds that the open pass did not see.
    pub view_behind: usize,
    /// How its watches are: `open`, `opening`, `broken`, `listing` or `down`.
    pub stream: &'static str,
    /// How much longer its messages take than they should; empty if they do not.
    pub slow: String,
    /// How many objects its caches have.
    pub objects: usize,
    /// Requests on their way to the API server, or answers on their way back.
    pub asked: usize,
    /// What is in its queue, in words; a kubelet has workers instead.
    pub queue: String,
    /// Its phase.
    pub phase: &'static str,
    /// Messages on their way, the earliest to arrive first.
    pub flights: Vec<Flight>,
    /// Messages that have just arrived.
    pub glows: Vec<Glow>,
    /// How many screens were made, by which the glow of a message ends.
    age: u64,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// The identifier by which the page opens the message.
    pub id: MessageId,
    /// The line of the diagram on which it travels.
    pub line: Line,
    /// The part of its way that it has covered, in thousandths.
    pub progress: u32,
    /// The message in a few words.
    pub text: String,
    /// The time until it arrives, in words.
    pub left: String,
}

/// A message that has just arrived: it is drawn once more, for the eye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glow {
    /// The step of its arrival.
    pub number: u64,
    /// On which line.
    pub line: Line,
    born: u64,
}

/// How many entries of the queue are looked through for messages, so that a frame costs no more in a large cluster.
pub const LOOKED_THROUGH: usize = 200;
/// How many of the newest revisions are looked through for what a cache has missed.
pub const WINDOW: u64 = 1_000;
/// How many messages on their way are shown.
const SHOWN: usize = 24;
/// A glow lasts for so many screens, and so many lie between two on one line.
const GLOW_LASTS: u64 = 40;
const GLOW_APART: u64 = 5;

/// The diagram now. `seen` is what the open pass had heard of, and whether it is still to act on it; `last` the diagram before with the step it went up to.
pub fn wires(run: &Run, actor: &Actor, seen: (&[(Kind, u64)], bool), phase: &'static str, last: (&Wires, u64)) -> Wires {
    let (seen, is_used) = seen;
    let cluster = run.cluster();
    let store = &cluster.api.store;
    let heard: Vec<(Kind, u64)> = actor.kinds(cluster).iter().map(|kind| (*kind, actor.heard(cluster, *kind).unwrap_or(0))).collect();
    let newest = |heard: &[(Kind, u64)]| heard.iter().map(|h| h.1).max().unwrap_or(0);
    let count = |heard: &[(Kind, u64)]| missed(store, heard).filter(|c| actor.watches(cluster, c)).count();
    let process = message::process_name(actor.process(), cluster);
    let flights = flights(run, actor);
    let age = last.0.age + 1;
    let glows = if last.0.process == process { glows(run, actor, last.0, last.1, age) } else { Vec::new() };
    // The age alone is no news: a screen on which nothing glows is the same as the one before.
    let age = if glows.is_empty() && last.0.glows.is_empty() { last.0.age } else { age };
    Wires {
        process,
        store: store.revision(),
        watched: missed(store, &heard).filter(|c| actor.watches(cluster, c)).map(|c| c.revision).max().unwrap_or(0).max(newest(&heard)),
        cache: newest(&heard),
        view: newest(seen),
        cache_behind: count(&heard),
        // A pass that is over has missed nothing while its cache is up to date: whatever concerns it would have queued another.
        view_behind: if seen.is_empty() || (!is_used && count(&heard) == 0) { 0 } else { count(seen) },
        stream: stream(actor, cluster),
        slow: Some(cluster.link(actor.process()).extra).filter(|e| e.0 > 0).map(clock::span).unwrap_or_default(),
        objects: actor.kinds(cluster).iter().map(|kind| actor.cached(cluster, *kind)).sum(),
        asked: flights.iter().filter(|f| matches!(f.line, Line::Request | Line::Answer)).count(),
        queue: queue(actor, cluster),
        phase,
        flights,
        glows,
        age,
    }
}

/// The changes of the newest revisions that a cache has not heard of.
pub fn missed<'a>(store: &'a Store, heard: &'a [(Kind, u64)]) -> impl Iterator<Item = &'a Change> {
    let oldest = heard.iter().map(|h| h.1).min().unwrap_or(u64::MAX);
    let from = oldest.clamp(store.compacted(), store.revision()).max(store.revision().saturating_sub(WINDOW));
    let unheard = |c: &&Change| heard.iter().any(|(kind, upto)| *kind == c.object.kind() && c.revision > *upto);
    store.changes_since(from).into_iter().flatten().filter(unheard)
}

/// How the watches of the one looked at are.
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

/// Whether a request to watch is on its way for every kind that is not watched.
fn is_opening(actor: &Actor, cluster: &Cluster) -> bool {
    let process = actor.process();
    let asked = |kind: Kind| {
        let mut entries = cluster.queue.iter().take(LOOKED_THROUGH);
        entries.any(|(_, e)| matches!(&*e.step, Step::Open { from, kind: of, .. } if (*from, *of) == (process, kind)))
    };
    actor.kinds(cluster).into_iter().filter(|kind| !cluster.is_watching(process, *kind)).all(asked)
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

/// Tells whether a step is the timeout of a client itself (code 0). The API server sends no message for it, so none is drawn.
fn gave_up(step: &Step) -> bool {
    matches!(step, Step::Answer { response, .. } if response.code() == 0)
}

/// Returns the glows of the last screen that have not ended, and at most one new glow on each line for messages that have arrived since.
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
