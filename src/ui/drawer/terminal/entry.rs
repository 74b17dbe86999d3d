//! One entry of the terminal: a line that was entered, with its output and its requests.

use loopscope::view::terminal::{CallView, EntryView, Tone};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct EntryProps {
    pub entry: Rc<EntryView>,
}

/// The exit code of a command that was interrupted.
const INTERRUPTED: i32 = 130;

/// An entry of the terminal: the entered line, its output and its requests.
#[component]
pub fn Entry(EntryProps { entry }: &EntryProps) -> Html {
    let piece = |(tone, text): &(Tone, String)| html! { <span class={class(*tone)}>{ text }</span> };
    html! {
        <div class="entry">
            if !entry.cleared { <p class="entered mono"><span class="soft">{ &entry.prompt }{ " " }</span>{ &entry.text }</p> }
            if !entry.pieces.is_empty() { <pre class="mono">{ for entry.pieces.iter().map(piece) }</pre> }
            if entry.exit == Some(INTERRUPTED) { <p class="mono">{ "^C" }</p> }
            if !entry.calls.is_empty() { { requests(&entry.calls) } }
            if !entry.remark.is_empty() { <p class="remark soft">{ &entry.remark }</p> }
        </div>
    }
}

fn class(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Warning => Some("warning"),
        Tone::Error => Some("stderr"),
    }
}

/// Draws the requests that a command made, folded.
fn requests(calls: &[CallView]) -> Html {
    let line = |call: &CallView| {
        let code = call.code.map_or_else(|| "…".to_owned(), |code| code.to_string());
        html! { <li><span class="mono">{ format!("{} {} → {code}", call.method, call.url) }</span>{ format!(" {}", call.why) }</li> }
    };
    let count = calls.len();
    html! {
        <details class="calls soft">
            <summary>{ format!("{count} API request{}", if count == 1 { "" } else { "s" }) }</summary>
            <ol>{ for calls.iter().map(line) }</ol>
        </details>
    }
}
