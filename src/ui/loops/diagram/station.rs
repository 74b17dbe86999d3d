//! The boxes of the diagram, and the controller: buttons that work with pointer and keyboard.

use crate::ui::dispatch::{Dispatch, use_dispatch};
use crate::ui::loops::data_of;
use crate::ui::widgets::{RingMark, on_menu, use_explanation};
use loopscope::page::Select;
use loopscope::view::loops::detail::Part;
use loopscope::view::menus::Thing;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StationProps {
    pub part: Part,
    /// The upper left corner, the width and the height of the box.
    pub at: [i32; 4],
    pub words: String,
    /// Set if the text in the box is a warning.
    pub warns: bool,
    pub is_open: bool,
    /// The component whose context menu the box opens.
    pub thing: Thing,
}

/// A box of the diagram, which opens when a person presses it.
#[component]
pub fn Station(StationProps { part, at, words, warns, is_open, thing }: &StationProps) -> Html {
    let dispatch = use_dispatch();
    let node = use_node_ref();
    let tip = use_explanation(part.name(), &node, "explanation passive");
    let [x, y, width, height] = *at;
    let middle = (x + width / 2).to_string();
    let (kind, name) = data_of(thing);
    html! {
        <g
            ref={node}
            onmouseenter={tip.open.reform(|_: MouseEvent| ())}
            onmouseleave={tip.leave.reform(|_: MouseEvent| ())}
            onblur={tip.close.reform(|_: FocusEvent| ())}
            aria-describedby={tip.describes()}
            class={classes!("station", warns.then_some("warns"))}
            role="button"
            tabindex="0"
            aria-pressed={is_open.to_string()}
            data-kind={kind}
            data-name={name}
            onclick={dispatch.on(Select::TogglePart(*part))}
            onkeydown={on_press(&dispatch, *part)}
            oncontextmenu={on_menu(&dispatch, thing.clone())}
        >
            <rect x={x.to_string()} y={y.to_string()} width={width.to_string()} height={height.to_string()} rx="6" />
            <text class="part" x={middle.clone()} y={(y + height / 2 - 3).to_string()}>{ part.name() }</text>
            // A blank, so that screen readers keep the two texts apart.
            { " " }
            <text class="amount" x={middle} y={(y + height / 2 + 11).to_string()}>{ words }</text>
            { tip.drawn }
        </g>
    }
}

#[derive(Properties, PartialEq)]
pub struct ControllerStationProps {
    /// The centre of the controller's ring, and its radius.
    pub at: (i32, i32, i32),
    /// The phase of the current pass: `observe`, `diff` or `act`; `idle` without a pass.
    pub phase: &'static str,
    pub is_open: bool,
    /// The component whose context menu the ring opens.
    pub thing: Thing,
}

/// The controller in the diagram: a ring around the phase of its pass, which opens when a person presses it.
#[component]
pub fn ControllerStation(ControllerStationProps { at: (x, y, r), phase, is_open, thing }: &ControllerStationProps) -> Html {
    let dispatch = use_dispatch();
    let (kind, name) = data_of(thing);
    html! {
        <g
            class="station"
            role="button"
            tabindex="0"
            aria-pressed={is_open.to_string()}
            aria-label={format!("Controller {phase}")}
            data-kind={kind}
            data-name={name}
            onclick={dispatch.on(Select::TogglePart(Part::Controller))}
            onkeydown={on_press(&dispatch, Part::Controller)}
            oncontextmenu={on_menu(&dispatch, thing.clone())}
        >
            <circle class="face" cx={x.to_string()} cy={y.to_string()} r={r.to_string()} />
            <svg x={(x - r - 1).to_string()} y={(y - r - 1).to_string()} width={(2 * r + 2).to_string()} height={(2 * r + 2).to_string()}>
                <RingMark class="inner" phase={*phase} />
            </svg>
            <text class="part" x={x.to_string()} y={(y + 4).to_string()}>{ *phase }</text>
        </g>
    }
}

/// Returns a listener that opens or closes a box when a person presses Enter or space.
fn on_press(dispatch: &Dispatch, part: Part) -> Callback<KeyboardEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |event: KeyboardEvent| {
        if matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
            event.stop_propagation();
            dispatch.send(Select::TogglePart(part));
        }
    })
}
