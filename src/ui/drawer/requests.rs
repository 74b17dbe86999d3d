//! The tab *Requests*: requests, watch events and queues over time, and the senders of the most requests.

use super::time::{Ticks, ZoomChoice, percent};
use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Term;
use loopscope::page::Select;
use loopscope::view::charts::{Line, Panel, Requests, TalkerRow, tenths};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RequestsPaneProps {
    pub requests: Rc<Requests>,
}

/// The charts of requests and queues, and the table of senders.
#[component]
pub fn RequestsPane(RequestsPaneProps { requests }: &RequestsPaneProps) -> Html {
    let panel = |panel: &Rc<Panel>| html! { <PanelChart panel={panel.clone()} now={requests.now} /> };
    html! {
        <>
            <section class="request-charts" aria-label="Requests and queues over time">
                <header class="pane-head">
                    <h2><Term of="request">{ "Requests" }</Term></h2>
                    <span class="soft">{ &requests.words }</span>
                    <span class="time-choices"><SplitChoice by_verb={requests.by_verb} /><ZoomChoice zoom={requests.zoom} /></span>
                </header>
                <>{ for requests.panels.iter().map(panel) }</>
                <svg class="axis" aria-hidden="true"><Ticks ticks={requests.ticks.clone()} y="12" /></svg>
            </section>
            <Talkers rows={requests.talkers.clone()} />
        </>
    }
}

#[derive(Properties, PartialEq)]
struct SplitChoiceProps {
    by_verb: bool,
}

/// Buttons that choose whether each line of the chart stands for a sender or for a verb.
#[component]
fn SplitChoice(SplitChoiceProps { by_verb }: &SplitChoiceProps) -> Html {
    let dispatch = use_dispatch();
    let choice = |name: &'static str, verb: bool| {
        let onclick = dispatch.on(Select::RequestsByVerb(verb));
        html! { <button type="button" aria-pressed={(*by_verb == verb).to_string()} {onclick}>{ name }</button> }
    };
    html! {
        <span class="zooms" role="group" aria-label="Requests told apart">{ choice("by sender", false) }{ choice("by verb", true) }</span>
    }
}

#[derive(Properties, PartialEq)]
struct PanelChartProps {
    panel: Rc<Panel>,
    /// The position of the shown moment, in thousandths of the chart's width.
    now: i64,
}

/// One chart with the names of its lines.
#[component]
fn PanelChart(PanelChartProps { panel, now }: &PanelChartProps) -> Html {
    let line = |(i, line): (usize, &Line)| html! { <path class={KEYS.get(i).copied()} d={path(line)} /> };
    let key = |(i, line): (usize, &Line)| {
        html! {
            <li>
                <svg viewBox="0 0 16 2" class="key" aria-hidden="true"><path class={KEYS.get(i).copied()} d="M0 1H16" /></svg>
                { format!("{} {}", line.name, tenths(line.now)) }
            </li>
        }
    };
    let x = percent(*now);
    html! {
        <figure class="panel">
            <figcaption><h3>{ panel.name }</h3><ul class="keys">{ for panel.lines.iter().enumerate().map(key) }</ul></figcaption>
            <svg class="panel-chart" role="img" aria-label={panel.words.clone()}>
                <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="100%">
                    <>{ for panel.lines.iter().enumerate().rev().map(line) }</>
                    <rect class="future" x={now.to_string()} width={(1000 - now).to_string()} height="1000" />
                </svg>
                <line class="now" x1={x.clone()} x2={x} y1="0" y2="100%" />
                <text class="top" x="100%" y="11">{ &panel.top }</text>
            </svg>
        </figure>
    }
}

/// The CSS classes of the lines: each has a colour and a dash pattern.
const KEYS: [&str; 6] = ["line-1", "line-2", "line-3", "line-4", "line-5", "line-6"];

/// Returns a line of a chart, drawn in steps, as an SVG path.
fn path(line: &Line) -> String {
    let step = |(i, (x, height)): (usize, &(i64, i64))| {
        let y = 990 - height * 960 / 1000;
        if i == 0 { format!("M{x} {y}") } else { format!("H{x}V{y}") }
    };
    line.steps.iter().enumerate().map(step).collect()
}

#[derive(Properties, PartialEq)]
struct TalkersProps {
    rows: Rc<Vec<TalkerRow>>,
}

/// The table of the senders with the most requests.
#[component]
fn Talkers(TalkersProps { rows }: &TalkersProps) -> Html {
    html! {
        <section class="talkers" role="group" aria-label="Who asks the most" tabindex="0">
            <table>
                <caption>{ "Who asks the most" }</caption>
                <thead>
                    <tr><th scope="col">{ "who" }</th><th scope="col">{ "requests" }</th><th scope="col">{ "changes" }</th><th scope="col">{ "refused" }</th></tr>
                </thead>
                <tbody>{ for rows.iter().map(talker) }</tbody>
            </table>
        </section>
    }
}

fn talker(row: &TalkerRow) -> Html {
    html! {
        <tr>
            <th scope="row">
                { &row.name }
                <svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={row.percent.to_string()} height="1" />
                </svg>
            </th>
            <td>{ row.talk.requests }</td><td>{ row.talk.writes }</td><td>{ row.talk.refused }</td>
        </tr>
    }
}
