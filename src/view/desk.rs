//! The run in front of a person, and everything that a person can do to it.

use super::terminal::Terminal;
use super::watch::{Happened, Watch};
use crate::api::time::{Span, Time};
use crate::kubectl::{CommandLine, Saved};
use crate::sim::{Command, Config, Draft, Fault, Process, Record, Session};
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
const NAMESPACE: &str = "default";
/// A step of one phase gives up after so many events, so that a cluster that only hums does not hold the page.
const PHASE_STEPS: u64 = 5_000;

/// A run with what has been noted of it.
#[derive(Debug)]
pub struct Desk {
    /// The run.
    pub session: Session,
    /// What has been noted.
    pub watch: Watch,
    /// When the run began.
    pub start: Time,
    /// The program whose answer is shown.
    pub console: Option<u64>,
    /// The person's terminal.
    pub terminal: Terminal,
}

impl Desk {
    /// A cluster on which nothing has been applied.
    pub fn new(config: Config) -> Desk {
        let session = Session::new(config);
        let start = session.cluster().now;
        Desk { session, watch: Watch::new(start), start, console: None, terminal: Terminal::default() }
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
    /// Whether desired and actual agree and nothing is under way.
    pub fn is_converged(&self) -> bool {
        self.session.cluster().is_converged()
    }
    /// One event.
    pub fn step(&mut self) -> Option<Record> {
        let record = self.session.step()?;
        self.watch.note(&record, self.session.cluster());
        if matches!(record.step.process(), Some(Process::Person(_))) {
            self.terminal.settle(self.session.cluster());
            self.enter_next();
        }
        Some(record)
    }
    /// Lets virtual time pass up to a time, at most so many events. The answer is whether the time was reached.
    pub fn advance(&mut self, until: Time, max_steps: u64) -> bool {
        for _ in 0..max_steps {
            if self.session.cluster().queue.next_at().is_none_or(|at| at > until) {
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
            if self.is_converged() || self.session.cluster().queue.next_at().is_none_or(|at| at > until) {
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
        self.give(Command::Run(Arc::new(Saved { draft, text: text.to_owned() })));
        self.console = Some(self.session.cluster().last_console());
    }
    /// Deletes a pod through the API server.
    pub fn delete_pod(&mut self, namespace: &str, name: &str) {
        self.kubectl(&["delete", "pod", name, "-n", namespace], "");
    }
    /// Runs kubectl. What it writes is shown as the answer.
    pub fn kubectl(&mut self, words: &[&str], stdin: &str) {
        let words = words.iter().map(|w| (*w).to_owned()).collect();
        let line = CommandLine { words, stdin: stdin.to_owned(), namespace: NAMESPACE.into(), files: Vec::new(), editor: false };
        self.give(Command::Run(Arc::new(line)));
        self.console = Some(self.session.cluster().last_console());
    }
    /// Breaks or mends something.
    pub fn fault(&mut self, fault: Fault) {
        self.give(Command::Fault(fault));
    }
    /// A command takes hold at once, also while the clock stands still: what is due now happens now.
    pub(super) fn give(&mut self, command: Command) {
        self.session.command(command);
        self.advance(self.now(), PHASE_STEPS);
    }
    /// How long the run has been going.
    pub fn elapsed(&self) -> Span {
        self.now() - self.start
    }
}
