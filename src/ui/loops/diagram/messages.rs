//! Messages on the lines of the diagram: dots for those in flight, sparks for those that have just arrived.

use super::lines::{NARROW, WIDE, place};
use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use loopscope::view::loops::actor::Line;
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
    /// The message that is open, if any.
    pub message: Option<MessageId>,
    /// Set if the diagram is the wide one.
    pub wide: bool,
}

/// A dot for each message in flight; a click opens the message. `FlightList` offers the same to the keyboard.
#[component]
pub fn Dots(DotsProps { wires, message, wide }: &DotsProps) -> Html {
    let geometry = if *wide { &WIDE } else { &NARROW };
    let dispatch = use_dispatch();
    let dot = |(i, flight): (usize, &Flight)| {
        let (at_x, at_y) = place(geometry, flight.line, flight.progress);
        let (x, y) = (at_x.to_string(), at_y.to_string());
        let is_open = *message == Some(flight.id);
        html! {
            <g
                class={classes!("dot", flight.line.class(), is_open.then_some("open"))}
                aria-hidden="true"
                onclick={dispatch.on(Select::ToggleMessage(flight.id))}
            >
                <title>{ &flight.text }</title>
                <circle class="reach" cx={x.clone()} cy={y.clone()} r="11" />
                <circle cx={x} cy={y} r={if *wide { "6" } else { "4.500" }} />
                // Of several messages on one wire, only the first has room for a label.
                if geometry.labels && wires.flights.iter().take(i).all(|other| other.line.wire() != flight.line.wire()) {
                    { label(flight, at_x, wires.flights.iter().skip(i + 1).filter(|other| other.line.wire() == flight.line.wire()).count()) }
                }
            </g>
        }
    };
    html! { <>{ for wires.flights.iter().enumerate().map(dot) }</> }
}

/// The maximum length of a label, in characters.
const LONGEST: usize = 34;

/// Draws the label of the first message on a wire, with the number of the others: to the left of the vertical wire, above the watch, and below the wire between
/// a person and the API server. Only the label on the watch moves, so that no two of them meet.
fn label(flight: &Flight, at_x: i32, others: usize) -> Html {
    let mut words: String = if flight.text.chars().count() > LONGEST {
        flight.text.chars().take(LONGEST - 1).chain(['…']).collect()
    } else {
        flight.text.clone()
    };
    if others > 0 {
        words += &format!(" +{others}");
    }
    let (x, y, class) = match flight.line.wire() {
        Line::Request => (288, 103, "flight-label beside"),
        Line::Watch => (at_x, 7, "flight-label"),
        _ => (6, 70, "flight-label below"),
    };
    html! { <text {class} x={x.to_string()} y={y.to_string()}>{ words }</text> }
}
