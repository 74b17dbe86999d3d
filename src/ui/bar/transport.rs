//! The buttons that move in virtual time, and the choice of the speed.

use super::speed_select::SpeedSelect;
use super::step_menu::StepMenu;
use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Icon;
use loopscope::page::{Scope, Travel};
use yew::prelude::*;

const UNDO: &str = "M6 2 2 6l4 4V7.500h4a2.500 2.500 0 0 1 0 5H5V14h5a4 4 0 0 0 0-8H6z";
const BACK: &str = "M13 2.5v11L5.5 8zM3 2.5h2v11H3z";
const PLAY: &str = "M4 2.5v11l9-5.5z";
const PAUSE: &str = "M4 2.5h3v11H4zM9 2.5h3v11H9z";
const STEP: &str = "M3 2.5v11L10.500 8zM11 2.500h2v11h-2z";
const PHASE: &str = "M2 2.500v11L7.500 8zM7.500 2.500v11L13 8zM13 2.500h1.500v11H13z";
const CONVERGE: &str = "M2 3.500h12v1.500H2zM2 11h12v1.500H2zM5 6.500h6L8 9.500z";

const UNDO_TITLE: &str = "Undo: back to the moment before the last thing you did";
const BACK_TITLE: &str = "Step back: one event";
const STEP_TITLE: &str = "Step event: one message or timer";
const PHASE_TITLE: &str = "Step phase: on to the next observe, diff or answered act of the one looked at";
const CONVERGE_TITLE: &str = "Run until converged: as fast as possible, until desired and actual agree";

#[derive(Properties, PartialEq)]
pub struct TransportProps {
    pub is_running: bool,
    pub can_undo: bool,
    pub can_step_back: bool,
    /// The index of the chosen speed in `SPEEDS`.
    pub speed: usize,
    /// The measured speed as text, if the engine cannot keep up with the chosen one.
    pub real_speed: Option<String>,
}

/// The buttons that move in virtual time, and the choice of the speed.
#[component]
pub fn Transport(props: &TransportProps) -> Html {
    let dispatch = use_dispatch();
    let button = |path: &'static str, name: &'static str, title: &'static str, travel: Travel, disabled: bool| {
        let class = (travel == Travel::Converge).then_some("labelled");
        let onclick = dispatch.on(travel);
        // Where the whole name of the button does not fit, only its first word is shown.
        let (first, rest) = if travel == Travel::Converge { name.split_at(3) } else { (name, "") };
        html! {
            <button type="button" {class} {title} {disabled} {onclick}>
                <Icon {path} /><span>{ first }if !rest.is_empty() { <span class="rest">{ rest }</span> }</span>
            </button>
        }
    };
    html! {
        <div class="transport" role="group" aria-label="Time">
            { button(UNDO, "Undo", UNDO_TITLE, Travel::Undo, !props.can_undo) }
            { button(BACK, "Step back", BACK_TITLE, Travel::Back, !props.can_step_back) }
            <PlayButton is_running={props.is_running} />
            { button(STEP, "Step event", STEP_TITLE, Travel::Event, false) }
            { button(PHASE, "Step phase", PHASE_TITLE, Travel::Phase(Scope::Looked), false) }
            <StepMenu />
            { button(CONVERGE, "Run until converged", CONVERGE_TITLE, Travel::Converge, false) }
            <SpeedSelect speed={props.speed} real_speed={props.real_speed.clone()} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct PlayButtonProps {
    pub is_running: bool,
}

/// A button that plays or pauses the run.
#[component]
pub fn PlayButton(PlayButtonProps { is_running }: &PlayButtonProps) -> Html {
    let onclick = use_dispatch().on(Travel::Toggle);
    let (path, name) = if *is_running { (PAUSE, "Pause") } else { (PLAY, "Play") };
    html! { <button type="button" class="primary play" {onclick}><Icon {path} /><span>{ name }</span></button> }
}

/// The step buttons of an embed's small bar: to the next phase, and until desired and actual state agree.
#[component]
pub fn StepButtons() -> Html {
    let dispatch = use_dispatch();
    let button = |path: &'static str, name: &'static str, title: &'static str, travel: Travel| {
        html! { <button type="button" {title} onclick={dispatch.on(travel)}><Icon {path} /><span>{ name }</span></button> }
    };
    html! {
        <>
            { button(PHASE, "Step phase", PHASE_TITLE, Travel::Phase(Scope::Any)) }
            { button(CONVERGE, "Run until converged", CONVERGE_TITLE, Travel::Converge) }
        </>
    }
}
