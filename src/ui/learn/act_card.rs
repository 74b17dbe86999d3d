//! The card *Act* of a pass: its requests, and the API server's answers.

use super::phase_card::PhaseCard;
use crate::ui::dispatch::use_dispatch;
use crate::ui::loops::request;
use loopscope::view::clock;
use loopscope::view::notes::passes::Phase;
use loopscope::view::pass::{Done, PassCard};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ActCardProps {
    pub pass: Rc<PassCard>,
    /// The phase of the pass that the page shows at present.
    pub phase: Phase,
    /// The requests in sentences.
    pub asks: String,
    /// A sentence about later passes that only wrote a status; empty if there are none.
    pub afterwards: String,
}

/// The card *Act*, with the requests of a pass.
#[component]
pub fn ActCard(ActCardProps { pass, phase, asks, afterwards }: &ActCardProps) -> Html {
    let dispatch = use_dispatch();
    let (is_known, count) = (*phase >= Phase::Diff, pass.actions.len() + pass.unlisted);
    let refused = pass.actions.iter().filter(|done| done.refused).count();
    let words = match (is_known, *phase >= Phase::Act, count) {
        (false, ..) => "then: requests to the API server, if something differs".to_owned(),
        (_, _, 0) => "nothing to ask for".to_owned(),
        (_, false, 1) => "one request leaves for the API server now".to_owned(),
        (_, false, n) => format!("{n} requests to the API server: the first leaves now"),
        (_, true, _) if refused > 0 => format!("{refused} of {} refused by the API server", clock::count(count, "request", "requests")),
        (_, true, _) => asks.clone(),
    };
    // A refusal is what a reader must not miss, so it comes first however many requests there are.
    let (bad, good): (Vec<&Done>, Vec<&Done>) = pass.actions.iter().partition(|done| done.refused);
    html! {
        <PhaseCard of={Phase::Act} read={*phase} is_over={pass.phase == "done"} {words}>
            if is_known {
                <ul class="requests">{ for bad.into_iter().chain(good).map(|done| request(pass, done, &dispatch)) }</ul>
                if pass.unlisted > 0 { <p class="soft">{ format!("and {} more", pass.unlisted) }</p> }
            }
            if *phase >= Phase::Act && !afterwards.is_empty() { <p class="soft afterwards">{ afterwards }</p> }
        </PhaseCard>
    }
}
