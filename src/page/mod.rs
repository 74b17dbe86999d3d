//! The page's model: the run, what a person looks at, and every possible action, without a web page.
//!
//! [`Page::update`] takes one [`Action`] after the other; [`Page::screen`] is what the components draw. Neither knows a browser, so what a click
//! does can be tested natively.
//!
//! Of the page's three layers this is the middle one: `view` makes data of the run, this module holds the state of the page around it, `ui` draws.
//!
//! | file | what |
//! | --- | --- |
//! | `action` | all actions, as data |
//! | `embed_controls` | the page as part of another page: controls, read-only |
//! | `editing` | the text in the editor: the manifest, or an object that is edited |
//! | `select` | changes of the selection |
//! | `time` | the clock: play, pause, speed, steps |
//! | `auto` | the speed that follows a reader's attention |
//! | `terminal_line` | the terminal's input line |
//! | `utf16` | positions in a text as browsers count them |
//! | `overlay`, `palette` | menus, dialogs, notices; a search for every action by its name |
//! | `experiments` | three things to try, which the help dialog offers |
//! | `host_requests` | what the host (the page around this one) may do |
//! | `introduction` | the three steps of a first visit |
//! | `shortcuts` | the keys and their actions |
//! | `preferences` | theme, motion, keys and other choices that outlive a visit, in one table |
//! | `room` | the sizes of the panes, folded and maximised ones |
//! | `load_and_save` | loading, saving and starting whole runs |
//! | `stop_reason` | why time stands still |

pub mod action;
pub mod auto;
mod editing;
pub mod embed_controls;
pub mod experiments;
pub mod host_requests;
pub mod introduction;
mod load_and_save;
pub mod overlay;
pub mod palette;
pub mod preferences;
pub mod room;
mod select;
pub mod shortcuts;
pub mod stop_reason;
pub mod terminal_line;
pub mod time;
pub mod utf16;

pub use action::{Action, OverlayAction, RunAction, Select, TerminalAction};
pub use embed_controls::{Controls, Embedding};
pub use introduction::{Introduction, IntroductionAction};
pub use load_and_save::{Found, Revision};
pub use overlay::{HelpPart, Notice, Offer, Overlay};
pub use preferences::{Preference, Preferences};
pub use room::{Room, RoomAction};
pub use stop_reason::StopView;
pub use terminal_line::TerminalLine;
pub use time::{Meter, Pace, SPEEDS, Scope, Tick, Travel};

use crate::api::time::Span;
use crate::sim::Config;
use crate::view::changed_since_apply::Overruled;
use crate::view::frame::frame;
use crate::view::{FIRST_MANIFEST, Frame, Layout, Panel, Panels, Run, Selection};
use auto::Auto;
use editing::{Editing, Saving};
use load_and_save::Runs;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use stop_reason::Ended;

/// The panes of the page. A narrow screen shows one of them at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pane {
    /// The pane with the manifest.
    Desired,
    /// The pane with nodes and pods.
    Actual,
    /// The pane with controllers and objects.
    Loop,
    /// The drawer along the bottom.
    Time,
    /// The terminal in the drawer.
    Terminal,
}

impl Pane {
    /// All panes, in the order of the screen.
    pub const ALL: [Pane; 5] = [Pane::Desired, Pane::Actual, Pane::Loop, Pane::Time, Pane::Terminal];
    /// Returns the pane's name on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Pane::Desired => "Desired",
            Pane::Actual => "Actual",
            Pane::Loop => "Loop",
            Pane::Time => "Time",
            Pane::Terminal => "Terminal",
        }
    }
    /// Returns the pane that contains this one on a wide screen: the drawer contains the terminal.
    pub fn place(self) -> Pane {
        if self == Pane::Terminal { Pane::Time } else { self }
    }
}

/// A part of the page that the keyboard focus can be sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FocusTarget {
    /// A pane as a whole.
    Pane(Pane),
    /// The editor of the manifest.
    Editor,
    /// The terminal's input line.
    Terminal,
}

impl FocusTarget {
    /// Returns the pane that contains the target.
    pub fn pane(self) -> Pane {
        match self {
            FocusTarget::Pane(pane) => pane,
            FocusTarget::Editor => Pane::Desired,
            FocusTarget::Terminal => Pane::Terminal,
        }
    }
}

