//! The frame: what the screen shows of a run at one moment. Only the visible parts are made; a part that has not changed stays the same pointer, by which a
//! component sees that there is nothing to draw.

use super::alerts::{self, Alerts, alerts};
use super::charts::{Requests, requests};
use super::clock;
use super::cluster::{ClusterView, cluster, tally};
use super::convergence::{Sought, Standing, gap, pods};
use super::embed_panels::Panel;
use super::events::{EventLine, events, events_wanted};
use super::hint::hint;
pub use super::loops::LoopView;
use super::loops::the_loop;
use super::object::{ObjectView, object_view};
use super::object_table::{ObjectTable, object_table};
use super::owners::{OwnerTree, owners};
use super::run::Run;
use super::selection::Selection;
use super::services::{ServicesView, services};
use super::store_log::{StoreView, store_log};
use super::story::{Story, story};
use super::terminal::TerminalView;
use super::timeline::{Timeline, timeline};
use super::twins::{TwinsView, twins};
use super::why::{WhyView, why};
use crate::shell::Line;
use crate::sim::Console;
use std::rc::Rc;

/// The data of a run that the screen shows at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The data of the top bar.
    pub bar: Bar,
    /// The view of nodes and pods.
    pub cluster: Rc<ClusterView>,
    /// The tree of objects below their owners.
    pub owners: Rc<OwnerTree>,
    /// The view of Services and their endpoints.
    pub services: Rc<ServicesView>,
    /// The table of all objects of one kind.
    pub table: Rc<ObjectTable>,
    /// The numbers of nodes and pods, as text.
    pub tally: String,
    /// The known reason why the desired state is not reached. It is sought again only when something has changed.
    pub sought: Rc<Sought>,
    /// A sentence about what to look at or try next.
    pub hint: String,
    /// The view of the selected controller's loop.
    pub side: Rc<LoopView>,
    /// The view of the object that is open.
    pub object: Rc<ObjectView>,
    /// The log of the store's revisions.
    pub store: Rc<StoreView>,
    /// The reasons why the open object is as it is.
    pub why: Rc<WhyView>,
    /// The newest Events of the API, newest first.
    pub events: Rc<Vec<EventLine>>,
    /// The timeline of the run.
    pub timeline: Rc<Timeline>,
    /// The charts of requests and queues over time.
    pub requests: Rc<Requests>,
    /// The alerts on lasting drift.
    pub alerts: Rc<Alerts>,
    /// The story of what just happened. It is made only while it is visible: in the drawer's tab, and beside the timeline in the layout *Learn*.
    pub story: Rc<Story>,
    /// The run and its twin, a second cluster with one difference, side by side.
    pub twins: Rc<TwinsView>,
    /// The output of the last program that was not run in the terminal.
    pub answer: Option<Rc<Answer>>,
    /// The lines and the output of the terminal.
    pub terminal: Rc<TerminalView>,
}

/// The data of the top bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// The virtual time since the run began, as text.
    pub clock: String,
    /// The number of steps of the simulator so far.
    pub steps: u64,
    /// The revision of the store at this moment.
    pub revision: u64,
    /// Set if desired and actual agree and nothing is left to do.
    pub converged: bool,
    /// The state of the cluster: converged, drifting or stuck, with the reason.
    pub standing: Standing,
    /// The numbers of ready and of wanted pods, as text.
    pub pods: String,
    /// The words of the badge beside the state's name, and a sentence for whoever points at it; see [`gap`].
    pub gap: (String, String),
    /// The time since desired and actual began to agree or to differ, as text.
    pub since: String,
    /// The moment at which desired and actual began to agree or to differ, as text.
    pub turned_at: String,
    /// The time between this moment and the newest, as text; empty at the newest.
    pub behind: String,
    /// The number of forks: times that a person has acted in the past, after which the run went another way.
    pub forks: u32,
    /// The number of branches that these forks have left behind.
    pub branches: usize,
    /// The number of steps after this moment, which a command here would leave behind as a branch.
    pub later: u64,
    /// Set if there is a command of a person to undo.
    pub can_undo: bool,
    /// The number of alerts that fire.
    pub firing: usize,
    /// Set if the run's twin, a second cluster beside it, has yet to reach this moment.
    pub catching_up: bool,
}

/// The output of a program that was not run in the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The command that started the program.
    pub title: String,
    /// The program's standard output.
    pub stdout: String,
    /// The program's standard error.
    pub stderr: String,
    /// The program's exit code; `None` while it runs.
    pub exit: Option<i32>,
}

/// The greatest number of Events that are listed beside the timeline.
const EVENTS_BESIDE: usize = 30;
/// The greatest number of Events that are listed in the tab of Events.
const EVENTS_SHOWN: usize = 200;
/// The most programs that are searched for the one whose output is shown.
const LOOKED_BACK: usize = 500;

