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

/// The manifest that a first visitor finds already applied.
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
/// The number of steps after which the way to the next phase is given up, so that a cluster with only background work does not block the page.
pub(super) const PHASE_STEPS: u64 = 5_000;

/// A run: a cluster with its past and the notes on it, and everything else that a person has in front of them.
#[derive(Debug)]
pub struct Run {
    /// The cluster with its past, and the notes on it.
    pub session: Session<Notes>,
    /// The virtual time at which the run began.
    pub start: Time,
    /// The number of forks: times that a person acted in the past, after which the run went another way.
    pub forks: u32,
    /// The forks whose moments are still part of the run.
    pub forked: Vec<Fork>,
    /// The branches that forks have left behind, oldest first.
    pub(super) branches: Vec<Branch>,
    /// The number of the newest branch; 0 if there has been none.
    pub(super) last_branch: u32,
    /// The twin, a second cluster beside this one, if there is one.
    pub twin: Option<Box<Twin>>,
    /// The number of the last program that was not run in the terminal; the page shows its output.
    pub console: Option<u64>,
    /// The person's terminal.
    pub terminal: Terminal,
    /// The breakpoints of the run.
    pub breakpoints: Breakpoints,
    /// The maximum number of steps that are done at once right after a command is given.
    pub(super) at_once: u64,
}

/// A fork: a person acted in the past, after which the run went another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// The virtual time of the fork.
    pub at: Time,
    /// The number of later steps that the fork replaced.
    pub replaced: u64,
}

impl Run {
    /// Creates a run with a cluster on which nothing has been applied.
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
    /// Creates the run that a first visitor finds: three nodes, and [`FIRST_MANIFEST`] just applied.
    pub fn first_visit() -> Run {
        let mut run = Run::new(Config::default());
        run.apply(FIRST_MANIFEST);
        run
    }
    /// Returns the virtual time of the selected moment.
    pub fn now(&self) -> Time {
        self.session.cluster().now
    }
    /// Returns the cluster at the selected moment.
    pub fn cluster(&self) -> &Cluster {
        self.session.cluster()
    }
    /// Returns the notes up to the selected moment.
    pub fn notes(&self) -> &Notes {
        self.session.notes()
    }
    /// Returns whether desired and actual agree and nothing is under way.
    pub fn is_converged(&self) -> bool {
        self.notes().balance.converged
    }
    /// Does one step of the simulator, and lets the twin, if there is one, catch up with it. Returns `None` if nothing is left to do.
    pub fn step(&mut self) -> Option<Record> {
        let record = self.step_alone();
        self.twin_keeps_up(PHASE_STEPS);
        record
    }
    fn step_alone(&mut self) -> Option<Record> {
        let known = self.session.is_looking_back();
        let record = self.session.step()?;
        // In the known past, the effects of programs on the terminal have been carried out already.
        if !known && matches!(record.step.process(), Some(Process::Person(_))) {
            self.terminal.settle(self.session.cluster());
            self.enter_next();
        }
        Some(record)
    }
    /// Returns the stop at which the run stands, if it stands at a breakpoint.
    pub fn stopped(&self) -> Option<&Stop> {
        self.breakpoints.stopped(self.session.cluster())
    }
    /// Stops the run if there is a breakpoint before the next step. Returns whether there is.
    pub fn stops_here(&mut self) -> bool {
        self.breakpoints.stop(self.session.cluster())
    }
    /// Lets the run go on past the breakpoint at which it stands.
    pub fn go_on(&mut self) {
        self.breakpoints.go_on(self.session.cluster());
    }
    /// Lets virtual time pass up to `until`, but by at most `max_steps` steps. Returns whether that time or a breakpoint was reached. A twin catches up first.
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
    /// Does steps up to the next observation, decision or answer of a reconcile, and returns it; `None` if a breakpoint or too many steps come first.
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
    /// Does at most `max_steps` steps, until the cluster has converged or is stuck. Returns whether it has come so far, or whether a breakpoint was reached.
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
    /// Saves an object that `kubectl edit` handed to the person's editor. Returns the number of the program that saves it.
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
    /// Runs kubectl as a program of its own instead of a line in the terminal. The page shows its output as the answer to the person's last action.
    pub fn kubectl(&mut self, words: &[&str], stdin: &str) {
        let words = words.iter().map(|w| (*w).to_owned()).collect();
        let line = CommandLine { words, stdin: stdin.to_owned(), namespace: NAMESPACE.into(), files: Vec::new(), editor: false };
        self.run_for_answer(Arc::new(line));
    }
    /// Runs a program on its own instead of as a line in the terminal. The page shows its output as the answer to the person's last action.
    pub fn run_for_answer(&mut self, program: Arc<dyn Program>) {
        self.give(Command::Run(program));
        self.console = Some(self.session.cluster().last_console());
    }
    /// Ends a program, as Ctrl-C does.
    pub fn interrupt_program(&mut self, id: u64) {
        self.give(Command::Interrupt(id));
    }
    /// Injects a fault into the cluster, or ends one.
    pub fn fault(&mut self, fault: Fault) {
        self.give(Command::Fault(fault));
    }
    /// Adds a kind or a controller to the cluster.
    pub fn extend(&mut self, extension: Extension) {
        self.give(Command::Extend(extension));
    }
    /// Leaves the steps after the selected moment behind as a branch: the run goes on from here. Nothing changes at the newest moment.
    pub fn fork_here(&mut self) {
        if self.session.is_looking_back() {
            self.keep_branch();
            self.forks += 1;
            let (at, steps) = (self.now(), self.cluster().steps);
            self.forked.retain(|fork| fork.at < at);
            self.forked.push(Fork { at, replaced: self.session.live().steps - steps });
            self.terminal.fork(self.session.cluster());
            self.session.forget_future();
            self.twin_forks();
        }
    }
    /// Gives the run a command, which takes effect at once, even while time stands still: the steps that are due now are done now.
    pub(super) fn give(&mut self, command: Command) {
        self.fork_here();
        self.twin_hears(&command);
        self.session.command(command);
        self.advance_alone(self.now(), self.at_once);
        self.twin_keeps_up(PHASE_STEPS);
    }
    /// Goes back by one step.
    pub fn step_back(&mut self) {
        self.session.seek(self.cluster().steps.saturating_sub(1));
        self.twin_follows();
    }
    /// Goes back to the moment before the person's last command. A new command that is given at that moment replaces the undone one.
    pub fn undo(&mut self) {
        if let Some(after) = self.last_command() {
            self.session.seek(after);
            self.twin_follows();
        }
    }
    /// Returns whether a person had given a command before the selected moment.
    pub fn can_undo(&self) -> bool {
        self.last_command().is_some()
    }
    /// Returns the number of the step after which the last command before the selected moment was given.
    fn last_command(&self) -> Option<u64> {
        let steps = self.cluster().steps;
        let mut commands = self.session.commands().iter().rev();
        commands.find(|given| given.after < steps).map(|given| given.after)
    }
    /// Selects the last moment at or before a time.
    pub fn seek(&mut self, at: Time) {
        self.session.seek_time(at.max(self.start));
        self.twin_follows();
    }
    /// Selects the moment after the step with this number.
    pub(super) fn seek_step(&mut self, number: u64) {
        self.session.seek(number);
        self.twin_follows();
    }
    /// Selects the newest moment.
    pub fn return_to_live(&mut self) {
        self.session.return_to_live();
        self.twin_follows();
    }
    /// Returns an independent run with the same past, up to the selected moment.
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
    /// Returns the virtual time between the beginning of the run and the selected moment.
    pub fn elapsed(&self) -> Span {
        self.now() - self.start
    }
}
