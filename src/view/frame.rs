//! All of the screen at one moment.

use super::clock;
use super::cluster::{NodeCard, PodTile, cards};
use super::desk::Desk;
use super::pass::{self, PassCard, PassLine};
use super::rings::{Ring, rings};
use super::terminal::TerminalView;
use super::timeline::{Timeline, timeline};
use crate::api::kind::Kind;
use crate::api::kind::event::Event;
use crate::api::time::Time;
use crate::order;
use serde::Serialize;
use std::rc::Rc;

/// What a person has chosen to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Which controller.
    pub controller: usize,
    /// Which of its passes; none: the newest that did something.
    pub pass: Option<u64>,
}

impl Default for Selection {
    fn default() -> Self {
        let controller = crate::controller::registry::index_of("replicaset-controller").unwrap_or(0);
        Selection { controller, pass: None }
    }
}

/// The screen at a moment. Parts are shared, so that a component can tell cheaply whether its part has changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frame {
    /// The clock.
    pub clock: String,
    /// How many events have happened.
    pub steps: u64,
    /// The store's revision.
    pub revision: u64,
    /// Whether desired and actual agree.
    pub converged: bool,
    /// For how long they have agreed or not.
    pub since: String,
    /// When that began.
    pub turned_at: String,
    /// Nodes and pods.
    pub cluster: Rc<ClusterView>,
    /// Controllers.
    pub rings: Rc<Vec<Ring>>,
    /// The reconcile that is open.
    pub pass: Option<Rc<PassCard>>,
    /// The last passes of the selected controller.
    pub lines: Rc<Vec<PassLine>>,
    /// The newest events, newest first.
    pub events: Rc<Vec<EventLine>>,
    /// Time along the bottom.
    pub timeline: Rc<Timeline>,
    /// What the last program said.
    pub answer: Option<Rc<Answer>>,
    /// What to look at or try next, in a sentence.
    pub hint: String,
    /// The terminal.
    pub terminal: Rc<TerminalView>,
}

/// Nodes and pods.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterView {
    /// Nodes with their pods.
    pub nodes: Vec<NodeCard>,
    /// Pods without a node.
    pub unscheduled: Vec<PodTile>,
    /// How many pods there are.
    pub pods: usize,
    /// How many of them are ready.
    pub ready: usize,
}

/// What a component had to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventLine {
    /// When it last happened.
    pub at: String,
    /// Whether it is a warning.
    pub warning: bool,
    /// In one word.
    pub reason: String,
    /// About what.
    pub about: String,
    /// In a sentence.
    pub message: String,
    /// How often it happened.
    pub count: u32,
}

/// What a program wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// What was run.
    pub title: String,
    /// What it wrote.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// How it ended.
    pub exit: Option<i32>,
}

/// How many events are shown.
const EVENTS_SHOWN: usize = 30;

/// The screen now.
pub fn frame(desk: &Desk, selection: &Selection) -> Frame {
    let cluster = desk.session.cluster();
    let (nodes, unscheduled) = cards(cluster);
    let pods = cluster.api.store.range(Kind::POD, "", None).filter_map(|o| o.pod());
    let ready = pods.filter(|p| p.status.is_ready()).count();
    let shown = ClusterView { nodes, unscheduled, pods: cluster.api.store.count(Kind::POD), ready };
    Frame {
        clock: clock::clock(desk.elapsed()),
        steps: cluster.steps,
        revision: cluster.api.store.revision(),
        converged: desk.watch.converged,
        since: clock::span(desk.now() - desk.watch.since),
        turned_at: clock::moment(desk.watch.since - desk.start),
        hint: hint(desk, &shown),
        cluster: Rc::new(shown),
        rings: Rc::new(rings(cluster, &desk.watch)),
        pass: pass::shown(&desk.watch, selection.controller, selection.pass).map(|p| Rc::new(pass::open(p, desk.start))),
        lines: Rc::new(pass::lines(&desk.watch, selection.controller, desk.start)),
        events: Rc::new(events(desk)),
        timeline: Rc::new(timeline(desk)),
        answer: answer(desk),
        terminal: Rc::new(desk.terminal.view(cluster)),
    }
}

fn answer(desk: &Desk) -> Option<Rc<Answer>> {
    let console = desk.session.cluster().console(desk.console?)?;
    let output = console.output();
    Some(Rc::new(Answer { title: console.program.title(), stdout: output.stdout(), stderr: output.stderr(), exit: console.exit() }))
}

fn events(desk: &Desk) -> Vec<EventLine> {
    let store = &desk.session.cluster().api.store;
    let when = |e: &Event| e.series.map(|s| s.1).or(e.last).or(e.event_time).or(e.first).unwrap_or_default();
    let mut all: Vec<(Time, u64, &Event)> =
        store.range(Kind::EVENT, "", None).filter_map(|o| o.event().map(|e| (when(e), o.meta.resource_version, e))).collect();
    order::sort_by_key(&mut all, |(at, revision, _)| std::cmp::Reverse((*revision, *at)));
    let line = |(at, _, e): (Time, u64, &Event)| EventLine {
        at: clock::second(at - desk.start),
        warning: e.type_ == "Warning",
        reason: e.reason.to_string(),
        about: format!("{}/{}", e.involved.kind.to_ascii_lowercase(), e.involved.name),
        message: e.message.to_string(),
        count: e.series.map_or(e.count, |s| s.0),
    };
    all.into_iter().take(EVENTS_SHOWN).map(line).collect()
}

/// The next thing worth seeing, by what has been done so far and how things stand.
fn hint(desk: &Desk, cluster: &ClusterView) -> String {
    use crate::sim::{Command, Fault};
    let did = |what: fn(&Command) -> bool| desk.session.commands().iter().any(|given| what(&given.command));
    let deleted = did(|c| matches!(c, Command::Run(p) if p.title().starts_with("kubectl delete")));
    let crashed = did(|c| matches!(c, Command::Fault(Fault::CrashNode { .. } | Fault::Partition { .. })));
    let sets = desk.session.cluster().api.store.range(Kind::REPLICA_SET, "", None).filter_map(|o| o.replica_set());
    let desired: i64 = sets.map(|set| i64::from(set.replicas)).sum();
    let ready = desk.watch.samples.back().map_or(0, |sample| sample.ready);
    let down: Vec<&NodeCard> = cluster.nodes.iter().filter(|n| !n.powered || !n.linked).collect();
    match down.iter().find(|n| n.status.starts_with("NotReady")).or(down.first()) {
        Some(node) if node.status.starts_with("NotReady") => {
            format!("{} was found out. Let time pass until its pods are given up and replaced, or bring it back.", node.name)
        }
        Some(node) => format!("{} is silent, and nothing else tells: turn the speed up and wait until it is called NotReady.", node.name),
        None if desired == 0 && desk.watch.converged => "Apply the manifest and watch its pods appear.".to_owned(),
        None if desired == 0 => "The manifest is on its way to the API server.".to_owned(),
        None if ready < desired => format!("{desired} pods are wanted, {ready} are ready: watch the loop close the gap."),
        None if !deleted => "Delete a pod and watch the ReplicaSet replace it.".to_owned(),
        None if !crashed => "Crash a node and see how long nobody notices.".to_owned(),
        None => "Change replicas in the manifest and apply it.".to_owned(),
    }
}
