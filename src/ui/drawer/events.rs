//! The newest Events in the store, as their writers put them.

use super::store::{search, toggle};
use crate::ui::markup::{classes, html};
use crate::ui::object::subject_button;
use crate::ui::part::Part;
use crate::ui::state::Dispatch;
use loopscope::view::events::{EventLine, EventsLook};
use std::rc::Rc;
use yew::Html;

/// The newest events.
#[derive(PartialEq)]
pub struct EventList {
    pub events: Rc<Vec<EventLine>>,
    pub revision: u64,
    /// What is looked for; none where there is no room to look for anything.
    pub wanted: Option<EventsLook>,
    pub dispatch: Dispatch,
}

impl Part for EventList {
    fn draw(&self) -> Html {
        let dispatch = &self.dispatch;
        html! {
            <div class="events">
                <header class={if self.wanted.is_some() { "filters" } else { "pane-head" }}>
                    <h2>{ "Events" }</h2>
                    if let Some(wanted) = &self.wanted {
                        { search("Find events", &wanted.text, dispatch, |look, text| look.events.text = text) }
                        { toggle("Warnings", wanted.warnings, dispatch, |look| look.events.warnings = !look.events.warnings) }
                    } else {
                        <span class="soft">{ format!("store at revision {}", self.revision) }</span>
                    }
                </header>
                if self.events.is_empty() && self.wanted.as_ref().is_some_and(|w| *w != EventsLook::default()) {
                    <p class="empty">{ "No event fits." }</p>
                } else if self.events.is_empty() {
                    <p class="empty">{ "No component has had anything to say yet." }</p>
                } else {
                    <ol tabindex="0" aria-label="Newest events">{ for self.events.iter().map(|e| event_line(e, Some(dispatch))) }</ol>
                }
            </div>
        }
    }
}

/// One event; what it is about can be opened where that is of use.
pub fn event_line(e: &EventLine, dispatch: Option<&Dispatch>) -> Html {
    let count = if e.count > 1 { format!(" ×{}", e.count) } else { String::new() };
    let about = match (&e.subject, dispatch) {
        (Some(subject), Some(dispatch)) => subject_button(subject, &e.about, dispatch),
        _ => html! { <span class="mono">{ &e.about }</span> },
    };
    html! {
        <li key={e.uid} class={classes!(e.warning.then_some("warning"))}>
            <span class="at">{ &e.at }</span>
            <span class="reason">{ if e.warning { "▲ " } else { "" } }{ &e.reason }{ count }</span>
            <span class="message">{ about }{ " " }{ &e.message }</span>
        </li>
    }
}
