//! A transparent text area over a coloured copy of its text, so that typing, selecting and undoing are the browser's own. It is shown until CodeMirror's
//! bundle has arrived, and stays if the bundle is missing.

use crate::ui::browser::focus::focused;
use crate::ui::dispatch::use_dispatch;
use loopscope::page::Action;
use loopscope::view::paint::paint;
use std::rc::Rc;
use web_sys::{HtmlElement, HtmlTextAreaElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PlainBoxProps {
    pub text: Rc<str>,
    /// The reference to the text area's element.
    pub area: NodeRef,
}

/// The manifest in a text area.
#[component]
pub fn PlainBox(PlainBoxProps { text, area }: &PlainBoxProps) -> Html {
    let dispatch = use_dispatch();
    let editing = dispatch.clone();
    let oninput = move |event: InputEvent| editing.send(Action::Edit(event.target_unchecked_into::<HtmlTextAreaElement>().value()));
    let onkeydown = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            dispatch.send(Action::Apply);
        }
    };
    let line = |line: &str| {
        let pieces = paint(line).into_iter().map(|(ink, piece)| html! { <span class={ink.class()}>{ piece.to_owned() }</span> });
        html! { <span class="line">{ for pieces }{ "\n" }</span> }
    };
    html! {
        <div class="editor">
            <div class="sheet">
                <pre aria-hidden="true">{ for text.split('\n').map(line) }</pre>
                <textarea
                    ref={area}
                    value={text.to_string()}
                    {oninput}
                    {onkeydown}
                    aria-label="Manifest"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    wrap="off"
                />
            </div>
        </div>
    }
}

/// Returns the position of the cursor in the text area, in UTF-16 units; `None` if the focus is elsewhere.
pub fn cursor(area: &NodeRef) -> Option<usize> {
    let area = area.cast::<HtmlTextAreaElement>()?;
    focused().filter(|element| element == AsRef::<HtmlElement>::as_ref(&area))?;
    area.selection_start().ok().flatten().map(|place| place as usize)
}

/// Focuses the text area and moves its cursor to a position in UTF-16 units. Focus is best effort; a failure is ignored.
pub fn show(area: &NodeRef, place: usize) {
    if let Some(area) = area.cast::<HtmlTextAreaElement>() {
        let _ = area.focus();
        let _ = area.set_selection_range(place as u32, place as u32);
    }
}
