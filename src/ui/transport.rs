//! The top bar: undo, step, play, speed, the virtual clock, one light that tells whether desired and actual agree, and room for tools.

use super::loops::RingMark;
use super::state::{Action, Dispatch, Meter, Pace, SPEEDS, Travel};
use super::theme::Taste;
use super::tools::tools;
use crate::ui::markup::{classes, html};
use crate::ui::part::{Part, part};
use crate::ui::press::chosen;
use loopscope::view::frame::Bar;
use yew::{Event, Html};

/// The top bar.
#[derive(PartialEq)]
pub struct Transport {
    pub bar: Bar,
    pub pace: Pace,
    pub speed: usize,
    pub meter: Meter,
    pub taste: Taste,
    pub dispatch: Dispatch,
}

impl Part for Transport {
    fn draw(&self) -> Html {
        let bar = &self.bar;
        let button = |path: &'static str, name: &'static str, title: &'static str, travel: Travel, off: bool| {
            let dispatch = self.dispatch.clone();
            let onclick = move |_| dispatch.send(Action::Travel(travel));
            let class = (travel == Travel::Converge).then_some("labelled");
            html! { <button type="button" {class} {title} disabled={off} {onclick}>{ icon(path) }<span>{ name }</span></button> }
        };
        html! {
            <header class="bar">
                <div class="brand">{ part(RingMark { class: "logo", phase: "act", reached: 0 }) }<h1>{ "Loopscope" }</h1></div>
                <div class="transport" role="group" aria-label="Time">
                    { button(UNDO, "Undo", "Undo: back to the moment before the last thing you did", Travel::Undo, !bar.can_undo) }
                    { button(BACK, "Step back", "Step back: one event", Travel::Back, bar.steps == 0) }
                    { play(self) }
                    { button(STEP, "Step event", "Step event: one message or timer", Travel::Event, false) }
                    { button(PHASE, "Step phase", "Step phase: on to the next observe, diff or answered act of any controller", Travel::Phase, false) }
                    { button(CONVERGE, "Run until converged", "Run until converged: as fast as possible, until desired and actual agree", Travel::Converge, false) }
                    { speeds(self) }
                </div>
                <div class="moment">
                    <span class="clock" aria-label="Virtual time" role="timer">{ &bar.clock }</span>
                    { forks(bar) }
                    { past(self) }
                </div>
                { drift_light(bar) }
                <div class="tools">{ tools(self.taste, &self.dispatch) }</div>
            </header>
        }
    }
}

const PLAY: &str = "M4 2.5v11l9-5.5z";
const BACK: &str = "M13 2.5v11L5.5 8zM3 2.5h2v11H3z";
const UNDO: &str = "M6 2 2 6l4 4V7.500h4a2.500 2.500 0 0 1 0 5H5V14h5a4 4 0 0 0 0-8H6z";
const REDO: &str = "M10 2l4 4-4 4V7.500H6a2.500 2.500 0 0 0 0 5h5V14H6a4 4 0 0 1 0-8h4z";
const PAUSE: &str = "M4 2.5h3v11H4zM9 2.5h3v11H9z";
const STEP: &str = "M3 2.5v11L10.500 8zM11 2.500h2v11h-2z";
const PHASE: &str = "M2 2.500v11L7.500 8zM7.500 2.500v11L13 8zM13 2.500h1.500v11H13z";
const CONVERGE: &str = "M2 3.500h12v1.500H2zM2 11h12v1.500H2zM5 6.500h6L8 9.500z";
const FORK: &str = "M4.250 1.500h1.500v6C7 6.500 10.250 6.500 10.250 4V3L8.750 4.500 7.700 3.450 11 .15l3.300 3.300L13.250 4.500 11.750 3v1c0 4-6 3.500-6 6v5.500h-1.500z";

fn icon(path: &'static str) -> Html {
    html! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg> }
}

fn play(props: &Transport) -> Html {
    let running = props.pace != Pace::Paused;
    let dispatch = props.dispatch.clone();
    let onclick = move |_| dispatch.send(Action::Travel(Travel::Toggle));
    html! {
        <button type="button" class="primary play" {onclick}>
            { icon(if running { PAUSE } else { PLAY }) }<span>{ if running { "Pause" } else { "Play" } }</span>
        </button>
    }
}

/// The speeds, and the real one where the engine does not come along.
fn speeds(props: &Transport) -> Html {
    let dispatch = props.dispatch.clone();
    let onchange = move |event: Event| dispatch.send(Action::Speed(chosen(&event)));
    let option = |(i, (_, name)): (usize, &(i64, &'static str))| html! { <option selected={i == props.speed}>{ *name }</option> };
    html! {
        <>
            <label class="speed"><span class="hidden">{ "Speed" }</span><select {onchange}>{ for SPEEDS.iter().enumerate().map(option) }</select></label>
            if let Some(real) = props.meter.text() {
                <span class="real soft" title="There is more to do than fits: this is how fast time really passes">{ real }</span>
            }
        </>
    }
}

fn forks(bar: &Bar) -> Html {
    if bar.forks == 0 {
        return Html::default();
    }
    let words = if bar.forks == 1 { "1 fork".to_owned() } else { format!("{} forks", bar.forks) };
    let title = format!("{words}: something was done in the past, and the run went another way");
    html! { <span class="forks" {title}>{ icon(FORK) }<span aria-hidden="true">{ bar.forks }</span><span class="hidden">{ words }</span></span> }
}

/// The way back to the newest moment: a redo, as long as nothing was done.
fn past(props: &Transport) -> Html {
    if props.bar.behind.is_empty() {
        return Html::default();
    }
    let dispatch = props.dispatch.clone();
    let onclick = move |_| dispatch.send(Action::Travel(Travel::Live));
    let title = format!("Return to now. What you do here replaces the {} later steps", props.bar.later);
    html! {
        <button type="button" class="past" {title} {onclick}>
            { icon(REDO) }{ format!("{} back", props.bar.behind) }<span class="more">{ ": return to now" }</span>
        </button>
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
