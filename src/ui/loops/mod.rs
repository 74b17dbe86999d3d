//! The pane of the loop: the live diagram of the shown controller, scheduler or kubelet, one of its passes, its code, and all controllers as small rings.
//!
//! | file | what |
//! | --- | --- |
//! | `diagram` | boxes, lines and messages |
//! | `flight_list` | the messages in flight as a list |
//! | `message_card`, `part_card` | the details of a message, or of a box of the diagram |
//! | `pass_card`, `pass_list` | the details of one pass, the list of the last passes |
//! | `code_listing` | the loop as code |
//! | `queue_card` | the keys that wait for a controller |
//! | `node_scores` | the scheduler's verdict on each node |
//! | `kubelet_card` | a kubelet's loop |
//! | `breakpoints` | breakpoints before phases of a pass |
//! | `rings` | all controllers, the scheduler and kubelets |

mod breakpoints;
mod code_listing;
mod diagram;
mod flight_list;
mod kubelet_card;
mod message_card;
mod node_scores;
mod part_card;
mod pass_card;
mod pass_list;
mod queue_card;
mod rings;

pub use code_listing::CodeListing;
pub use diagram::Diagram;
pub use kubelet_card::KubeletCard;
pub use message_card::MessageCard;
pub use part_card::PartCard;
pub use pass_card::request;

use breakpoints::Breakpoints;
use flight_list::FlightList;
use loopscope::page::Select;
use loopscope::sim::ProcessName;
use loopscope::view::Selection;
use loopscope::view::loops::LoopView;
use loopscope::view::menus::Thing;
use loopscope::view::notes::passes::scheduler_index;
use loopscope::view::rings::KUBELETS_SHOWN;
use node_scores::NodeScores;
use pass_card::PassCard;
use pass_list::PassList;
use queue_card::QueueCard;
use rings::RingList;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LoopPaneProps {
    pub view: Rc<LoopView>,
    pub selection: Selection,
}

/// The loop of the controller, scheduler or kubelet that is shown.
#[component]
pub fn LoopPane(LoopPaneProps { view, selection }: &LoopPaneProps) -> Html {
    let (name, wire) = (view.name.clone(), &selection.wire);
    html! {
        <>
            // The key gives each controller an element of its own, so that choosing another controller starts at the top instead of at the old scroll position.
            <div key={name.clone()} class="scroll" role="group" aria-label="The loop of the one that is chosen" tabindex="0">
                <header class="loop-head">
                    <h2 class="hidden">{ "The loop" }</h2>
                    <b>{ name }</b>
                    <span class="soft">{ &view.resync }</span>
                </header>
                <Diagram wires={view.wires.clone()} thing={thing_of(selection)} part={wire.part} message={wire.message} />
                <FlightList wires={view.wires.clone()} message={wire.message} />
                if let (Some(message), Some(id)) = (&view.message, wire.message) {
                    <MessageCard message={message.clone()} {id} />
                }
                if let Some(detail) = &view.detail { <PartCard detail={detail.clone()} /> }
                <div class="beside">
                    <div>
                        if let Some(kubelet) = &view.kubelet {
                            <KubeletCard kubelet={kubelet.clone()} has_many={view.nodes > KUBELETS_SHOWN} />
                        } else {
                            { passes(view, selection) }
                        }
                    </div>
                    <CodeListing code={view.code.clone()} />
                </div>
                if view.kubelet.is_none() {
                    <Breakpoints
                        set={view.breaks}
                        all={view.breakpoints.clone()}
                        controller={selection.controller}
                        any={wire.any}
                        object={wire.filter.clone()}
                    />
                    <PassList lines={view.lines.clone()} chosen={selection.pass} open={view.pass.as_ref().map(|pass| pass.number)} />
                }
            </div>
            <RingList
                controllers={view.rings.clone()}
                kubelets={view.kubelets.clone()}
                nodes={view.nodes}
                controller={selection.controller}
                kubelet={selection.kubelet.clone()}
            />
        </>
    }
}

/// Draws the open pass of a controller or of the scheduler, and its queue.
fn passes(view: &LoopView, selection: &Selection) -> Html {
    html! {
        <>
            if let Some(pass) = &view.pass {
                <PassCard pass={pass.clone()} />
            } else {
                <p class="empty">{ "This controller has not had anything to do yet." }</p>
            }
            if selection.controller == scheduler_index() {
                <NodeScores verdicts={view.verdicts.clone()} pod={selection.wire.pod.clone()} />
            }
            if let Some(ring) = view.rings.get(selection.controller) { <QueueCard ring={ring.clone()} /> }
        </>
    }
}

/// Returns the shown controller, scheduler or kubelet, for its context menu.
pub fn thing_of(selection: &Selection) -> Thing {
    match &selection.kubelet {
        Some(node) => Thing::Process(ProcessName::Kubelet(node.clone())),
        None => Thing::Controller(selection.controller),
    }
}

/// Returns the attributes `data-kind` and `data-name` for the element of a component in the loop.
fn data_of(thing: &Thing) -> (&'static str, String) {
    match thing {
        Thing::Controller(index) => ("Controller", index.to_string()),
        Thing::Process(ProcessName::Kubelet(node)) => ("Process", format!("kubelet-{node}")),
        Thing::ApiServer => ("Process", "api-server".to_owned()),
        _ => ("Cluster", String::new()),
    }
}

/// Draws a button that closes a card, by the same change of the selection that opened it.
fn close_button(dispatch: &crate::ui::dispatch::Dispatch, name: &str, toggle: Select) -> Html {
    html! { <button type="button" class="quiet" aria-label={format!("Close {name}")} onclick={dispatch.on(toggle)}>{ "close" }</button> }
}
