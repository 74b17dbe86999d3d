//! The badge that tells whether desired and actual agree.

use crate::ui::widgets::Term;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DriftBadgeProps {
    pub is_converged: bool,
    /// The time since they began to agree or to differ.
    pub since: String,
    /// The moment at which that began.
    pub turned_at: String,
    /// The number of events so far.
    pub steps: u64,
}

/// Tells whether desired and actual agree, and for how long they have.
#[component]
pub fn DriftBadge(props: &DriftBadgeProps) -> Html {
    let (word, class, glyph) = if props.is_converged { ("converged", "good", "●") } else { ("drifting", "warning", "◐") };
    html! {
        <div class="drift-place">
            <span class={classes!("drift", class)} title={format!("since {} · {} events so far", props.turned_at, props.steps)}>
                <span aria-hidden="true">{ glyph }</span>{ " " }<Term of={word}>{ word }</Term>{ format!(" for {}", props.since) }
            </span>
            // A screen reader tells the turns only, not every tenth of a second.
            <span class="hidden" role="status">{ format!("{word} since {}", props.turned_at) }</span>
        </div>
    }
}
