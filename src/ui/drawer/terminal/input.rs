//! The terminal's input line. It is the browser's own text field, so that selecting, undoing and pasting work as usual.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::TerminalAction;
use std::rc::Rc;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TerminalInputProps {
    /// The reference to the element of the text field.
    pub field: NodeRef,
    pub text: Rc<str>,
    pub prompt: String,
    /// Set while a command runs.
    pub is_busy: bool,
    /// Set while `kubectl edit` waits for the editor.
    pub is_editing: bool,
}

/// The maximum number of lines of a command that are visible at once.
const MOST_ROWS: usize = 8;

/// The prompt and the input line of the terminal.
#[component]
pub fn TerminalInput(TerminalInputProps { field, text, prompt, is_busy, is_editing }: &TerminalInputProps) -> Html {
    let dispatch = use_dispatch();
    let oninput = dispatch.on_text(TerminalAction::Line);
    let onkeydown = {
        let (field, can_interrupt) = (field.clone(), *is_busy || *is_editing);
        move |event: KeyboardEvent| {
            let action = field.cast::<HtmlTextAreaElement>().and_then(|field| action_of(&event, &field, can_interrupt));
            if let Some(action) = action {
                event.prevent_default();
                dispatch.send(action);
            }
        }
    };
    html! {
        <div class="prompt-line">
            <label class="mono" for="terminal-line">{ if *is_busy { "…" } else { prompt.as_str() } }</label>
            <textarea
                id="terminal-line"
                ref={field}
                rows={text.split('\n').count().clamp(1, MOST_ROWS).to_string()}
                value={AttrValue::from(text.clone())}
                {oninput}
                {onkeydown}
                aria-label="Command"
                spellcheck="false"
                autocomplete="off"
                autocapitalize="off"
            />
        </div>
    }
}

/// Returns the action of a key in the input line; `None` if the browser handles the key.
fn action_of(event: &KeyboardEvent, field: &HtmlTextAreaElement, can_interrupt: bool) -> Option<TerminalAction> {
    let (text, cursor) = (field.value(), field.selection_start().ok().flatten().unwrap_or(0));
    let selects_nothing = field.selection_end().ok().flatten() == Some(cursor);
    let has_one_line = !text.contains('\n');
    match event.key().as_str() {
        "Enter" if !event.shift_key() => Some(TerminalAction::Enter),
        "Tab" if !event.shift_key() && !text.trim().is_empty() => Some(TerminalAction::Complete(cursor as usize)),
        "ArrowUp" if has_one_line => Some(TerminalAction::Recall(-1)),
        "ArrowDown" if has_one_line => Some(TerminalAction::Recall(1)),
        "c" if event.ctrl_key() && selects_nothing && (can_interrupt || !text.is_empty()) => Some(TerminalAction::Interrupt),
        "l" if event.ctrl_key() => Some(TerminalAction::Clear),
        _ => None,
    }
}
