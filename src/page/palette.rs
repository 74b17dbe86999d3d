//! The palette: finds every action by a few words of its name. The words may come in any order, and synonyms match as well.
//!
//! | file | what |
//! | --- | --- |
//! | `commands` | actions on the page and the run, with their synonyms |
//! | `objects` | objects by their names, and the actions on them |

mod commands;
mod objects;

use super::Page;
use super::action::{Action, OverlayAction, RunAction};
use crate::api::order::Order;
use crate::sim::ProcessName;
use crate::view::glossary::glossary;
use crate::view::menus::{self, Effect, MenuEntry, Thing};
use crate::view::rings::names;

/// An entry of the palette.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The name of the entry.
    pub label: String,
    /// The shortcut of the entry, or its category.
    pub hint: String,
    /// The action that the entry carries out.
    pub action: Action,
}

/// The most entries that the palette shows.
const MOST: usize = 40;

/// Returns the entries that match a query, the best first.
pub fn items(page: &Page, query: &str) -> Vec<Item> {
    let words = query.split_whitespace().map(|word| word.trim_end_matches(':').to_ascii_lowercase()).filter(|word| !word.is_empty());
    let mut found = Found { words: words.collect(), items: Vec::new() };
    found.add_commands(page);
    let (run, cluster) = (&page.run, page.run.cluster());
    if let Some(open) = &page.selection.object {
        found.add_object(run, open);
    }
    for (index, name) in names(cluster) {
        found.add(format!("Loop of {name}"), "controller", "show watch reconcile pass", run_effect(Effect::Turn(index)));
    }
    if !found.words.is_empty() {
        found.add_breakpoints(page);
        found.add_processes(page);
        found.add_objects(run);
        found.add_words();
    }
    found.items.order_by_key(|(score, _)| *score);
    found.items.into_iter().take(MOST).map(|(_, item)| item).collect()
}

fn run_effect(effect: Effect) -> Action {
    Action::Run(RunAction::Effect(effect))
}

struct Found {
    words: Vec<String>,
    /// The matching entries, each with its distance from the typed words; the nearest are the best.
    items: Vec<(usize, Item)>,
}

impl Found {
    /// Adds an entry if all typed words match it. `keywords` are synonyms, which are not shown.
    fn add(&mut self, label: String, hint: &str, keywords: &str, action: Action) {
        let others = format!("{hint} {keywords}").to_ascii_lowercase();
        let name = label.to_ascii_lowercase();
        let distances: Option<Vec<usize>> = self.words.iter().map(|word| distance(word, &name, &others)).collect();
        let Some(distances) = distances else { return };
        if self.items.iter().all(|(_, item)| item.label != label) {
            self.items.push((distances.into_iter().sum(), Item { label, hint: hint.to_owned(), action }));
        }
    }
    /// Adds an entry for each term of the glossary.
    fn add_words(&mut self) {
        for entry in glossary() {
            let action = OverlayAction::Glossary(entry.term.to_owned()).into();
            self.add(format!("What is {}?", entry.term), "glossary", &format!("meaning {}", entry.aliases.join(" ")), action);
        }
    }
    /// Adds the entries of a thing's context menu.
    fn add_menu(&mut self, page: &Page, thing: &Thing, hint: &str, keywords: &str) {
        let title = thing.title(page.run.cluster());
        for entry in offered(menus::menu_entries(&page.run, thing)) {
            let title = if ["API server", "Image registry"].contains(&entry.group) { entry.group } else { &title };
            let hint = if hint.is_empty() && entry.breaks { "breaks" } else { hint };
            self.add(format!("{title}: {}", entry.label), hint, &format!("{keywords} {}", entry.group), run_effect(entry.effect));
        }
    }
    /// Adds the actions on the cluster as a whole and on the processes of its control plane.
    fn add_processes(&mut self, page: &Page) {
        self.add_menu(page, &Thing::Cluster, "", "kube-apiserver apiserver etcd store pull");
        let cluster = page.run.cluster();
        let controllers: Vec<String> =
            cluster.controllers.iter().map(|rules| rules.name().trim_end_matches("-controller").to_owned()).collect();
        // A person who names a controller means the process that runs it.
        let meant = controllers.iter().find(|name| self.words.iter().any(|word| word.len() > 2 && name.starts_with(word.as_str())));
        let hint = meant.map(|name| format!("runs the {name} controller")).unwrap_or_default();
        let keywords = format!("kube-controller-manager kill stop {}", controllers.join(" "));
        for manager in &cluster.managers {
            self.add_menu(page, &Thing::Process(ProcessName::ControllerManager(manager.number)), &hint, &keywords);
        }
        self.add_menu(page, &Thing::Process(ProcessName::Scheduler), "", "kube-scheduler kill stop");
    }
}

/// Returns the menu entries that are possible now and that do not only show something.
fn offered(entries: Vec<MenuEntry>) -> impl Iterator<Item = MenuEntry> {
    let is_offered = |entry: &MenuEntry| entry.why_not.is_empty() && !matches!(entry.effect, Effect::Open(_) | Effect::Turn(_));
    entries.into_iter().filter(is_offered)
}

/// Returns the distance of a typed word from an entry's name and its synonyms; `None` if it matches neither. A match at the start of a word is nearer.
fn distance(word: &str, name: &str, others: &str) -> Option<usize> {
    let begins = |text: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part.starts_with(word))
            || text.split(' ').any(|part| part.starts_with(word))
    };
    if name.starts_with(word) {
        Some(0)
    } else if begins(name) {
        Some(1)
    } else if begins(others) {
        Some(3)
    } else if name.contains(word) {
        Some(4)
    } else if word.len() > 2 && others.contains(word) {
        Some(6)
    } else {
        None
    }
}
