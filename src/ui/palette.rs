//! The palette: everything that can be done, by a few letters of its name.

use super::shortcuts::{self, Move};
use super::state::{Dispatch, PaletteView, Pane, Shown, State};
use super::theme::{THEMES, Taste};
use crate::ui::markup::html;
use crate::ui::press::typed;
use loopscope::api::kind::Kind;
use loopscope::controller::registry;
use loopscope::view::examples::EXAMPLES;
use loopscope::view::rings::name_of;
use loopscope::view::things::{self, Deed, Effect, Thing};
use loopscope::view::{Choice, Desk, Look, Stage};
use yew::{Event, Html, KeyboardEvent};

/// One thing that can be done.
#[derive(Clone, PartialEq)]
pub struct Item {
    /// What, in words.
    pub label: String,
    /// Its shortcut, or what sort of thing it is.
    pub hint: &'static str,
    /// What happens.
    pub pick: Pick,
}

/// What happens when an item is picked.
#[derive(Clone, PartialEq)]
pub enum Pick {
    /// What a shortcut does.
    Move(Move),
    /// What a menu offers.
    Effect(Effect),
    /// The middle shows something else.
    Stage(Stage),
    /// A theme.
    Theme(&'static str),
    /// More or less moves.
    Still(bool),
    /// A manifest to begin with goes into the editor.
    Example(&'static str),
    /// A new run.
    Settings,
    /// The run as a link or a file.
    Share,
}

/// How many items are shown.
const MOST: usize = 40;
/// How many objects are looked for, and of how many of them all deeds are offered.
const OBJECTS: usize = 12;
const WITH_DEEDS: usize = 4;
/// How many nodes are offered with all that can be done to them.
const NODES: usize = 10;

/// What fits a query.
pub fn items(desk: &Desk, look: &Look, taste: Taste, query: &str) -> Vec<Item> {
    let words: Vec<String> = query.split_whitespace().map(str::to_ascii_lowercase).collect();
    let mut found = Found { words, items: Vec::new() };
    for (keys, label, what) in shortcuts::ALL {
        if *what != Move::Palette {
            found.add((*label).to_owned(), keys, Pick::Move(*what));
        }
    }
    found.add("New run with other settings".to_owned(), "nodes, seed, latency …", Pick::Settings);
    found.add("Share this run: link, export, import".to_owned(), "share", Pick::Share);
    for stage in Stage::ALL {
        found.add(["Show ", stage.name()].concat(), "actual", Pick::Stage(*stage));
    }
    for theme in THEMES.iter().filter(|t| **t != taste.theme) {
        found.add(["Theme: ", theme].concat(), "look", Pick::Theme(theme));
    }
    found.add(if taste.still { "Motion: as the system asks" } else { "Motion: less" }.to_owned(), "look", Pick::Still(!taste.still));
    for example in EXAMPLES {
        found.add(["Example: ", example.title].concat(), "manifest", Pick::Example(example.manifest));
    }
    if let Some(open) = &look.object {
        found.deeds(desk, &Thing::Object(open.clone()));
    }
    for index in 0..=registry::all().len() {
        found.add(["Loop of ", &name_of(index)].concat(), "controller", Pick::Effect(Effect::Turn(index)));
    }
    // What is to be opened is named by the other words.
    let names: Vec<String> = found.words.iter().filter(|word| *word != "open").cloned().collect();
    if !names.is_empty() {
        let subjects = things::find(desk, &names.join(" "), OBJECTS);
        for subject in &subjects {
            found.items.push(Item {
                label: ["Open ", &Thing::Object(subject.clone()).title()].concat(),
                hint: "object",
                pick: Pick::Effect(Effect::Open(subject.clone())),
            });
        }
        // What can be done to what was found needs no words of its own.
        if subjects.len() <= WITH_DEEDS {
            let said = std::mem::take(&mut found.words);
            subjects.iter().for_each(|s| found.deeds(desk, &Thing::Object(s.clone())));
            found.words = said;
        }
        found.deeds(desk, &Thing::Cluster);
        let process = Thing::named("Process", "", "scheduler");
        [Some(Thing::Controller(0)), process].into_iter().flatten().for_each(|thing| found.deeds(desk, &thing));
        let nodes = things::find(desk, "node", NODES).into_iter().filter(|s| s.kind == Kind::NODE);
        // A name among the words is enough: the others say what to do to it.
        let named = names.iter().filter(|word| word.len() > 2).flat_map(|word| things::find(desk, word, WITH_DEEDS));
        for subject in named.chain(nodes) {
            found.deeds(desk, &Thing::Object(subject));
        }
    }
    found.items.truncate(MOST);
    found.items
}

struct Found {
    words: Vec<String>,
    items: Vec<Item>,
}

impl Found {
    fn add(&mut self, label: String, hint: &'static str, pick: Pick) {
        let text = [&label, " ", hint].concat().to_ascii_lowercase();
        let new = || self.items.iter().all(|item| item.label != label);
        if self.items.len() < MOST && self.words.iter().all(|word| text.contains(word.as_str())) && new() {
            self.items.push(Item { label, hint, pick });
        }
    }
    fn deeds(&mut self, desk: &Desk, thing: &Thing) {
        let title = thing.title();
        let can = |deed: &Deed| deed.why_not.is_empty() && !matches!(deed.effect, Effect::Open(_) | Effect::Turn(_));
        for deed in things::deeds(desk, thing).into_iter().filter(can) {
            let title = if deed.group == "API server" || deed.group == "Image registry" { deed.group } else { &title };
            self.add([title, ": ", &deed.label].concat(), if deed.breaks { "breaks" } else { "" }, Pick::Effect(deed.effect));
        }
    }
}

impl State {
    /// What was chosen in the palette is done.
    pub fn pick(&mut self, i: usize) {
        let Shown::Palette(view) = self.over.shown.clone() else { return };
        let Some(item) = view.items.get(i) else { return };
        self.close();
        match &item.pick {
            Pick::Move(what) => self.make(*what),
            Pick::Effect(effect) => self.happen(effect),
            Pick::Stage(stage) => self.look.stage = *stage,
            Pick::Theme(theme) => self.prefer(|taste| taste.theme = theme),
            Pick::Still(still) => self.prefer(|taste| taste.still = *still),
            Pick::Example(text) => {
                self.text = (*text).into();
                self.focus(shortcuts::EDITOR, Some(Pane::Desired));
            }
            Pick::Settings => self.open_settings(),
            // The link is made once the dialog is there.
            Pick::Share => drop(self.open_share()),
        }
    }
}

/// The palette drawn.
pub fn palette(view: &PaletteView, dispatch: &Dispatch) -> Html {
    let (search, keys) = (dispatch.clone(), dispatch.clone());
    let oninput = move |event: Event| {
        let query = typed(&event);
        search.page(move |state| state.search(&query));
    };
    let (chosen, count) = (view.chosen, view.items.len().max(1));
    let onkeydown = move |event: KeyboardEvent| {
        let to = match event.key().as_str() {
            "ArrowDown" => (chosen + 1) % count,
            "ArrowUp" => (chosen + count - 1) % count,
            "PageDown" => (chosen + 8).min(count - 1),
            "PageUp" => chosen.saturating_sub(8),
            "Enter" => {
                event.prevent_default();
                return keys.page(move |state| state.pick(chosen));
            }
            _ => return,
        };
        event.prevent_default();
        keys.page(move |state| state.choose(to));
    };
    let row = |(i, item): (usize, &Item)| {
        let onclick = dispatch.on_page(move |state| state.pick(i));
        html! {
            <li role="option" id={format!("palette-{i}")} aria-selected={i == chosen} {onclick}>
                <span>{ &item.label }</span>
                if !item.hint.is_empty() { <span class="soft">{ item.hint }</span> }
            </li>
        }
    };
    html! {
        <>
            <input
                type="text"
                role="combobox"
                aria-label="What to do, or an object's name"
                aria-expanded="true"
                aria-controls="palette-list"
                aria-activedescendant={format!("palette-{chosen}")}
                placeholder="What to do, or an object's name"
                autocomplete="off"
                spellcheck="false"
                value={view.query.clone()}
                {oninput}
                {onkeydown}
            />
            <ul id="palette-list" role="listbox" aria-label="What can be done">{ for view.items.iter().enumerate().map(row) }</ul>
            if view.items.is_empty() { <p class="empty" role="status">{ "Nothing fits." }</p> }
        </>
    }
}
