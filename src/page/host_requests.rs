//! The methods for the host (the page around this one). A host may do the same things as a person, is not bound by `readonly`, and gets answers.
//! `crate::embed::port` turns messages into these calls.

use super::{FocusTarget, Pace, Page, Pane, Travel};
use crate::api::time::Span;
use crate::shell::Line;
use crate::sim::{Config, Console, Fault};
use crate::view::Panel;
use crate::view::convergence::{Standing, standing};
use crate::view::share::{Done, Input, Moment, Share};
use crate::view::stepping::Whose;
use serde::Serialize;
use std::sync::Arc;

/// The maximum number of simulator steps that are done to get the answer to an applied manifest.
const APPLY_STEPS: u32 = 10_000;

/// The status of the run, in the words of `engine.js`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The time of the selected moment, in seconds since the run began.
    pub time: f64,
    /// The number of steps of the simulator up to the selected moment.
    pub step: u64,
    /// Set if the selected moment is the newest of the run.
    pub live: bool,
    /// Set while virtual time passes.
    pub playing: bool,
    /// The state of the cluster: `converged`, `drifting` or `stuck`.
    pub standing: &'static str,
    /// Set if desired and actual agree.
    pub converged: bool,
    /// The reason why the cluster is stuck, if it is.
    pub reason: Option<String>,
    /// The numbers of pods that workloads want, and of ready ones.
    pub pods: PodCounts,
    /// The number of commands that the run has been given.
    pub commands: usize,
}

/// The numbers of wanted and of ready pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PodCounts {
    /// The number of pods that workloads want.
    pub desired: i64,
    /// The number of ready pods.
    pub ready: i64,
}

/// The output and the exit code of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandResult {
    /// The program's exit code; `None` if time stands still and the program has not ended.
    pub exit_code: Option<i32>,
    /// The program's standard output.
    pub stdout: String,
    /// The program's standard error.
    pub stderr: String,
}

/// The outcome of a line that the host entered in the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// The line only reads, and was answered from the selected moment.
    Answered(CommandResult),
    /// The line runs as the program with this number.
    Runs(u64),
    /// The line was not run, because the terminal runs another program.
    Busy,
}

/// A step that a host asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostStep {
    /// One step of the simulator.
    Event,
    /// One step of the simulator, back in time.
    Back,
    /// All steps of the simulator up to the next phase (observe, diff or act) of any reconcile.
    Phase,
}

