//! The newest Events in the store, as components wrote them: a few beside the timeline, more with filters in a tab of their own.

use crate::ui::widgets::{EventRow, Finds, SearchBox, Term, Toggle};
use loopscope::page::{Action, Select};
use loopscope::view::events::{EventLine, EventsSelection};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NewestEventsProps {
    pub events: Rc<Vec<EventLine>>,
    /// The current revision of the store.
    pub revision: u64,
}

/// The newest Events beside the timeline.
#[component]
pub fn NewestEvents(NewestEventsProps { events, revision }: &NewestEventsProps) -> Html {
    html! {
        <div class="events">
            <header class="pane-head"><h2><Term of="event">{ "Events" }</Term></h2><span class="soft">{ format!("store at revision {revision}") }</span></header>
            <EventRows events={events.clone()} is_filtered={false} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct EventsPaneProps {
    pub events: Rc<Vec<EventLine>>,
    /// The filters that a person has set.
    pub wanted: EventsSelection,
}

/// The tab with the newest Events and their filters.
#[component]
pub fn EventsPane(EventsPaneProps { events, wanted }: &EventsPaneProps) -> Html {
    html! {
        <div class="events">
            <header class="filters">
                <h2><Term of="event">{ "Events" }</Term></h2>
                <SearchBox finds={Finds::Events} text={wanted.text.clone()} />
                <Toggle name="Warnings" on={wanted.warnings} action={Action::from(Select::ToggleWarnings)} />
            </header>
            <EventRows events={events.clone()} is_filtered={*wanted != EventsSelection::default()} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct EventRowsProps {
    events: Rc<Vec<EventLine>>,
    is_filtered: bool,
}

#[component]
fn EventRows(EventRowsProps { events, is_filtered }: &EventRowsProps) -> Html {
    if events.is_empty() {
        return html! { <p class="empty">{ if *is_filtered { "No event fits." } else { "No component has had anything to say yet." } }</p> };
    }
    let row = |event: &EventLine| html! { <EventRow key={event.uid} event={event.clone()} links=true /> };
    html! { <ol tabindex="0" aria-label="Newest events">{ for events.iter().map(row) }</ol> }
}
