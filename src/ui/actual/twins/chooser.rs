//! The choice of the difference between twins: two clusters that run side by side.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::RunAction;
use loopscope::view::twins::{TwinsView, Variation};
use std::rc::Rc;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TwinsChooserProps {
    pub view: Rc<TwinsView>,
}

/// The choice of a difference between the two clusters, and the button that starts the second one.
#[component]
pub fn TwinsChooser(TwinsChooserProps { view }: &TwinsChooserProps) -> Html {
    let (dispatch, select) = (use_dispatch(), use_node_ref());
    let begin = {
        let (select, view) = (select.clone(), view.clone());
        move |_: MouseEvent| {
            let place = select.cast::<HtmlSelectElement>().map_or(0, |select| select.selected_index().max(0) as usize);
            dispatch.send(RunAction::BeginTwins(view.choices.get(place).cloned().unwrap_or(Variation::Nothing)));
        }
    };
    // Browsers first select the option that was inserted first, which is the last one of the list; so an option is selected here.
    let first = view.choices.iter().find(|variation| matches!(variation, Variation::Setting(_)));
    let option = |variation: &Variation| html! { <option selected={Some(variation) == first}>{ variation.text() }</option> };
    let group = |label: &'static str, is_in: fn(&Variation) -> bool| {
        html! { <optgroup {label}>{ for view.choices.iter().filter(|variation| is_in(variation)).map(option) }</optgroup> }
    };
    html! {
        <div class="twins chooser">
            <p>{ "Put a twin beside this cluster: the same seed, the same commands, the same time, and one difference. What you do is done to both." }</p>
            <label>
                { "In B" }
                <select ref={select}>
                    { group("Nothing", |variation| matches!(variation, Variation::Nothing)) }
                    { group("A setting, from the beginning", |variation| matches!(variation, Variation::Setting(_))) }
                    { group("A fault in B alone, now", |variation| matches!(variation, Variation::Fault(_))) }
                </select>
            </label>
            <button type="button" class="primary" onclick={begin}>{ "Begin twins" }</button>
        </div>
    }
}