impl Page {
    /// Returns the status of the run.
    pub fn status(&self) -> Status {
        let (run, balance) = (&self.run, &self.run.notes().balance);
        let standing = standing(run);
        let reason = if let Standing::Stuck(why) = &standing { Some(why.words.clone()) } else { None };
        Status {
            time: seconds(run.elapsed()),
            step: run.cluster().steps,
            live: !run.session.is_looking_back(),
            playing: self.pace != Pace::Paused,
            standing: match standing {
                Standing::Converged => "converged",
                Standing::Drifting => "drifting",
                Standing::Stuck(_) => "stuck",
            },
            converged: standing == Standing::Converged,
            reason,
            pods: PodCounts { desired: balance.desired, ready: balance.ready },
            commands: run.session.commands().len(),
        }
    }
    /// Applies a manifest and puts it into the editor. Returns the number of the program that applies it.
    pub fn host_apply(&mut self, manifest: &str) -> u64 {
        self.end_editing();
        self.text = manifest.into();
        self.apply_manifest();
        self.after_host();
        self.run.cluster().last_console()
    }
    /// Runs a line as if it were typed in the terminal. A manifest that was applied before gets its answer first.
    pub fn host_enter(&mut self, line: &str) -> Entered {
        self.finish_apply();
        let reads = Line { text: line.to_owned(), env: self.run.terminal.env().clone() };
        if let Some(console) = self.run.cluster().answer_still(Arc::new(reads)) {
            return Entered::Answered(result_of(&console));
        }
        if self.run.terminal.running(self.run.cluster()).is_some() {
            return Entered::Busy;
        }
        self.run.enter(line);
        self.after_host();
        Entered::Runs(self.run.cluster().last_console())
    }
    /// Returns the result of a program; `None` as long as it runs and time passes. The result of a program that is unknown at this moment is empty.
    pub fn host_result(&self, console: u64) -> Option<CommandResult> {
        let result = self.run.cluster().console(console).map(result_of);
        let is_over = result.as_ref().is_none_or(|result| result.exit_code.is_some());
        (is_over || self.pace == Pace::Paused).then(|| result.unwrap_or_else(unknown))
    }
    /// Injects a fault, or ends one.
    pub fn host_fault(&mut self, fault: Fault) {
        self.run.fault(fault);
        self.after_host();
    }
    /// Does `count` steps forward or back, and stops the clock.
    pub fn host_step(&mut self, step: HostStep, count: u32) {
        self.host_pause();
        self.run.go_on();
        for _ in 0..count {
            match step {
                HostStep::Event => drop(self.run.step()),
                HostStep::Back => self.run.step_back(),
                HostStep::Phase => drop(self.run.step_phase_of(Whose::Any)),
            }
        }
        self.after_host();
    }
    /// Lets time pass at the speed with this index, or at the present speed for `None`.
    pub fn host_play(&mut self, speed: Option<usize>) {
        self.speed = speed.unwrap_or(self.speed);
        if self.pace == Pace::Paused {
            self.travel(Travel::Toggle);
        }
        self.after_host();
    }
    /// Runs as fast as possible until desired and actual agree, for at most `within` of virtual time.
    pub fn host_converge(&mut self, within: Span) {
        self.travel(Travel::Converge);
        if let Pace::ToConvergence(_) = self.pace {
            self.pace = Pace::ToConvergence(self.run.now() + within);
        }
        self.after_host();
    }
    /// Stops the run's clock.
    pub fn host_pause(&mut self) {
        if self.pace != Pace::Paused {
            self.travel(Travel::Toggle);
        }
        self.pace = Pace::Paused;
        self.after_host();
    }
    /// Goes to a moment of the run, also to a future one, but by no more than 20,000 steps. Returns whether the moment was reached.
    pub fn host_seek(&mut self, at: Span) -> bool {
        let to = self.run.start + at;
        self.travel(Travel::To(to));
        if self.run.now() < to {
            self.skip_to(to);
        }
        self.after_host();
        self.run.now() == to || self.run.session.is_looking_back()
    }
    /// Lets the run go on from the selected moment: its later steps become a branch.
    pub fn host_fork(&mut self) {
        self.run.fork_here();
        self.after_host();
    }
    /// Opens a run at the moment that its share state names. The run may still be loading afterwards, as long as [`Page::is_opening`] returns true.
    pub fn host_open(&mut self, share: Share, plays: bool) {
        self.notice = None;
        self.open_share_state(share, plays);
        self.after_host();
    }
    /// Returns whether a run is being opened.
    pub fn is_opening(&self) -> bool {
        self.is_loading()
    }
    /// Returns the share state of a new run in which a manifest is applied at the start, to be shown at the moment `at`.
    pub fn fresh_run(config: Config, manifest: &str, at: Span) -> Share {
        let start = Moment { at: Span(0), after: None };
        let commands = vec![Done { moment: start, input: Input::apply(manifest) }];
        Share { config, manifest: manifest.to_owned(), commands, at: Moment { at, after: None }, ..Share::default() }
    }
    /// Returns the state of the run's clock.
    pub fn pace(&self) -> Pace {
        self.pace
    }
    /// Moves the keyboard focus to a panel; `None` stands for the pane with nodes and pods.
    pub fn host_focus(&mut self, panel: Option<Panel>) {
        let target = match panel {
            Some(Panel::Desired) => FocusTarget::Editor,
            Some(Panel::Terminal) => FocusTarget::Terminal,
            Some(Panel::Cluster | Panel::Owners | Panel::Services | Panel::Objects | Panel::Twins) | None => {
                FocusTarget::Pane(Pane::Actual)
            }
            Some(Panel::Loop | Panel::Pass | Panel::Code | Panel::Object) => FocusTarget::Pane(Pane::Loop),
            Some(Panel::Story | Panel::Time | Panel::Events | Panel::Store | Panel::Requests | Panel::Alerts | Panel::Why) => {
                FocusTarget::Pane(Pane::Time)
            }
        };
        self.move_focus(target);
        if let Some(panel) = panel {
            self.selection.panels.invite(panel);
        }
        self.after_host();
    }
    /// Lets time pass until the manifest that was applied last has its answer: a host that loads a manifest and sends a command as soon as the page is ready
    /// expects its objects to exist. While time stands still, the command waits behind the manifest anyway.
    fn finish_apply(&mut self) {
        let console = self.run.cluster().last_console();
        for _ in 0..APPLY_STEPS {
            let is_over = self.run.terminal.running(self.run.cluster()).is_some() || self.host_result(console).is_some();
            if is_over || self.run.step().is_none() {
                break;
            }
        }
    }
    /// Counts a host's action like a person's, and makes a new frame.
    fn after_host(&mut self) {
        self.actions += 1;
        self.take_draft();
        self.refresh();
    }
}

fn result_of(console: &Console) -> CommandResult {
    let output = console.output();
    CommandResult { exit_code: console.exit(), stdout: output.stdout(), stderr: output.stderr() }
}

/// Returns the empty result of a program that was started in a part of the run that has been left since.
fn unknown() -> CommandResult {
    CommandResult { exit_code: None, stdout: String::new(), stderr: String::new() }
}

/// Converts a span to seconds.
pub fn seconds(span: Span) -> f64 {
    span.0 as f64 / 1_000_000.0
}
