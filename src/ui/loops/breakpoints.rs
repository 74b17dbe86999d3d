//! Breakpoints: those for the shown controller, and the list of all that are set.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Term;
use loopscope::page::{RunAction, Select};
use loopscope::view::breakpoints::{BreakLine, Breakpoint, PHASES};
use loopscope::view::notes::passes::{Phase, scheduler_index};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct BreakpointsProps {
    /// For each phase in [`PHASES`], `true` if a breakpoint stops the run before it, for this controller and object.
    pub set: [bool; 3],
    /// All breakpoints that are set.
    pub all: Rc<Vec<BreakLine>>,
    /// The index of the controller that is shown.
    pub controller: usize,
    /// Set if new breakpoints apply to any controller.
    pub any: bool,
    /// The object that new breakpoints apply to; empty for any object.
    pub object: String,
}

/// Checkboxes for the phases of a controller's passes, and the list of all breakpoints.
#[component]
pub fn Breakpoints(props: &BreakpointsProps) -> Html {
    let dispatch = use_dispatch();
    let toggle = |point: &Breakpoint| dispatch.on(RunAction::ToggleBreakpoint(point.clone()));
    let controller = (!props.any).then_some(props.controller);
    let check = |(phase, checked): (Phase, bool)| {
        let onclick = toggle(&Breakpoint { controller, object: props.object.clone(), phase });
        html! { <label><input type="checkbox" {checked} {onclick} />{ phase.word() }</label> }
    };
    // The scheduler observes and compares in one phase, so it has no breakpoint before observing.
    let is_offered = |phase: Phase| phase != Phase::Observe || props.controller != scheduler_index() || props.any;
    let checks = PHASES.into_iter().zip(props.set).filter(|(phase, _)| is_offered(*phase)).map(check);
    let line = |line: &BreakLine| {
        let label = format!("Remove breakpoint {}", line.words);
        html! {
            <li><span>{ &line.words }</span><button type="button" class="quiet" aria-label={label} onclick={toggle(&line.point)}>{ "remove" }</button></li>
        }
    };
    html! {
        <section class="breakpoints">
            <h3><Term of="breakpoint">{ "Break before" }</Term></h3>
            <div class="checks">
                <>{ for checks }</>
                <label>
                    <input type="checkbox" checked={props.any} onclick={dispatch.on(Select::ToggleBreakpointScope)} />{ "of any controller" }
                </label>
                <input
                    type="text"
                    aria-label="Only for this object"
                    placeholder="only default/my-app"
                    value={props.object.clone()}
                    oninput={dispatch.on_text(Select::BreakpointFilter)}
                />
            </div>
            if !props.all.is_empty() { <ul aria-label="Breakpoints">{ for props.all.iter().map(line) }</ul> }
        </section>
    }
}
