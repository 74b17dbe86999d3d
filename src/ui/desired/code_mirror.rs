//! The binding to CodeMirror, an editor in JavaScript. `static/boot.js` fetches its bundle (`static/editor`) after the first paint. CodeMirror reports
//! changes through one function, and asks for completions and help through another.

use super::assistance::{Question, Report, answer, diagnostics};
use super::plain_box;
use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::page::Action;
use loopscope::view::assist::Problem;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use web_sys::Element;
use yew::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Creates an editor in the element `host` once the bundle has arrived, and hands the editor to `ready`.
    #[wasm_bindgen(js_namespace = loopscope, js_name = editor)]
    fn load(
        host: &Element,
        text: &str,
        tell: &Closure<dyn FnMut(JsValue)>,
        ask: &Closure<dyn FnMut(JsValue) -> JsValue>,
        ready: &Closure<dyn FnMut(CodeMirror)>,
    );

    /// A CodeMirror editor on the page. Positions in its text are in UTF-16 units.
    #[wasm_bindgen(js_name = Object)]
    #[derive(Clone, PartialEq)]
    pub type CodeMirror;

    #[wasm_bindgen(method, js_name = setText)]
    fn set_text(this: &CodeMirror, text: &str);
    #[wasm_bindgen(method, js_name = setDiagnostics)]
    fn set_diagnostics(this: &CodeMirror, diagnostics: &JsValue);
    /// Moves the cursor and the focus to a position in the text.
    #[wasm_bindgen(method)]
    pub fn show(this: &CodeMirror, place: usize);
    #[wasm_bindgen(method)]
    fn destroy(this: &CodeMirror);
}

/// Opens CodeMirror in `host`, and keeps its text and its problem marks up to date. Returns `None` until the bundle has arrived; until then a person may
/// type into the text area `plain`, whose text and cursor CodeMirror takes over.
#[hook]
pub fn use_code_mirror(host: &NodeRef, plain: &NodeRef, text: Rc<str>, problems: Rc<Vec<Problem>>) -> Option<CodeMirror> {
    let dispatch = use_dispatch();
    let editor = use_state(|| None::<CodeMirror>);
    let cursor = use_mut_ref(|| None::<usize>);
    {
        let (host, plain, text) = (host.clone(), plain.clone(), text.clone());
        let (editor, cursor) = (editor.setter(), cursor.clone());
        use_effect_with((), move |()| {
            let ready = move |opened| {
                *cursor.borrow_mut() = plain_box::cursor(&plain);
                editor.set(Some(opened));
            };
            let opened = host.cast().map(|host| Opened::new(&host, &text, dispatch, ready));
            move || drop(opened)
        });
    }
    use_effect_with((text.clone(), (*editor).clone()), move |(text, editor)| {
        let Some(editor) = editor else { return };
        editor.set_text(text);
        if let Some(place) = cursor.borrow_mut().take() {
            editor.show(place);
        }
    });
    use_effect_with((problems, (*editor).clone()), move |(problems, editor)| {
        if let Some(editor) = editor {
            editor.set_diagnostics(&diagnostics(&text, problems));
        }
    });
    (*editor).clone()
}

/// Everything that a CodeMirror editor needs while it exists.
struct Opened {
    editor: Rc<RefCell<Option<CodeMirror>>>,
    _tell: Closure<dyn FnMut(JsValue)>,
    _ask: Closure<dyn FnMut(JsValue) -> JsValue>,
    _ready: Closure<dyn FnMut(CodeMirror)>,
}

impl Opened {
    /// Opens an editor in an element as soon as the bundle has arrived.
    fn new(host: &Element, text: &str, dispatch: Dispatch, ready: impl Fn(CodeMirror) + 'static) -> Opened {
        let tell = Closure::<dyn FnMut(JsValue)>::new(move |report| match serde_wasm_bindgen::from_value(report) {
            Ok(Report::Edit { text }) => dispatch.send(Action::Edit(text)),
            Ok(Report::Apply) => dispatch.send(Action::Apply),
            Err(why) => warn(&why),
        });
        let ask = Closure::<dyn FnMut(JsValue) -> JsValue>::new(|question| {
            let read: Result<Question, _> = serde_wasm_bindgen::from_value(question);
            read.map(answer).inspect_err(warn).unwrap_or_default()
        });
        let editor = Rc::new(RefCell::new(None));
        let opened = editor.clone();
        let ready = Closure::<dyn FnMut(CodeMirror)>::new(move |editor: CodeMirror| {
            *opened.borrow_mut() = Some(editor.clone());
            ready(editor);
        });
        load(host, text, &tell, &ask, &ready);
        Opened { editor, _tell: tell, _ask: ask, _ready: ready }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(editor) = self.editor.borrow_mut().take() {
            editor.destroy();
        }
    }
}

/// Warns in the console that a message of the bundle does not match what the page expects.
fn warn(why: &serde_wasm_bindgen::Error) {
    web_sys::console::warn_1(&format!("Loopscope: the editor's message makes no sense: {why}").into());
}
