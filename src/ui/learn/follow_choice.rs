//! The choice of the controller whose passes the page shows: any controller that acts, or a certain one.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::use_selected_option;
use loopscope::page::Select;
use loopscope::view::rings::Ring;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FollowChoiceProps {
    /// The states of the controllers and the scheduler.
    pub rings: Vec<Rc<Ring>>,
    /// Set if the page follows whichever controller makes a difference.
    pub follows: bool,
    /// The index of the controller that is shown.
    pub controller: usize,
    /// The node whose kubelet is shown instead of a controller, if any.
    pub kubelet: Option<String>,
}

/// The list of controllers; its first entry follows whichever controller makes a difference.
#[component]
pub fn FollowChoice(FollowChoiceProps { rings, follows, controller, kubelet }: &FollowChoiceProps) -> Html {
    let indices: Vec<usize> = rings.iter().map(|ring| ring.index).collect();
    let node = kubelet.clone();
    let onchange = use_dispatch().on_option(move |place| match (place.checked_sub(1).map(|place| indices.get(place)), &node) {
        (Some(Some(index)), _) => Select::Controller(*index),
        (Some(None), Some(node)) => Select::Kubelet(node.clone()),
        _ => Select::Follow(true),
    });
    let place = match rings.iter().position(|ring| ring.index == *controller) {
        _ if kubelet.is_some() => rings.len() + 1,
        Some(place) if !follows => place + 1,
        _ => 0,
    };
    let select = use_selected_option(place, rings.len() + 1 + usize::from(kubelet.is_some()));
    let option = |ring: &Rc<Ring>| html! { <option>{ &ring.name }</option> };
    html! {
        <label class="follow">
            <span class="soft">{ "follow " }</span>
            <select ref={select} {onchange}><option>{ "whoever acts" }</option>{ for rings.iter().map(option) }{ for kubelet.iter().map(|node| html! { <option>{ format!("kubelet {node}") }</option> }) }</select>
        </label>
    }
}
