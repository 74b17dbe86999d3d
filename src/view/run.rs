//! The run in front of a person, and everything that a person can do to it: act, let time pass, go back.

use super::branches::Branch;
use super::breakpoints::{Breakpoints, Stop};
use super::notes::Notes;
use super::notes::passes::Happened;
use super::terminal::Terminal;
use super::twins::Twin;
use crate::api::time::{Span, Time};
use crate::kubectl::{CommandLine, SaveEdit};
use crate::sim::{Cluster, Command, Config, Draft, Extension, Fault, Process, Program, Record, Session};
use std::sync::Arc;

/// The manifest a first visitor finds, already applied.
pub const FIRST_MANIFEST: &str = "\
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: my-app
spec:
  replicas: 3 # <-- The sacred number
  selector:
    matchLabels:
      app: my-app
  template:
    metadata:
      labels:
        app: my-app
    spec:
      containers:
      - name: nginx
        image: nginx:1.25
";

/// The namespace in which a person works.
pub(super) const NAMESPACE: &str = "default";
/// The number of events after which a step of one phase gives up, so that a cluster with only background work does not hold the page.
pub(super) const PHASE_STEPS: u64 = 5_000;

/// A run with what has been noted of it.
#[derive(Debug)]
pub struct Run {
    /// The run, with what is noted of it.
    pub session: Session<Notes>,
    /// When the run began.
    pub start: Time,
    /// How often something was done in the past, which then went another way.
    pub forks: u32,
    /// Where, as far as those moments are still part of the run.
    pub forked: Vec<Fork>,
    /// What was replaced by that, oldest first.
    pub(super) branches: Vec<Branch>,
    /// The number of the newest of these.
    pub(super) last_branch: u32,
    /// A second cluster beside this one.
    pub twin: Option<Box<Twin>>,
    /// The program whose answer is shown.
    pub console: Option<u64>,
    /// The person's terminal.
    pub terminal: Terminal,
    /// Where the run stops.
    pub breakpoints: Breakpoints,
    /// How many events may follow a command at once.
    pub(super) at_once: u64,
}

/// Something was done in the past, which then went another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// When, in the run's own time.
    pub at: Time,
    /// How many later steps it replaced.
    pub replaced: u64,
}

