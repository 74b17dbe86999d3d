//! A button that compares the open revision of an object with another one.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct CompareButtonProps {
    pub number: u64,
    /// Set if the open revision is compared with this one now.
    pub is_compared: bool,
}

/// A button that compares the open revision with this one; pressed again, with its predecessor.
#[component]
pub fn CompareButton(CompareButtonProps { number, is_compared }: &CompareButtonProps) -> Html {
    let onclick = use_dispatch().on(Select::CompareWith((!is_compared).then_some(*number)));
    html! {
        <button
            type="button"
            class="quiet compare"
            aria-pressed={is_compared.to_string()}
            aria-label={format!("Compare with revision {number}")}
            {onclick}
        >
            { "compare" }
        </button>
    }
}
