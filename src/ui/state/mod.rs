//! One reducer: the run, what a person has chosen, and every change to either.
//!
//! | file | what |
//! | --- | --- |
//! | `pace` | whether and how time passes |
//! | `over` | what lies over the page, and runs that come and go |
//! | `typing` | the line in the terminal |

mod over;
mod pace;
mod typing;

pub use over::{Form, MenuView, Notice, Offer, Over, PaletteView, Runs, Sharing, Shown};
pub use pace::{Meter, Pace, SPEEDS, Tick, Travel, wall_ms};
pub use typing::{Key, Typing};

use super::params::params;
use loopscope::sim::Draft;
use loopscope::view::frame::{first_frame, frame};
use loopscope::view::{Desk, Drawer, FIRST_MANIFEST, Frame, Look, Subject};
use std::cell::RefCell;
use std::rc::Rc;
use yew::{AttrValue, Reducible, UseReducerDispatcher};

/// How components tell what a person did.
#[derive(Clone, PartialEq)]
pub struct Dispatch(pub UseReducerDispatcher<State>);

impl Dispatch {
    /// Something is done.
    pub fn send(&self, action: Action) {
        self.0.dispatch(action);
    }
    /// Something else is looked at.
    pub fn look(&self, change: impl FnOnce(&mut Look) + 'static) {
        self.send(Action::Look(Box::new(change)));
    }
    /// Something is done to the page.
    pub fn page(&self, deed: impl FnOnce(&mut State) + 'static) {
        self.send(Action::Page(Box::new(deed)));
    }
    /// Something is done to the run.
    pub fn desk(&self, deed: impl FnOnce(&mut Desk) + 'static) {
        self.send(Action::Do(Box::new(deed)));
    }
}

/// What a person, or the clock, does.
pub enum Action {
    /// A frame of the browser.
    Tick(Tick),
    /// The transport.
    Travel(Travel),
    /// Another speed.
    Speed(usize),
    /// Something else is looked at.
    Look(Box<dyn FnOnce(&mut Look)>),
    /// Something is done to the run.
    Do(Box<dyn FnOnce(&mut Desk)>),
    /// The manifest was edited.
    Edit(String),
    /// The manifest is applied.
    Apply,
    /// A narrow screen shows another pane.
    Pane(Pane),
    /// The terminal.
    Key(Key),
    /// Something is done to the page.
    Page(Box<dyn FnOnce(&mut State)>),
}

/// The panes, of which a narrow screen shows one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The manifest.
    Desired,
    /// Nodes and pods.
    Actual,
    /// Controllers and objects.
    Loop,
    /// The drawer.
    Time,
    /// The terminal in the drawer.
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
#[derive(Clone)]
pub struct State {
    /// Counts up with everything that is to be seen.
    edition: u64,
    desk: Rc<RefCell<Desk>>,
    /// The screen now.
    pub frame: Rc<Frame>,
    /// Whether it is whole. The first drawing is of what matters most, and the rest comes with the first frame of the browser.
    pub whole: bool,
    /// What is looked at.
    pub look: Look,
    /// Whether time passes.
    pub pace: Pace,
    /// Which speed is chosen.
    pub speed: usize,
    /// How fast time really passes.
    pub meter: Meter,
    /// The manifest as it stands in the editor.
    pub text: AttrValue,
    /// The manifest as it was applied last.
    pub applied: AttrValue,
    /// The pane a narrow screen shows.
    pub pane: Pane,
    /// The terminal's line.
    pub typing: Typing,
    /// An object that is being edited for kubectl edit.
    pub draft: Option<Rc<Draft>>,
    /// What lies over the page.
    pub over: Over,
    /// Runs that come and go as a whole.
    pub runs: Runs,
}

impl State {
    /// What a first visitor finds.
    pub fn first_visit() -> State {
        let params = params();
        let text: AttrValue = params.manifest.map_or(FIRST_MANIFEST.into(), Into::into);
        let (mut desk, look) = (Desk::new(params.config), Look::default());
        desk.apply(&text);
        let mut state = State {
            edition: 0,
            frame: Rc::default(),
            whole: false,
            desk: Rc::new(RefCell::new(desk)),
            look,
            pace: if params.paused { Pace::Paused } else { Pace::Playing },
            speed: params.speed.unwrap_or(pace::FIRST_SPEED),
            meter: Meter::default(),
            text: text.clone(),
            applied: text,
            pane: Pane::Actual,
            typing: Typing::default(),
            draft: None,
            over: Over::nothing(),
            runs: Runs::default(),
        };
        state.take_head_start();
        state
    }
    /// Draws the screen anew.
    fn refresh(&mut self) {
        self.edition += 1;
        let make = if self.whole { frame } else { first_frame };
        self.frame = Rc::new(make(&self.desk.borrow(), &self.look, &self.frame));
    }
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
    /// Opens an object, also where only one pane is shown.
    pub fn open(&mut self, subject: Subject) {
        self.look.open(subject);
        self.show(Pane::Loop);
    }
    fn show(&mut self, pane: Pane) {
        self.pane = pane;
        match (pane, self.look.drawer) {
            (Pane::Terminal, _) => self.look.drawer = Drawer::Terminal,
            (Pane::Time, Drawer::Terminal) => self.look.drawer = Drawer::Time,
            _ => {}
        }
    }
}

/// Two states are the same if they look the same, so that Yew draws only what is new.
impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.edition == other.edition
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            Action::Tick(tick) => {
                next.tick(tick);
                if !tick.draw && next.pace == self.pace {
                    return Rc::new(next);
                }
                next.whole = true;
            }
            Action::Travel(travel) => next.travel(travel),
            Action::Speed(speed) => next.speed = speed.min(SPEEDS.len() - 1),
            Action::Look(change) => change(&mut next.look),
            Action::Do(deed) => deed(&mut next.desk.borrow_mut()),
            Action::Edit(text) => {
                next.text = text.into();
                next.edition += 1;
                return Rc::new(next);
            }
            Action::Apply => next.apply(),
            Action::Pane(pane) => next.show(pane),
            Action::Key(key) => next.key(key),
            Action::Page(deed) => deed(&mut next),
        }
        next.take_draft();
        next.keep_news();
        next.refresh();
        Rc::new(next)
    }
}
