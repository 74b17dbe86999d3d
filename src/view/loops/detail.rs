//! The content of an open box of the loop's diagram: a sentence about it, and a few lines.

use super::actor::Actor;
use super::wires::{self, missed};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::watch::WatchType;
use crate::sim::{Cluster, ControllerState as ControllerPart, Step};
use crate::view::clock::{self, count as number};
use crate::view::rings::key_text;
use crate::view::run::Run;

/// A box of the loop's diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The person at the page, who sends commands.
    You,
    /// The API server.
    Api,
    /// The store of the API server.
    Etcd,
    /// The watch from the API server to the cache.
    Watch,
    /// The cache of the shown component: objects that its watches delivered.
    Cache,
    /// The work queue of the shown component.
    Queue,
    /// The shown component itself: a controller, the scheduler or a kubelet.
    Controller,
}

impl Part {
    /// Returns the name of this box in the diagram of the loop on the page.
    pub fn name(self) -> &'static str {
        match self {
            Part::You => "You",
            Part::Api => "API server",
            Part::Etcd => "etcd",
            Part::Watch => "Watch",
            Part::Cache => "Cache",
            Part::Queue => "Queue",
            Part::Controller => "Controller",
        }
    }
}

/// The content of an open box.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    /// The box that is open.
    pub part: Part,
    /// A sentence about the box.
    pub words: String,
    /// The entries listed in the box, such as objects, requests or keys.
    pub lines: Vec<DetailLine>,
}

/// An entry in an open box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DetailLine {
    /// The object, request or key that the entry is about.
    pub what: String,
    /// The state of the object, request or key that the entry is about, in a few words.
    pub how: String,
    /// Set if the entry is out of date or has failed.
    pub warns: bool,
}

/// The greatest number of entries of each sort that are shown.
const SHOWN: usize = 8;
/// The number of newest steps that are searched for watch events.
const LOOKED_THROUGH: u64 = 8_192;

/// Makes the content of a box.
pub fn detail(run: &Run, actor: &Actor, part: Part) -> Detail {
    let cluster = run.cluster();
    let (words, lines) = match part {
        Part::You => ("What you do goes to the API server, and nowhere else.".to_owned(), commands(run)),
        Part::Api => api(run),
        Part::Etcd => etcd(run, actor),
        Part::Watch => watch(run, actor),
        Part::Cache => cache(cluster, actor),
        Part::Queue => queue(cluster, actor),
        Part::Controller => controller(cluster, actor),
    };
    Detail { part, words, lines }
}

fn line(what: impl Into<String>, how: impl Into<String>) -> DetailLine {
    DetailLine { what: what.into(), how: how.into(), warns: false }
}

fn name(object: &Object) -> String {
    format!("{} {}", object.kind().row().singular, object.meta.name)
}

fn commands(run: &Run) -> Vec<DetailLine> {
    use crate::sim::Command;
    let given = run.session.commands().iter().rev().filter(|g| g.after <= run.cluster().steps);
    let runs = given.filter_map(|g| match &g.command {
        Command::Run(program) => Some(line(program.title(), clock::moment(g.at - run.start))),
        _ => None,
    });
    runs.take(SHOWN).collect()
}

fn api(run: &Run) -> (String, Vec<DetailLine>) {
    let cluster = run.cluster();
    let waiting = cluster.queue.iter().take(wires::LOOKED_THROUGH).filter(|(_, e)| matches!(&*e.step, Step::Arrive { .. })).count();
    let (requests, writes) = (cluster.stats.requests, cluster.stats.writes);
    let on_the_way = number(waiting, "request is", "requests are");
    let so_far = format!("{} and {}", number(requests as usize, "request", "requests"), number(writes as usize, "change", "changes"));
    let words = format!("{on_the_way} on the way to it, of all processes. So far {so_far}.");
    let newest = run.notes().writes.newest().take(SHOWN).filter_map(|w| {
        let request = w.request.as_ref()?;
        let by = super::message::process_name(w.by, cluster);
        Some(line(super::message::request_text(request), format!("{by} · rev {}", w.revision)))
    });
    (words, failures(run).into_iter().chain(newest).collect())
}

/// Returns entries about the API calls that a person has made fail by a fault.
fn failures(run: &Run) -> Vec<DetailLine> {
    let cluster = run.cluster();
    let failures = cluster.failures();
    if failures.wanted == 0 {
        return Vec::new();
    }
    let told = format!("{} of {} so far", failures.struck, failures.wanted);
    let mut lines = vec![DetailLine { warns: failures.struck < failures.wanted, ..line("calls made to fail", told) }];
    lines.extend(failures.last.iter().rev().map(|struck| {
        let by = super::message::process_name(struck.from, cluster);
        let how = if struck.after_write { "carried out, answer lost" } else { "refused" };
        let at = clock::moment(struck.at - run.start);
        DetailLine { warns: true, ..line(super::message::request_text(&struck.request), format!("{by} · {how} at {at}")) }
    }));
    lines
}

fn etcd(run: &Run, actor: &Actor) -> (String, Vec<DetailLine>) {
    let store = &run.cluster().api.store;
    let words = format!("The store is at revision {}; every write makes the next one. The newest it watches:", store.revision());
    let newest = run.notes().writes.newest().take(1_000).filter(|w| actor.hears_of(run.cluster(), w.object.kind()));
    let lines = newest.take(SHOWN).map(|w| line(format!("{} {}", w.type_.text(), name(&w.object)), format!("rev {}", w.revision)));
    (words, lines.collect())
}

