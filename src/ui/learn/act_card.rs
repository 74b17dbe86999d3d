//! The card *Act* of a pass: its requests, and the API server's answers.

use super::phase_card::PhaseCard;
use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use loopscope::view::notes::passes::Phase;
use loopscope::view::pass::{Done, PassCard};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ActCardProps {
    pub pass: Rc<PassCard>,
    /// The phase of the pass that the page shows at present.
    pub phase: Phase,
    /// A sentence about later passes that only wrote a status; empty if there are none.
    pub afterwards: String,
}

/// The maximum number of requests that the card lists.
const ROOM: usize = 4;

/// The card *Act*, with the requests of a pass.
#[component]
pub fn ActCard(ActCardProps { pass, phase, afterwards }: &ActCardProps) -> Html {
    let dispatch = use_dispatch();
    let (is_known, count) = (*phase >= Phase::Diff, pass.actions.len());
    let words = match (is_known, *phase >= Phase::Act, count) {
        (false, ..) => "then: requests to the API server, if something differs".to_owned(),
        (_, _, 0) => "nothing to ask for".to_owned(),
        (_, false, 1) => "next: one request goes to the API server".to_owned(),
        (_, false, n) => format!("next: {n} requests go to the API server"),
        (_, true, _) => "requests to the API server, and its answers".to_owned(),
    };
    let request = |(place, done): (usize, &Done)| {
        let onclick = dispatch.on(Select::ToggleRequest { pass: pass.number, place });
        let answer = if done.code == 0 { done.answer.clone() } else { format!("{} {}", done.code, done.answer) };
        html! {
            <li class={classes!(done.refused.then_some("refused"))}>
                <button type="button" class="asked mono" title={format!("{} {}", done.method, done.path)} {onclick}>
                    <b>{ done.method }</b>{ " " }{ &done.short }
                </button>
                <span class="soft">{ answer }</span>
            </li>
        }
    };
    html! {
        <PhaseCard of={Phase::Act} read={*phase} is_over={pass.phase == "done"} {words}>
            if is_known {
                <ul class="requests">{ for pass.actions.iter().enumerate().take(ROOM).map(request) }</ul>
                if count > ROOM { <p class="soft">{ format!("and {} more", count - ROOM) }</p> }
            }
            if *phase >= Phase::Act && !afterwards.is_empty() { <p class="soft afterwards">{ afterwards }</p> }
        </PhaseCard>
    }
}
