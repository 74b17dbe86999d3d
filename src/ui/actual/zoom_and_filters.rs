//! The controls above the nodes: the zoom level, and the states of pods with their counts, which serve as a legend and as filters.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Toggle;
use loopscope::page::{Action, Select};
use loopscope::view::Choice;
use loopscope::view::cluster::{ClusterSelection, Health, Zoom, number};
use loopscope::view::notes::census::Counts;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ControlsProps {
    pub selection: ClusterSelection,
    pub counts: Counts,
}

/// The buttons for the zoom level, and the legend of pod states, which filters the pods.
#[component]
pub fn Controls(ControlsProps { selection, counts }: &ControlsProps) -> Html {
    let dispatch = use_dispatch();
    let zoom = |zoom: &Zoom| {
        html! { <Toggle name={zoom.name()} on={selection.zoom == *zoom} action={Action::from(Select::Zoom(*zoom))} /> }
    };
    let state = |health: Health| {
        let is_chosen = selection.filter == Some(health);
        let onclick = dispatch.on(Select::ToggleHealth(health));
        html! {
            <button
                type="button"
                class={classes!("state-of", health.class())}
                aria-pressed={is_chosen.to_string()}
                title={format!("Only pods that are {}", counts.word(health))}
                {onclick}
            >
                <span class={classes!("square", "swatch", health.class())} aria-hidden="true" />
                <span>{ counts.word(health) }{ " " }<b>{ number(counts.of(health)) }</b></span>
            </button>
        }
    };
    let listed = Health::ALL.into_iter().filter(|health| counts.of(*health) > 0 || selection.filter == Some(*health));
    html! {
        <div class="controls">
            <div class="states" role="group" aria-label="Pods by state">{ for listed.map(state) }</div>
            <div class="zoom" role="group" aria-label="Size of pods">{ for Zoom::ALL.iter().map(zoom) }</div>
        </div>
    }
}
