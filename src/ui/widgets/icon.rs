//! An icon: one SVG path in a square of 16.

use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct IconProps {
    /// The path.
    pub path: &'static str,
}

/// An icon. Screen readers ignore it, so the element around it says in words what it means.
#[component]
pub fn Icon(IconProps { path }: &IconProps) -> Html {
    html! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={*path} /></svg> }
}
