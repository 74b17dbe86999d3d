//! Recovery: a panic ends the engine, not the page. `static/boot.js` watches the engine's functions, shows the panic's message, and starts a fresh engine
//! from the run that was kept last.

use loopscope::page::Found;
use serde::Deserialize;
use std::panic::PanicHookInfo;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(js_namespace = loopscopePage)]
extern "C" {
    /// Returns the data that `boot.js` kept for a new engine: an object like [`Kept`].
    #[wasm_bindgen(js_name = kept)]
    fn kept_by_page() -> JsValue;
    /// Returns the content of the files in `static/content`, which `boot.js` fetches as one text.
    pub fn content() -> String;
    /// Lets `boot.js` keep the share state of a run, in case the engine stops.
    pub fn keep(state: &str);
    /// Hands a panic's message to `boot.js`.
    fn stopped(words: &str);
}

/// The run and the notice that `boot.js` keeps for a new engine after the last one has stopped.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Kept {
    /// The share state of the run in which the engine stopped.
    state: Option<String>,
    /// The notice to show; set only if an engine has stopped.
    notice: Option<String>,
}

/// Installs a panic hook that reports every panic to the console, with its stack, and to `boot.js`. It must be called before Yew renders the app.
pub fn install_panic_hook() {
    yew::set_custom_panic_hook(Box::new(|info: &PanicHookInfo<'_>| {
        console_error_panic_hook::hook(info);
        let words = info.payload_as_str().unwrap_or("a panic without words");
        stopped(&match info.location() {
            Some(place) => format!("{words}, at {}:{}", place.file(), place.line()),
            None => words.to_owned(),
        });
    }));
}

/// Stops the engine by a panic, for tests: `loopscopePage.fireDrill("words")` in the browser's console.
#[wasm_bindgen(js_name = fireDrill)]
pub fn fire_drill(words: &str) {
    panic!("{words}");
}

/// Returns what the page starts with: the run in which the engine stopped, the run of a link, or the run of an earlier visit.
pub fn found() -> Found {
    // A manifest in the address takes precedence over the unapplied text of an earlier visit.
    let unapplied = if super::address::has_manifest() { None } else { super::storage::unapplied() };
    let branches = super::storage::branches();
    let kept: Kept = serde_wasm_bindgen::from_value(kept_by_page()).unwrap_or_default();
    if kept.notice.is_some() {
        return Found { recovers: true, state: kept.state, notice: kept.notice, branches, unapplied, ..Found::default() };
    }
    let (parameters, missing) = (super::address::parameters(), super::address::missing_manifest());
    match super::address::linked_run() {
        Some(Ok(state)) => {
            let (at, plays) = (parameters.start.at, parameters.paused == Some(false));
            Found { state: Some(state), at, plays, ..Found::default() }
        }
        Some(Err(why)) => {
            let notice = Some(format!("This link cannot be opened: {why}."));
            Found { notice, saved: super::storage::saved_run(), branches, unapplied, ..Found::default() }
        }
        None => Found { notice: missing, saved: super::storage::saved_run(), branches, unapplied, ..Found::default() },
    }
}