/// A request to move the keyboard focus. The requests are numbered, so that the same target can be requested twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// The number of requests to move the focus so far.
    pub number: u32,
    /// The part of the page to focus; `None` before the first request.
    pub target: Option<FocusTarget>,
}

/// The settings with which a page starts.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The configuration of the cluster.
    pub config: Config,
    /// The index of the speed in [`SPEEDS`]; `None` for *auto*.
    pub speed: Option<usize>,
    /// Set if the run is paused at first.
    pub paused: bool,
    /// The manifest that is applied at first; `None` for the manifest of a first visit.
    pub manifest: Option<String>,
    /// The time since the run began at which the run is shown first; `None` for its beginning.
    pub at: Option<Span>,
    /// The layout of the panes; `None` for the one in `preferences`.
    pub layout: Option<Layout>,
    /// The person's choices from an earlier visit.
    pub preferences: Preferences,
    /// Set on a first visit: the page shows the introduction.
    pub introduces: bool,
    /// The settings of an embedded page.
    pub embedding: Embedding,
    /// The panels to show instead of panes; empty for panes.
    pub panels: Vec<Panel>,
}

/// The page without a browser: the run, and everything around it that a person can change.
///
/// ```
/// use loopscope::page::{Action, Page, Start, Travel};
///
/// let mut page = Page::new(Start { paused: true, ..Start::default() }, || 0.0);
/// let begun = page.screen();
/// page.update(Action::Travel(Travel::Event));
///
/// let screen = page.screen();
/// assert_eq!(screen.frame.bar.steps, begun.frame.bar.steps + 1);
/// assert_eq!(screen.text, begun.text, "the manifest is as it was");
/// ```
#[derive(Debug)]
pub struct Page {
    run: Run,
    selection: Selection,
    frame: Rc<Frame>,
    pace: Pace,
    speed: usize,
    auto: Auto,
    /// Set while a person goes through the run by single steps: the controller that is looked at stays.
    steps: bool,
    meter: Meter,
    /// The text in the editor; `applied` is the manifest as it was applied last.
    text: Rc<str>,
    applied: Rc<str>,
    /// The fields of the applied manifest whose values have been changed in the cluster since.
    overruled: Overruled,
    /// The object that `kubectl edit` handed over, which is edited in the place of the manifest.
    editing: Option<Editing>,
    /// The object that was saved last in the editor, until the API server has answered.
    saving: Option<Saving>,
    /// Text of the editor that was not applied before something else replaced it.
    replaced: Option<Rc<str>>,
    /// The number of steps at which running until converged ended, and the reason.
    ended: Option<Ended>,
    pane: Pane,
    line: TerminalLine,
    overlay: Overlay,
    /// The number of menus that were opened so far.
    menus: u32,
    notice: Option<Notice>,
    preferences: Preferences,
    embedding: Embedding,
    /// The current step of the introduction; `None` once it is over.
    introduction: Option<introduction::Step>,
    focus: Focus,
    /// The pane in which the keyboard focus was last.
    entered: Option<Pane>,
    runs: Runs,
    /// Set if the run on the screen is put aside, and not dropped, when the run that is being loaded takes its place.
    keeps_previous: bool,
    /// The number of actions so far, other than ticks.
    actions: u64,
    /// Reads the wall clock, in milliseconds.
    wall_ms: fn() -> f64,
}

