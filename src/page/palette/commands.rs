//! Actions on the page and on the run, with synonyms that people use for them.

use super::Found;
use crate::page::Page;
use crate::page::action::{Action, OverlayAction, RunAction, Select, TerminalAction};
use crate::page::overlay::HelpPart;
use crate::page::preferences::PREFERENCES;
use crate::page::shortcuts::SHORTCUTS;
use crate::page::time::{SPEEDS, Scope, Travel};
use crate::view::breakpoints::{Breakpoint, PHASES};
use crate::view::cluster::Zoom;
use crate::view::examples::examples;
use crate::view::notes::passes::{Phase, scheduler_index};
use crate::view::rings::names;
use crate::view::stepping::Condition;
use crate::view::{Choice, Side, Stage};

/// Returns other words that people use for the action of a shortcut, by the shortcut's key.
fn synonyms(key: &str) -> &'static str {
    match key {
        "Space" => "stop start run resume continue freeze time clock",
        "→" | "←" => "next previous single message timer time",
        "." => "next reconcile time",
        "c" => "fast forward skip settle finish time",
        "u" => "revert back time travel",
        "n" => "live present latest time",
        "+" => "speed fast quick",
        "-" => "speed slow",
        "d" => "manifest spec yaml pane",
        "a" => "cluster nodes pods pane",
        "l" => "controller reconcile pane",
        "e" => "manifest yaml write edit desired",
        "t" => "kubectl shell command line console bash logs",
        "1" => "timeline history chart drift scrub",
        "2" => "kubectl shell command line console bash logs",
        "3" => "warnings messages log",
        "4" => "etcd revisions history",
        "5" => "api traffic queue chart",
        "6" => "alarm firing",
        "7" => "cause explain reason",
        "m" => "actions context right click",
        "?" => "help keys keyboard manual guide",
        _ => "",
    }
}

impl Found {
    pub(super) fn add_commands(&mut self, page: &Page) {
        if page.stop().is_some() {
            self.add("Continue".to_owned(), "breakpoint", "go on resume play", Travel::Toggle.into());
        }
        self.add_manifest(page);
        for shortcut in SHORTCUTS.iter().filter(|s| !matches!(s.action, Action::Overlay(OverlayAction::Search(_)))) {
            self.add(shortcut.words.to_owned(), shortcut.key, synonyms(shortcut.key), shortcut.action.clone());
        }
        self.add("Step phase of any controller".to_owned(), "time", "next reconcile", Travel::Phase(Scope::Any).into());
        for condition in Condition::ALL {
            self.add(format!("Run {}", condition.title().to_ascii_lowercase()), "time", "step over skip", Travel::Until(condition).into());
        }
        self.add(
            "New run with other settings".to_owned(),
            "nodes, seed, latency …",
            "reset restart begin start over",
            OverlayAction::Settings.into(),
        );
        let share = "Share this run: link, export, import".to_owned();
        self.add(share, "share", "save open load download upload file url copy", OverlayAction::Share.into());
        let branches = "Branches that were left behind: list, reopen".to_owned();
        self.add(branches, "fork", "undo abandoned history", OverlayAction::Branches.into());
        for stage in Stage::ALL {
            self.add(format!("Show {}", stage.name()), "actual", "view stage", Select::Stage(*stage).into());
        }
        for side in Side::ALL {
            self.add(format!("Show the {}", side.name().to_ascii_lowercase()), "right pane", "view", Select::Side(*side).into());
        }
        for zoom in Zoom::ALL {
            self.add(format!("Pods as: {}", zoom.name()), "actual", "zoom size level view", Select::Zoom(*zoom).into());
        }
        for (place, speed) in SPEEDS.iter().enumerate() {
            self.add(format!("Speed: {}", speed.name), "time", "slow fast quick tempo", Action::Speed(place));
        }
        self.add("Clear the terminal".to_owned(), "terminal", "empty screen", TerminalAction::Clear.into());
        self.add_preferences(page);
        for example in examples() {
            self.add(format!("Example: {}", example.title), "manifest", "sample template", Action::Example(example.manifest()));
            let alone = format!("New run with only the example {}", example.title);
            self.add(alone, "run", "start over sample", Action::StartExample(example.manifest()));
        }
    }
    /// Adds the actions on the text in the editor.
    fn add_manifest(&mut self, page: &Page) {
        match page.draft_title() {
            Some(title) => {
                self.add(format!("Save {title}"), "kubectl edit", "apply submit", Action::Apply);
                self.add(format!("Cancel the edit of {title}"), "kubectl edit", "close quit give up discard", Action::CancelEdit);
            }
            None => {
                self.add("Apply the manifest".to_owned(), "Ctrl or ⌘ Enter", "save submit deploy create kubectl desired", Action::Apply);
                if page.text != page.applied {
                    let revert = Action::Edit(page.applied.to_string());
                    self.add("Revert the manifest to what was applied".to_owned(), "manifest", "discard reset", revert);
                }
            }
        }
    }
    fn add_preferences(&mut self, page: &Page) {
        self.add("Preferences".to_owned(), "theme, motion, keys …", "settings options look", OverlayAction::Preferences.into());
        self.add("Help: all keys".to_owned(), "help", "shortcuts keyboard", OverlayAction::Help(HelpPart::Keys).into());
        self.add("Help: glossary".to_owned(), "help", "words terms meaning", OverlayAction::Help(HelpPart::Glossary).into());
        for row in PREFERENCES {
            let chosen = row.chosen(&page.preferences).map(|value| value.preference);
            for value in row.values.iter().filter(|value| Some(value.preference) != chosen) {
                let other_words = "look colour color mode appearance contrast animation reduce arrange view panes shortcuts";
                self.add(format!("{}: {}", row.title, value.words), "preference", other_words, value.preference.into());
            }
        }
    }
    /// Adds an entry for the breakpoint before each phase of each controller, whether it is set or not.
    pub(super) fn add_breakpoints(&mut self, page: &Page) {
        let breakpoints = &page.run.breakpoints;
        for (index, name) in names(page.run.cluster()) {
            for (phase, is_set) in PHASES.into_iter().zip(breakpoints.of(Some(index), "")) {
                // The scheduler observes and compares in one phase.
                if phase == Phase::Observe && index == scheduler_index() {
                    continue;
                }
                let what = if is_set { "Remove the breakpoint" } else { "Break" };
                let point = Breakpoint { controller: Some(index), object: String::new(), phase };
                let label = format!("{what} before {} of {name}", phase.word());
                self.add(label, "breakpoint", "pause stop halt", RunAction::ToggleBreakpoint(point).into());
            }
        }
    }
}
