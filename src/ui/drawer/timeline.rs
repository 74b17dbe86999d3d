//! Time along the bottom: desired and ready pods, and what a person did.

use loopscope::view::timeline::{Mark, Timeline};
use std::rc::Rc;
use yew::{Html, Properties, classes, component, html};

#[derive(Properties, PartialEq)]
pub struct TimelineProps {
    pub timeline: Rc<Timeline>,
}

/// The timeline.
#[component]
pub fn TimelineChart(props: &TimelineProps) -> Html {
    let t = &props.timeline;
    let percent = |place: i64| format!("{}.{}%", place / 10, place % 10);
    let mark = |m: &Mark| {
        let class = classes!("mark", m.breaks.then_some("breaks"));
        let x = percent(m.place);
        html! {
            <g {class}>
                <line x1={x.clone()} x2={x.clone()} y1="0" y2="100" />
                if let Some(row) = m.row { <text {x} dx="5" y={(11 + 14 * row).to_string()}>{ &m.text }</text> }
            </g>
        }
    };
    let tick = |(place, text): &(i64, String)| html! { <text class="tick" x={percent(*place)} y="115">{ text }</text> };
    html! {
        <div class="timeline">
            <header class="pane-head"><h2 id="time">{ "Time" }</h2><span class="soft">{ &t.words }</span></header>
            <svg class="chart" role="img" aria-label={format!("Pods over time: {}", t.words)}>
                <svg viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%" height="100">
                    <path class="ready-area" d={format!("{} V100 H0 Z", line(&t.ready, t))} />
                    <path class="desired-line" d={line(&t.desired, t)} />
                    <path class="ready-line" d={line(&t.ready, t)} />
                </svg>
                { for t.marks.iter().map(mark) }
                <line class="now" x1={percent(t.now)} x2={percent(t.now)} y1="0" y2="100" />
                { for t.ticks.iter().map(tick) }
            </svg>
            <p class="legend soft"><span class="desired-key" aria-hidden="true" />{ "desired " }<span class="ready-key" aria-hidden="true" />{ "ready" }</p>
            <ol class="deed-list" aria-label="What was done">
                { for t.marks.iter().map(|m| html! { <li>{ format!("{}: {}", m.at, m.text) }</li> }) }
            </ol>
        </div>
    }
}

/// A line of steps up to now, as an SVG path. The upper third is for the texts of marks.
fn line(steps: &[(i64, i64)], t: &Timeline) -> String {
    let height = |n: i64| 98 - n * 62 / t.top.max(1);
    let mut path = String::new();
    for (i, (x, n)) in steps.iter().enumerate() {
        let y = height(*n);
        path.push_str(&if i == 0 { format!("M{x} {y}") } else { format!("H{x}V{y}") });
    }
    path.push_str(&format!("H{}", t.now));
    path
}
