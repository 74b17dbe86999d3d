//! Actual: nodes as cards, pods as tiles in them, a tray for pods without a node.

mod node_card;
mod pod_tile;

use super::state::Dispatch;
use super::tabs::{tab_id, tabs};
use super::twins::TwinsPane;
use loopscope::view::cluster::NodeCard;
use loopscope::view::frame::ClusterView;
use loopscope::view::twins::TwinsView;
use loopscope::view::{Choice, Stage};
use node_card::NodeBox;
use pod_tile::Tile;
use std::rc::Rc;
use yew::{Html, Properties, component, html};

#[derive(Properties, PartialEq)]
pub struct ActualProps {
    pub stage: Stage,
    pub view: Rc<ClusterView>,
    pub hint: String,
    pub twins: Rc<TwinsView>,
    pub dispatch: Dispatch,
}

/// Nodes and pods.
#[component]
pub fn ActualPane(props: &ActualProps) -> Html {
    let view = &props.view;
    let dispatch = props.dispatch.clone();
    let node =
        |card: &NodeCard| html! { <NodeBox key={card.name.clone()} card={Rc::new(card.clone())} dispatch={props.dispatch.clone()} /> };
    html! {
        <section class="pane actual" aria-labelledby="actual">
            <header class="pane-head">
                <h2 id="actual">{ "Actual" }</h2>
                { tabs("stage", "What is shown of the cluster", props.stage, move |stage| dispatch.look(move |look| look.stage = stage)) }
                <span class="soft">{ format!("{} nodes · {} of {} pods ready", view.nodes.len(), view.ready, view.pods) }</span>
            </header>
            <p class="hint"><span aria-hidden="true">{ "→ " }</span>{ &props.hint }</p>
            <div id="stage-panel" class="stage" role="tabpanel" aria-labelledby={tab_id("stage", props.stage.name())}>
            if props.stage == Stage::Twins { <TwinsPane view={props.twins.clone()} dispatch={props.dispatch.clone()} /> }
            if props.stage == Stage::Cluster {
            <div class="tray">
                <h3>{ "Unscheduled" }</h3>
                if view.unscheduled.is_empty() {
                    <span class="soft">{ "none" }</span>
                } else {
                    <ul class="tiles">
                        { for view.unscheduled.iter().map(|pod| html! { <Tile key={pod.name()} pod={Rc::new(pod.clone())} dispatch={props.dispatch.clone()} /> }) }
                    </ul>
                }
            </div>
            <div class="nodes">{ for view.nodes.iter().map(node) }</div>
            }
            </div>
        </section>
    }
}
