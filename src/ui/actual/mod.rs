//! The pane *Actual*: the observed cluster, in one of five views.
//!
//! | file | what |
//! | --- | --- |
//! | `cluster`, `zoom_and_filters`, `tray` | nodes and pods, filters for them, pods without a node |
//! | `node_card`, `pod_tile`, `pod_square` | one node or pod |
//! | `heat_map`, `heat_canvas` | all nodes and pods as one picture |
//! | `owner_tree`, `owner_row` | owners and the objects that they own |
//! | `services`, `service_card` | Services and the endpoints behind them |
//! | `object_table` | all objects of a kind |
//! | `twins` | two clusters side by side |
//! | `click` | clicks on elements inside other elements |

mod click;
mod cluster;
mod heat_canvas;
mod heat_map;
mod node_card;
mod object_table;
mod owner_row;
mod owner_tree;
mod pod_square;
mod pod_tile;
mod service_card;
mod services;
mod tray;
mod twins;
mod zoom_and_filters;

pub use cluster::ClusterStage;
pub use heat_canvas::is_dark;
pub use object_table::ObjectTableStage;
pub use owner_tree::OwnerTree;
pub use services::ServicesStage;
pub use twins::TwinsStage;

use crate::ui::dispatch::use_dispatch;
use crate::ui::room::{PaneTools, use_entry};
use crate::ui::widgets::{Tab, Tabs, Term, tab_id};
use loopscope::page::preferences::Theme;
use loopscope::page::{Pane, Room, Select};
use loopscope::view::cluster::{ClusterView, number};
use loopscope::view::object_table::ObjectTable;
use loopscope::view::services::ServicesView;
use loopscope::view::twins::TwinsView;
use loopscope::view::{Choice, Stage, owners};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ActualPaneProps {
    pub stage: Stage,
    pub cluster: Rc<ClusterView>,
    pub owners: Rc<owners::OwnerTree>,
    pub services: Rc<ServicesView>,
    pub table: Rc<ObjectTable>,
    pub twins: Rc<TwinsView>,
    pub tally: String,
    pub hint: String,
    /// The theme, in whose colours the heat map is painted.
    pub theme: Theme,
    pub room: Room,
    /// The elements that are drawn below the view of the cluster.
    pub children: Html,
}

/// The pane with the observed cluster, in the chosen view.
#[component]
pub fn ActualPane(props: &ActualPaneProps) -> Html {
    let dispatch = use_dispatch();
    let onpick = use_callback(dispatch, |place: usize, dispatch| {
        if let Some(stage) = Stage::ALL.get(place) {
            dispatch.send(Select::Stage(*stage));
        }
    });
    let onfocusin = use_entry(Pane::Actual);
    html! {
        <section class="pane actual" aria-labelledby="actual" {onfocusin}>
            <PaneTools pane={Pane::Actual} name="Actual" room={props.room} />
            <header class="pane-head">
                <h2 id="actual"><Term of="actual">{ "Actual" }</Term></h2>
                <Tabs id="stage" label="What is shown of the cluster" tabs={Tab::all::<Stage>()} chosen={Tab::place(props.stage)} {onpick} />
                <span class="soft">{ &props.tally }</span>
            </header>
            <p class="hint"><span aria-hidden="true">{ "→ " }</span>{ &props.hint }</p>
            <div id="stage-panel" class="stage" role="tabpanel" aria-labelledby={tab_id("stage", props.stage.name())}>
                { match props.stage {
                    Stage::Cluster => html! { <ClusterStage view={props.cluster.clone()} theme={props.theme} /> },
                    Stage::Owners => html! { <OwnerTree tree={props.owners.clone()} /> },
                    Stage::Services => html! { <ServicesStage view={props.services.clone()} /> },
                    Stage::Objects => html! { <ObjectTableStage table={props.table.clone()} /> },
                    Stage::Twins => html! { <TwinsStage view={props.twins.clone()} /> },
                } }
            </div>
            { props.children.clone() }
        </section>
    }
}

/// Draws the number of items that are left out (`and 12 more`); nothing if there are none.
fn and_more(more: usize, things: &str) -> Html {
    if more == 0 {
        return Html::default();
    }
    html! { <p class="more soft">{ format!("and {} more{things}", number(more)) }</p> }
}
