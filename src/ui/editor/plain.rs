//! A text area over its own painted copy, so that typing, selecting and undoing are the browser's own. It is the first paint, and all there is
//! where the bundle is missing.

use super::area_of;
use crate::ui::markup::html;
use crate::ui::press::typed;
use crate::ui::state::{Action, Dispatch};
use loopscope::view::paint::paint;
use wasm_bindgen::JsCast;
use yew::{AttrValue, Event, Html, KeyboardEvent, NodeRef};

/// The box.
pub fn text_box(text: &AttrValue, area: &NodeRef, dispatch: &Dispatch) -> Html {
    let (edit, apply) = (dispatch.clone(), dispatch.clone());
    let oninput = move |event: Event| edit.send(Action::Edit(typed(&event)));
    let onkeydown = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            apply.send(Action::Apply);
        }
    };
    let line = |line: &str| {
        let pieces = paint(line).into_iter().map(|(ink, text)| html! { <span class={ink.class()}>{ text.to_owned() }</span> });
        html! { <span class="line">{ for pieces }{ "\n" }</span> }
    };
    html! {
        <div class="editor">
            <div class="sheet">
                <pre aria-hidden="true">{ for text.split('\n').map(line) }</pre>
                <textarea
                    ref={area.clone()}
                    value={text.clone()}
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

/// Where the cursor stands in the box, in UTF-16 units; none if the person is elsewhere.
pub fn cursor(area: &NodeRef) -> Option<usize> {
    let area = area_of(area)?;
    let active = web_sys::window()?.document()?.active_element()?;
    if active != *area.unchecked_ref::<web_sys::Element>() {
        return None;
    }
    area.selection_start().ok().flatten().map(|place| place as usize)
}

/// Goes to a place, in UTF-16 units.
pub fn show(area: &NodeRef, place: usize) {
    if let Some(area) = area_of(area) {
        // A box that is gone cannot be focused, and nobody misses it.
        let _ = area.focus();
        let _ = area.set_selection_range(place as u32, place as u32);
    }
}
