//! The terminal's output. It scrolls to the newest line, unless a person has scrolled up to read; then a button leads back to the end.

use super::entry::Entry;
use crate::ui::browser::resize::use_resize;
use loopscope::view::terminal::{EntryView, TerminalView};
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TerminalOutputProps {
    pub view: Rc<TerminalView>,
    /// Set while a command waits for virtual time to pass, but the run is paused.
    pub is_stalled: bool,
    /// The kind and name of the object that `kubectl edit` has handed to the editor, if any.
    pub editing: Option<Rc<str>>,
}

/// The distance from the end, in pixels, within which the output counts as scrolled to the end.
const NEAR_PX: i32 = 24;

/// Draws a line that waits in the terminal's queue.
fn queued(view: &TerminalView, text: &str) -> Html {
    html! {
        <div class="entry queued">
            <p class="entered mono"><span class="soft">{ &view.prompt }{ " " }</span>{ text.to_owned() }</p>
            <p class="remark soft">{ &view.queued_words }</p>
        </div>
    }
}

/// The entries of the terminal, with their output.
#[component]
pub fn TerminalOutput(TerminalOutputProps { view, is_stalled, editing }: &TerminalOutputProps) -> Html {
    let screen = use_node_ref();
    let follows = use_mut_ref(|| true);
    let is_behind = use_state_eq(|| false);
    let to_end = {
        let (screen, follows, is_behind) = (screen.clone(), follows.clone(), is_behind.setter());
        Callback::from(move |()| {
            let Some(screen) = screen.cast::<Element>() else { return };
            if *follows.borrow() {
                screen.set_scroll_top(screen.scroll_height());
            }
            is_behind.set(hidden_px(&screen) > NEAR_PX);
        })
    };
    let onscroll = {
        let (screen, follows, is_behind) = (screen.clone(), follows.clone(), is_behind.setter());
        move |_: Event| {
            let Some(screen) = screen.cast::<Element>() else { return };
            let is_near = hidden_px(&screen) <= NEAR_PX;
            *follows.borrow_mut() = is_near;
            is_behind.set(!is_near);
        }
    };
    let onclick = {
        let (follows, to_end) = (follows.clone(), to_end.clone());
        move |_: MouseEvent| {
            *follows.borrow_mut() = true;
            to_end.emit(());
        }
    };
    // A person who enters a command wants to see its output, so the pane scrolls to the end.
    let newest = (view.entries.last().map(|entry| entry.id), view.queued.len());
    {
        let follows = follows.clone();
        use_effect_with(newest, move |_| *follows.borrow_mut() = true);
    }
    {
        let to_end = to_end.clone();
        use_effect_with((view.clone(), *is_stalled, editing.clone()), move |_| to_end.emit(()));
    }
    use_resize(&screen, to_end);
    let entry = |entry: &Rc<EntryView>| html! { <Entry key={entry.id} entry={entry.clone()} /> };
    html! {
        <div class="output">
            <div class="screen" ref={screen} tabindex="0" role="log" aria-label="Terminal output" {onscroll}>
                if view.entries.is_empty() {
                    <p class="soft">{ "kubectl, with pipes to grep, head, awk and the like. Try: kubectl get pods -o wide" }</p>
                }
                <>{ for view.entries.iter().map(entry) }</>
                <>{ for view.queued.iter().map(|text| queued(view, text)) }</>
                if *is_stalled { <p class="soft">{ "running; time stands still (press play), Ctrl-C ends it" }</p> }
                if let Some(title) = editing {
                    <p class="soft">{ format!("{title} is open in the editor: save it there, or press Ctrl-C here to cancel") }</p>
                }
            </div>
            if *is_behind { <button type="button" class="newest" {onclick}>{ "Newest output below ↓" }</button> }
        </div>
    }
}

/// Returns the height of the part that is hidden below the visible part, in pixels.
fn hidden_px(screen: &Element) -> i32 {
    screen.scroll_height() - screen.client_height() - screen.scroll_top()
}