/// Makes the frame, given the one before. Only the visible parts are made anew.
pub fn frame(run: &Run, selection: &Selection, last: &Frame) -> Frame {
    let sought = Sought::seek(run, &last.sought);
    let bar = bar(run, selection, sought.standing(run));
    let hint = hint(run, &bar.standing, &sought);
    let mut next = Frame { bar, tally: tally(run), sought, hint, answer: answer(run), ..last.clone() };
    if next.answer == last.answer {
        next.answer.clone_from(&last.answer);
    }
    let looks_at = |panel: Panel| selection.looks_at(panel);
    if looks_at(Panel::Cluster) {
        keep(&mut next.cluster, || cluster(run, &selection.cluster, &last.cluster));
    }
    if looks_at(Panel::Owners) {
        keep(&mut next.owners, || owners(run, &selection.owners));
    }
    if looks_at(Panel::Services) {
        keep(&mut next.services, || services(run));
    }
    if looks_at(Panel::Objects) {
        keep(&mut next.table, || object_table(run, &selection.table, &last.table));
    }
    if looks_at(Panel::Twins) {
        keep(&mut next.twins, || twins(run, &last.twins));
    }
    // If the loop has not been drawn yet, all steps are new to it.
    let drawn = if last.side.rings.is_empty() { 0 } else { last.bar.steps };
    if [Panel::Loop, Panel::Pass, Panel::Code].into_iter().any(looks_at) {
        keep(&mut next.side, || the_loop(run, selection, &last.side, drawn));
    }
    if looks_at(Panel::Object) {
        keep(&mut next.object, || object_view(run, selection, &last.object));
    }
    make_drawer(run, selection, &mut next, last);
    next
}

/// Makes the visible parts of the drawer along the bottom.
fn make_drawer(run: &Run, selection: &Selection, next: &mut Frame, last: &Frame) {
    let looks_at = |panel: Panel| selection.looks_at(panel);
    if looks_at(Panel::Story) {
        keep(&mut next.story, || story(run, &selection.story));
    }
    if looks_at(Panel::Time) {
        keep(&mut next.timeline, || timeline(run, &selection.time));
    }
    if looks_at(Panel::Events) {
        keep(&mut next.events, || events_wanted(run, &selection.events, EVENTS_SHOWN));
    } else if looks_at(Panel::Time) {
        keep(&mut next.events, || events(run, EVENTS_BESIDE));
    }
    if looks_at(Panel::Terminal) {
        keep(&mut next.terminal, || run.terminal.view(run.cluster()));
    }
    if looks_at(Panel::Store) {
        keep(&mut next.store, || store_log(run, selection, &last.store));
    }
    if looks_at(Panel::Why) {
        keep(&mut next.why, || why(run, selection, &last.why));
    }
    if looks_at(Panel::Requests) {
        keep(&mut next.requests, || requests(run, &selection.time));
    }
    if looks_at(Panel::Alerts) {
        keep(&mut next.alerts, || alerts(run, selection.time.alert_after));
    }
}

/// Replaces a part of the frame if it has changed. One that looks as before stays the same pointer, so that it is not drawn again.
fn keep<T: PartialEq>(part: &mut Rc<T>, make: impl FnOnce() -> T) {
    let now = make();
    if **part != now {
        *part = Rc::new(now);
    }
}

fn bar(run: &Run, selection: &Selection, standing: Standing) -> Bar {
    let (cluster, balance) = (run.cluster(), &run.notes().balance);
    let behind = run.session.live().now - run.now();
    // Routine work does not end convergence, although `balance.since` begins anew with it.
    let since = balance.rest().filter(|_| standing == Standing::Converged).unwrap_or(balance.since);
    Bar {
        clock: clock::clock(run.elapsed()),
        steps: cluster.steps,
        revision: cluster.api.store.revision(),
        converged: balance.converged,
        gap: gap(run, &standing),
        standing,
        pods: pods(run),
        since: clock::span(run.now() - since),
        turned_at: clock::moment(since - run.start),
        behind: if run.session.is_looking_back() { clock::span(behind) } else { String::new() },
        forks: run.forks,
        branches: run.branches.len(),
        catching_up: run.twin_is_behind(),
        later: run.session.live().steps - cluster.steps,
        firing: alerts::firing(balance, run.now(), selection.time.alert_after),
        can_undo: run.can_undo(),
    }
}

impl Bar {
    /// Returns a sentence about what acting at this moment does; empty at the newest moment.
    pub fn past_words(&self) -> String {
        if self.behind.is_empty() {
            return String::new();
        }
        let steps = clock::count(self.later as usize, "later step is", "later steps are");
        format!("What you do here, {} before now, starts a new branch; the {steps} kept as another.", self.behind)
    }
}

/// Returns the output of the last command that was not given in the terminal, at the selected moment.
fn answer(run: &Run) -> Option<Rc<Answer>> {
    let (cluster, newest) = (run.cluster(), run.console?);
    let console = (1..=newest.min(cluster.last_console())).rev().take(LOOKED_BACK).find_map(|id| {
        let is_line = |console: &&Console| console.program.source().is_some_and(|source| source.is::<Line>());
        cluster.console(id).filter(|console| !is_line(console))
    })?;
    let output = console.output();
    Some(Rc::new(Answer { title: console.program.title(), stdout: output.stdout(), stderr: output.stderr(), exit: console.exit() }))
}
