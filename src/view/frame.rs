//! The screen at one moment. Only what is looked at is made anew; a part that has not changed stays the very same, so that a component can tell
//! by its pointer that there is nothing to draw.

use super::clock;
use super::cluster::{ClusterView, cluster, tally};
use super::desk::Desk;
use super::events::{EventLine, events};
use super::hint::hint;
use super::look::{Drawer, Look, Side, Stage};
use super::owners::{OwnerTree, owners};
use super::pass::{self, PassCard, PassLine};
use super::rings::{Ring, rings};
use super::services::{ServicesView, services};
use super::terminal::TerminalView;
use super::timeline::{Timeline, timeline};
use std::rc::Rc;

/// The screen at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The top bar.
    pub bar: Bar,
    /// Nodes and pods.
    pub cluster: Rc<ClusterView>,
    /// Who owns whom.
    pub owners: Rc<OwnerTree>,
    /// What Services reach.
    pub services: Rc<ServicesView>,
    /// How many nodes and pods there are.
    pub tally: String,
    /// What to look at or try next, in a sentence.
    pub hint: String,
    /// The loop.
    pub side: Rc<LoopView>,
    /// The newest events, newest first.
    pub events: Rc<Vec<EventLine>>,
    /// Time along the bottom.
    pub timeline: Rc<Timeline>,
    /// What the last program said.
    pub answer: Option<Rc<Answer>>,
    /// The terminal.
    pub terminal: Rc<TerminalView>,
}

/// The top bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
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
    /// How far back from the newest moment this is; empty at it.
    pub behind: String,
    /// How often something was done in the past, which then went another way.
    pub forks: u32,
    /// Whether there is something to undo.
    pub can_undo: bool,
}

/// The loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopView {
    /// Controllers.
    pub rings: Vec<Ring>,
    /// The reconcile that is open.
    pub pass: Option<PassCard>,
    /// The last passes of the selected controller.
    pub lines: Vec<PassLine>,
}

/// What a program wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// How many events stand beside the timeline, and how many in their own tab.
const EVENTS_BESIDE: usize = 30;
const EVENTS_SHOWN: usize = 200;

/// The screen now, given the screen before.
pub fn frame(desk: &Desk, look: &Look, last: &Frame) -> Frame {
    let mut next = Frame { bar: bar(desk), tally: tally(desk), hint: hint(desk), answer: answer(desk), ..last.clone() };
    if next.answer == last.answer {
        next.answer.clone_from(&last.answer);
    }
    match look.stage {
        Stage::Cluster => keep(&mut next.cluster, cluster(desk, &look.cluster, &last.cluster)),
        Stage::Owners => keep(&mut next.owners, owners(desk, &look.owners)),
        Stage::Services => keep(&mut next.services, services(desk, &look.services)),
    }
    match look.side {
        Side::Loop => keep(&mut next.side, the_loop(desk, look)),
        Side::Object => {}
    }
    match look.drawer {
        Drawer::Time => {
            keep(&mut next.timeline, timeline(desk));
            keep(&mut next.events, events(desk, EVENTS_BESIDE));
        }
        Drawer::Terminal => keep(&mut next.terminal, desk.terminal.view(desk.cluster())),
        Drawer::Events => keep(&mut next.events, events(desk, EVENTS_SHOWN)),
        Drawer::Store | Drawer::Requests | Drawer::Alerts | Drawer::Why => {}
    }
    next
}

/// Puts a part in place unless it is as it was.
fn keep<T: PartialEq>(part: &mut Rc<T>, now: T) {
    if **part != now {
        *part = Rc::new(now);
    }
}

fn bar(desk: &Desk) -> Bar {
    let (cluster, balance) = (desk.cluster(), &desk.notes().balance);
    let behind = desk.session.live().now - desk.now();
    Bar {
        clock: clock::clock(desk.elapsed()),
        steps: cluster.steps,
        revision: cluster.api.store.revision(),
        converged: balance.converged,
        since: clock::span(desk.now() - balance.since),
        turned_at: clock::moment(balance.since - desk.start),
        behind: if desk.session.is_looking_back() { clock::span(behind) } else { String::new() },
        forks: desk.forks,
        can_undo: desk.can_undo(),
    }
}

fn the_loop(desk: &Desk, look: &Look) -> LoopView {
    let passes = &desk.notes().passes;
    LoopView {
        rings: rings(desk.cluster(), passes),
        pass: pass::shown(passes, look.controller, look.pass).map(|p| pass::open(p, desk.start)),
        lines: pass::lines(passes, look.controller, desk.start),
    }
}

fn answer(desk: &Desk) -> Option<Rc<Answer>> {
    let console = desk.cluster().console(desk.console?)?;
    let output = console.output();
    Some(Rc::new(Answer { title: console.program.title(), stdout: output.stdout(), stderr: output.stderr(), exit: console.exit() }))
}
