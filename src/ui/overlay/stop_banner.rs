//! The banner that tells why virtual time stands still although nobody paused it, with a button to continue.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::{StopView, Travel};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StopBannerProps {
    pub stop: Rc<StopView>,
}

/// The reason why virtual time stands still, the next event, and a button to continue.
#[component]
pub fn StopBanner(StopBannerProps { stop }: &StopBannerProps) -> Html {
    let onclick = use_dispatch().on(Travel::Toggle);
    html! {
        <div class="stop-banner">
            <p title={format!("{} {}", stop.words, stop.next)}><b>{ &stop.words }</b>{ " " }<span class="next">{ &stop.next }</span></p>
            <button type="button" class="primary" {onclick}>{ "Continue" }</button>
        </div>
    }
}
