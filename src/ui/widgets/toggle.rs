//! A button that is on or off.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Action;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ToggleProps {
    pub name: &'static str,
    pub on: bool,
    /// The action that pressing the button carries out.
    pub action: Action,
}

/// A button that is on or off.
#[component]
pub fn Toggle(ToggleProps { name, on, action }: &ToggleProps) -> Html {
    let onclick = use_dispatch().on(action.clone());
    html! { <button type="button" aria-pressed={on.to_string()} {onclick}>{ *name }</button> }
}