fn watch(run: &Run, actor: &Actor) -> (String, Vec<DetailLine>) {
    let (cluster, trail, process) = (run.cluster(), run.session.trail(), actor.process());
    let words = match wires::stream(actor, cluster) {
        "open" => "The stream is open. What was pushed last:",
        "listing" => "It lists before it watches: a list tells from which revision on.",
        "opening" => "The list is there; the request to watch from its revision on is on its way.",
        "down" => "Its process has ended; nobody watches.",
        _ => "The stream is broken: nothing is heard until it is resumed from where the cache stands. What was pushed last:",
    };
    let mut lines = Vec::new();
    for n in (cluster.steps.saturating_sub(LOOKED_THROUGH) + 1..=cluster.steps).rev() {
        let Some(record) = trail.get(n) else { break };
        let Step::Deliver { to, type_, revision, object, .. } = &*record.step else { continue };
        if *to != process || !actor.hears_of(cluster, object.kind()) {
            continue;
        }
        let lost = record.note == crate::sim::Note::Lost;
        let late = trail.get(record.cause).map(|wrote| clock::span(record.at - wrote.at)).unwrap_or_default();
        let how = format!("rev {revision}{}{late}", if lost { " · lost after " } else { " · after " });
        lines.push(DetailLine { warns: lost, ..line(format!("{} {}", type_.text(), name(object)), how) });
        if lines.len() == SHOWN {
            break;
        }
    }
    (words.to_owned(), lines)
}

fn cache(cluster: &Cluster, actor: &Actor) -> (String, Vec<DetailLine>) {
    let store = &cluster.api.store;
    let heard: Vec<(Kind, u64)> = actor.kinds(cluster).iter().map(|k| (*k, actor.heard(cluster, *k).unwrap_or(0))).collect();
    let mut lines: Vec<DetailLine> = heard
        .iter()
        .map(|(kind, upto)| {
            let there = actor.cached(cluster, *kind);
            line(kind.row().plural, format!("{there} · heard up to rev {upto}"))
        })
        .collect();
    let mut stale: Vec<DetailLine> = Vec::new();
    let mut behind = 0;
    for change in missed(store, &heard).filter(|c| actor.watches(cluster, c)) {
        behind += 1;
        let what = name(&change.object);
        stale.retain(|l| l.what != what);
        let gone = change.type_ == WatchType::Deleted;
        let how = if gone { "gone from the store".to_owned() } else { format!("store has rev {}", change.revision) };
        stale.push(DetailLine { warns: true, ..line(what, how) });
    }
    let words = match behind {
        0 => "A copy kept by the watch: it has heard of every change to what it watches.".to_owned(),
        n => format!("{} not reached it. Out of date:", number(n, "change has", "changes have")),
    };
    lines.extend(stale.into_iter().rev().take(SHOWN));
    (words, lines)
}

fn queue(cluster: &Cluster, actor: &Actor) -> (String, Vec<DetailLine>) {
    let part = match actor {
        Actor::Controller { index, manager } => cluster.managers.get(*manager as usize).and_then(|m| m.parts.get(*index)),
        Actor::Scheduler => {
            let (active, backing_off, aside) = cluster.scheduler.scheduler.queue_lengths();
            let pods = |n: usize| number(n, "pod", "pods");
            let lines =
                vec![line(pods(active), "ready"), line(pods(backing_off), "backing off"), line(pods(aside), "until something changes")];
            return ("Pods that have no node yet.".to_owned(), lines);
        }
        Actor::Kubelet(_) => return ("A kubelet has no queue: each pod has a worker of its own.".to_owned(), Vec::new()),
    };
    let Some(part) = part else { return Default::default() };
    let (ready, waiting, in_hand) = part.queue.lengths();
    let words = format!("{ready} ready, {in_hand} being worked on, {waiting} waiting.");
    (words, keys(part, cluster))
}

fn keys(part: &ControllerPart, cluster: &Cluster) -> Vec<DetailLine> {
    let queue = &part.queue;
    let ready = queue.ready().take(SHOWN).map(|key| line(key_text(key), "ready"));
    let in_hand = queue.processing().take(SHOWN).map(|key| line(key_text(key), "being worked on"));
    let waiting = queue.waiting().take(SHOWN).map(|(key, at)| {
        let failures = queue.failures(key);
        let tail = if failures == 0 { String::new() } else { format!(" · failed {}", number(failures as usize, "time", "times")) };
        DetailLine { warns: failures > 0, ..line(key_text(key), format!("in {}{tail}", clock::span(at - cluster.now))) }
    });
    in_hand.chain(ready).chain(waiting).take(2 * SHOWN).collect()
}

fn controller(cluster: &Cluster, actor: &Actor) -> (String, Vec<DetailLine>) {
    let process = super::message::process_name(actor.process(), cluster);
    let words = "It reads its cache and asks the API server. It never talks to another controller.".to_owned();
    let mut lines = vec![line("process", process)];
    if let Actor::Controller { index, manager } = actor
        && let Some(part) = cluster.managers.get(*manager as usize).and_then(|m| m.parts.get(*index))
    {
        lines.push(line("workers busy", part.busy.to_string()));
        lines.push(line("passes so far", part.passes.to_string()));
    }
    (words, lines)
}
