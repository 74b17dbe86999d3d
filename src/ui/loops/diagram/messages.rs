//! Messages on the lines: dots for those in flight, sparks for those that have just arrived.

use super::lines::place;
use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use loopscope::view::loops::message::MessageId;
use loopscope::view::loops::wires::{Flight, Glow, Wires};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SparksProps {
    pub glows: Vec<Glow>,
}

/// A spark for each message that has just arrived. The style sheet moves it along its line once.
#[component]
pub fn Sparks(SparksProps { glows }: &SparksProps) -> Html {
    let spark = |glow: &Glow| html! { <circle key={glow.number} class={classes!("spark", glow.line.class())} r="3" aria-hidden="true" /> };
    html! { <>{ for glows.iter().map(spark) }</> }
}

#[derive(Properties, PartialEq)]
pub struct DotsProps {
    pub wires: Rc<Wires>,
    /// The message that is open.
    pub message: Option<MessageId>,
}

/// A dot for each message in flight, which opens when it is pressed. `FlightList` has the same for the keyboard.
#[component]
pub fn Dots(DotsProps { wires, message }: &DotsProps) -> Html {
    let dispatch = use_dispatch();
    let dot = |flight: &Flight| {
        let (x, y) = place(flight.line, flight.progress);
        let (x, y) = (x.to_string(), y.to_string());
        let is_open = *message == Some(flight.id);
        html! {
            <g
                class={classes!("dot", flight.line.class(), is_open.then_some("open"))}
                aria-hidden="true"
                onclick={dispatch.on(Select::ToggleMessage(flight.id))}
            >
                <title>{ &flight.text }</title>
                <circle class="reach" cx={x.clone()} cy={y.clone()} r="11" />
                <circle cx={x} cy={y} r="4.500" />
            </g>
        }
    };
    html! { <>{ for wires.flights.iter().map(dot) }</> }
}
