//! The badge that shows whether desired and actual state agree.

use crate::ui::widgets::Term;
use loopscope::view::standing::Standing;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DriftBadgeProps {
    pub standing: Standing,
    /// The number of ready pods of those wanted, as text: `2 of 3 ready`.
    pub pods: String,
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
    let DriftBadgeProps { pods, since, turned_at, steps, .. } = props;
    let (class, glyph, word, text, title) = match &props.standing {
        Standing::Converged => ("good", "●", "converged", format!(" for {since}"), String::new()),
        Standing::Drifting => ("warning", "◐", "drifting", format!(": {pods}, for {since}"), String::new()),
        Standing::Stuck(why) => ("bad", "✕", "stuck", format!(": {}", why.short), format!("{pods}. {} ", why.words)),
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
