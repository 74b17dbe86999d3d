//! The chart of the timeline: desired and ready pods as steps, drift, marks, and the moment that is shown.

use super::marks::Marks;
use super::percent;
use super::ticks::Ticks;
use loopscope::view::timeline::{Level, Timeline};
use yew::prelude::*;

/// Draws the chart. Its curves are stretched to the width of the timeline, its texts are not.
pub fn chart(timeline: &Timeline) -> Html {
    let drift = |(from, to): &(i64, i64)| {
        html! { <rect x={from.to_string()} width={(to - from).max(1).to_string()} y="127" height="4" /> }
    };
    let requests = |(from, to, failed): &(i64, i64, bool)| {
        let class = if *failed { "failing" } else { "answered" };
        html! { <rect class={class} x={from.to_string()} width={(to - from).max(1).to_string()} y="121" height="4" /> }
    };
    let (now, live) = (percent(timeline.now), percent(timeline.live));
    let future = timeline.live - timeline.now;
    html! {
        <>
            // Takes all the height that the drawer has left.
            <svg class="plot" aria-hidden="true">
                <svg viewBox="0 0 1000 131" preserveAspectRatio="none" width="100%" height="100%">
                    <path class="ready-area" d={format!("{}V126H0Z", line(timeline, |level| level.ready))} />
                    <path class="gap-area" d={gap(timeline)} />
                    <path class="desired-line" d={line(timeline, |level| level.desired)} />
                    <path class="ready-line" d={line(timeline, |level| level.ready)} />
                    <g class="drift-spans">{ for timeline.drift.iter().map(drift) }</g>
                    <g class="request-spans">{ for timeline.requests.iter().map(requests) }</g>
                    if future > 0 { <rect class="future" x={timeline.now.to_string()} width={future.to_string()} height="131" /> }
                </svg>
                if future > 0 { <line class="live" x1={live.clone()} x2={live} y1="0" y2="100%" /> }
                <line class="now" x1={now.clone()} x2={now.clone()} y1="0" y2="100%" />
                <Marks marks={timeline.marks.clone()} />
                <circle class="grip" cx={now} cy="100%" r="5" />
            </svg>
            <svg class="times" aria-hidden="true"><Ticks ticks={timeline.ticks.clone()} y="19" /></svg>
        </>
    }
}

/// Returns the vertical position at which a number of pods is drawn. The upper third is kept for the texts of marks.
fn height(pods: i64, timeline: &Timeline) -> i64 {
    126 - pods * 76 / timeline.top.max(1)
}

/// Returns a step line up to the newest moment, as an SVG path. `pods` picks the number that is drawn.
fn line(timeline: &Timeline, pods: fn(&Level) -> i64) -> String {
    let mut path = String::new();
    for (i, level) in timeline.steps.iter().enumerate() {
        let (x, y) = (level.place, height(pods(level), timeline));
        path.push_str(&if i == 0 { format!("M{x} {y}") } else { format!("H{x}V{y}") });
    }
    path.push_str(&format!("H{}", timeline.live));
    path
}

/// Returns the area between the lines of desired and ready pods, as an SVG path.
fn gap(timeline: &Timeline) -> String {
    let mut path = line(timeline, |level| level.desired);
    for level in timeline.steps.iter().rev() {
        path.push_str(&format!("V{}H{}", height(level.ready, timeline), level.place));
    }
    path.push('Z');
    path
}
