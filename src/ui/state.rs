//! One reducer: the run, what a person has chosen, and every change to either.

use loopscope::api::time::{Span, Time};
use loopscope::shell;
use loopscope::sim::{Draft, Fault};
use loopscope::view::{Desk, FIRST_MANIFEST, Frame, Selection, frame};
use std::cell::RefCell;
use std::rc::Rc;
use yew::{AttrValue, Reducible, UseReducerDispatcher};

/// How components tell what a person did.
pub type Dispatch = UseReducerDispatcher<State>;

/// Speeds in thousandths of real time, and their names.
pub const SPEEDS: [(i64, &str); 6] =
    [(10, "0.01×"), (100, "0.1×"), (1_000, "1×"), (10_000, "10×"), (100_000, "100×"), (1_000_000, "1000×")];
const FIRST_SPEED: usize = 2;

/// How long the engine may work in one animation frame. The rest of the 16 ms is for drawing.
const BUDGET_MS: f64 = 7.0;
/// How many events are handled between two looks at the clock on the wall.
const SLICE: u64 = 200;
/// After a pause of the browser's own (a hidden tab) the run does not catch up.
const LONGEST_FRAME_MS: f64 = 100.0;
/// Running until converged gives up after so much virtual time.
const PATIENCE: Span = Span::secs(3_600);

/// Whether and how time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It stands still.
    Paused,
    /// It passes at the chosen speed.
    Playing,
    /// It passes as fast as it can until desired and actual agree, or until a time.
    ToConvergence(Time),
}

/// The panes, of which a narrow screen shows one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The manifest.
    Desired,
    /// Nodes and pods.
    Actual,
    /// Controllers.
    Loop,
    /// Timeline and events.
    Time,
    /// The terminal.
    Terminal,
}

impl Pane {
    /// All, in the order of the screen.
    pub const ALL: [Pane; 5] = [Pane::Desired, Pane::Actual, Pane::Loop, Pane::Time, Pane::Terminal];
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Pane::Desired => "Desired",
            Pane::Actual => "Actual",
            Pane::Loop => "Loop",
            Pane::Time => "Time",
            Pane::Terminal => "Terminal",
        }
    }
    /// The name of its style.
    pub fn class(self) -> &'static str {
        match self {
            Pane::Desired => "show-desired",
            Pane::Actual => "show-actual",
            Pane::Loop => "show-loop",
            Pane::Time | Pane::Terminal => "show-time",
        }
    }
}

/// Everything the page shows.
pub struct State {
    desk: Rc<RefCell<Desk>>,
    /// The screen now.
    pub frame: Rc<Frame>,
    /// What is looked at.
    pub selection: Selection,
    /// Whether time passes.
    pub pace: Pace,
    /// Which speed is chosen.
    pub speed: usize,
    /// The manifest as it stands in the editor.
    pub text: AttrValue,
    /// The manifest as it was applied last.
    pub applied: AttrValue,
    /// The pane a narrow screen shows.
    pub pane: Pane,
    /// What the drawer shows.
    pub drawer: Drawer,
    /// The terminal's line.
    pub typing: Typing,
    /// An object that is being edited for kubectl edit.
    pub draft: Option<Rc<Draft>>,
}

/// What a person, or the clock, does.
pub enum Action {
    /// So many milliseconds have passed.
    Tick(f64),
    /// Play or pause.
    TogglePlay,
    /// One event.
    StepEvent,
    /// Up to the next phase of a reconcile.
    StepPhase,
    /// As fast as possible until desired and actual agree.
    RunUntilConverged,
    /// Another speed.
    Speed(usize),
    /// The manifest was edited.
    Edit(String),
    /// The manifest is applied.
    Apply,
    /// A pod is deleted through the API server.
    DeletePod(String, String),
    /// Something breaks or is mended.
    Fault(Fault),
    /// A controller is looked at.
    Controller(usize),
    /// A pass is looked at; none: the newest.
    Pass(Option<u64>),
    /// A narrow screen shows another pane.
    Pane(Pane),
    /// The drawer along the bottom shows something else.
    Drawer(Drawer),
    /// The terminal's line was edited.
    Line(String),
    /// The terminal's line is run.
    Enter,
    /// What may stand at a place of the line, in UTF-16 units as browsers count.
    Complete(usize),
    /// An earlier (-1) or later (1) line.
    Recall(isize),
    /// What runs in the terminal is ended, or the line is given up.
    Interrupt,
    /// The terminal's screen is cleared.
    ClearTerminal,
}

