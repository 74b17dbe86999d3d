//! Requests, watch events and queues over time, and who asks the most.

use super::timeline::{percent, ticks, zooms};
use crate::ui::markup::html;
use crate::ui::part::Part;
use crate::ui::state::Dispatch;
use loopscope::view::charts::{Line, Panel, Requests, TalkerRow, tenths};
use std::rc::Rc;
use yew::Html;

/// The charts and the table.
#[derive(PartialEq)]
pub struct RequestCharts {
    pub requests: Rc<Requests>,
    pub dispatch: Dispatch,
}

impl Part for RequestCharts {
    fn draw(&self) -> Html {
        let r = &self.requests;
        let choice = |name: &'static str, by_verb: bool| {
            let onclick = self.dispatch.on_look(move |look| look.time.by_verb = by_verb);
            html! { <button type="button" aria-pressed={r.by_verb == by_verb} {onclick}>{ name }</button> }
        };
        html! {
            <>
                <section class="request-charts" aria-label="Requests and queues over time">
                    <header class="pane-head">
                        <h2>{ "Requests" }</h2><span class="soft">{ &r.words }</span>
                        <span class="time-choices">
                            <span class="zooms" role="group" aria-label="Requests told apart">{ choice("by who", false) }{ choice("by verb", true) }</span>
                            { zooms(r.zoom, &self.dispatch) }
                        </span>
                    </header>
                    { for r.panels.iter().map(|p| panel(p, r)) }
                    <svg class="axis" aria-hidden="true">{ ticks(&r.ticks, "12") }</svg>
                </section>
                <section class="talkers" role="group" aria-label="Who asks the most" tabindex="0">
                    <table>
                        <caption>{ "Who asks the most" }</caption>
                        <thead><tr><th scope="col">{ "who" }</th><th scope="col">{ "requests" }</th><th scope="col">{ "changes" }</th><th scope="col">{ "refused" }</th></tr></thead>
                        <tbody>{ for r.talkers.iter().map(talker) }</tbody>
                    </table>
                </section>
            </>
        }
    }
}

fn panel(p: &Panel, r: &Requests) -> Html {
    let line = |(i, l): (usize, &Line)| html! { <path class={KEYS.get(i).copied()} d={path(l)} /> };
    let key = |(i, l): (usize, &Line)| {
        html! {
            <li><svg viewBox="0 0 16 2" class="key" aria-hidden="true"><path class={KEYS.get(i).copied()} d="M0 1H16" /></svg>{ format!("{} {}", l.name, tenths(l.now)) }</li>
        }
    };
    let now = percent(r.now);
    html! {
        <figure class="panel">
            <figcaption><h3>{ p.name }</h3><ul class="keys">{ for p.lines.iter().enumerate().map(key) }</ul></figcaption>
            <svg class="panel-chart" role="img" aria-label={p.words.clone()}>
                <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="100%">
                    { for p.lines.iter().enumerate().rev().map(line) }
                    <rect class="future" x={r.now} width={1000 - r.now} height="1000" />
                </svg>
                <line class="now" x1={now.clone()} x2={now} y1="0" y2="100%" />
                <text class="top" x="100%" y="11">{ &p.top }</text>
            </svg>
        </figure>
    }
}

/// The styles of lines: each has a colour and a pattern.
const KEYS: [&str; 6] = ["line-1", "line-2", "line-3", "line-4", "line-5", "line-6"];

fn path(line: &Line) -> String {
    let mut path = String::new();
    for (i, (x, y)) in line.steps.iter().enumerate() {
        let y = 990 - y * 960 / 1000;
        path.push_str(&if i == 0 { format!("M{x} {y}") } else { format!("H{x}V{y}") });
    }
    path
}

fn talker(row: &TalkerRow) -> Html {
    html! {
        <tr>
            <th scope="row">
                { &row.name }
                <svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width={row.percent} height="1" /></svg>
            </th>
            <td>{ row.talk.requests }</td><td>{ row.talk.writes }</td><td>{ row.talk.refused }</td>
        </tr>
    }
}
