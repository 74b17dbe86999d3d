//! The terminal's output.

use super::entry::Entry;
use loopscope::view::terminal::{EntryView, TerminalView};
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TerminalOutputProps {
    pub view: Rc<TerminalView>,
    /// The words that stand below the output. They take room from it, so that it scrolls.
    pub choices: Rc<Vec<String>>,
    /// Whether a command waits for time to pass, while time stands still.
    pub is_stalled: bool,
}

/// The distance from the end, in pixels, from which on the output follows what is written.
const NEAR_PX: i32 = 24;

/// A line that waits for its turn.
fn queued(view: &TerminalView, text: &str) -> Html {
    html! {
        <div class="entry queued">
            <p class="entered mono"><span class="soft">{ &view.prompt }{ " " }</span>{ text.to_owned() }</p>
            <p class="remark soft">{ &view.queued_words }</p>
        </div>
    }
}

/// The entries with their answers. The newest line stays in sight, unless a person has scrolled up to read.
#[component]
pub fn TerminalOutput(TerminalOutputProps { view, choices, is_stalled }: &TerminalOutputProps) -> Html {
    let screen = use_node_ref();
    let is_at_end = use_mut_ref(|| true);
    let (scrolled, follows) = (screen.clone(), is_at_end.clone());
    use_effect_with((view.clone(), choices.clone()), move |_| {
        if let Some(screen) = scrolled.cast::<Element>().filter(|_| *follows.borrow()) {
            screen.set_scroll_top(screen.scroll_height());
        }
    });
    // Whoever enters something wants to see what comes of it.
    let (entered, follows) = (screen.clone(), is_at_end.clone());
    use_effect_with((view.entries.last().map(|entry| entry.id), view.queued.len()), move |_| {
        if let Some(screen) = entered.cast::<Element>() {
            *follows.borrow_mut() = true;
            screen.set_scroll_top(screen.scroll_height());
        }
    });
    let onscroll = {
        let screen = screen.clone();
        move |_: Event| {
            if let Some(screen) = screen.cast::<Element>() {
                *is_at_end.borrow_mut() = screen.scroll_height() - screen.client_height() - screen.scroll_top() < NEAR_PX;
            }
        }
    };
    let entry = |entry: &Rc<EntryView>| html! { <Entry key={entry.id} entry={entry.clone()} /> };
    html! {
        <div class="screen" ref={screen} {onscroll} tabindex="0" role="log" aria-label="Terminal output">
            if view.entries.is_empty() {
                <p class="soft">{ "kubectl, with pipes to grep, head, awk and the like. Try: kubectl get pods -o wide" }</p>
            }
            <>{ for view.entries.iter().map(entry) }</>
            <>{ for view.queued.iter().map(|text| queued(view, text)) }</>
            if *is_stalled { <p class="soft">{ "running; time stands still (press play), Ctrl-C ends it" }</p> }
        </div>
    }
}
