//! The head of the pane *Desired* while an object of `kubectl edit` is edited: its name, and the buttons that save or cancel.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Action;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DraftHeadProps {
    /// Kind and name of the object.
    pub title: Rc<str>,
}

/// The name of the object that is edited, with buttons to save and to cancel. Escape cancels, too.
#[component]
pub fn DraftHead(DraftHeadProps { title }: &DraftHeadProps) -> Html {
    let dispatch = use_dispatch();
    let (save, cancel) = (dispatch.on(Action::Apply), dispatch.on(Action::CancelEdit));
    let onkeydown = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            dispatch.send(Action::CancelEdit);
        }
    };
    html! {
        <header class="pane-head draft-head" {onkeydown}>
            <h2 id="desired" title={title.to_string()}>{ format!("Editing {title} ") }<span class="soft">{ "(kubectl edit)" }</span></h2>
            <span class="draft-buttons">
                <button type="button" title="Escape, here; Ctrl-C in the terminal" onclick={cancel}>{ "Cancel" }</button>
                <button type="button" class="primary" title="Ctrl or ⌘ and Enter, in the text" onclick={save}>{ "Save" }</button>
            </span>
        </header>
    }
}
