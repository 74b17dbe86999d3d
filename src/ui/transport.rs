//! The top bar: play, pause, step, speed, the virtual clock, and one light that tells whether desired and actual agree.

use super::loops::RingMark;
use super::state::{Action, Dispatch, Pace, SPEEDS, Travel};
use loopscope::view::frame::Bar;
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::{Event, Html, Properties, classes, component, html};

#[derive(Properties, PartialEq)]
pub struct TransportProps {
    pub bar: Bar,
    pub pace: Pace,
    pub speed: usize,
    pub dispatch: Dispatch,
    /// More buttons, at the right end.
    #[prop_or_default]
    pub extra: Html,
}

/// The top bar.
#[component]
pub fn Transport(props: &TransportProps) -> Html {
    let act = |travel: Travel| {
        let dispatch = props.dispatch.clone();
        move |_| dispatch.send(Action::Travel(travel))
    };
    let bar = &props.bar;
    let running = props.pace != Pace::Paused;
    html! {
        <header class="bar">
            <div class="brand"><RingMark class="logo" phase="act" /><h1>{ "Loopscope" }</h1></div>
            <div class="transport" role="group" aria-label="Time">
                <button type="button" class="primary play" onclick={act(Travel::Toggle)}>
                    { icon(if running { PAUSE } else { PLAY }) }<span>{ if running { "Pause" } else { "Play" } }</span>
                </button>
                <button type="button" onclick={act(Travel::Undo)} disabled={!bar.can_undo} title="Back to the moment before the last thing you did">
                    { icon(UNDO) }<span>{ "Undo" }</span>
                </button>
                <button type="button" onclick={act(Travel::Back)} disabled={bar.steps == 0} title="One event back">
                    { icon(BACK) }<span>{ "Step back" }</span>
                </button>
                <button type="button" onclick={act(Travel::Event)} title="Handle one event: a message or a timer">
                    { icon(STEP) }<span>{ "Step event" }</span>
                </button>
                <button type="button" onclick={act(Travel::Phase)} title="On to the next observe, diff, or answered act of any controller">
                    { icon(PHASE) }<span>{ "Step phase" }</span>
                </button>
                <button
                    type="button"
                    onclick={act(Travel::Converge)}
                    title="As fast as possible, until desired and actual agree"
                >
                    { icon(CONVERGE) }<span>{ "Run until converged" }</span>
                </button>
                <SpeedSelect speed={props.speed} dispatch={props.dispatch.clone()} />
                <span class="clock" aria-label="Virtual time" role="timer">{ &bar.clock }</span>
                if !bar.behind.is_empty() {
                    <button type="button" class="past" onclick={act(Travel::Live)} title="What you do here makes the run go another way">{ format!("{} back: return to now", bar.behind) }</button>
                }
            </div>
            { drift_light(bar) }
            <div class="tools">{ props.extra.clone() }</div>
        </header>
    }
}

const PLAY: &str = "M4 2.5v11l9-5.5z";
const BACK: &str = "M13 2.5v11L5.5 8zM3 2.5h2v11H3z";
const UNDO: &str = "M6 2 2 6l4 4V7.500h4a2.500 2.500 0 0 1 0 5H5V14h5a4 4 0 0 0 0-8H6z";
const PAUSE: &str = "M4 2.5h3v11H4zM9 2.5h3v11H9z";
const STEP: &str = "M3 2.5v11L10.500 8zM11 2.500h2v11h-2z";
const PHASE: &str = "M2 2.500v11L7.500 8zM7.500 2.500v11L13 8zM13 2.500h1.500v11H13z";
const CONVERGE: &str = "M2 3.500h12v1.500H2zM2 11h12v1.500H2zM5 6.500h6L8 9.500z";

fn icon(path: &'static str) -> Html {
    html! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg> }
}

#[derive(Properties, PartialEq)]
struct SpeedProps {
    speed: usize,
    dispatch: Dispatch,
}

#[component]
fn SpeedSelect(props: &SpeedProps) -> Html {
    let dispatch = props.dispatch.clone();
    let onchange = move |event: Event| {
        if let Some(select) = event.target().and_then(|t| t.dyn_into::<HtmlSelectElement>().ok()) {
            dispatch.send(Action::Speed(select.selected_index().max(0) as usize));
        }
    };
    let option = |(i, (_, name)): (usize, &(i64, &'static str))| html! { <option selected={i == props.speed}>{ *name }</option> };
    html! {
        <label class="speed"><span class="hidden">{ "Speed" }</span><select {onchange}>{ for SPEEDS.iter().enumerate().map(option) }</select></label>
    }
}

fn drift_light(props: &Bar) -> Html {
    let (word, class, glyph) = if props.converged { ("converged", "good", "●") } else { ("drifting", "warning", "◐") };
    html! {
        <div class="drift-place">
            <span class={classes!("drift", class)} title={format!("since {} · {} events so far", props.turned_at, props.steps)}>
                <span aria-hidden="true">{ glyph }</span>{ format!(" {word} for {}", props.since) }
            </span>
            // Only the turns are read out, not every tenth of a second.
            <span class="hidden" role="status">{ format!("{word} since {}", props.turned_at) }</span>
        </div>
    }
}
