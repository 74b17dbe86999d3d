//! What lies over the page (a menu, the palette, a dialog), what the page has to say, and runs that come and go as a whole.

use super::{Pace, Pane, State, Typing};
use crate::ui::host;
use crate::ui::palette::{self, Item};
use crate::ui::theme::Taste;
use loopscope::sim::Config;
use loopscope::view::settings::SETTINGS;
use loopscope::view::share::{LONGEST, Replay, Share};
use loopscope::view::things::{self, Deed, Effect, Thing};
use loopscope::view::{Desk, Drawer, Frame, Look};
use std::cell::RefCell;
use std::rc::Rc;
use yew::AttrValue;

/// What lies over the page, and what the page has to say.
#[derive(Clone, PartialEq)]
pub struct Over {
    /// What lies over the page.
    pub shown: Shown,
    /// What the page has to say.
    pub notice: Option<Notice>,
    /// How the page is to look.
    pub taste: Taste,
    /// What is to be focused: a number that counts up, and how to find it.
    pub focus: (u32, &'static str),
}

/// What lies over the page.
#[derive(Clone, PartialEq)]
pub enum Shown {
    /// Nothing.
    Nothing,
    /// The menu of a thing, at a place of the window.
    Menu(Rc<MenuView>),
    /// The palette.
    Palette(Rc<PaletteView>),
    /// All shortcuts.
    Sheet,
    /// What a new run is made of.
    Settings(Rc<Form>),
    /// The run as a link or a file.
    Share(Rc<Sharing>),
    /// A run is on its way: how many commands have been given, of how many.
    Loading(usize, usize),
}

/// A menu.
#[derive(PartialEq)]
pub struct MenuView {
    /// Whose.
    pub title: String,
    /// What can be done.
    pub deeds: Vec<Deed>,
    /// Where.
    pub at: (i32, i32),
}

/// The palette.
#[derive(PartialEq)]
pub struct PaletteView {
    /// What was typed.
    pub query: String,
    /// What fits it.
    pub items: Vec<Item>,
    /// Which one is chosen.
    pub chosen: usize,
}

/// The form for a new run.
#[derive(PartialEq)]
pub struct Form {
    /// What stands in each field, in the order of the settings.
    pub values: Vec<String>,
    /// What is wrong.
    pub error: String,
}

/// The run as a link or a file.
#[derive(PartialEq)]
pub struct Sharing {
    /// The state.
    pub state: String,
    /// The link, once it is made.
    pub link: AttrValue,
    /// What came of copying or reading.
    pub said: String,
}

/// What the page has to say.
#[derive(Clone, PartialEq)]
pub struct Notice {
    /// In words.
    pub text: AttrValue,
    /// What can be done about it.
    pub offer: Option<Offer>,
}

/// What can be done about a notice.
#[derive(Clone, Copy, PartialEq)]
pub enum Offer {
    /// The run of an earlier visit goes on.
    GoOn,
    /// The run before this one comes back.
    GoBack,
}

/// A run that was put aside.
pub struct Aside {
    desk: Rc<RefCell<Desk>>,
    look: Look,
    text: AttrValue,
    applied: AttrValue,
}

/// Whole runs: the one before this, one that is on its way, what an earlier visit left, and how much of this one has been kept.
#[derive(Clone, Default)]
pub struct Runs {
    aside: Option<Rc<Aside>>,
    coming: Option<Rc<RefCell<Option<Replay>>>>,
    saved: Rc<str>,
    kept: (usize, u32),
}

/// How many events of a run that is on its way are handled at once.
const SLICE: u64 = 200;
/// How long the page may stand still for a run that is on its way, in milliseconds.
const AT_ONCE_MS: f64 = 250.0;
const AT_A_TIME_MS: f64 = 12.0;

impl Over {
    /// Nothing lies over the page.
    pub fn nothing() -> Over {
        Over { shown: Shown::Nothing, notice: None, taste: Taste::found(), focus: (0, "") }
    }
}

impl State {
    /// What was found at the start: a link, a run that the engine stopped in, or what an earlier visit left.
    pub fn take_up(mut self) -> State {
        let (state, notice, saved) = (host::found("state"), host::found("notice"), host::found("saved"));
        if !state.is_empty() {
            let stopped = !notice.is_empty();
            let read = if stopped { Share::read_own(&state) } else { Share::read(&state) };
            match read {
                Ok(share) => self.load(share, stopped),
                Err(why) => self.refuse("This link", &why),
            }
        } else if !saved.is_empty() && Share::read_own(&saved).is_ok_and(|share| share.commands.len() > 1) {
            self.runs.saved = saved.into();
            self.say("An earlier visit left a run here.", Some(Offer::GoOn));
        }
        if !notice.is_empty() {
            self.say(notice, None);
        }
        self.refresh();
        self
    }
    /// Something is said to the person.
    pub fn say(&mut self, text: impl Into<String>, offer: Option<Offer>) {
        self.over.notice = Some(Notice { text: AttrValue::from(text.into()), offer });
    }
    fn refuse(&mut self, what: &str, why: &str) {
        self.say([what, " cannot be opened: ", why, "."].concat(), None);
    }
    /// What was offered is done.
    pub fn accept(&mut self, offer: Offer) {
        self.over.notice = None;
        match offer {
            Offer::GoOn => {
                if let Ok(share) = Share::read_own(&self.runs.saved.clone()) {
                    self.load(share, false);
                }
            }
            Offer::GoBack => {
                if let Some(aside) = self.runs.aside.take() {
                    self.put_aside();
                    self.begin(aside.desk.clone(), aside.look.clone(), aside.text.clone(), aside.applied.clone());
                    self.say("This is the run before.", Some(Offer::GoBack));
                }
            }
        }
    }
    /// Lets a run come in the place of this one; `anew` if nothing of this one is worth keeping.
    fn load(&mut self, share: Share, anew: bool) {
        if !anew && self.desk.borrow().session.commands().len() > 1 {
            self.put_aside();
        }
        self.runs.coming = Some(Rc::new(RefCell::new(Some(Replay::new(share)))));
        self.come_on(AT_ONCE_MS);
    }
    /// A text from elsewhere is to be opened.
    pub fn open_text(&mut self, what: &str, text: &str, error: &str) {
        let read = if error.is_empty() { Share::read(text) } else { Err(error.to_owned()) };
        self.over.shown = Shown::Nothing;
        match read {
            Ok(share) => {
                self.over.notice = None;
                self.load(share, false);
                if self.runs.aside.is_some() && self.over.notice.is_none() {
                    self.say([what, " was opened."].concat(), Some(Offer::GoBack));
                }
            }
            Err(why) => self.refuse(what, &why),
        }
    }
    /// Whether a run is on its way.
    pub fn is_coming(&self) -> bool {
        self.runs.coming.is_some()
    }
    /// A run that is on its way comes nearer for so long.
    pub fn come_on(&mut self, ms: f64) {
        let Some(coming) = self.runs.coming.clone() else { return };
        let mut place = coming.borrow_mut();
        let ends = super::pace::wall_ms() + ms;
        let done = loop {
            let Some(replay) = place.as_mut() else { break true };
            if replay.advance(SLICE) {
                break true;
            }
            if super::pace::wall_ms() > ends {
                let (given, all) = replay.progress();
                self.over.shown = Shown::Loading(given, all);
                break false;
            }
        };
        if let Some(replay) = place.take_if(|_| done) {
            self.arrive(replay);
        }
    }
    /// A slice of an animation frame for a run that is on its way; the answer is whether there is one.
    pub fn come_nearer(&mut self) -> bool {
        let coming = self.is_coming();
        self.come_on(AT_A_TIME_MS);
        coming
    }
    fn arrive(&mut self, replay: Replay) {
        let (desk, share) = replay.finish();
        let applied = share.applied().unwrap_or(&share.manifest).to_owned();
        self.begin(Rc::new(RefCell::new(desk)), share.view, share.manifest.into(), applied.into());
    }
    /// A run that is on its way is no longer wanted.
    fn give_up(&mut self) {
        self.runs.coming = None;
    }
    fn put_aside(&mut self) {
        self.runs.aside = Some(Rc::new(Aside {
            desk: self.desk.clone(),
            look: self.look.clone(),
            text: self.text.clone(),
            applied: self.applied.clone(),
        }));
    }
    /// Another run takes the place of this one, and stands still at its moment.
    fn begin(&mut self, desk: Rc<RefCell<Desk>>, look: Look, text: AttrValue, applied: AttrValue) {
        (self.desk, self.look, self.text, self.applied) = (desk, look, text, applied);
        (self.pace, self.typing, self.draft) = (Pace::Paused, Typing::default(), None);
        self.over.shown = Shown::Nothing;
        self.runs.coming = None;
        self.runs.kept = Default::default();
        self.frame = Rc::new(Frame::default());
    }
    /// The run as it can be shared.
    fn shared(&self) -> Share {
        Share::of(&self.desk.borrow(), &self.look, &self.text)
    }
    /// Keeps the run in case the engine stops, and for the next visit once a person has done something.
    pub fn keep(&mut self) {
        let count = self.count();
        self.runs.kept = count;
        host::keep(&self.shared().write(), count.0 > 1);
    }
    /// Keeps the run if something was done since.
    pub fn keep_news(&mut self) {
        if self.count() != self.runs.kept {
            self.keep();
        }
    }
    fn count(&self) -> (usize, u32) {
        let desk = self.desk.borrow();
        (desk.session.commands().len(), desk.forks)
    }
    /// What lies over the page goes away.
    pub fn close(&mut self) {
        if matches!(self.over.shown, Shown::Loading(..)) {
            self.give_up();
        }
        self.over.shown = Shown::Nothing;
    }
    /// The menu of a thing opens at a place.
    pub fn open_menu(&mut self, thing: &Thing, at: (i32, i32)) {
        let deeds = things::deeds(&self.desk.borrow(), thing);
        if !deeds.is_empty() {
            self.over.shown = Shown::Menu(Rc::new(MenuView { title: thing.title(), deeds, at }));
        }
    }
    /// Does what a menu offers.
    pub fn happen(&mut self, effect: &Effect) {
        self.close();
        effect.happen(&mut self.desk.borrow_mut(), &mut self.look);
        if matches!(effect, Effect::Open(_) | Effect::Turn(_)) {
            self.pane = Pane::Loop;
        }
    }
    /// The palette opens, or its query changes.
    pub fn search(&mut self, query: &str) {
        let items = palette::items(&self.desk.borrow(), &self.look, self.over.taste, query);
        self.over.shown = Shown::Palette(Rc::new(PaletteView { query: query.to_owned(), items, chosen: 0 }));
    }
    /// The choice in the palette moves.
    pub fn choose(&mut self, chosen: usize) {
        if let Shown::Palette(view) = &self.over.shown {
            let (query, items) = (view.query.clone(), view.items.clone());
            self.over.shown = Shown::Palette(Rc::new(PaletteView { chosen: chosen.min(items.len().saturating_sub(1)), query, items }));
        }
    }
    /// The form for a new run opens.
    pub fn open_settings(&mut self) {
        let config = self.desk.borrow().cluster().config.clone();
        let values = SETTINGS.iter().map(|s| s.text(&config)).collect();
        self.over.shown = Shown::Settings(Rc::new(Form { values, error: String::new() }));
    }
    /// A new run begins, if the form is right.
    pub fn start_anew(&mut self, values: Vec<String>, apply: bool) {
        let mut config: Config = (*self.desk.borrow().cluster().config).clone();
        let asked = SETTINGS.iter().zip(&values).filter(|(s, _)| !s.label.is_empty());
        let wrong =
            asked.map(|(s, text)| s.set_text(&mut config, text).map_err(|why| why.replacen(s.path, s.label, 1))).find_map(Result::err);
        if let Some(error) = wrong {
            self.over.shown = Shown::Settings(Rc::new(Form { values, error }));
            return;
        }
        self.put_aside();
        let mut desk = Desk::new(config);
        if apply {
            desk.apply(&self.text);
        }
        let look = Look { object: None, revision: None, pass: None, ..self.look.clone() };
        self.begin(Rc::new(RefCell::new(desk)), look, self.text.clone(), self.text.clone());
        self.pace = Pace::Playing;
        self.say("A new run has begun.", Some(Offer::GoBack));
    }
    /// The run as a link or a file; the answer is the state, if a link can be made of it.
    pub fn open_share(&mut self) -> Option<String> {
        self.pace = Pace::Paused;
        let state = self.shared().write();
        let fits = state.len() <= LONGEST;
        let said = if fits { String::new() } else { "This run is too long to be shared: what was done takes more than 1 MB.".to_owned() };
        self.over.shown = Shown::Share(Rc::new(Sharing { state: state.clone(), link: AttrValue::default(), said }));
        Some(state).filter(|_| fits)
    }
    /// The link is made, or something is to be said of it.
    pub fn tell_of_share(&mut self, link: Option<String>, said: &str) {
        if let Shown::Share(now) = &self.over.shown {
            let link = link.map_or_else(|| now.link.clone(), AttrValue::from);
            self.over.shown = Shown::Share(Rc::new(Sharing { state: now.state.clone(), link, said: said.to_owned() }));
        }
    }
    /// Another look for the page.
    pub fn prefer(&mut self, change: impl FnOnce(&mut Taste)) {
        change(&mut self.over.taste);
        self.over.taste.hold();
    }
    /// The focus goes to a part of the page, which a narrow screen then shows.
    pub fn focus(&mut self, selector: &'static str, pane: Option<Pane>) {
        self.close();
        self.over.focus = (self.over.focus.0 + 1, selector);
        pane.into_iter().for_each(|pane| self.show(pane));
    }
    /// The drawer shows something.
    pub fn open_drawer(&mut self, drawer: Drawer) {
        self.close();
        self.look.drawer = drawer;
        self.pane = if drawer == Drawer::Terminal { Pane::Terminal } else { Pane::Time };
    }
}