/// Everything that the components draw, at one moment. A copy is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    /// The run, as plain data for the screen.
    pub frame: Rc<Frame>,
    /// The selection: what the person looks at.
    pub selection: Selection,
    /// The state of the run's clock.
    pub pace: Pace,
    /// The index of the chosen speed in [`SPEEDS`].
    pub speed: usize,
    /// The measured speed of virtual time.
    pub meter: Meter,
    /// The text in the editor.
    pub text: Rc<str>,
    /// The manifest as it was applied last.
    pub applied: Rc<str>,
    /// A sentence about the fields of the applied manifest that have been changed in the cluster since; `None` if there are none.
    pub overruled: Option<Rc<str>>,
    /// The state of the text in the editor in a few words: edited, being applied; empty if it was applied.
    pub text_state: &'static str,
    /// Set if the editor holds an object that `kubectl edit` handed over.
    pub is_draft: bool,
    /// Kind and name of the object that `kubectl edit` handed over, if the editor holds one.
    pub draft_title: Option<Rc<str>>,
    /// Text that has not been applied, which the page keeps for the next visit.
    pub unapplied: Option<Rc<str>>,
    /// The reason why time stands still, if a breakpoint was reached or running until converged has ended.
    pub stop: Option<Rc<StopView>>,
    /// The pane that a narrow screen shows.
    pub pane: Pane,
    /// The terminal's input line.
    pub line: TerminalLine,
    /// The open menu, palette or dialog.
    pub overlay: Overlay,
    /// The notice that the page shows, if there is one.
    pub notice: Option<Notice>,
    /// The person's preferences.
    pub preferences: Preferences,
    /// The settings of an embedded page.
    pub embedding: Embedding,
    /// The sizes of the panes in the current layout.
    pub room: Room,
    /// The step of the introduction that is shown, if one is.
    pub introduction: Option<Introduction>,
    /// Set until the introduction is over.
    pub introduces: bool,
    /// The last request to move the keyboard focus.
    pub focus: Focus,
    /// The numbers of commands and forks of the run: if one changes, there is something new to save.
    pub revision: Revision,
    /// Set if the clock needs ticks from the browser.
    pub needs_ticks: bool,
    /// The number of actions so far while nothing but the clock changes on the screen, otherwise `None`. A new number wakes the driver that sends the ticks.
    pub rest: Option<u64>,
    /// Set if time passes too fast for single steps of the simulator to be followed.
    pub is_fast: bool,
    /// A sentence about the last stretch of time that was skipped; empty for none.
    pub skipped: Rc<str>,
}

