//! The manifest: a text area over its own painted copy, so that typing, selecting and undoing are the browser's own.

use super::state::{Action, Dispatch};
use loopscope::view::paint::paint;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;
use yew::{AttrValue, Html, InputEvent, KeyboardEvent, Properties, component, html};

#[derive(Properties, PartialEq)]
pub struct EditorProps {
    pub text: AttrValue,
    pub edited: bool,
    /// Whether this is an object that kubectl edit handed over.
    pub draft: bool,
    pub dispatch: Dispatch,
}

/// The manifest and the button that applies it.
#[component]
pub fn Editor(props: &EditorProps) -> Html {
    let dispatch = props.dispatch.clone();
    let oninput = move |event: InputEvent| {
        if let Some(area) = event.target().and_then(|t| t.dyn_into::<HtmlTextAreaElement>().ok()) {
            dispatch.send(Action::Edit(area.value()));
        }
    };
    let dispatch = props.dispatch.clone();
    let onkeydown = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            dispatch.send(Action::Apply);
        }
    };
    let dispatch = props.dispatch.clone();
    let onclick = move |_| dispatch.send(Action::Apply);
    let line = |line: &str| {
        let pieces = paint(line).into_iter().map(|(ink, text)| html! { <span class={ink.class()}>{ text.to_owned() }</span> });
        html! { <span class="line">{ for pieces }{ "\n" }</span> }
    };
    html! {
        <>
            <div class="editor">
                <div class="sheet">
                    <pre aria-hidden="true">{ for props.text.split('\n').map(line) }</pre>
                    <textarea
                        value={props.text.clone()}
                        {oninput}
                        {onkeydown}
                        aria-label="Manifest in YAML"
                        spellcheck="false"
                        autocomplete="off"
                        autocapitalize="off"
                        wrap="off"
                    />
                </div>
            </div>
            <div class="apply">
                <span class="soft">{ match (props.draft, props.edited) { (true, _) => "kubectl edit: change it and save", (false, true) => "edited, not applied", _ => "" } }</span>
                <button type="button" class="primary" {onclick} title="Ctrl or ⌘ and Enter, in the manifest">{ if props.draft { "Save" } else { "Apply" } }</button>
            </div>
        </>
    }
}