impl Run {
    /// A cluster on which nothing has been applied.
    pub fn new(config: Config) -> Run {
        let cluster = Cluster::new(config);
        let (start, notes) = (cluster.now, Notes::new(&cluster));
        Run {
            session: Session::noted(cluster, notes),
            start,
            forks: 0,
            forked: Vec::new(),
            branches: Vec::new(),
            last_branch: 0,
            twin: None,
            console: None,
            terminal: Terminal::default(),
            breakpoints: Breakpoints::default(),
            at_once: PHASE_STEPS,
        }
    }
    /// What a first visitor finds: three nodes, and the first manifest just applied.
    pub fn first_visit() -> Run {
        let mut run = Run::new(Config::default());
        run.apply(FIRST_MANIFEST);
        run
    }
    /// The virtual time.
    pub fn now(&self) -> Time {
        self.session.cluster().now
    }
    /// The cluster at the moment looked at.
    pub fn cluster(&self) -> &Cluster {
        self.session.cluster()
    }
    /// What had been noted up to the moment looked at.
    pub fn notes(&self) -> &Notes {
        self.session.notes()
    }
    /// Returns whether desired and actual agree and nothing is under way.
    pub fn is_converged(&self) -> bool {
        self.notes().balance.converged
    }
    /// One event.
    pub fn step(&mut self) -> Option<Record> {
        let record = self.step_alone();
        self.twin_keeps_up(PHASE_STEPS);
        record
    }
    fn step_alone(&mut self) -> Option<Record> {
        let known = self.session.is_looking_back();
        let record = self.session.step()?;
        // What programs did in the known past has taken hold already.
        if !known && matches!(record.step.process(), Some(Process::Person(_))) {
            self.terminal.settle(self.session.cluster());
            self.enter_next();
        }
        Some(record)
    }
    /// Where the run has stopped, if it stands at a breakpoint.
    pub fn stopped(&self) -> Option<&Stop> {
        self.breakpoints.stopped(self.session.cluster())
    }
    /// Stops at a breakpoint that comes before the next event. The answer is whether there is one.
    pub fn stops_here(&mut self) -> bool {
        self.breakpoints.stop(self.session.cluster())
    }
    /// Lets the run go on past the breakpoint at which it stands.
    pub fn go_on(&mut self) {
        self.breakpoints.go_on(self.session.cluster());
    }
    /// Lets virtual time pass up to a time, at most so many events. The answer is whether the time or a breakpoint was reached. A twin that is behind comes first.
    pub fn advance(&mut self, until: Time, max_steps: u64) -> bool {
        self.twin_keeps_up(max_steps) && self.advance_alone(until, max_steps) & self.twin_keeps_up(max_steps)
    }
    fn advance_alone(&mut self, until: Time, max_steps: u64) -> bool {
        for _ in 0..max_steps {
            if self.session.next_at().is_none_or(|at| at > until) {
                self.session.run_until(until, 1);
                return true;
            }
            if self.breakpoints.stop(self.session.cluster()) {
                return true;
            }
            self.step_alone();
        }
        false
    }
    /// Events up to the next observation, decision or answer of a reconcile. The answer is what it was.
    pub fn step_phase(&mut self) -> Option<Happened> {
        self.go_on();
        for _ in 0..PHASE_STEPS {
            if self.breakpoints.stop(self.session.cluster()) {
                return None;
            }
            let record = self.step_alone()?;
            self.twin_keeps_up(PHASE_STEPS);
            if let Some(happened) = Happened::of(&record, self.session.cluster()) {
                return Some(happened);
            }
        }
        None
    }
    /// At most so many events on the way to convergence. The answer is whether it, a breakpoint or a place without a way on has been reached.
    pub fn converge(&mut self, until: Time, max_steps: u64) -> bool {
        for _ in 0..max_steps {
            if self.has_settled() || self.session.next_at().is_none_or(|at| at > until) {
                break;
            }
            if self.breakpoints.stop(self.session.cluster()) {
                return true;
            }
            self.step_alone();
        }
        self.twin_keeps_up(max_steps);
        self.has_settled()
    }
    /// Applies a manifest: `kubectl apply -f -`.
    pub fn apply(&mut self, manifest: &str) {
        self.kubectl(&["apply", "-f", "-"], manifest);
    }
    /// Saves an object that kubectl edit handed to the person's editor. Returns the number of the program that does so.
    pub fn save(&mut self, draft: Draft, text: &str) -> u64 {
        let is_given_up = *text == draft.original;
        self.run_for_answer(Arc::new(SaveEdit { draft: draft.clone(), text: text.to_owned() }));
        let console = self.session.cluster().last_console();
        self.terminal.follow_up(&draft, console);
        if is_given_up {
            self.terminal.drop_drafts();
        }
        self.terminal.settle(self.session.cluster());
        console
    }
    /// Deletes a pod through the API server.
    pub fn delete_pod(&mut self, namespace: &str, name: &str) {
        self.kubectl(&["delete", "pod", name, "-n", namespace], "");
    }
    /// Runs kubectl. What it writes is shown as the answer.
    pub fn kubectl(&mut self, words: &[&str], stdin: &str) {
        let words = words.iter().map(|w| (*w).to_owned()).collect();
        let line = CommandLine { words, stdin: stdin.to_owned(), namespace: NAMESPACE.into(), files: Vec::new(), editor: false };
        self.run_for_answer(Arc::new(line));
    }
    /// Runs a program whose words are shown as the answer.
    pub fn run_for_answer(&mut self, program: Arc<dyn Program>) {
        self.give(Command::Run(program));
        self.console = Some(self.session.cluster().last_console());
    }
    /// Ends a program where it is, as Ctrl-C does.
    pub fn interrupt_program(&mut self, id: u64) {
        self.give(Command::Interrupt(id));
    }
    /// Breaks or mends something.
    pub fn fault(&mut self, fault: Fault) {
        self.give(Command::Fault(fault));
    }
    /// Adds a kind or a controller to the cluster.
    pub fn extend(&mut self, extension: Extension) {
        self.give(Command::Extend(extension));
    }
    /// A command takes hold at once, also while the clock stands still: what is due now happens now.
    pub(super) fn give(&mut self, command: Command) {
        if self.session.is_looking_back() {
            self.keep_branch();
            self.forks += 1;
            let (at, steps) = (self.now(), self.cluster().steps);
            self.forked.retain(|fork| fork.at < at);
            self.forked.push(Fork { at, replaced: self.session.live().steps - steps });
            self.terminal.fork(self.session.cluster());
        }
        self.twin_hears(&command);
        self.session.command(command);
        self.advance_alone(self.now(), self.at_once);
        self.twin_keeps_up(PHASE_STEPS);
    }
    /// One event back.
    pub fn step_back(&mut self) {
        self.session.seek(self.cluster().steps.saturating_sub(1));
        self.twin_follows();
    }
    /// Back to the moment before the last thing that a person did. What is done then takes its place.
    pub fn undo(&mut self) {
        if let Some(after) = self.last_command() {
            self.session.seek(after);
            self.twin_follows();
        }
    }
    /// Returns whether a person had done something before the moment looked at.
    pub fn can_undo(&self) -> bool {
        self.last_command().is_some()
    }
    /// The step after which the last command before the moment looked at was given.
    fn last_command(&self) -> Option<u64> {
        let steps = self.cluster().steps;
        let mut commands = self.session.commands().iter().rev();
        commands.find(|given| given.after < steps).map(|given| given.after)
    }
    /// Looks at the last moment at or before a time.
    pub fn seek(&mut self, at: Time) {
        self.session.seek_time(at.max(self.start));
        self.twin_follows();
    }
    /// Looks at the moment after a step.
    pub(super) fn seek_step(&mut self, number: u64) {
        self.session.seek(number);
        self.twin_follows();
    }
    /// Goes back to the newest moment.
    pub fn return_to_live(&mut self) {
        self.session.return_to_live();
        self.twin_follows();
    }
    /// A run of its own that begins at the moment looked at, with the same past: what happens in one of them does not happen in the other.
    pub fn fork(&self) -> Run {
        let mut session = self.session.clone();
        session.forget_future();
        Run {
            session,
            start: self.start,
            forks: self.forks,
            forked: self.forked.clone(),
            branches: Vec::new(),
            last_branch: self.last_branch,
            twin: None,
            console: self.console,
            terminal: Terminal::default(),
            breakpoints: Breakpoints::default(),
            at_once: PHASE_STEPS,
        }
    }
    /// How long the run has been going.
    pub fn elapsed(&self) -> Span {
        self.now() - self.start
    }
}
