//! The badge that tells whether desired and actual agree.

use loopscope::view::standing::Standing;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DriftBadgeProps {
    pub standing: Standing,
    /// Ready pods of those wanted: `2 of 3 ready`.
    pub pods: String,
    /// The time since they began to agree or to differ.
    pub since: String,
    /// The moment at which that began.
    pub turned_at: String,
    /// The number of events so far.
    pub steps: u64,
}

/// Tells whether desired and actual agree, and for how long they have, or why nothing happens although they do not.
#[component]
pub fn DriftBadge(props: &DriftBadgeProps) -> Html {
    let DriftBadgeProps { pods, since, turned_at, steps, .. } = props;
    let (class, glyph, text, title, told) = match &props.standing {
        Standing::Converged => ("good", "●", format!("converged for {since}"), String::new(), "converged".to_owned()),
        Standing::Drifting => ("warning", "◐", format!("drifting: {pods}, for {since}"), String::new(), "drifting".to_owned()),
        Standing::Stuck(why) => {
            let words = format!("{pods}. {} ", why.words);
            ("bad", "✕", format!("stuck: {}", why.short), words.clone(), format!("stuck: {words}"))
        }
    };
    html! {
        <div class="drift-place">
            <span class={classes!("drift", class)} title={format!("{title}since {turned_at} · {steps} events so far")}>
                <span aria-hidden="true">{ glyph }</span>{ " " }<span class="drift-text">{ text }</span>
            </span>
            // A screen reader tells the turns only, not every tenth of a second.
            <span class="hidden" role="status">{ format!("{told} since {turned_at}") }</span>
        </div>
    }
}
