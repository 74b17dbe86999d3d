//! The badge that shows whether desired and actual state agree.

use crate::ui::widgets::Term;
use loopscope::view::convergence::Standing;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DriftBadgeProps {
    pub standing: Standing,
    /// The words beside the state's name, and a sentence for whoever points at it.
    pub gap: (String, String),
    /// The time since desired and actual state began to agree or to differ, as text.
    pub since: String,
    /// The moment at which desired and actual state began to agree or to differ, as text.
    pub turned_at: String,
    /// The number of simulation steps so far.
    pub steps: u64,
}

/// Shows whether and since when desired and actual state agree, or the reason why the cluster is stuck.
#[component]
pub fn DriftBadge(props: &DriftBadgeProps) -> Html {
    let DriftBadgeProps { gap: (gap, title), since, turned_at, steps, .. } = props;
    let lasts = if since == "0 ms" { String::new() } else { format!(" for {since}") };
    let (class, glyph, word, text) = match &props.standing {
        Standing::Converged if gap.is_empty() => ("good", "●", "converged", lasts),
        Standing::Converged => ("good", "●", "converged", format!("{lasts}, {gap}")),
        Standing::Drifting => ("warning", "◐", "drifting", format!("{lasts}: {gap}")),
        Standing::Stuck(_) => ("bad", "✕", "stuck", format!(": {gap}")),
    };
    let told = if title.is_empty() { word.to_owned() } else { format!("{word}: {title}") };
    html! {
        <div class="drift-place">
            <span class={classes!("drift", class)} title={format!("{title}since {turned_at} · {steps} events so far")}>
                <span aria-hidden="true">{ glyph }</span>{ " " }<span class="drift-text"><Term of={word}>{ word }</Term>{ text }</span>
            </span>
            // A screen reader announces only changes of the state, not of the time.
            <span class="hidden" role="status">{ format!("{told} since {turned_at}") }</span>
        </div>
    }
}
