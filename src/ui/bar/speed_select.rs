//! The choice of the speed of virtual time.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::use_selected_option;
use loopscope::page::time::Speed;
use loopscope::page::{Action, SPEEDS};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SpeedSelectProps {
    /// The index of the chosen speed in `SPEEDS`.
    pub speed: usize,
    /// The measured speed as text, if the engine cannot keep up with the chosen one.
    pub real_speed: Option<String>,
}

/// The list of speeds, and the measured speed if the engine cannot keep up.
#[component]
pub fn SpeedSelect(props: &SpeedSelectProps) -> Html {
    let onchange = use_dispatch().on_option(Action::Speed);
    let select = use_selected_option(props.speed, SPEEDS.len());
    let option = |speed: &Speed| html! { <option>{ speed.name }</option> };
    html! {
        <>
            <label class="speed">
                <span class="hidden">{ "Speed" }</span><select ref={select} {onchange}>{ for SPEEDS.iter().map(option) }</select>
            </label>
            if let Some(real) = &props.real_speed {
                <span class="real soft" title="There is more to do than fits: this is how fast time really passes">{ real }</span>
            }
        </>
    }
}
