//! Storage between visits: the run, and a person's preferences. In a sandboxed frame a browser refuses storage; then the page stores nothing. An embed
//! stores nothing unless its address asks for it (`persist`), and then each address has a run of its own.

use super::{address, recovery};
use crate::ui::dispatch::Dispatch;
use gloo_timers::callback::{Interval, Timeout};
use loopscope::embed::parameters::Persist;
use loopscope::page::preferences::PREFERENCES;
use loopscope::page::room::Rooms;
use loopscope::page::{Preferences, Revision};
use std::rc::Rc;
use web_sys::{Element, Storage};
use yew::{hook, use_effect_with, use_mut_ref};

/// The time between a change and saving it, in milliseconds, because more changes may follow soon.
const SETTLE_MS: u32 = 400;
/// The time between two saves while virtual time passes, in milliseconds, so that a new engine or the next visit begins near the moment that was shown
/// last.
const EVERY_MS: u32 = 5_000;

/// The length in bytes above which storing a text takes noticeable time.
const LONG_TEXT: usize = 100_000;

fn storage() -> Option<Storage> {
    let window = web_sys::window()?;
    match address::parameters().persist {
        Persist::None => None,
        Persist::Session => window.session_storage().ok().flatten(),
        Persist::Local => window.local_storage().ok().flatten(),
    }
}

/// Returns the storage key of a name. Each embed has a run of its own, while preferences are shared by all of a person's pages.
fn key(name: &str) -> String {
    match name {
        "run" | "branches" | "unapplied" if address::parameters().start.embedding.is_embed => {
            format!("loopscope.{name}{}", address::search())
        }
        _ => format!("loopscope.{name}"),
    }
}

fn get(name: &str) -> Option<String> {
    storage()?.get_item(&key(name)).ok().flatten()
}

/// Stores a text, and returns whether there was room for it. If storage is full or refused, the text is lost with the page.
fn set(name: &str, text: &str) -> bool {
    storage().is_some_and(|storage| storage.set_item(&key(name), text).is_ok())
}

/// Returns the share state of the run that an earlier visit stored.
pub fn saved_run() -> Option<String> {
    get("run").filter(|text| !text.is_empty())
}

/// Returns the branches of the stored run.
pub fn branches() -> Option<String> {
    get("branches")
}

/// Returns the text that an earlier visit left in the editor without applying it.
pub fn unapplied() -> Option<String> {
    get("unapplied").filter(|text| !text.is_empty())
}

/// Stores the text in the editor for the next visit as long as it is not applied.
#[hook]
pub fn use_unapplied(text: Option<Rc<str>>) {
    use_effect_with(text, |text| {
        // A long text is stored after a pause in typing, and not with every letter.
        let wait_ms = if text.as_ref().is_some_and(|text| text.len() > LONG_TEXT) { SETTLE_MS } else { 0 };
        let text = text.clone();
        let later = Timeout::new(wait_ms, move || {
            set("unapplied", text.as_deref().unwrap_or_default());
        });
        move || drop(later)
    });
}

fn root() -> Option<Element> {
    web_sys::window()?.document()?.document_element()
}

/// Returns a person's preferences: those that the document already has as attributes (set by `boot.js` or by an earlier engine), else those of the
/// address, else those in storage.
pub fn preferences() -> Preferences {
    let root = root();
    let shown = |name: &str| root.as_ref()?.get_attribute(&format!("data-{name}"));
    let mut stored = Preferences::read(|row| get(row.name));
    address::parameters().preferences.iter().for_each(|asked| stored.set(*asked));
    let chosen = Preferences::read(|row| shown(row.name).or_else(|| row.chosen(&stored).map(|value| value.name.to_owned())));
    Preferences { rooms: Rooms::read(&get("rooms").unwrap_or_default()), ..chosen }
}

/// Applies preferences to the document as `data-` attributes, and stores those that a person changes for the next visit.
#[hook]
pub fn use_preferences(preferences: Preferences) {
    let before = use_mut_ref(|| preferences);
    use_effect_with(preferences, move |preferences| {
        let root = root();
        let before = before.replace(*preferences);
        for row in PREFERENCES {
            let Some(value) = row.chosen(preferences) else { continue };
            if let Some(root) = &root {
                let _ = root.set_attribute(&format!("data-{}", row.name), value.name);
            }
            if row.chosen(&before) != Some(value) {
                set(row.name, value.name);
            }
        }
        if before.rooms != preferences.rooms {
            set("rooms", &preferences.rooms.write());
        }
    });
}

/// The storage key that is set once the introduction is over.
const INTRODUCTION: &str = "introduction";

/// Returns whether the introduction has yet to be shown in this browser. Without storage this is unknown, and the introduction is not shown.
pub fn is_first_visit() -> bool {
    storage().is_some() && get(INTRODUCTION).is_none()
}

/// Stores that the introduction is over, once it ends.
#[hook]
pub fn use_introduction(introduces: bool) {
    let before = use_mut_ref(|| introduces);
    use_effect_with(introduces, move |introduces| {
        if before.replace(*introduces) && !introduces {
            set(INTRODUCTION, "seen");
        }
    });
}

/// Stores the branches of the run if it is stored itself, without the oldest if there is no room for all. A page that may store nothing at all says nothing.
fn save_branches(dispatch: &Dispatch, is_stored: bool) {
    let lines = dispatch.read(|run| run.write_branches());
    let unkept = (0..lines.len()).find(|left| is_stored && set("branches", &lines[*left..].join("\n"))).unwrap_or(lines.len());
    if unkept == lines.len() {
        set("branches", "");
    }
    if storage().is_some() && unkept != dispatch.page(|page| page.unkept_branches()) {
        dispatch.act(|page| page.miss_branches(unkept));
    }
}

/// Saves the run after every command, and every few seconds while the page is open.
#[hook]
pub fn use_saving(revision: Revision, dispatch: Dispatch) {
    let save = move |dispatch: &Dispatch| {
        let text = dispatch.page(|page| page.share().write());
        recovery::keep(&text);
        // The first command is given by the page itself, so a run with only that one is not stored.
        (revision.commands > 1).then_some(text)
    };
    let saver = dispatch.clone();
    use_effect_with(revision, move |_| {
        let later = save(&saver).map(|text| {
            Timeout::new(SETTLE_MS, move || {
                let is_stored = set("run", &text);
                save_branches(&saver, is_stored);
            })
        });
        move || drop(later)
    });
    use_effect_with(revision.commands > 1, move |_| {
        let again = Interval::new(EVERY_MS, move || {
            if let Some(text) = save(&dispatch) {
                set("run", &text);
            }
        });
        move || drop(again)
    });
}
