//! The page's view of one reconcile loop: that of the selected controller, of the scheduler or of a kubelet.
//!
//! | file | what |
//! | --- | --- |
//! | `actor` | the component whose loop is shown, and its messages |
//! | `wires` | the live diagram: its numbers, and the messages in flight |
//! | `detail` | the content of an open box of the diagram |
//! | `message` | the details of an open message |
//! | `pseudocode` | the loop as a dozen lines of pseudocode, one of them highlighted |
//! | `verdict` | the scheduler's verdict on each node |
//! | `pod_actions` | a kubelet's loop |
//! | `telling` | the pass that is shown to a reader who follows whoever makes a difference |
//! | `reading` | the phase of a pass that the page shows, and the pass in a few words |

pub mod actor;
pub mod detail;
pub mod message;
pub mod pod_actions;
pub mod pseudocode;
pub mod reading;
pub mod telling;
pub mod verdict;
pub mod wires;

use super::breakpoints::BreakLine;
use super::clock;
use super::notes::passes::scheduler_index;
use super::pass::{self, PassCard, PassLine};
use super::rings::{Ring, kubelet_rings, rings};
use super::run::Run;
use super::selection::Selection;
use crate::api::time::Span;
use crate::sim::{Cluster, Process, Step, Timer};
use actor::Actor;
use detail::{Detail, Part};
use message::{MessageDetails, MessageId};
use pod_actions::KubeletCard;
use pseudocode::Code;
use reading::Reading;
use std::rc::Rc;
use telling::Later;
use verdict::Verdicts;
use wires::Wires;

/// A person's choices on the page of the loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopSelection {
    /// The box of the diagram that is open.
    pub part: Option<Part>,
    /// The message of the diagram that is open.
    pub message: Option<MessageId>,
    /// The request that is open, by its index among the requests of the pass that is shown.
    pub action: Option<usize>,
    /// The pod whose scheduling is explained, as `name` or `namespace/name`; empty for the pod of the decision that is shown.
    pub pod: String,
    /// The text that the key of an object must contain for new breakpoints to stop at it; empty for any object.
    pub filter: String,
    /// Set if new breakpoints stop at all controllers instead of only at the one that is shown.
    pub any: bool,
}

/// The loop of one controller, of the scheduler or of a kubelet, as the page shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopView {
    /// The name of the controller, scheduler or kubelet whose loop is shown.
    pub name: String,
    /// The states of the controllers and of the scheduler, which the page draws as small rings.
    pub rings: Vec<Rc<Ring>>,
    /// The states of the kubelets, drawn as small rings; empty if there are too many kubelets to draw.
    pub kubelets: Vec<Rc<Ring>>,
    /// The number of nodes, each with a kubelet.
    pub nodes: usize,
    /// The live diagram of the loop.
    pub wires: Rc<Wires>,
    /// The content of the open box of the diagram; `None` if no box is open.
    pub detail: Option<Rc<Detail>>,
    /// The details of the open message; `None` if no message is open.
    pub message: Option<Rc<MessageDetails>>,
    /// The loop as pseudocode, with the current line highlighted.
    pub code: Code,
    /// The reconcile pass that is shown; `None` if there is none or a kubelet is shown.
    pub pass: Option<Rc<PassCard>>,
    /// The pass that is shown, in a few words for a reader who is new to it.
    pub reading: Rc<Reading>,
    /// What others did after the pass that is shown, for a reader who follows whoever makes a difference.
    pub later: Rc<Vec<Later>>,
    /// The last passes of the selected controller, a line each; empty for a kubelet.
    pub lines: Rc<Vec<PassLine>>,
    /// The scheduler's verdict on each node; `None` if another component is shown.
    pub verdicts: Option<Rc<Verdicts>>,
    /// The kubelet whose loop is shown; `None` if another component is shown.
    pub kubelet: Option<Rc<KubeletCard>>,
    /// The time between two resyncs of the controller's caches, as text; empty for the scheduler and for kubelets.
    pub resync: String,
    /// The breakpoint at which the run has stopped, as text; empty if it has not.
    pub stop: String,
    /// All breakpoints that are set, a line each.
    pub breakpoints: Rc<Vec<BreakLine>>,
    /// For each of the phases observe, diff and act: set if a breakpoint stops the run before this phase, for the controller and the objects to which new
    /// breakpoints apply.
    pub breaks: [bool; 3],
}

