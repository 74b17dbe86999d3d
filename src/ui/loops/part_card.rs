//! The details of a box of the diagram that a person has opened.

use super::close_button;
use crate::ui::dispatch::{Dispatch, use_dispatch};
use crate::ui::widgets::Term;
use loopscope::page::{RunAction, Select};
use loopscope::view::loops::detail::{Detail, DetailLine, Part};
use loopscope::view::menus::{MenuEntry, Thing, menu_entries};
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
            if detail.part == Part::Api { { faults(&dispatch) } }
            if !detail.lines.is_empty() { <ul>{ for detail.lines.iter().map(line) }</ul> }
        </section>
    }
}

/// Draws the faults of the API server, which its context menu has, too.
fn faults(dispatch: &Dispatch) -> Html {
    let button = |entry: MenuEntry| {
        html! { <button type="button" class="quiet" onclick={dispatch.on::<MouseEvent>(RunAction::Effect(entry.effect))}>{ entry.label }</button> }
    };
    html! { <div class="faults" role="group" aria-label="Faults">{ for dispatch.read(|run| menu_entries(run, &Thing::ApiServer)).into_iter().map(button) }</div> }
}
