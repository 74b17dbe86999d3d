//! A button that asks why an object or a field of it is as it is.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct WhyButtonProps {
    /// The path of the field that the button asks about; `None` for the open object as a whole.
    #[prop_or_default]
    pub field: Option<String>,
    /// The name of the field or object, for the label of the button.
    pub name: AttrValue,
}

/// A button that asks why the open object, or a field of it, has its value.
#[component]
pub fn WhyButton(WhyButtonProps { field, name }: &WhyButtonProps) -> Html {
    let onclick = use_dispatch().on(Select::Why(field.clone()));
    html! { <button type="button" class="quiet why" aria-label={format!("Why {name}?")} {onclick}>{ "why?" }</button> }
}
