//! The view of nodes and pods: nodes as cards or as a heat map, and a tray for pods without a node.

use super::and_more;
use super::heat_map::HeatMap;
use super::node_card::NodeCard;
use super::tray::Tray;
use super::zoom_and_filters::Controls;
use loopscope::page::preferences::Theme;
use loopscope::view::cluster::{self, ClusterView, Level};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ClusterStageProps {
    pub view: Rc<ClusterView>,
    pub theme: Theme,
}

/// The nodes with their pods, and the tray for pods without a node.
#[component]
pub fn ClusterStage(ClusterStageProps { view, theme }: &ClusterStageProps) -> Html {
    let node = |card: &Rc<cluster::NodeCard>| html! { <NodeCard key={card.name.clone()} card={card.clone()} /> };
    let body = match (&view.level, &view.map) {
        (Level::Map, Some(map)) => html! {
            <div class="map">
                <HeatMap view={map.clone()} theme={*theme} />
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
    html! {
        <>
            <Controls selection={view.selection.clone()} counts={view.counts} />
            <Tray level={view.level} pods={view.unscheduled.clone()} more={view.more_unscheduled} />
            { body }
        </>
    }
}
