//! The run in front of a person, and everything that a person can do to it: act, let time pass, go back.

use super::notes::Notes;
use super::notes::passes::Happened;
use super::terminal::Terminal;
use crate::api::time::{Span, Time};
use crate::kubectl::{CommandLine, Saved};
use crate::sim::{Cluster, Command, Config, Draft, Fault, Process, Program, Record, Session};
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
/// A step of one phase gives up after so many events, so that a cluster that only hums does not hold the page.
const PHASE_STEPS: u64 = 5_000;

/// A run with what has been noted of it.
#[derive(Debug)]
pub struct Desk {
    /// The run, with what is noted of it.
    pub session: Session<Notes>,
    /// When the run began.
    pub start: Time,
    /// How often something was done in the past, which then went another way.
    pub forks: u32,
    /// The program whose answer is shown.
    pub console: Option<u64>,
    /// The person's terminal.
    pub terminal: Terminal,
}

impl Desk {
    /// A cluster on which nothing has been applied.
    pub fn new(config: Config) -> Desk {
        let cluster = Cluster::new(config);
        let (start, notes) = (cluster.now, Notes::new(&cluster));
        Desk { session: Session::noted(cluster, notes), start, forks: 0, console: None, terminal: Terminal::default() }
    }
    /// What a first visitor finds: three nodes, and the first manifest just applied.
    pub fn first_visit() -> Desk {
        let mut desk = Desk::new(Config::default());
        desk.apply(FIRST_MANIFEST);
        desk
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
    /// Whether desired and actual agree and nothing is under way.
    pub fn is_converged(&self) -> bool {
        self.notes().balance.converged
    }
    /// One event.
    pub fn step(&mut self) -> Option<Record> {
        let known = self.session.is_looking_back();
        let record = self.session.step()?;
        // What programs did in the known past has taken hold already.
        if !known && matches!(record.step.process(), Some(Process::Person(_))) {
            self.terminal.settle(self.session.cluster());
            self.enter_next();
        }
        Some(record)
    }
    /// Lets virtual time pass up to a time, at most so many events. The answer is whether the time was reached.
    pub fn advance(&mut self, until: Time, max_steps: u64) -> bool {
        for _ in 0..max_steps {
            if self.session.next_at().is_none_or(|at| at > until) {
                self.session.run_until(until, 1);
                return true;
            }
            self.step();
        }
        false
    }
    /// Events up to the next observation, decision or answer of a reconcile. The answer is what it was.
    pub fn step_phase(&mut self) -> Option<Happened> {
        for _ in 0..PHASE_STEPS {
            let record = self.step()?;
            if let Some(happened) = Happened::of(&record, self.session.cluster()) {
                return Some(happened);
            }
        }
        None
    }
    /// At most so many events on the way to convergence. The answer is whether it has been reached.
    pub fn converge(&mut self, until: Time, max_steps: u64) -> bool {
        for _ in 0..max_steps {
            if self.is_converged() || self.session.next_at().is_none_or(|at| at > until) {
                break;
            }
            self.step();
        }
        self.is_converged()
    }
    /// Applies a manifest: `kubectl apply -f -`.
    pub fn apply(&mut self, manifest: &str) {
        self.kubectl(&["apply", "-f", "-"], manifest);
    }
    /// Saves an object that kubectl edit handed to the person's editor.
    pub fn save(&mut self, draft: Draft, text: &str) {
        self.run_for_answer(Arc::new(Saved { draft, text: text.to_owned() }));
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
    pub(super) fn run_for_answer(&mut self, program: Arc<dyn Program>) {
        self.give(Command::Run(program));
        self.console = Some(self.session.cluster().last_console());
    }
    /// Breaks or mends something.
    pub fn fault(&mut self, fault: Fault) {
        self.give(Command::Fault(fault));
    }
    /// A command takes hold at once, also while the clock stands still: what is due now happens now.
    pub(super) fn give(&mut self, command: Command) {
        if self.session.is_looking_back() {
            self.forks += 1;
            self.terminal.fork(self.session.cluster());
        }
        self.session.command(command);
        self.advance(self.now(), PHASE_STEPS);
    }
    /// One event back.
    pub fn step_back(&mut self) {
        self.session.seek(self.cluster().steps.saturating_sub(1));
    }
    /// Back to the moment before the last thing that a person did. What is done then takes its place.
    pub fn undo(&mut self) {
        if let Some(after) = self.last_command() {
            self.session.seek(after);
        }
    }
    /// Whether a person had done something before the moment looked at.
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
    }
    /// How long the run has been going.
    pub fn elapsed(&self) -> Span {
        self.now() - self.start
    }
}
