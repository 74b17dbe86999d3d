//! The card *Diff* of a pass: the difference that the pass found, in large numbers.

use super::phase_card::PhaseCard;
use loopscope::view::notes::passes::Phase;
use loopscope::view::pass::{Differs, PassCard};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DiffCardProps {
    pub pass: Rc<PassCard>,
    /// The phase of the pass that the page shows at present.
    pub phase: Phase,
    /// The first difference in a few words, such as "1 pod is missing"; empty if there is none.
    pub conclusion: String,
}

/// The maximum number of characters of a figure that is shown in large type.
const LARGE: usize = 6;

/// The card *Diff*: what the spec wants, beside what the controller saw.
#[component]
pub fn DiffCard(DiffCardProps { pass, phase, conclusion }: &DiffCardProps) -> Html {
    let is_known = *phase >= Phase::Diff;
    html! {
        <PhaseCard of={Phase::Diff} read={*phase} is_over={pass.phase == "done"} words={if pass.phase == "done" { "what was wanted, against what it saw" } else if is_known { "what is wanted, against what it sees" } else { "next: what is wanted, against what it sees" }}>
            if is_known {
                // The conclusion stands first, because a card may be too low for everything.
                if !conclusion.is_empty() { <p class="conclusion">{ conclusion }</p> }
                { for pass.differences.iter().map(difference) }
                if pass.differences.is_empty() { <p class="conclusion none">{ "No difference." }</p> }
            }
        </PhaseCard>
    }
}

fn difference(differs: &Differs) -> Html {
    let Differs { what, desired, actual, words } = differs;
    if !words.is_empty() {
        return html! { <p class="figures">{ words }</p> };
    }
    let is_large = desired.len() <= LARGE && actual.len() <= LARGE;
    html! {
        <dl class={classes!("figures", is_large.then_some("large"))}>
            <dt>{ format!("{what} wanted") }</dt><dd class="desired-figure">{ desired }</dd>
            <dt>{ "seen" }</dt><dd class="actual-figure">{ actual }</dd>
        </dl>
    }
}
