//! One Event (the API object) as a row.

use super::SubjectButton;
use loopscope::view::events::EventLine;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct EventRowProps {
    pub event: EventLine,
    /// Set if the row has a button that opens the object that the Event is about.
    #[prop_or_default]
    pub links: bool,
}

/// An Event (the API object) as a row.
#[component]
pub fn EventRow(EventRowProps { event, links }: &EventRowProps) -> Html {
    let count = if event.count > 1 { format!(" ×{}", event.count) } else { String::new() };
    let about = match event.subject.as_ref().filter(|_| *links) {
        Some(subject) => html! { <SubjectButton subject={subject.clone()} text={event.about.clone()} /> },
        None => html! { <span class="mono">{ &event.about }</span> },
    };
    html! {
        <li class={classes!(event.warning.then_some("warning"))}>
            <span class="at">{ &event.at }</span>
            <span class="reason">{ if event.warning { "▲ " } else { "" } }{ &event.reason }{ count }</span>
            <span class="message">{ about }{ " " }{ &event.message }</span>
        </li>
    }
}
