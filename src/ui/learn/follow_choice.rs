//! The choice of whose passes the page shows: of any controller that acts, or of one.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::use_selected_option;
use loopscope::page::Select;
use loopscope::view::rings::Ring;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FollowChoiceProps {
    /// The rings of the controllers and of the scheduler.
    pub rings: Vec<Rc<Ring>>,
    /// Set if the page follows the controller that acts.
    pub follows: bool,
    /// The controller that is shown.
    pub controller: usize,
    /// The node of the kubelet that is shown instead.
    pub kubelet: Option<String>,
}

/// A list of controllers; its first entry follows the controller that acts.
#[component]
pub fn FollowChoice(FollowChoiceProps { rings, follows, controller, kubelet }: &FollowChoiceProps) -> Html {
    let indices: Vec<usize> = rings.iter().map(|ring| ring.index).collect();
    let onchange = use_dispatch().on_option(move |place| match place.checked_sub(1).and_then(|place| indices.get(place)) {
        Some(index) => Select::Controller(*index),
        None => Select::Follow(true),
    });
    let place = match rings.iter().position(|ring| ring.index == *controller) {
        Some(place) if !follows && kubelet.is_none() => place + 1,
        _ => 0,
    };
    let select = use_selected_option(place, rings.len() + 1);
    let option = |ring: &Rc<Ring>| html! { <option>{ &ring.name }</option> };
    html! {
        <label class="follow">
            <span class="soft">{ "follow " }</span>
            <select ref={select} {onchange}><option>{ "whoever acts" }</option>{ for rings.iter().map(option) }</select>
        </label>
    }
}
