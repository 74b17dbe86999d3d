//! The head of every dialog: its title, and the button that closes it.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::OverlayAction;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DialogHeadProps {
    pub title: &'static str,
}

/// The title of a dialog, and the button that closes it.
#[component]
pub fn DialogHead(DialogHeadProps { title }: &DialogHeadProps) -> Html {
    let onclick = use_dispatch().on(OverlayAction::Close);
    html! {
        <header><h2 id="dialog-title">{ *title }</h2><button type="button" class="quiet" {onclick}>{ "Close" }</button></header>
    }
}
