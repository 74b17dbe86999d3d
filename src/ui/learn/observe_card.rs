//! The card *Observe* of a pass: the objects that the pass read from its cache.

use super::phase_card::PhaseCard;
use loopscope::view::notes::passes::Phase;
use loopscope::view::pass::{PassCard, Seen};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ObserveCardProps {
    pub pass: Rc<PassCard>,
    /// The phase of the pass that the page shows at present.
    pub phase: Phase,
}

/// The maximum number of objects that a card lists.
const ROOM: usize = 5;

/// The card *Observe*, with the objects that the controller read from its cache.
#[component]
pub fn ObserveCard(ObserveCardProps { pass, phase }: &ObserveCardProps) -> Html {
    let words = match pass.behind {
        0 => format!("read from its cache, revision {}", pass.cache_revision),
        1 => format!("read from its cache, revision {}; 1 newer change is not there yet", pass.cache_revision),
        _ => format!("read from its cache, revision {}; {} newer changes are not there yet", pass.cache_revision, pass.unheard()),
    };
    let more = pass.observed.len().saturating_sub(ROOM) + pass.more;
    html! {
        <PhaseCard of={Phase::Observe} read={*phase} is_over={pass.phase == "done"} {words}>
            <ul class="objects">{ for pass.observed.iter().take(ROOM).map(object) }</ul>
            if pass.observed.is_empty() { <p class="soft">{ "Nothing: the object is gone from the cache." }</p> }
            if more > 0 { <p class="soft">{ format!("and {more} more") }</p> }
        </PhaseCard>
    }
}

fn object(seen: &Seen) -> Html {
    let title = format!("{}, {} (resourceVersion {})", seen.what, seen.state, seen.revision);
    html! {
        <li class={classes!(seen.stale.then_some("stale"))} {title}>
            <span class="name">{ &seen.what }</span><span class="soft">{ &seen.state }</span>
        </li>
    }
}
