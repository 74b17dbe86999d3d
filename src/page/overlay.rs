//! Overlays: a menu, the palette or a dialog over the page. And the notice, a sentence by which the page itself speaks.

use super::action::{Action, OverlayAction};
use super::embed_controls::is_change;
use super::experiments::Offered;
use super::palette::{self, Item};
use super::{FocusTarget, Page, Pane};
use crate::api::time::Time;
use crate::view::branches::BranchLine;
use crate::view::menus::{self, Effect, MenuEntry, Thing};
use crate::view::settings::SETTINGS;
use crate::view::share::{LONGEST, link};
use crate::view::{Choice, Drawer};
use std::rc::Rc;

/// The menu, palette or dialog that lies over the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Overlay {
    /// No overlay.
    #[default]
    None,
    /// The context menu of a thing on the page, such as an object or a process.
    Menu(Rc<Menu>),
    /// The palette, which finds actions by their names.
    Palette(Rc<Palette>),
    /// The help dialog.
    Help(Rc<Help>),
    /// The dialog with the preferences.
    Preferences,
    /// The form with the settings of a new run.
    Settings(Rc<SettingsForm>),
    /// The dialog that shares the run as a link or a file.
    Share(Rc<Sharing>),
    /// The list of branches that were left behind, and the number of the oldest for which the browser's storage has no room.
    Branches(Rc<Vec<BranchLine>>, usize),
    /// A run is being loaded: the number of commands replayed, and of all commands.
    Loading(usize, usize),
}

/// The context menu of a thing on the page, such as an object or a process.
#[derive(Debug, PartialEq)]
pub struct Menu {
    /// The number of the menu, which counts up, so that a second menu is not taken for the first.
    pub number: u32,
    /// The name of the thing.
    pub title: String,
    /// The entries of the menu.
    pub entries: Vec<MenuEntry>,
    /// The point at which the menu opens, in CSS pixels from the top left corner of the window.
    pub at: (i32, i32),
    /// The index of the entry that has the focus at first.
    pub first: usize,
}

/// The help dialog: the idea of the page, all keys, and the glossary.
#[derive(Clone, Debug, PartialEq)]
pub struct Help {
    /// The part of the dialog that is open.
    pub part: HelpPart,
    /// The three experiments, as they would be carried out now.
    pub experiments: Vec<Offered>,
    /// The text to search the glossary for.
    pub query: String,
}

/// A part of the help dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpPart {
    /// The idea of the page, with the experiments.
    About,
    /// The list of all keys.
    Keys,
    /// The glossary.
    Glossary,
}

impl Choice for HelpPart {
    const ALL: &'static [HelpPart] = &[HelpPart::About, HelpPart::Keys, HelpPart::Glossary];
    fn name(self) -> &'static str {
        match self {
            HelpPart::About => "This page",
            HelpPart::Keys => "Keys",
            HelpPart::Glossary => "Glossary",
        }
    }
}

/// The palette, which finds actions by their names.
#[derive(Debug, PartialEq)]
pub struct Palette {
    /// The text that the person has typed.
    pub query: String,
    /// The entries that match the text.
    pub items: Vec<Item>,
    /// The index of the selected entry.
    pub chosen: usize,
}

/// The form with the settings of a new run.
#[derive(Debug, PartialEq)]
pub struct SettingsForm {
    /// The text of each field, in the order of the list of settings.
    pub values: Vec<String>,
    /// The reason why the run cannot start with these settings; empty for none.
    pub error: String,
}

/// The dialog that shares the run as a link or a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Sharing {
    /// The text of the file: the share state as JSON.
    pub file: Rc<str>,
    /// The part of the link after `#s=`; empty if the run is too long for a link.
    pub payload: Rc<str>,
    /// A sentence about whether copying succeeded, or about a run that is too long to be shared; empty for none.
    pub message: &'static str,
}

/// A notice: a sentence of the page itself, which may come with an offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The sentence that the notice shows.
    pub text: Rc<str>,
    /// The action that the notice offers.
    pub offer: Option<Offer>,
    /// Set if the notice reports how a step in time ended; the next step removes it.
    pub of_time: bool,
}

impl Notice {
    /// Returns whether the notice reports how a step in time ended.
    pub(super) fn is_of_time(&self) -> bool {
        self.of_time
    }
}

/// The action that a notice offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Goes on with the run of an earlier visit.
    Resume,
    /// Goes back to the run before this one.
    GoBack,
    /// Lets virtual time pass up to a moment.
    SkipTo(Time),
    /// Puts text that was not applied back into the editor.
    RestoreText,
}

