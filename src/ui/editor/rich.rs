//! CodeMirror. It is JavaScript in a bundle of its own (`static/editor`), which `static/boot.js` fetches after the first paint. It asks for completions
//! and help through one function that answers in JSON; browsers count places in UTF-16 units, the library in bytes.

use crate::ui::state::{Action, Dispatch};
use loopscope::api::json;
use loopscope::api::value::Value;
use loopscope::map;
use loopscope::view::assist::{Problem, Severity, complete, hover};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::{Closure, JsCast, JsValue, wasm_bindgen};
use web_sys::Element;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = loopscope, js_name = editor)]
    fn load(host: &Element, text: &str, tell: &JsValue, ask: &JsValue, ready: &JsValue);

    /// An editor on the page.
    #[wasm_bindgen(js_name = Object)]
    #[derive(Clone)]
    pub type Handle;

    #[wasm_bindgen(method, js_name = setText)]
    pub fn set_text(this: &Handle, text: &str);
    #[wasm_bindgen(method, js_name = setDiagnostics)]
    pub fn set_diagnostics(this: &Handle, json: &str);
    #[wasm_bindgen(method)]
    pub fn show(this: &Handle, place: usize);
    #[wasm_bindgen(method)]
    fn destroy(this: &Handle);
}

/// What an editor needs for as long as it is there.
pub struct Opened {
    made: Rc<RefCell<Option<Handle>>>,
    _tell: Closure<dyn FnMut(String, bool)>,
    _ask: Closure<dyn FnMut(String, usize, bool) -> String>,
    _ready: Closure<dyn FnMut(JsValue)>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(handle) = self.made.borrow_mut().take() {
            handle.destroy();
        }
    }
}

/// Opens an editor in an element, some time from now; without the bundle, never.
pub fn open(host: &Element, text: &str, dispatch: &Dispatch, ready: impl Fn(Handle) + 'static) -> Opened {
    let dispatch = dispatch.clone();
    let tell = move |text: String, apply: bool| dispatch.send(if apply { Action::Apply } else { Action::Edit(text) });
    let tell = Closure::<dyn FnMut(String, bool)>::new(tell);
    let ask = Closure::<dyn FnMut(String, usize, bool) -> String>::new(answer);
    let made = Rc::new(RefCell::new(None));
    let slot = made.clone();
    let ready = Closure::<dyn FnMut(JsValue)>::new(move |handle: JsValue| {
        let handle: Handle = handle.unchecked_into();
        *slot.borrow_mut() = Some(handle.clone());
        ready(handle);
    });
    load(host, text, tell.as_ref(), ask.as_ref(), ready.as_ref());
    Opened { made, _tell: tell, _ask: ask, _ready: ready }
}

/// What may stand at a place, or what the word there means.
fn answer(text: String, at: usize, is_hover: bool) -> String {
    let at = byte_of(&text, at);
    let units = |place: usize| units_of(&text, place) as i64;
    let answer = if is_hover {
        hover(&text, at).map_or(Value::Null, |found| {
            let (title, detail, help) = (found.title, found.detail, found.help);
            Value::Map(map! { "from" => units(found.from), "to" => units(found.to), "title" => title, "detail" => detail, "help" => help })
        })
    } else {
        let found = complete(&text, at);
        let items = found
            .items
            .into_iter()
            .map(|item| Value::Map(map! { "label" => item.label, "detail" => item.detail, "info" => item.info, "apply" => item.apply }));
        Value::Map(map! { "from" => units(found.from), "to" => units(found.to), "items" => items.collect::<Vec<Value>>() })
    };
    json::to_string(&answer)
}

/// Problems as the editor takes them.
pub fn diagnostics(text: &str, problems: &[Problem]) -> String {
    let mark = |problem: &Problem| {
        let severity = if problem.severity == Severity::Error { "error" } else { "warning" };
        let (from, to) = (units_of(text, problem.from) as i64, units_of(text, problem.to) as i64);
        Value::Map(map! { "from" => from, "to" => to, "severity" => severity, "message" => problem.message.clone() })
    };
    json::to_string(&Value::List(problems.iter().map(mark).collect()))
}

/// The place in bytes of a place in UTF-16 units.
fn byte_of(text: &str, units: usize) -> usize {
    let mut left = units;
    let place = text.char_indices().find(|(_, c)| {
        let found = left == 0;
        left = left.saturating_sub(c.len_utf16());
        found
    });
    place.map_or(text.len(), |(at, _)| at)
}

/// The place in UTF-16 units of a place in bytes.
pub fn units_of(text: &str, at: usize) -> usize {
    text.char_indices().take_while(|(i, _)| *i < at).map(|(_, c)| c.len_utf16()).sum()
}
