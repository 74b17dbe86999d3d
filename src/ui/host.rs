//! What the page around the engine does for it: storage, links, files, the clipboard. Counterpart: `static/boot.js`.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlInputElement;

#[wasm_bindgen(js_namespace = loopscopePage)]
extern "C" {
    /// What the page has for a new engine: `state`, `notice` or `saved`; empty for nothing.
    pub fn found(what: &str) -> String;
    /// Remembers a run in case the engine stops; `lasting` also for the next visit.
    pub fn keep(state: &str, lasting: bool);
    /// A preference by its name; empty for none.
    pub fn preference(name: &str) -> String;
    /// Sets a preference.
    pub fn prefer(name: &str, value: &str);
    /// Makes a link of a state, and hands it over; empty if it cannot be made.
    pub fn pack(state: &str, done: &JsValue);
    /// Puts a text on the clipboard and tells whether it is there.
    pub fn copy(text: &str, done: &JsValue);
    /// Offers a text as a file.
    pub fn download(text: &str);
    /// Reads the file that was chosen: its text, or why it cannot be read.
    pub fn read(input: &HtmlInputElement, done: &JsValue);
    /// Who is told of a link that is opened in the running page.
    pub fn listen(opened: &JsValue);
    /// The engine's last words.
    pub fn stopped(words: &str);
}