impl Page {
    /// Carries out an action on a menu, the palette or a dialog.
    pub(super) fn change_overlay(&mut self, action: OverlayAction) {
        match action {
            OverlayAction::Menu { thing, at } => self.open_menu(&thing, at, |_| true),
            OverlayAction::DeleteMenu { subject, at } => {
                let deletes =
                    |effect: &Effect| matches!(effect, Effect::Kubectl(words) if words.first().is_some_and(|word| word == "delete"));
                self.open_menu(&Thing::Object(subject), at, deletes);
            }
            OverlayAction::MenuOfSelection => {
                let thing = self.selection.object.clone().map_or(Thing::Cluster, Thing::Object);
                self.open_menu(&thing, (80, 80), |_| true);
            }
            OverlayAction::Search(query) => self.search(query),
            OverlayAction::Choose(place) => self.choose(place),
            OverlayAction::Pick(place) => self.pick(place),
            OverlayAction::Help(part) => self.open_help(part, String::new()),
            OverlayAction::Glossary(query) => self.open_help(HelpPart::Glossary, query),
            OverlayAction::Try(experiment) => self.try_out(experiment),
            OverlayAction::Preferences => self.overlay = Overlay::Preferences,
            OverlayAction::Settings => self.open_settings(),
            OverlayAction::Start { values, apply } => self.start_new_run(values, apply),
            OverlayAction::Share => self.open_share(),
            OverlayAction::Branches => self.overlay = Overlay::Branches(Rc::new(self.run.branch_lines()), self.unkept_branches()),
            OverlayAction::Copied(is_copied) => self.tell_of_copying(is_copied),
            OverlayAction::Close => self.close_overlay(),
        }
    }
    /// Closes the overlay; a run that is being loaded is dropped.
    pub(super) fn close_overlay(&mut self) {
        if matches!(self.overlay, Overlay::Loading(..)) {
            self.stop_loading();
        }
        self.overlay = Overlay::None;
    }
    /// Shows a notice with this text and, for `Some`, an offer.
    pub(super) fn notify(&mut self, text: &str, offer: Option<Offer>) {
        self.notice = Some(Notice { text: text.into(), offer, of_time: false });
    }
    /// Opens the menu of a thing, with the focus on the first entry for whose effect `is_first` holds.
    fn open_menu(&mut self, thing: &Thing, at: (i32, i32), is_first: fn(&Effect) -> bool) {
        let mut entries = menus::menu_entries(&self.run, thing);
        if self.embedding.is_readonly {
            entries.retain(|entry| !is_change(&entry.effect));
        }
        if !entries.is_empty() {
            self.menus += 1;
            let first = entries.iter().position(|entry| is_first(&entry.effect)).unwrap_or(0);
            self.overlay = Overlay::Menu(Rc::new(Menu { number: self.menus, title: thing.title(self.run.cluster()), entries, at, first }));
        }
    }
    /// Carries out the effect of a menu entry.
    pub(super) fn perform(&mut self, effect: &Effect) {
        self.close_overlay();
        match effect {
            Effect::Terminal(line) => {
                self.run_line(line);
                self.show_drawer(Drawer::Terminal);
            }
            Effect::Edit(line) => {
                self.run_line(line);
                self.show_pane(Pane::Desired);
            }
            effect => effect.happen(&mut self.run, &mut self.selection),
        }
        if matches!(effect, Effect::Open(_) | Effect::Turn(_) | Effect::Yaml(_)) {
            self.pane = Pane::Loop;
            self.reveal(Pane::Loop);
            self.invite_pane(Pane::Loop);
        }
    }
    fn open_help(&mut self, part: HelpPart, query: String) {
        self.overlay = Overlay::Help(Rc::new(Help { part, experiments: self.experiments(), query }));
    }
    /// Updates the experiments in the help dialog, if it is open, while the run goes on.
    pub(super) fn refresh_help(&mut self) {
        if let Overlay::Help(help) = &self.overlay {
            let experiments = self.experiments();
            if help.experiments != experiments {
                self.overlay = Overlay::Help(Rc::new(Help { experiments, ..(**help).clone() }));
            }
        }
    }
    fn search(&mut self, query: String) {
        let items = palette::items(self, &query);
        self.overlay = Overlay::Palette(Rc::new(Palette { query, items, chosen: 0 }));
    }
    fn choose(&mut self, place: usize) {
        if let Overlay::Palette(palette) = &self.overlay {
            let (query, items) = (palette.query.clone(), palette.items.clone());
            self.overlay = Overlay::Palette(Rc::new(Palette { chosen: place.min(items.len().saturating_sub(1)), query, items }));
        }
    }
    fn pick(&mut self, place: usize) {
        let Overlay::Palette(palette) = &self.overlay else { return };
        let Some(action) = palette.items.get(place).map(|item| item.action.clone()) else { return };
        self.close_overlay();
        let is_example = matches!(action, Action::Example(_));
        self.apply_action(action);
        if is_example {
            self.move_focus(FocusTarget::Editor);
        }
    }
    fn open_settings(&mut self) {
        let values = SETTINGS.iter().map(|setting| setting.text(&self.run.cluster().config)).collect();
        self.overlay = Overlay::Settings(Rc::new(SettingsForm { values, error: String::new() }));
    }
    /// Opens the dialog with the run as a link and a file, and pauses the run, so that the link leads to the moment on the screen.
    fn open_share(&mut self) {
        self.pace = super::Pace::Paused;
        let file = self.share().write();
        let fits = file.len() <= LONGEST;
        let message = if fits { "" } else { "This run is too long to be shared: its commands take more than 1 MB." };
        let payload = if fits { link::pack(&file) } else { String::new() };
        self.overlay = Overlay::Share(Rc::new(Sharing { file: file.into(), payload: payload.into(), message }));
    }
    fn tell_of_copying(&mut self, is_copied: bool) {
        if let Overlay::Share(sharing) = &self.overlay {
            let message =
                if is_copied { "The link is on the clipboard." } else { "Copying is not allowed here: select the link and copy it." };
            self.overlay = Overlay::Share(Rc::new(Sharing { message, ..(**sharing).clone() }));
        }
    }
}
