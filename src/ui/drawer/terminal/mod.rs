//! The terminal: kubectl and a small shell. Output and input line are separate components, so that typing does not render the output again.

mod entry;
mod input;
mod output;

use input::TerminalInput;
use loopscope::page::TerminalLine;
use loopscope::view::terminal::TerminalView;
use output::TerminalOutput;
use std::rc::Rc;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TerminalPaneProps {
    pub view: Rc<TerminalView>,
    pub line: TerminalLine,
    pub is_paused: bool,
    /// The kind and name of the object that `kubectl edit` has handed to the editor, if any.
    pub editing: Option<Rc<str>>,
}

/// The entries with their output, and the input line. A click anywhere focuses the input line, unless it ends a text selection.
#[component]
pub fn TerminalPane(TerminalPaneProps { view, line, is_paused, editing }: &TerminalPaneProps) -> Html {
    let field = use_node_ref();
    let onclick = {
        let field = field.clone();
        move |_: MouseEvent| {
            let selection = web_sys::window().and_then(|window| window.get_selection().ok().flatten());
            let is_selecting = selection.is_some_and(|selection| !selection.is_collapsed());
            if let (Some(field), false) = (field.cast::<HtmlTextAreaElement>(), is_selecting) {
                // Focus is best effort; ignore failure.
                let _ = field.focus();
            }
        }
    };
    html! {
        <div class="terminal" {onclick}>
            <TerminalOutput view={view.clone()} is_stalled={view.busy && *is_paused} editing={editing.clone()} />
            if !line.choices.is_empty() { <p class="choices mono" role="status">{ line.choices.join("  ") }</p> }
            <TerminalInput {field} text={line.text.clone()} prompt={view.prompt.clone()} is_busy={view.busy || !view.queued.is_empty()} is_editing={editing.is_some()} />
        </div>
    }
}