/// What the drawer along the bottom shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawer {
    /// Timeline and events.
    Time,
    /// The terminal.
    Terminal,
}

impl Drawer {
    /// All, in the order of the tabs.
    pub const ALL: [Drawer; 2] = [Drawer::Time, Drawer::Terminal];
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Drawer::Time => "Time",
            Drawer::Terminal => "Terminal",
        }
    }
}

/// The line in the terminal.
#[derive(Clone, Default)]
pub struct Typing {
    /// What stands in it.
    pub line: AttrValue,
    /// What may stand at the cursor, if that was asked.
    pub choices: Rc<Vec<String>>,
    /// Which line of the history it is, counted from the newest; 0 is a new one.
    recalled: usize,
}

impl State {
    /// What a first visitor finds.
    pub fn first_visit() -> State {
        let desk = Desk::first_visit();
        let selection = Selection::default();
        State {
            frame: Rc::new(frame(&desk, &selection)),
            desk: Rc::new(RefCell::new(desk)),
            selection,
            pace: Pace::Playing,
            speed: FIRST_SPEED,
            text: FIRST_MANIFEST.into(),
            applied: FIRST_MANIFEST.into(),
            pane: Pane::Actual,
            drawer: Drawer::Time,
            typing: Typing::default(),
            draft: None,
        }
    }
    fn copy(&self) -> State {
        State {
            desk: self.desk.clone(),
            frame: self.frame.clone(),
            selection: self.selection.clone(),
            pace: self.pace,
            speed: self.speed,
            text: self.text.clone(),
            applied: self.applied.clone(),
            pane: self.pane,
            drawer: self.drawer,
            typing: self.typing.clone(),
            draft: self.draft.clone(),
        }
    }
    fn tick(&mut self, elapsed_ms: f64) {
        let mut desk = self.desk.borrow_mut();
        let ends = wall_ms() + BUDGET_MS;
        match self.pace {
            Pace::Paused => {}
            Pace::Playing => {
                let thousandths = SPEEDS.get(self.speed).map_or(1_000, |s| s.0) as f64;
                let until = desk.now() + Span((elapsed_ms.clamp(0.0, LONGEST_FRAME_MS) * thousandths) as i64);
                while !desk.advance(until, SLICE) && wall_ms() < ends {}
            }
            Pace::ToConvergence(until) => {
                while !desk.converge(until, SLICE) && desk.now() < until && wall_ms() < ends {}
                if desk.is_converged() || desk.now() >= until {
                    self.pace = Pace::Paused;
                }
            }
        }
    }
    fn step_phase(&mut self) {
        self.pace = Pace::Paused;
        if let Some(happened) = self.desk.borrow_mut().step_phase() {
            self.selection = Selection { controller: happened.controller, pass: None };
        }
    }
    fn run_until_converged(&mut self) {
        let mut desk = self.desk.borrow_mut();
        // From a cluster at rest, one phase leads to the next drift, if there is any to come.
        if desk.is_converged() {
            desk.step_phase();
        }
        self.pace = Pace::ToConvergence(desk.now() + PATIENCE);
    }
}

