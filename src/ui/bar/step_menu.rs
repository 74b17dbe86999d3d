//! The larger and the backward steps, in a small menu beside the step buttons.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Icon;
use loopscope::page::{Scope, Travel};
use loopscope::view::stepping::Condition;
use yew::prelude::*;

const MORE: &str = "M3 5.500h10L8 11z";

/// A button that opens the menu of larger and backward steps.
#[component]
pub fn StepMenu() -> Html {
    let dispatch = use_dispatch();
    let is_open = use_state(|| false);
    let toggle = {
        let is_open = is_open.clone();
        move |_: MouseEvent| is_open.set(!*is_open)
    };
    let close = {
        let is_open = is_open.clone();
        move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.stop_propagation();
                is_open.set(false);
            }
        }
    };
    let entry = |words: &'static str, travel: Travel| {
        let (is_open, dispatch) = (is_open.clone(), dispatch.clone());
        let onclick = move |_: MouseEvent| {
            is_open.set(false);
            dispatch.send(travel);
        };
        html! { <li><button type="button" {onclick}>{ words }</button></li> }
    };
    html! {
        <div class="step-menu" onkeydown={close}>
            <button type="button" aria-label="More steps" title="More steps" aria-expanded={(*is_open).to_string()} onclick={toggle}>
                <Icon path={MORE} />
            </button>
            if *is_open {
                <ul aria-label="Steps">
                    { for Condition::ALL.into_iter().map(|condition| entry(condition.title(), Travel::Until(condition))) }
                    { entry("Phase of any controller", Travel::Phase(Scope::Any)) }
                    { entry("Back to the phase before", Travel::BackPhase(Scope::Looked)) }
                </ul>
            }
        </div>
    }
}
