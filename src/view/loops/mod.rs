//! The loop of the controller, the scheduler or the kubelet that is looked at.
//!
//! | file | what |
//! | --- | --- |
//! | `actor` | who is looked at, and which messages are its own |
//! | `wires` | the live diagram: its numbers, and messages on their way |
//! | `detail` | one box of the diagram opened |
//! | `letter` | one message opened |
//! | `pseudocode` | the loop as a dozen lines, one of them lit |
//! | `verdict` | what the scheduler thought of each node |
//! | `pod_actions` | a kubelet's loop |

pub mod actor;
pub mod detail;
pub mod letter;
pub mod pod_actions;
pub mod pseudocode;
pub mod verdict;
pub mod wires;

use super::breakpoints::BreakLine;
use super::clock;
use super::desk::Desk;
use super::look::Look;
use super::notes::passes::scheduler_index;
use super::pass::{self, PassCard, PassLine};
use super::rings::{Ring, kubelet_rings, rings};
use crate::api::time::Span;
use crate::sim::{Process, Step, Timer};
use actor::Actor;
use detail::{Detail, Part};
use letter::{Letter, MessageId};
use pod_actions::KubeletCard;
use pseudocode::Code;
use std::rc::Rc;
use verdict::Verdicts;
use wires::Wires;

/// What of a loop is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopLook {
    /// A box of the diagram.
    pub part: Option<Part>,
    /// A message.
    pub message: Option<MessageId>,
    /// A request of the pass that is open, by its place.
    pub action: Option<usize>,
    /// The pod whose placing is explained, as `name` or `namespace/name`; empty for the decision that is open.
    pub pod: String,
    /// The object that new breakpoints are for; empty for any.
    pub filter: String,
    /// Whether new breakpoints are for any controller.
    pub any: bool,
}

/// The loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopView {
    /// Controllers and the scheduler.
    pub rings: Vec<Ring>,
    /// Kubelets, if they are few.
    pub kubelets: Vec<Ring>,
    /// How many kubelets there are.
    pub nodes: usize,
    /// The live diagram.
    pub wires: Wires,
    /// The box of it that is open.
    pub detail: Option<Detail>,
    /// The message that is open.
    pub letter: Option<Letter>,
    /// The loop as code.
    pub code: Code,
    /// The reconcile that is open.
    pub pass: Option<PassCard>,
    /// The last passes of the selected controller.
    pub lines: Vec<PassLine>,
    /// What the scheduler thought of each node.
    pub verdicts: Option<Rc<Verdicts>>,
    /// The kubelet that is looked at.
    pub kubelet: Option<Rc<KubeletCard>>,
    /// How often caches hand everything over again.
    pub resync: String,
    /// Where the run has stopped, if it has.
    pub stop: String,
    /// All breakpoints.
    pub breakpoints: Vec<BreakLine>,
    /// Whether the run stops before observe, diff and act of the one looked at.
    pub breaks: [bool; 3],
}

/// The loop now, given the loop before and up to which step it went.
pub fn the_loop(desk: &Desk, look: &Look, last: &LoopView, last_step: u64) -> LoopView {
    let (cluster, passes) = (desk.cluster(), &desk.notes().passes);
    let actor = Actor::of(cluster, look);
    let is_kubelet = matches!(actor, Actor::Kubelet(_));
    let shown = pass::shown(passes, look.controller, look.pass).filter(|_| !is_kubelet);
    let rings = rings(cluster, passes);
    let kubelets = kubelet_rings(cluster);
    let ring = if is_kubelet { kubelets.iter().find(|r| Some(&r.name) == look.kubelet.as_ref()) } else { rings.get(look.controller) };
    let phase = ring.map_or("idle", |r| r.phase);
    let kubelet = match actor {
        Actor::Kubelet(n) => Some(keep(pod_actions::card(desk, n), last.kubelet.as_ref())),
        _ => None,
    };
    // The last pass may have had nothing to tell, yet it is the one that saw the most.
    let chosen = look.pass.and_then(|number| passes.pass(number)).or_else(|| passes.in_hand(look.controller));
    let viewed = chosen.or_else(|| passes.of(look.controller).next_back()).filter(|_| !is_kubelet);
    let view_revision = viewed.map_or(&[][..], |p| &p.heard);
    LoopView {
        nodes: cluster.nodes.len(),
        wires: wires::wires(desk, &actor, view_revision, phase, (&last.wires, last_step)),
        detail: look.wire.part.map(|part| detail::detail(desk, &actor, part)),
        letter: look.wire.message.and_then(|id| letter::find(desk, &actor, id)),
        code: pseudocode::code(&actor, phase, shown, kubelet.as_deref()),
        pass: shown.map(|p| pass::open(p, desk.start, look.wire.action)),
        lines: if is_kubelet { Vec::new() } else { pass::lines(passes, look.controller, desk.start) },
        verdicts: if actor == Actor::Scheduler { verdict::verdicts(desk, shown, &look.wire.pod, last.verdicts.as_ref()) } else { None },
        resync: resync(desk, &actor),
        stop: desk.stopped().map(|stop| stop.words.clone()).unwrap_or_default(),
        breakpoints: desk.breakpoints.lines(),
        breaks: desk.breakpoints.of((!look.wire.any).then_some(look.controller), &look.wire.filter),
        rings,
        kubelets,
        kubelet,
    }
}

/// The same as before, if it is.
fn keep<T: PartialEq>(now: T, last: Option<&Rc<T>>) -> Rc<T> {
    match last {
        Some(last) if **last == now => last.clone(),
        _ => Rc::new(now),
    }
}

/// How often the caches hand everything over again, and when they do next.
fn resync(desk: &Desk, actor: &Actor) -> String {
    let cluster = desk.cluster();
    let seconds = cluster.config.manager.resync_seconds;
    match actor {
        Actor::Controller { .. } if seconds > 0 => {
            let due = |step: &Step| matches!(step, Step::Wake(Process::Manager(_), Timer::Resync));
            let next = cluster.queue.iter().take(wires::LOOKED_THROUGH).find(|(_, e)| due(&e.step)).map(|(at, _)| at - cluster.now);
            let next = next.map(|left| [", next in ", &clock::span(left)].concat()).unwrap_or_default();
            ["resync every ", &clock::span(Span::secs(seconds)), &next].concat()
        }
        Actor::Controller { .. } => "resync off: the watch alone wakes it".to_owned(),
        _ => String::new(),
    }
}

/// The one looked at, in words.
pub fn name_of(look: &Look) -> String {
    match &look.kubelet {
        Some(node) => ["kubelet ", node].concat(),
        None if look.controller == scheduler_index() => "scheduler".to_owned(),
        None => super::rings::name_of(look.controller),
    }
}
