//! The bar with a message from the page to the person.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::{Action, Notice, Offer};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NoticeBarProps {
    pub notice: Notice,
}

/// A message from the page, with a button for the action that it offers.
#[component]
pub fn NoticeBar(NoticeBarProps { notice }: &NoticeBarProps) -> Html {
    let dispatch = use_dispatch();
    let offer = |offer: Offer| {
        let words = match offer {
            Offer::Resume => "Go on where you were",
            Offer::GoBack => "Go back to the run before",
            Offer::SkipTo(_) => "Skip to it",
            Offer::RestoreText => "Undo",
        };
        html! { <button type="button" onclick={dispatch.on(Action::Accept(offer))}>{ words }</button> }
    };
    html! {
        <div class="notice">
            <p>{ notice.text.to_string() }</p>
            { for notice.offer.map(offer) }
            <button type="button" class="quiet" onclick={dispatch.on(Action::DismissNotice)}>{ "Dismiss" }</button>
        </div>
    }
}
