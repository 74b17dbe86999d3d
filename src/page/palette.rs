//! The palette: everything that can be done, by a few letters of its name.

use super::action::{Action, OverlayAction, RunAction, Select};
use super::overlay::HelpPart;
use super::preferences::{PREFERENCES, Preferences};
use super::shortcuts::SHORTCUTS;
use crate::api::kind::Kind;
use crate::sim::ProcessName;
use crate::view::examples::EXAMPLES;
use crate::view::glossary::GLOSSARY;
use crate::view::rings::names;
use crate::view::things::{self, Effect, MenuEntry, Thing};
use crate::view::{Choice, Run, Selection, Stage};

/// An entry of the palette.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its name.
    pub label: String,
    /// Its shortcut, or the sort of thing it is.
    pub hint: &'static str,
    /// What it does.
    pub action: Action,
}

/// The most entries that are shown.
const MOST: usize = 40;
/// The most objects that are found, and the number of objects up to which each one's menu is offered as well.
const OBJECTS: usize = 12;
const WITH_MENU: usize = 4;
/// The most nodes that are offered with their menus.
const NODES: usize = 10;

/// The entries that fit a query.
pub fn items(run: &Run, selection: &Selection, preferences: Preferences, query: &str) -> Vec<Item> {
    let words: Vec<String> = query.split_whitespace().map(str::to_ascii_lowercase).collect();
    let mut found = Found { words, items: Vec::new() };
    found.add_page(preferences);
    if let Some(open) = &selection.object {
        found.add_menu(run, &Thing::Object(open.clone()));
    }
    for (index, name) in names(run.cluster()) {
        found.add(format!("Loop of {name}"), "controller", effect(Effect::Turn(index)));
    }
    found.add_things(run);
    found.add_words();
    found.items.truncate(MOST);
    found.items
}

fn effect(effect: Effect) -> Action {
    Action::Run(RunAction::Effect(effect))
}

struct Found {
    words: Vec<String>,
    items: Vec<Item>,
}

impl Found {
    fn add(&mut self, label: String, hint: &'static str, action: Action) {
        let text = format!("{label} {hint}").to_ascii_lowercase();
        let is_new = || self.items.iter().all(|item| item.label != label);
        if self.items.len() < MOST && self.words.iter().all(|word| text.contains(word.as_str())) && is_new() {
            self.items.push(Item { label, hint, action });
        }
    }
    /// Adds what can be done to the page itself.
    fn add_page(&mut self, preferences: Preferences) {
        for shortcut in SHORTCUTS.iter().filter(|s| !matches!(s.action, Action::Overlay(OverlayAction::Search(_)))) {
            self.add(shortcut.words.to_owned(), shortcut.key, shortcut.action.clone());
        }
        self.add("New run with other settings".to_owned(), "nodes, seed, latency …", OverlayAction::Settings.into());
        self.add("Share this run: link, export, import".to_owned(), "share", OverlayAction::Share.into());
        for stage in Stage::ALL {
            self.add(format!("Show {}", stage.name()), "actual", Select::Stage(*stage).into());
        }
        self.add("Preferences".to_owned(), "theme, motion, keys …", OverlayAction::Preferences.into());
        self.add("Help: all keys".to_owned(), "shortcuts", OverlayAction::Help(HelpPart::Keys).into());
        self.add("Help: glossary".to_owned(), "all words", OverlayAction::Help(HelpPart::Glossary).into());
        for row in PREFERENCES {
            let chosen = row.chosen(&preferences).map(|value| value.preference);
            for value in row.values.iter().filter(|value| Some(value.preference) != chosen) {
                self.add(format!("{}: {}", row.title, value.words), "preference", value.preference.into());
            }
        }
        for example in EXAMPLES {
            self.add(format!("Example: {}", example.title), "manifest", Action::Example(example.manifest));
        }
    }
    /// Adds objects by their names, and the menus of what the words may mean.
    fn add_things(&mut self, run: &Run) {
        let names: Vec<String> = self.words.iter().filter(|word| *word != "open").cloned().collect();
        if names.is_empty() {
            return;
        }
        let subjects = things::find(run, &names.join(" "), OBJECTS);
        for subject in &subjects {
            let label = format!("Open {}", Thing::Object(subject.clone()).title(run.cluster()));
            self.items.push(Item { label, hint: "object", action: effect(Effect::Open(subject.clone())) });
        }
        // The menu of an object that was found by name needs no further words.
        if subjects.len() <= WITH_MENU {
            let words = std::mem::take(&mut self.words);
            subjects.iter().for_each(|subject| self.add_menu(run, &Thing::Object(subject.clone())));
            self.words = words;
        }
        for thing in [Thing::Cluster, Thing::Controller(0), Thing::Process(ProcessName::Scheduler)] {
            self.add_menu(run, &thing);
        }
        let nodes = things::find(run, "node", NODES).into_iter().filter(|subject| subject.kind == Kind::NODE);
        // One word may be the name, the others say what to do with the thing.
        let named = names.iter().filter(|word| word.len() > 2).flat_map(|word| things::find(run, word, WITH_MENU));
        for subject in named.chain(nodes) {
            self.add_menu(run, &Thing::Object(subject));
        }
    }
    /// Adds the words of the glossary, by their names only.
    fn add_words(&mut self) {
        for entry in GLOSSARY.iter().filter(|_| !self.words.is_empty()) {
            let names: Vec<&str> = std::iter::once(entry.term).chain(entry.aliases.iter().copied()).collect();
            let text = format!("what is {}?", names.join(" ")).to_ascii_lowercase();
            if self.items.len() < MOST && self.words.iter().all(|word| text.contains(word.as_str())) {
                let action = OverlayAction::Glossary(entry.term.to_owned()).into();
                self.items.push(Item { label: format!("What is {}?", entry.term), hint: "glossary", action });
            }
        }
    }
    fn add_menu(&mut self, run: &Run, thing: &Thing) {
        let title = thing.title(run.cluster());
        let is_offered = |entry: &MenuEntry| entry.why_not.is_empty() && !matches!(entry.effect, Effect::Open(_) | Effect::Turn(_));
        for entry in things::menu_entries(run, thing).into_iter().filter(is_offered) {
            let title = if entry.group == "API server" || entry.group == "Image registry" { entry.group } else { &title };
            self.add(format!("{title}: {}", entry.label), if entry.breaks { "breaks" } else { "" }, effect(entry.effect));
        }
    }
}
