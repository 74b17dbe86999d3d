//! The choice of the layout, which is the arrangement of the panes.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Preference;
use loopscope::view::{Choice, Layout};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LayoutChoiceProps {
    pub layout: Layout,
}

/// A button for each layout.
#[component]
pub fn LayoutChoice(LayoutChoiceProps { layout }: &LayoutChoiceProps) -> Html {
    let dispatch = use_dispatch();
    let button = |choice: &Layout| {
        let title = match choice {
            Layout::Learn => "Learn: one pass of the loop, large",
            Layout::Operate => "Operate: the cluster and the terminal",
            Layout::Inspect => "Inspect: the loop in full, objects, the store",
        };
        let onclick = dispatch.on(Preference::Layout(*choice));
        html! { <button type="button" aria-pressed={(choice == layout).to_string()} {title} {onclick}>{ choice.name() }</button> }
    };
    html! { <div class="layouts" role="group" aria-label="Layout">{ for Layout::ALL.iter().map(button) }</div> }
}
