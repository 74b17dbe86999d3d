//! What the page around this one may do: the same things as a person, but not bound by `readonly`, and with answers. `crate::embed::port` turns messages
//! into these.

use super::{FocusTarget, Pace, Page, Pane, Travel};
use crate::api::time::Span;
use crate::shell::Line;
use crate::sim::{Config, Console, Fault};
use crate::view::Panel;
use crate::view::share::{Done, Input, Moment, Share};
use crate::view::standing::{Standing, standing};
use crate::view::stepping::Whose;
use serde::Serialize;
use std::sync::Arc;

/// How the run stands, in the words of `engine.js`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Seconds since the run began.
    pub time: f64,
    /// The number of events so far.
    pub step: u64,
    /// Whether this is the newest moment of the run.
    pub live: bool,
    /// Whether time passes.
    pub playing: bool,
    /// `converged`, `drifting` or `stuck`.
    pub standing: &'static str,
    /// Whether desired and actual agree.
    pub converged: bool,
    /// Why it is stuck.
    pub reason: Option<String>,
    /// Pods of workloads.
    pub pods: PodCounts,
    /// The number of commands so far.
    pub commands: usize,
}

/// Wanted pods, and those of them that are ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PodCounts {
    /// Wanted.
    pub desired: i64,
    /// Ready.
    pub ready: i64,
}

/// What a program wrote, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandResult {
    /// 0 if all went well; none if time stands still and it has not ended.
    pub exit_code: Option<i32>,
    /// What it wrote.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
}

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// It only reads, and is answered from this moment.
    Answered(CommandResult),
    /// It runs as the program of this number.
    Runs(u64),
    /// The terminal is busy with another one.
    Busy,
}

/// A step that a host asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostStep {
    /// One event.
    Event,
    /// One event back.
    Back,
    /// On to the next phase of any reconcile.
    Phase,
}

impl Page {
    /// How the run stands.
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
    /// Applies a manifest, which also stands in the editor then. Returns the number of the program.
    pub fn host_apply(&mut self, manifest: &str) -> u64 {
        self.end_editing();
        self.text = manifest.into();
        self.apply_manifest();
        self.after_host();
        self.run.cluster().last_console()
    }
    /// Runs a line as if it were typed in the terminal.
    pub fn host_enter(&mut self, line: &str) -> Entered {
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
    /// What a program has written; none as long as it runs and time passes, or if it is unknown at this moment.
    pub fn host_result(&self, console: u64) -> Option<CommandResult> {
        let result = self.run.cluster().console(console).map(result_of);
        let is_over = result.as_ref().is_none_or(|result| result.exit_code.is_some());
        (is_over || self.pace == Pace::Paused).then(|| result.unwrap_or_else(unknown))
    }
    /// Breaks or mends something.
    pub fn host_fault(&mut self, fault: Fault) {
        self.run.fault(fault);
        self.after_host();
    }
    /// Goes on or back by so many steps, and stops the clock.
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
    /// Lets time pass at a speed by its place in the list of speeds, or at the present one.
    pub fn host_play(&mut self, speed: Option<usize>) {
        self.speed = speed.unwrap_or(self.speed);
        if self.pace == Pace::Paused {
            self.travel(Travel::Toggle);
        }
        self.after_host();
    }
    /// Runs as fast as possible until desired and actual agree, for at most so long.
    pub fn host_converge(&mut self, within: Span) {
        self.travel(Travel::Converge);
        if let Pace::ToConvergence(_) = self.pace {
            self.pace = Pace::ToConvergence(self.run.now() + within);
        }
        self.after_host();
    }
    /// Stops the clock.
    pub fn host_pause(&mut self) {
        if self.pace != Pace::Paused {
            self.travel(Travel::Toggle);
        }
        self.pace = Pace::Paused;
        self.after_host();
    }
    /// Goes to a moment, also to one that has not come yet, but by no more than 20,000 events. The answer is whether it was reached.
    pub fn host_seek(&mut self, at: Span) -> bool {
        let to = self.run.start + at;
        self.travel(Travel::To(to));
        if self.run.now() < to {
            self.skip_to(to);
        }
        self.after_host();
        self.run.now() == to || self.run.session.is_looking_back()
    }
    /// Opens a run at its moment. It may take a while: [`Page::is_opening`] tells when it is over.
    pub fn host_open(&mut self, share: Share, plays: bool) {
        self.notice = None;
        self.open_share_state(share, plays);
        self.after_host();
    }
    /// Whether a run is being opened.
    pub fn is_opening(&self) -> bool {
        self.is_loading()
    }
    /// A run in which a manifest has just been applied, at a moment of it.
    pub fn fresh_run(config: Config, manifest: &str, at: Span) -> Share {
        let start = Moment { at: Span(0), after: None };
        let commands = vec![Done { moment: start, input: Input::apply(manifest) }];
        Share { config, manifest: manifest.to_owned(), commands, at: Moment { at, after: None }, ..Share::default() }
    }
    /// Whether time passes.
    pub fn pace(&self) -> Pace {
        self.pace
    }
    /// Moves the keyboard focus to a panel, or to the page.
    pub fn host_focus(&mut self, panel: Option<Panel>) {
        let target = match panel {
            Some(Panel::Desired) => FocusTarget::Editor,
            Some(Panel::Terminal) => FocusTarget::Terminal,
            Some(Panel::Cluster | Panel::Owners | Panel::Services | Panel::Objects | Panel::Twins) | None => {
                FocusTarget::Pane(Pane::Actual)
            }
            Some(Panel::Loop | Panel::Pass | Panel::Code | Panel::Object) => FocusTarget::Pane(Pane::Loop),
            Some(_) => FocusTarget::Pane(Pane::Time),
        };
        self.move_focus(target);
        if let Some(panel) = panel {
            self.selection.panels.invite(panel);
        }
        self.after_host();
    }
    /// A host's action counts like a person's, and is drawn.
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

/// The program was started in a part of the run that has been left since.
fn unknown() -> CommandResult {
    CommandResult { exit_code: None, stdout: String::new(), stderr: String::new() }
}

/// A span in seconds.
pub fn seconds(span: Span) -> f64 {
    span.0 as f64 / 1_000_000.0
}