impl Page {
    /// Creates a page on which the first manifest has just been applied. `wall_ms` is the wall clock in milliseconds.
    pub fn new(start: Start, wall_ms: fn() -> f64) -> Page {
        let text: Rc<str> = start.manifest.as_deref().unwrap_or(FIRST_MANIFEST).into();
        let mut run = Run::new(start.config);
        run.apply(&text);
        let layout = start.layout.unwrap_or(start.preferences.layout);
        let mut page = Page {
            run,
            selection: Selection { layout, panels: Panels::new(&start.panels), ..Selection::default() },
            frame: Rc::default(),
            pace: if start.paused { Pace::Paused } else { Pace::Playing },
            speed: start.speed.unwrap_or(time::AUTO),
            auto: Auto::default(),
            steps: false,
            meter: Meter::default(),
            text: text.clone(),
            applied: text,
            overruled: Overruled::default(),
            editing: None,
            saving: None,
            replaced: None,
            ended: None,
            pane: Pane::Actual,
            line: TerminalLine::default(),
            overlay: Overlay::None,
            menus: 0,
            notice: None,
            preferences: start.preferences,
            embedding: start.embedding,
            introduction: None,
            focus: Focus::default(),
            entered: None,
            runs: Runs::default(),
            keeps_previous: false,
            actions: 0,
            wall_ms,
        };
        page.show_purpose();
        if start.introduces {
            page.introduce();
        }
        match start.at {
            Some(at) => page.start_at(at),
            None => page.take_head_start(),
        }
        page.refresh();
        page
    }
    /// Returns the run, for reading.
    pub fn run(&self) -> &Run {
        &self.run
    }
    /// Carries out an action. Returns whether the screen has to be drawn.
    pub fn update(&mut self, action: Action) -> bool {
        let pace = self.pace;
        let draws = match &action {
            Action::Tick(tick) => tick.draw,
            _ => {
                self.actions += 1;
                true
            }
        };
        let is_edit = matches!(action, Action::Edit(_));
        let is_tick = matches!(action, Action::Tick(_));
        self.apply_action(action);
        self.note_end(pace, is_tick);
        let draws = draws || self.pace != pace;
        if draws && !is_edit {
            self.take_draft();
            self.refresh();
        }
        draws
    }
    fn apply_action(&mut self, action: Action) {
        if self.refuses(&action) {
            return;
        }
        match action {
            Action::Tick(tick) => self.tick(tick),
            Action::Travel(travel) => self.travel(travel),
            Action::Speed(place) => self.speed = place.min(SPEEDS.len() - 1),
            Action::SpeedStep(faster) => self.speed = time::next_speed(self.speed, faster),
            Action::Select(Select::Drawer(drawer)) => self.show_drawer(drawer),
            Action::Select(change) => self.select(change),
            Action::Run(action) => self.act_on_run(action),
            Action::Edit(text) => self.text = text.into(),
            Action::Apply => self.apply_manifest(),
            Action::Example(manifest) => self.take_example(manifest),
            Action::CancelEdit => self.cancel_edit(),
            Action::StartExample(manifest) => self.start_example(manifest),
            Action::OpenBranch(number) => self.open_branch(number),
            Action::ShowPane(pane) => self.show_pane(pane),
            Action::DismissGuest => self.dismiss_guest(),
            Action::Focus(target) => self.move_focus(target),
            Action::Terminal(action) => self.type_in_terminal(action),
            Action::Overlay(action) => self.change_overlay(action),
            Action::Accept(offer) => self.accept(offer),
            Action::DismissNotice => self.notice = None,
            Action::Room(action) => self.change_room(action),
            Action::Introduction(action) => self.go_on_introducing(action),
            Action::Prefer(preference) => self.prefer(preference),
            Action::OpenRun { what, text } => self.open_run(what, text),
        }
    }
    fn act_on_run(&mut self, action: RunAction) {
        match action {
            RunAction::DeletePod { namespace, name } => {
                self.run.delete_pod(&namespace, &name);
                self.follow_introduction();
            }
            RunAction::Fault(fault) => self.run.fault(fault),
            RunAction::Effect(effect) => self.perform(&effect),
            RunAction::ToggleBreakpoint(point) => self.run.breakpoints.toggle(point),
            RunAction::BeginTwins(variation) => self.run.begin_twins(variation),
            RunAction::EndTwins => self.run.end_twins(),
            RunAction::SendRequest(key) => self.run.send_request(&key),
            RunAction::ToggleLoad(key) => self.run.toggle_load(&key),
        }
    }
    fn move_focus(&mut self, target: FocusTarget) {
        self.close_overlay();
        self.focus = Focus { number: self.focus.number + 1, target: Some(target) };
        self.show_pane(target.pane());
    }
    /// Sets a preference. A layout also arranges the panes of the run on the screen.
    fn prefer(&mut self, preference: Preference) {
        self.preferences.set(preference);
        if let Preference::Layout(layout) = preference {
            self.lay_out(layout);
        }
    }
    /// Makes a new frame, the run as plain data for the screen. Parts that look as before stay the same pointers.
    fn refresh(&mut self) {
        self.run.tell_terminal(self.pace == Pace::Paused);
        self.lead();
        self.frame = Rc::new(frame(&self.run, &self.selection, &self.frame));
        self.overruled.look(&self.applied_manifest().clone(), &self.run);
        self.refresh_help();
    }
    /// Returns everything that the components draw now.
    pub fn screen(&self) -> Screen {
        Screen {
            frame: self.frame.clone(),
            selection: self.selection.clone(),
            pace: self.pace,
            speed: self.speed,
            meter: self.meter,
            text: self.text.clone(),
            applied: self.applied.clone(),
            // An object that is edited in the manifest's place is the live one, so nothing has overruled it. A text that was not applied says something else.
            overruled: self.overruled.words().filter(|_| self.editing.is_none() && self.unapplied().is_none()),
            text_state: self.text_state(),
            is_draft: self.editing.is_some(),
            draft_title: self.draft_title(),
            unapplied: self.unapplied(),
            stop: self.stop(),
            pane: self.pane,
            line: self.line.clone(),
            overlay: self.overlay.clone(),
            notice: self.notice.clone(),
            preferences: self.preferences,
            embedding: self.embedding,
            room: self.room(),
            introduction: self.introduction(),
            introduces: self.introduction.is_some(),
            focus: self.focus,
            revision: self.revision(),
            needs_ticks: self.needs_ticks(),
            rest: self.only_clock_changes().then_some(self.actions),
            is_fast: self.is_fast(),
            skipped: self.auto.skipped(),
        }
    }
}
