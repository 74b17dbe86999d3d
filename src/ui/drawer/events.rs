//! The newest Events in the store, as their writers put them.

use loopscope::view::events::EventLine;
use std::rc::Rc;
use yew::{Html, Properties, classes, component, html};

#[derive(Properties, PartialEq)]
pub struct EventListProps {
    pub events: Rc<Vec<EventLine>>,
    pub revision: u64,
}

/// The newest events.
#[component]
pub fn EventList(props: &EventListProps) -> Html {
    let line = |e: &EventLine| {
        let count = if e.count > 1 { format!(" ×{}", e.count) } else { String::new() };
        html! {
            <li class={classes!(e.warning.then_some("warning"))}>
                <span class="at">{ &e.at }</span>
                <span class="reason">{ if e.warning { "▲ " } else { "" } }{ &e.reason }{ count }</span>
                <span class="message"><span class="mono">{ &e.about }</span>{ " " }{ &e.message }</span>
            </li>
        }
    };
    html! {
        <div class="events">
            <header class="pane-head"><h2>{ "Events" }</h2><span class="soft">{ format!("store at revision {}", props.revision) }</span></header>
            if props.events.is_empty() {
                <p class="empty">{ "No component has had anything to say yet." }</p>
            } else {
                <ol tabindex="0" aria-label="Newest events">{ for props.events.iter().map(line) }</ol>
            }
        </div>
    }
}
