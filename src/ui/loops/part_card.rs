//! The details of a box of the diagram that a person has opened.

use super::close_button;
use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Term;
use loopscope::page::Select;
use loopscope::view::loops::detail::{Detail, DetailLine};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PartCardProps {
    pub detail: Rc<Detail>,
}

/// The details of a box of the diagram: a sentence and a few lines.
#[component]
pub fn PartCard(PartCardProps { detail }: &PartCardProps) -> Html {
    let dispatch = use_dispatch();
    let line = |line: &DetailLine| {
        html! {
            <li class={classes!(line.warns.then_some("warns"))}><span class="mono">{ &line.what }</span><span class="soft">{ &line.how }</span></li>
        }
    };
    html! {
        <section class="opened" aria-label={detail.part.name()}>
            <header><h3><Term of={detail.part.name()}>{ detail.part.name() }</Term></h3>{ close_button(&dispatch, "the box", Select::TogglePart(detail.part)) }</header>
            <p>{ &detail.words }</p>
            if !detail.lines.is_empty() { <ul>{ for detail.lines.iter().map(line) }</ul> }
        </section>
    }
}
