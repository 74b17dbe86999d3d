//! Nodes as cards or as a heat map, a tray for pods without a node, and what of them is shown.

use super::heat_map::HeatMap;
use super::node_card::NodeBox;
use super::pod_tile::{and_more, chip, tile};
use crate::ui::markup::{classes, html, mount};
use crate::ui::part::keyed_part;
use crate::ui::state::Dispatch;
use loopscope::view::Choice;
use loopscope::view::cluster::{ClusterView, Health, Level, NodeCard, Zoom, number};
use std::rc::Rc;
use yew::Html;

/// Nodes and pods.
pub fn cluster(view: &Rc<ClusterView>, dispatch: &Dispatch) -> Html {
    let node = |card: &Rc<NodeCard>| keyed_part(card.name.clone(), NodeBox { card: card.clone(), dispatch: dispatch.clone() });
    let body = match (&view.level, &view.map) {
        (Level::Map, Some(map)) => html! {
            <div class="map">
                { mount! { <HeatMap view={map.clone()} dispatch={dispatch.clone()} /> } }
                <div class="picked">
                    if let Some(card) = &view.picked {
                        { node(card) }
                    } else {
                        <p class="soft">{ "Pick a node: with the pointer, or with the arrow keys on the map." }</p>
                    }
                </div>
            </div>
        },
        (level, _) => html! {
            <>
                <div class={classes!("nodes", (*level == Level::Cells).then_some("small"))}>{ for view.nodes.iter().map(node) }</div>
                { and_more(view.more_nodes, " nodes: the map shows all of them") }
            </>
        },
    };
    html! { <>{ controls(view, dispatch) }{ tray(view, dispatch) }{ body }</> }
}

/// The level, and the states with their counts: a legend that filters.
fn controls(view: &ClusterView, dispatch: &Dispatch) -> Html {
    let zoom = |zoom: &Zoom| {
        let zoom = *zoom;
        let onclick = dispatch.on_look(move |look| look.cluster.zoom = zoom);
        html! { <button type="button" aria-pressed={view.look.zoom == zoom} {onclick}>{ zoom.name() }</button> }
    };
    let state = |health: Health| {
        let chosen = view.look.filter == Some(health);
        let onclick = dispatch.on_look(move |look| look.cluster.filter = (!chosen).then_some(health));
        html! {
            <button type="button" class={classes!("state-of", health.class())} aria-pressed={chosen} title={["Only pods that are ", health.word()].concat()} {onclick}>
                <span class={classes!("square", "swatch", health.class())} aria-hidden="true" /><span>{ health.word() }{ " " }<b>{ number(view.counts.of(health)) }</b></span>
            </button>
        }
    };
    let told = Health::ALL.into_iter().filter(|h| view.counts.of(*h) > 0 || view.look.filter == Some(*h));
    html! {
        <div class="controls">
            <div class="states" role="group" aria-label="Pods by state">{ for told.map(state) }</div>
            <div class="zoom" role="group" aria-label="How large">{ for Zoom::ALL.iter().map(zoom) }</div>
        </div>
    }
}

fn tray(view: &ClusterView, dispatch: &Dispatch) -> Html {
    html! {
        <div class="tray">
            <h3>{ "Unscheduled" }</h3>
            if view.unscheduled.is_empty() {
                <span class="soft">{ "none" }</span>
            } else if view.level != Level::Tiles {
                // One line whatever is in it, so that what stands below does not move with every pod.
                <div class="cells" role="group" aria-label="Pods without a node">
                    { for view.unscheduled.iter().enumerate().map(|(i, pod)| chip(pod, i == 0)) }
                </div>
                { and_more(view.more_unscheduled, "") }
            } else {
                <ul class="tiles" aria-label="Pods without a node">{ for view.unscheduled.iter().map(|pod| tile(pod, dispatch)) }</ul>
                { and_more(view.more_unscheduled, "") }
            }
        </div>
    }
}
