//! What outlives a visit: the run, and a person's preferences. Storage is refused in a sandboxed frame; then nothing outlives it.

use super::recovery;
use crate::ui::dispatch::Dispatch;
use gloo_timers::callback::{Interval, Timeout};
use loopscope::page::auto::Reading;
use loopscope::page::preferences::{Keys, Motion, Size, Theme};
use loopscope::page::room::Rooms;
use loopscope::page::{Preferences, Revision};
use loopscope::view::{Choice, Layout};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::rc::Rc;
use web_sys::Storage;
use yew::{hook, use_effect_with};

/// The time between the last change and saving it, in milliseconds: it may soon change again.
const SETTLE_MS: u32 = 400;
/// The time between two saves while time passes, so that a new engine or the next visit comes near to the moment that was looked at.
const EVERY_MS: u32 = 5_000;

/// A text longer than this takes a while to write down, in bytes.
const LONG_TEXT: usize = 100_000;

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}

fn get(name: &str) -> Option<String> {
    storage()?.get_item(&format!("loopscope.{name}")).ok().flatten()
}

/// Keeps a text. Storage that is full or refused loses it; the page itself still has it.
fn set(name: &str, text: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&format!("loopscope.{name}"), text);
    }
}

/// The run that an earlier visit left.
pub fn saved_run() -> Option<String> {
    get("run").filter(|text| !text.is_empty())
}

/// The text that an earlier visit left in the editor without applying it.
pub fn unapplied() -> Option<String> {
    get("unapplied").filter(|text| !text.is_empty())
}

/// Keeps the text in the editor for the next visit as long as it is not applied.
#[hook]
pub fn use_unapplied(text: Option<Rc<str>>) {
    use_effect_with(text, |text| {
        // A long text is not written down with every letter.
        let wait_ms = if text.as_ref().is_some_and(|text| text.len() > LONG_TEXT) { SETTLE_MS } else { 0 };
        let text = text.clone();
        let later = Timeout::new(wait_ms, move || set("unapplied", text.as_deref().unwrap_or_default()));
        move || drop(later)
    });
}

/// A person's preferences. An address may ask for others, which `boot.js` has put on the root element by now.
pub fn preferences() -> Preferences {
    let root = web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element());
    let asked = |name: &str| root.as_ref().and_then(|root| root.get_attribute(&format!("data-{name}"))).or_else(|| get(name));
    Preferences {
        theme: read::<Theme>(asked("theme")),
        motion: read::<Motion>(asked("motion")),
        keys: read::<Keys>(asked("keys")),
        reading: read::<Reading>(asked("reading")),
        layout: read::<Layout>(get("layout")),
        size: read::<Size>(asked("size")),
        rooms: Rooms::read(&get("rooms").unwrap_or_default()),
    }
}

fn read<T: DeserializeOwned + Default>(text: Option<String>) -> T {
    text.and_then(|text| serde_json::from_value(Value::String(text)).ok()).unwrap_or_default()
}

/// Makes preferences hold for the page, and keeps them for the next visit.
#[hook]
pub fn use_preferences(preferences: Preferences) {
    use_effect_with(preferences, |preferences| {
        let root = web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element());
        let all = [
            ("theme", preferences.theme.name()),
            ("motion", preferences.motion.name()),
            ("keys", preferences.keys.name()),
            ("reading", preferences.reading.name()),
            ("size", preferences.size.name()),
            ("layout", &preferences.layout.name().to_lowercase()),
        ];
        for (name, value) in all {
            if let Some(root) = &root {
                let _ = root.set_attribute(&format!("data-{name}"), value);
            }
            set(name, value);
        }
        set("rooms", &preferences.rooms.write());
    });
}

/// Saves the run whenever a person has done something, and every few seconds while the page is open.
#[hook]
pub fn use_saving(revision: Revision, dispatch: Dispatch) {
    let save = move |dispatch: &Dispatch| {
        let text = dispatch.page(|page| page.share().write());
        recovery::keep(&text);
        // The very first command is the page's own.
        (revision.commands > 1).then_some(text)
    };
    let saver = dispatch.clone();
    use_effect_with(revision, move |_| {
        let later = save(&saver).map(|text| Timeout::new(SETTLE_MS, move || set("run", &text)));
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