impl State {
    /// Applies what stands in the editor; an object that kubectl edit handed over is saved instead.
    fn apply(&mut self) {
        self.applied = self.text.clone();
        match self.draft.take() {
            Some(draft) => self.desk.borrow_mut().save((*draft).clone(), &self.text),
            None => self.desk.borrow_mut().apply(&self.text),
        }
    }
    /// What kubectl edit hands over goes into the editor.
    fn take_draft(&mut self) {
        let draft = self.desk.borrow_mut().terminal.take_draft();
        if let Some(draft) = draft {
            self.text = draft.original.clone().into();
            self.applied = self.text.clone();
            self.draft = Some(Rc::new(draft));
            self.pane = Pane::Desired;
        }
    }
    fn enter(&mut self) {
        if shell::wants_more(&self.typing.line) {
            let line = format!("{}\n", self.typing.line);
            self.typing = Typing { line: line.into(), ..Typing::default() };
            return;
        }
        let mut desk = self.desk.borrow_mut();
        desk.terminal.set_file("manifest.yaml", &self.text);
        desk.enter(&self.typing.line);
        self.typing = Typing::default();
    }
    fn complete(&mut self, cursor: usize) {
        let line = self.typing.line.to_string();
        let cursor = byte_of(&line, cursor);
        let found = self.desk.borrow().complete(&line, cursor);
        let shared = shared_start(&found.candidates);
        let (before, after) = (line.get(..found.from).unwrap_or(""), line.get(cursor..).unwrap_or(""));
        let (filled, choices) = match found.candidates.as_slice() {
            [] => return,
            [only] => (format!("{before}{only}{}{after}", if only.ends_with(['=', '/']) { "" } else { " " }), Vec::new()),
            all => (
                format!("{before}{}{after}", line.get(found.from..cursor).filter(|now| now.len() > shared.len()).unwrap_or(&shared)),
                all.to_vec(),
            ),
        };
        self.typing = Typing { line: filled.into(), choices: Rc::new(choices), recalled: 0 };
    }
    fn recall(&mut self, way: isize) {
        let desk = self.desk.borrow();
        let history = desk.terminal.history();
        let recalled = self.typing.recalled.saturating_add_signed(-way).min(history.len());
        let line = history.len().checked_sub(recalled).and_then(|i| history.get(i)).map_or("", String::as_str);
        let line = AttrValue::from(line.to_owned());
        drop(desk);
        self.typing = Typing { line, choices: Rc::default(), recalled };
    }
}

/// The place in bytes of a place in UTF-16 units.
fn byte_of(text: &str, units: usize) -> usize {
    let mut left = units;
    for (i, c) in text.char_indices() {
        if left == 0 {
            return i;
        }
        left = left.saturating_sub(c.len_utf16());
    }
    text.len()
}

/// What all candidates begin with.
fn shared_start(candidates: &[String]) -> String {
    let Some((first, rest)) = candidates.split_first() else { return String::new() };
    let common = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let length = rest.iter().map(|other| common(first, other)).min().unwrap_or(first.chars().count());
    first.chars().take(length).collect()
}

/// The clock on the wall. Only the page looks at it, never the engine.
fn wall_ms() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = self.copy();
        match action {
            Action::Tick(elapsed_ms) => next.tick(elapsed_ms),
            Action::TogglePlay => next.pace = if next.pace == Pace::Paused { Pace::Playing } else { Pace::Paused },
            Action::StepEvent => {
                next.pace = Pace::Paused;
                next.desk.borrow_mut().step();
            }
            Action::StepPhase => next.step_phase(),
            Action::RunUntilConverged => next.run_until_converged(),
            Action::Speed(speed) => next.speed = speed.min(SPEEDS.len() - 1),
            Action::Edit(text) => next.text = text.into(),
            Action::Apply => next.apply(),
            Action::DeletePod(namespace, name) => next.desk.borrow_mut().delete_pod(&namespace, &name),
            Action::Fault(fault) => next.desk.borrow_mut().fault(fault),
            Action::Controller(controller) => next.selection = Selection { controller, pass: None },
            Action::Pass(pass) => next.selection.pass = pass,
            Action::Pane(pane) => {
                next.pane = pane;
                if pane == Pane::Terminal {
                    next.drawer = Drawer::Terminal;
                } else if pane == Pane::Time {
                    next.drawer = Drawer::Time;
                }
            }
            Action::Drawer(drawer) => next.drawer = drawer,
            Action::Line(line) => next.typing = Typing { line: line.into(), ..Typing::default() },
            Action::Enter => next.enter(),
            Action::Complete(cursor) => next.complete(cursor),
            Action::Recall(way) => next.recall(way),
            Action::Interrupt => {
                next.typing = Typing::default();
                next.desk.borrow_mut().interrupt();
            }
            Action::ClearTerminal => next.desk.borrow_mut().enter("clear"),
        }
        next.take_draft();
        next.frame = Rc::new(frame(&next.desk.borrow(), &next.selection));
        Rc::new(next)
    }
}
