//! An icon: one SVG path in a square of 16 units.

use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct IconProps {
    /// The data of the SVG path (`d`).
    pub path: &'static str,
}

/// An icon. Screen readers ignore it, so the element around it has to tell its meaning in words.
#[component]
pub fn Icon(IconProps { path }: &IconProps) -> Html {
    html! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={*path} /></svg> }
}
