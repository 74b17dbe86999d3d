//! The sheets over the page: all shortcuts, and the settings of a new run.

use super::shortcuts;
use super::state::{Dispatch, Form, State};
use super::theme::Taste;
use crate::ui::markup::html;
use loopscope::view::settings::{SETTINGS, Setting};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};
use yew::{Html, SubmitEvent};

/// The head of a dialog: its name, and a way out.
pub fn head(title: &'static str, dispatch: &Dispatch) -> Html {
    let onclick = dispatch.on_page(State::close);
    html! {
        <header><h2 id="dialog-title">{ title }</h2><button type="button" class="quiet" {onclick}>{ "Close" }</button></header>
    }
}

/// All shortcuts.
pub fn sheet(taste: Taste, dispatch: &Dispatch) -> Html {
    let row =
        |(keys, words, _): &(&'static str, &'static str, shortcuts::Move)| html! { <><dt><kbd>{ *keys }</kbd></dt><dd>{ *words }</dd></> };
    let turn_keys = dispatch.on_page(|state| state.prefer(|taste| taste.keys = !taste.keys));
    let turn_still = dispatch.on_page(|state| state.prefer(|taste| taste.still = !taste.still));
    html! {
        <>
            { head("Shortcuts", dispatch) }
            <dl class="keys">
                { for shortcuts::ALL.iter().map(row) }
                <><dt><kbd>{ "Ctrl or ⌘ K" }</kbd></dt><dd>{ "Palette, also while typing" }</dd></>
                <><dt><kbd>{ "Ctrl or ⌘ Enter" }</kbd></dt><dd>{ "Apply, in the editor" }</dd></>
                <><dt><kbd>{ "Shift F10" }</kbd></dt><dd>{ "Menu of what has the focus; also a right click or a long press" }</dd></>
            </dl>
            <p class="switches">
                <label><input type="checkbox" checked={taste.keys} onclick={turn_keys} />{ " Single keys are shortcuts" }</label>
                <label><input type="checkbox" checked={taste.still} onclick={turn_still} />{ " Less motion" }</label>
            </p>
        </>
    }
}

/// The settings of a new run.
pub fn settings(form: &Form, dispatch: &Dispatch) -> Html {
    let submit = dispatch.clone();
    let onsubmit = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(form) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else { return };
        let field = |name: &str| {
            let found = form.query_selector(&["[name='", name, "']"].concat()).ok().flatten();
            found.and_then(|e| e.dyn_into::<HtmlInputElement>().ok())
        };
        let values = SETTINGS.iter().map(|s| field(s.path).map(|f| f.value()).unwrap_or_default()).collect();
        let apply = field("apply").is_some_and(|f| f.checked());
        submit.page(move |state| state.start_anew(values, apply));
    };
    let row = |(setting, value): (&Setting, &String)| {
        let path = setting.path;
        html! {
            <label>
                <span>{ setting.label }</span>
                <input name={path} value={value.clone()} inputmode={setting.is_number().then_some("numeric")} autocomplete="off" />
                <span class="soft">{ setting.help }</span>
            </label>
        }
    };
    let asked = SETTINGS.iter().zip(&form.values).filter(|(s, _)| !s.label.is_empty());
    html! {
        <form {onsubmit}>
            { head("New run", dispatch) }
            <div class="settings">{ for asked.map(row) }</div>
            if !form.error.is_empty() { <p class="failed" role="alert">{ &form.error }</p> }
            <footer>
                <label><input type="checkbox" name="apply" checked=true />{ " Apply the manifest at once" }</label>
                <button type="submit" class="primary">{ "Start anew" }</button>
            </footer>
        </form>
    }
}
