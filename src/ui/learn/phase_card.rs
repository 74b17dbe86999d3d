//! The frame of a card about a phase of a pass: its heading, and whether the phase is current, over or still to come.

use crate::ui::widgets::Term;
use loopscope::view::notes::passes::Phase;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PhaseCardProps {
    /// The phase (observe, diff or act) that the card is about.
    pub of: Phase,
    /// The phase of the pass that the page shows at present.
    pub read: Phase,
    /// Set if the pass is over.
    pub is_over: bool,
    /// The text below the heading.
    pub words: AttrValue,
    pub children: Html,
}

/// A card about one phase of a pass.
#[component]
pub fn PhaseCard(PhaseCardProps { of, read, is_over, words, children }: &PhaseCardProps) -> Html {
    let heading = match of {
        Phase::Observe => "Observe",
        Phase::Diff => "Diff",
        _ => "Act",
    };
    let state = match of.cmp(read) {
        std::cmp::Ordering::Less => "over",
        std::cmp::Ordering::Equal => "now",
        std::cmp::Ordering::Greater => "pending",
    };
    // On a narrow screen a card that is not current shows its heading alone until it is pressed.
    let is_open = use_state(|| false);
    let onclick = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(true))
    };
    html! {
        <section {onclick} class={classes!("card", of.word(), state, is_open.then_some("opened"))} aria-label={heading} aria-current={(state == "now").then_some("step")} tabindex="0">
            <header>
                <h3><Term of={of.word()}>{ heading }</Term></h3>
                if state == "now" { <span class="now-mark">{ match (is_over, of) {
                    (true, _) => "✓ done",
                    // The first request leaves at the very moment of the comparison.
                    (_, Phase::Diff) => "● just now",
                    _ => "● now",
                } }</span> }
                if state == "pending" && !is_over { <span class="soft">{ "next" }</span> }
            </header>
            <p class="soft words">{ words }</p>
            { children.clone() }
        </section>
    }
}
