//! The breakpoint at which the run has stopped.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Travel;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StopNoteProps {
    /// The breakpoint in words; empty if the run has not stopped.
    pub words: String,
}

/// The breakpoint at which the run has stopped, with a button to go on. Without a stop it is an empty status, so that a stop is read out.
#[component]
pub fn StopNote(StopNoteProps { words }: &StopNoteProps) -> Html {
    let onclick = use_dispatch().on(Travel::Toggle);
    html! {
        <div role="status">
            if !words.is_empty() {
                <p class="stopped"><span>{ words }</span><button type="button" class="primary" {onclick}>{ "Continue" }</button></p>
            }
        </div>
    }
}