/// Returns the loop at the moment that is shown. `last` is the view before, from which unchanged parts are reused, and `last_step` the number of the step
/// after which that view was made.
pub fn the_loop(run: &Run, selection: &Selection, last: &LoopView, last_step: u64) -> LoopView {
    let (cluster, passes) = (run.cluster(), &run.notes().passes);
    let actor = Actor::of(cluster, selection);
    let is_kubelet = matches!(actor, Actor::Kubelet(_));
    let shown = pass::shown(passes, selection.controller, selection.pass.or(selection.followed), cluster.now).filter(|_| !is_kubelet);
    let reading = shown.map(|p| reading::reading(run, p)).unwrap_or_default();
    let later = shown.filter(|p| selection.follows && p.ended.is_some()).map(|p| telling::later(run, p)).unwrap_or_default();
    let mut rings = rings(cluster, passes);
    // Of several passes in hand, the ring is about the one that is shown.
    let is_read = shown.is_some_and(|p| p.ended.is_none());
    if let Some(ring) = rings.iter_mut().find(|ring| is_read && ring.index == selection.controller) {
        ring.phase = reading.phase.word();
    }
    let rings: Vec<Rc<Ring>> = rings.into_iter().map(Rc::new).collect();
    let kubelets: Vec<Rc<Ring>> = kubelet_rings(cluster).into_iter().map(Rc::new).collect();
    let ring = if is_kubelet {
        kubelets.iter().find(|r| Some(&r.name) == selection.kubelet.as_ref())
    } else {
        rings.iter().find(|r| r.index == selection.controller)
    };
    let shown_phase = ring.map_or("idle", |r| r.phase);
    let kubelet = match actor {
        Actor::Kubelet(n) => Some(keep(pod_actions::card(run, n), last.kubelet.as_ref())),
        _ => None,
    };
    // The last pass is the one that saw the newest revision, even if it did nothing.
    let in_hand = passes.in_hand(selection.controller);
    let newest = in_hand.or_else(|| passes.of(selection.controller).next_back());
    let chosen = selection.pass.and_then(|number| passes.pass(number)).or(in_hand);
    let viewed = chosen.or(newest).filter(|_| !is_kubelet);
    // If a controller is idle and its queue is empty, its last view counts as up to date.
    let is_used = chosen.is_some() || ring.is_some_and(|r| r.queued > 0);
    LoopView {
        name: name_of(cluster, selection),
        nodes: cluster.nodes.len(),
        wires: Rc::new(wires::wires(run, &actor, (viewed, is_used), shown_phase, (&last.wires, last_step))),
        detail: selection.wire.part.map(|part| Rc::new(detail::detail(run, &actor, part))),
        message: selection.wire.message.and_then(|id| message::find(run, &actor, id)).map(Rc::new),
        code: pseudocode::code(cluster, &actor, in_hand.is_none(), shown, kubelet.as_deref()),
        pass: shown.map(|p| Rc::new(pass::open(p, (run.start, cluster.now), selection.wire.action))),
        reading: Rc::new(reading),
        later: Rc::new(later),
        lines: if is_kubelet { Rc::default() } else { Rc::new(pass::lines(passes, selection.controller, run.start)) },
        verdicts: if actor == Actor::Scheduler { verdict::verdicts(run, shown, &selection.wire.pod, last.verdicts.as_ref()) } else { None },
        resync: resync(run, &actor),
        stop: run.stopped().map(|stop| stop.words.clone()).unwrap_or_default(),
        breakpoints: Rc::new(run.breakpoints.lines(cluster)),
        breaks: run.breakpoints.of((!selection.wire.any).then_some(selection.controller), &selection.wire.filter),
        rings,
        kubelets,
        kubelet,
    }
}

/// Returns `last` if it equals `now`, so that the pointer stays the same and Yew draws nothing again; otherwise a new pointer.
fn keep<T: PartialEq>(now: T, last: Option<&Rc<T>>) -> Rc<T> {
    match last {
        Some(last) if **last == now => last.clone(),
        _ => Rc::new(now),
    }
}

/// Describes the time between two resyncs of the controller's caches, and the time until the next.
fn resync(run: &Run, actor: &Actor) -> String {
    let cluster = run.cluster();
    let seconds = cluster.config.manager.resync_seconds;
    match actor {
        Actor::Controller { .. } if seconds > 0 => {
            let due = |step: &Step| matches!(step, Step::Wake(Process::Manager(_), Timer::Resync));
            let next = cluster.queue.iter().take(wires::LOOKED_THROUGH).find(|(_, e)| due(&e.step)).map(|(at, _)| at - cluster.now);
            let next = next.map(|left| format!(", next in {}", clock::span(left))).unwrap_or_default();
            format!("resync every {}{next}", clock::span(Span::secs(seconds)))
        }
        Actor::Controller { index, .. } => {
            let first = cluster.controllers.get(*index).and_then(|c| c.pseudocode().lines.first().copied()).unwrap_or_default();
            match first.split_once(',').map(|(clock, _)| clock).filter(|clock| clock.starts_with("every ")) {
                Some(clock) => format!("the watch wakes it, and its own clock {clock}; resync off"),
                None => "resync off: the watch alone wakes it".to_owned(),
            }
        }
        _ => String::new(),
    }
}

/// Returns the name of the selected controller, scheduler or kubelet.
fn name_of(cluster: &Cluster, selection: &Selection) -> String {
    match &selection.kubelet {
        Some(node) => format!("kubelet {node}"),
        None if selection.controller == scheduler_index() => "scheduler".to_owned(),
        None => super::rings::name_of(cluster, selection.controller),
    }
}
