//! A switch.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Action;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ToggleProps {
    pub name: &'static str,
    pub on: bool,
    /// The action of a press.
    pub action: Action,
}

/// A button that is pressed or not.
#[component]
pub fn Toggle(ToggleProps { name, on, action }: &ToggleProps) -> Html {
    let onclick = use_dispatch().on(action.clone());
    html! { <button type="button" aria-pressed={on.to_string()} {onclick}>{ *name }</button> }
}
