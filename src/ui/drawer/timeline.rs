//! Time along the bottom: desired and ready pods, what was done and what came of it. It is a slider: dragging, clicking and the arrow keys look at
//! another moment.

mod scrub;

use crate::ui::markup::{classes, html};
use crate::ui::press::chosen;
use crate::ui::state::Dispatch;
use loopscope::api::time::Span;
use loopscope::view::look::Subject;
use loopscope::view::timeline::{Level, Mark, Sort, Timeline};
use scrub::{key, use_scrub};
use std::rc::Rc;
use yew::{Event, Html, KeyboardEvent, Properties, component};

#[derive(Properties, PartialEq)]
pub struct TimelineProps {
    pub timeline: Rc<Timeline>,
    pub dispatch: Dispatch,
}

/// The timeline.
#[component]
pub fn TimelineChart(props: &TimelineProps) -> Html {
    let t = &props.timeline;
    let scrub = use_scrub(t.axis, t.zoom, &props.dispatch);
    let (dispatch, timeline) = (props.dispatch.clone(), t.clone());
    let onkeydown = move |event: KeyboardEvent| key(&event, &timeline, &dispatch);
    html! {
        <div class="timeline">
            <header class="pane-head">
                <h2 id="time">{ "Time" }</h2>
                <span class="soft">{ &t.words }</span>
                <span class="legend soft" aria-hidden="true">
                    <span class="desired-key" />{ "desired" }<span class="ready-key" />{ "ready" }<span class="drift-key" />{ "drift" }
                </span>
                <span class="time-choices">{ workloads(t, &props.dispatch) }{ zooms(t.zoom, &props.dispatch) }</span>
            </header>
            <div
                class="chart"
                role="slider"
                tabindex="0"
                aria-label="Moment looked at"
                aria-valuemin="0"
                aria-valuemax={t.value.1}
                aria-valuenow={t.value.0}
                aria-valuetext={t.value_text.clone()}
                ref={scrub.place}
                {onkeydown}
                onpointerdown={scrub.down}
                onpointermove={scrub.moved}
                onpointerup={scrub.up}
                onpointercancel={scrub.cancel}
            >{ picture(t) }</div>
            <ol class="deed-list" aria-label="What was done">
                { for t.marks.iter().filter(|m| m.sort != Sort::Live).map(|m| html! { <li class={class(m)}>{ format!("{}: {}", m.at, m.text) }</li> }) }
            </ol>
        </div>
    }
}

/// A place as a share of the width.
pub fn percent(place: i64) -> String {
    format!("{}.{}%", place / 10, place % 10)
}

/// The times under a chart.
pub fn ticks(ticks: &[(i64, String)], y: &'static str) -> Html {
    let tick = |(place, text): &(i64, String)| {
        let class = classes!("tick", (*place < 20).then_some("first"), (*place > 975).then_some("last"));
        html! { <text {class} x={percent(*place)} {y}>{ text }</text> }
    };
    ticks.iter().map(tick).collect()
}

fn picture(t: &Timeline) -> Html {
    let span = |(from, to): &(i64, i64)| html! { <rect x={*from} width={(to - from).max(1)} y="127" height="4" /> };
    let (now, live) = (percent(t.now), percent(t.live));
    html! {
        <svg aria-hidden="true">
            <svg viewBox="0 0 1000 131" preserveAspectRatio="none" width="100%" height="131">
                <path class="ready-area" d={format!("{}V126H0Z", line(t, |s| s.ready))} />
                <path class="gap-area" d={gap(t)} />
                <path class="desired-line" d={line(t, |s| s.desired)} />
                <path class="ready-line" d={line(t, |s| s.ready)} />
                <g class="drift-spans">{ for t.drift.iter().map(span) }</g>
                if t.live > t.now { <rect class="future" x={t.now} width={t.live - t.now} height="131" /> }
            </svg>
            if t.live > t.now { <line class="live" x1={live.clone()} x2={live} y1="0" y2="131" /> }
            <line class="now" x1={now.clone()} x2={now.clone()} y1="0" y2="131" />
            { for t.marks.iter().map(mark) }
            <circle class="grip" cx={now} cy="131" r="5" />
            { ticks(&t.ticks, "150") }
        </svg>
    }
}

fn class(m: &Mark) -> &'static str {
    match m.sort {
        Sort::Deed if m.breaks => "mark breaks",
        Sort::Deed => "mark",
        Sort::Converged => "mark converged",
        Sort::Fork => "mark fork",
        Sort::Live => "mark live",
    }
}

fn mark(m: &Mark) -> Html {
    let x = percent(m.place);
    let (y1, y2) = if m.sort == Sort::Converged { ("112", "131") } else { ("0", "127") };
    html! {
        <g class={class(m)}>
            if m.sort != Sort::Live { <line x1={x.clone()} x2={x.clone()} {y1} {y2} /> }
            if let Some(row) = m.row {
                <text {x} dx={if m.left { "-5" } else { "5" }} class={m.left.then_some("last")} y={11 + 14 * row}>{ m.short() }</text>
            }
        </g>
    }
}

/// How high a number of pods is drawn. The upper third is for the texts of marks.
fn height(n: i64, t: &Timeline) -> i64 {
    126 - n * 76 / t.top.max(1)
}

/// A line of steps up to the newest moment, as an SVG path.
fn line(t: &Timeline, of: fn(&Level) -> i64) -> String {
    let mut path = String::new();
    for (i, step) in t.steps.iter().enumerate() {
        let (x, y) = (step.place, height(of(step), t));
        path.push_str(&if i == 0 { format!("M{x} {y}") } else { format!("H{x}V{y}") });
    }
    path.push_str(&format!("H{}", t.live));
    path
}

/// The area between desired and ready.
fn gap(t: &Timeline) -> String {
    let mut path = line(t, |s| s.desired);
    for step in t.steps.iter().rev() {
        path.push_str(&format!("V{}H{}", height(step.ready, t), step.place));
    }
    path.push('Z');
    path
}

/// Whose drift is drawn.
fn workloads(t: &Timeline, dispatch: &Dispatch) -> Html {
    let (dispatch, names) = (dispatch.clone(), t.workloads.clone());
    let onchange = move |event: Event| {
        // The first is all of them.
        let chosen = chosen(&event).checked_sub(1).and_then(|place| names.get(place)).cloned();
        dispatch.look(move |look| look.time.workload = chosen);
    };
    let option = |name: &Subject| {
        let selected = t.chosen.as_ref() == Some(name);
        html! { <option {selected}>{ format!("{} {}", name.kind.row().name, name.key.name) }</option> }
    };
    html! {
        <label><span class="hidden">{ "Workload" }</span>
            <select {onchange}><option selected={t.chosen.is_none()}>{ "all workloads" }</option>{ for t.workloads.iter().map(option) }</select>
        </label>
    }
}

/// How much of the run is drawn.
pub fn zooms(chosen: Span, dispatch: &Dispatch) -> Html {
    let zoom = |(name, seconds): (&'static str, i64)| {
        let onclick = dispatch.on_look(move |look| look.time.zoom = Span::secs(seconds));
        html! { <button type="button" aria-pressed={chosen == Span::secs(seconds)} {onclick}>{ name }</button> }
    };
    html! {
        <span class="zooms" role="group" aria-label="How much of the run is drawn">
            { for [("whole run", 0), ("5 min", 300), ("1 min", 60)].map(zoom) }
        </span>
    }
}
