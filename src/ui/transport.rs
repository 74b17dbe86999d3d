//! The top bar: play, pause, step, speed, the virtual clock, and one light that tells whether desired and actual agree.

use super::ring::RingMark;
use super::state::{Action, Dispatch, Pace, SPEEDS};
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::{Event, Html, Properties, classes, component, html};

#[derive(Properties, PartialEq)]
pub struct TransportProps {
    pub clock: String,
    pub steps: u64,
    pub converged: bool,
    pub since: String,
    pub turned_at: String,
    pub pace: Pace,
    pub speed: usize,
    pub dispatch: Dispatch,
}

/// The top bar.
#[component]
pub fn Transport(props: &TransportProps) -> Html {
    let act = |action: fn() -> Action| {
        let dispatch = props.dispatch.clone();
        move |_| dispatch.dispatch(action())
    };
    let running = props.pace != Pace::Paused;
    html! {
        <header class="bar">
            <div class="brand"><RingMark class="logo" phase="act" /><h1>{ "Loopscope" }</h1></div>
            <div class="transport" role="group" aria-label="Time">
                <button type="button" class="primary play" onclick={act(|| Action::TogglePlay)}>
                    { icon(if running { PAUSE } else { PLAY }) }<span>{ if running { "Pause" } else { "Play" } }</span>
                </button>
                <button type="button" onclick={act(|| Action::StepEvent)} title="Handle one event: a message or a timer">
                    { icon(STEP) }<span>{ "Step event" }</span>
                </button>
                <button type="button" onclick={act(|| Action::StepPhase)} title="On to the next observe, diff, or answered act of any controller">
                    { icon(PHASE) }<span>{ "Step phase" }</span>
                </button>
                <button
                    type="button"
                    onclick={act(|| Action::RunUntilConverged)}
                    title="As fast as possible, until desired and actual agree"
                >
                    { icon(CONVERGE) }<span>{ "Run until converged" }</span>
                </button>
                <SpeedSelect speed={props.speed} dispatch={props.dispatch.clone()} />
                <span class="clock" aria-label="Virtual time" role="timer">{ &props.clock }</span>
            </div>
            <DriftLight converged={props.converged} since={props.since.clone()} turned_at={props.turned_at.clone()} steps={props.steps} />
        </header>
    }
}

const PLAY: &str = "M4 2.5v11l9-5.5z";
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
            dispatch.dispatch(Action::Speed(select.selected_index().max(0) as usize));
        }
    };
    let option = |(i, (_, name)): (usize, &(i64, &'static str))| html! { <option selected={i == props.speed}>{ *name }</option> };
    html! {
        <label class="speed"><span class="hidden">{ "Speed" }</span><select {onchange}>{ for SPEEDS.iter().enumerate().map(option) }</select></label>
    }
}

#[derive(Properties, PartialEq)]
struct DriftProps {
    converged: bool,
    since: String,
    turned_at: String,
    steps: u64,
}

#[component]
fn DriftLight(props: &DriftProps) -> Html {
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
