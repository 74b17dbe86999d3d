//! The messages in flight as a list, for the keyboard and for people who do not see the dots of the diagram.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use loopscope::view::loops::message::MessageId;
use loopscope::view::loops::wires::{Flight, Wires};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FlightListProps {
    pub wires: Rc<Wires>,
    /// The message that is open, if any.
    pub message: Option<MessageId>,
}

/// The messages in flight, each as a button that opens the message.
#[component]
pub fn FlightList(FlightListProps { wires, message }: &FlightListProps) -> Html {
    let dispatch = use_dispatch();
    let line = |flight: &Flight| {
        let is_open = *message == Some(flight.id);
        html! {
            <li>
                <button
                    type="button"
                    class={classes!("flight", flight.line.class())}
                    aria-pressed={is_open.to_string()}
                    onclick={dispatch.on(Select::ToggleMessage(flight.id))}
                    title={format!("arrives in {}", flight.left)}
                >
                    { &flight.text }
                </button>
            </li>
        }
    };
    html! {
        <div class="flights">
            <span class="soft">{ format!("in flight: {}", wires.flights.len()) }</span>
            if !wires.flights.is_empty() { <ul aria-label="Messages in flight">{ for wires.flights.iter().map(line) }</ul> }
        </div>
    }
}
