//! The run as a link or a file, and runs that come as such.

use super::host;
use super::sheet::head;
use super::state::{Dispatch, Sharing};
use crate::ui::markup::html;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlInputElement;
use yew::{Event, FocusEvent, Html, MouseEvent, hook, use_effect_with};

/// Hears of links that are opened in the running page.
#[hook]
pub fn use_links(dispatch: Dispatch) {
    use_effect_with((), move |()| host::listen(&texts("This link", dispatch)));
}

/// What takes a text from elsewhere.
fn texts(what: &'static str, dispatch: Dispatch) -> JsValue {
    let open = move |text: String, error: String| dispatch.page(move |state| state.open_text(what, &text, &error));
    Closure::<dyn FnMut(String, String)>::new(open).into_js_value()
}

/// Makes the link of a state, which takes a moment.
pub fn make_link(state: &str, dispatch: &Dispatch) {
    let dispatch = dispatch.clone();
    let done = move |link: String| {
        let said = if link.is_empty() { "This browser cannot make a link; export a file instead." } else { "" };
        dispatch.page(move |state| state.tell_of_share(Some(link), said));
    };
    host::pack(state, &Closure::once_into_js(done));
}

/// The dialog.
pub fn share(view: &Sharing, dispatch: &Dispatch) -> Html {
    let (told, link) = (dispatch.clone(), view.link.clone());
    let copy = move |_: MouseEvent| {
        let dispatch = told.clone();
        let done = move |copied: bool| {
            let said = if copied { "The link is on the clipboard." } else { "Copying is not allowed here: select the link and copy it." };
            dispatch.page(move |state| state.tell_of_share(None, said));
        };
        host::copy(&link, &Closure::once_into_js(done));
    };
    let state = view.state.clone();
    let export = move |_: MouseEvent| host::download(&state);
    let dispatch_file = dispatch.clone();
    let import = move |event: Event| {
        if let Some(input) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
            host::read(&input, &texts("This file", dispatch_file.clone()));
        }
    };
    let select = |event: FocusEvent| {
        if let Some(field) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
            field.select();
        }
    };
    let made = !view.link.is_empty();
    html! {
        <>
            { head("Share this run", dispatch) }
            <p class="soft">{ "What was done is in the link itself: the settings, the manifest, and every command with its moment. Whoever opens it sees this very moment. Nothing is sent anywhere." }</p>
            <label class="link"><span>{ "Link" }</span><input readonly=true value={view.link.clone()} placeholder="one moment …" onfocus={select} /></label>
            <p class="buttons">
                <button type="button" class="primary" disabled={!made} onclick={copy}>{ "Copy link" }</button>
                <button type="button" onclick={export}>{ "Export file" }</button>
                <label class="file">{ "Import file" }<input type="file" accept=".json,application/json" onchange={import} /></label>
            </p>
            <p role="status">{ &view.said }</p>
        </>
    }
}
