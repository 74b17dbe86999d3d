//! The timeline as a slider.

use super::chart::chart;
use super::scrub::use_scrub;
use super::wheel::use_wheel;
use super::width::use_width;
use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::api::time::Span;
use loopscope::page::Travel;
use loopscope::view::timeline::Timeline;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TimeSliderProps {
    pub timeline: Rc<Timeline>,
}

/// The chart as a slider whose value is the moment that is shown.
#[component]
pub fn TimeSlider(TimeSliderProps { timeline }: &TimeSliderProps) -> Html {
    let (dispatch, element) = (use_dispatch(), use_node_ref());
    let scrub = use_scrub(&element, timeline.axis);
    use_wheel(&element, timeline.axis, timeline.zoom);
    use_width(&element);
    let onkeydown = {
        let timeline = timeline.clone();
        move |event: KeyboardEvent| move_by_key(&event, &timeline, &dispatch)
    };
    let (now, live) = timeline.value;
    html! {
        <div
            class="chart"
            role="slider"
            tabindex="0"
            aria-label="Moment looked at"
            aria-valuemin="0"
            aria-valuemax={live.to_string()}
            aria-valuenow={now.to_string()}
            aria-valuetext={timeline.value_text.clone()}
            ref={element}
            {onkeydown}
            onpointerdown={scrub.onpointerdown}
            onpointermove={scrub.onpointermove}
            onpointerup={scrub.onpointerup}
            onpointercancel={scrub.onpointercancel}
        >
            { chart(timeline) }
        </div>
    }
}

/// Moves by a hundredth of the timeline with an arrow key, by a tenth with a page key, and to an end with Home or End.
fn move_by_key(event: &KeyboardEvent, timeline: &Timeline, dispatch: &Dispatch) {
    let hundredths = match event.key().as_str() {
        "ArrowLeft" | "ArrowDown" => -1,
        "ArrowRight" | "ArrowUp" => 1,
        "PageDown" => -10,
        "PageUp" => 10,
        "Home" => i64::from(i32::MIN),
        "End" => i64::from(i32::MAX),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    // The slider's value counts milliseconds, a span microseconds.
    let (now_ms, live_ms) = timeline.value;
    let wanted_ms = now_ms + (timeline.axis.span().0 / 100_000).max(1) * hundredths;
    dispatch.send(if wanted_ms >= live_ms { Travel::Live } else { Travel::By(Span::millis(wanted_ms.max(0) - now_ms)) });
}
