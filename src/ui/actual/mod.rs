//! Actual: the cluster as it is, in one of three ways.
//!
//! | file | what |
//! | --- | --- |
//! | `cluster` | nodes and pods |
//! | `node_card`, `pod_tile` | one of them |
//! | `heat_map` | all of them on a canvas |
//! | `owners` | who owns whom |
//! | `services` | what Services reach |

mod cluster;
mod heat_map;
mod node_card;
mod owners;
mod pod_tile;
mod services;

use super::state::Dispatch;
use super::tabs::{tab_id, tabs};
use super::twins::TwinsPane;
use crate::ui::markup::html;
use crate::ui::part::{Part, part};
use loopscope::api::kind::Kind;
use loopscope::view::cluster::ClusterView;
use loopscope::view::owners::OwnerTree;
use loopscope::view::services::ServicesView;
use loopscope::view::twins::TwinsView;
use loopscope::view::{Choice, Stage, Subject};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{Html, KeyboardEvent, MouseEvent};

/// The cluster as it is.
#[derive(PartialEq)]
pub struct ActualPane {
    pub stage: Stage,
    pub cluster: Rc<ClusterView>,
    pub owners: Rc<OwnerTree>,
    pub services: Rc<ServicesView>,
    pub tally: String,
    pub hint: String,
    pub twins: Rc<TwinsView>,
    pub dispatch: Dispatch,
}

impl Part for ActualPane {
    fn draw(&self) -> Html {
        let dispatch = &self.dispatch;
        let (pick, opener) = (dispatch.clone(), dispatch.clone());
        // One pair of listeners for everything on the stage: a thing says by its attributes what it is.
        let onclick = move |event: MouseEvent| {
            let Some(target) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else { return };
            if matches!(target.closest(".deed, .controls, .walk"), Ok(None)) {
                open(&target, &opener);
            }
        };
        let onkeydown = move |event: KeyboardEvent| {
            let cell = event.target().and_then(|t| t.dyn_into::<Element>().ok()).filter(|t| t.class_list().contains("square"));
            if let Some(to) = cell.and_then(|cell| next_cell(&cell, &event.key())) {
                event.prevent_default();
                // A cell that cannot be focused is no worse off than before.
                drop(to.focus());
            }
        };
        html! {
            <section class="pane actual" aria-labelledby="actual">
                <header class="pane-head">
                    <h2 id="actual">{ "Actual" }</h2>
                    { tabs("stage", "What is shown of the cluster", self.stage, move |stage| pick.look(move |look| look.stage = stage)) }
                    <span class="soft">{ &self.tally }</span>
                </header>
                <p class="hint"><span aria-hidden="true">{ "→ " }</span>{ &self.hint }</p>
                <div id="stage-panel" class="stage" role="tabpanel" aria-labelledby={tab_id("stage", self.stage.name())} {onclick} {onkeydown}>
                    { match self.stage {
                        Stage::Cluster => cluster::cluster(&self.cluster, dispatch),
                        Stage::Owners => owners::owners(&self.owners, dispatch),
                        Stage::Services => services::services(&self.services, dispatch),
                        Stage::Twins => part(TwinsPane { view: self.twins.clone(), dispatch: self.dispatch.clone() }),
                    } }
                </div>
            </section>
        }
    }
}

/// Opens the object that an element stands for, if it stands for one.
fn open(element: &Element, dispatch: &Dispatch) {
    let Some(thing) = element.closest("[data-kind]").ok().flatten() else { return };
    let part = |name: &str| thing.get_attribute(name).unwrap_or_default();
    let kind = part("data-kind");
    if let Some(kind) = Kind::all().find(|k| k.row().name == kind) {
        let subject = Subject::new(kind, &part("data-namespace"), &part("data-name"));
        dispatch.page(move |state| state.open(subject));
    }
}

/// The cell that an arrow key leads to.
fn next_cell(cell: &Element, key: &str) -> Option<HtmlElement> {
    let step = |from: &Element, back: bool| if back { from.previous_element_sibling() } else { from.next_element_sibling() };
    let to = match key {
        "ArrowRight" => step(cell, false),
        "ArrowLeft" => step(cell, true),
        "Home" => cell.parent_element()?.first_element_child(),
        "End" => cell.parent_element()?.last_element_child(),
        // The next row begins where something stands lower, and the cell under this one is no further left.
        "ArrowDown" | "ArrowUp" => {
            let (top, left) = (place(cell).1, place(cell).0);
            let back = key == "ArrowUp";
            std::iter::successors(step(cell, back), |c| step(c, back)).find(|c| place(c).1 != top && place(c).0 == left)
        }
        _ => None,
    };
    to.and_then(|to| to.dyn_into::<HtmlElement>().ok())
}

fn place(element: &Element) -> (i32, i32) {
    element.dyn_ref::<HtmlElement>().map_or((0, 0), |e| (e.offset_left(), e.offset_top()))
}
