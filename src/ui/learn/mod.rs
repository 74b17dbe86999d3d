//! The loop for a reader who sees it for the first time: one pass as three cards, the controller's own sentence, and the messages in flight.
//!
//! | file | what |
//! | --- | --- |
//! | `phase_card` | the frame of a card: its heading, and whether its phase is current, over or still to come |
//! | `observe_card`, `diff_card`, `act_card` | the three phases |
//! | `follow_choice` | the choice of whose passes are shown |
//! | `later_passes` | what others did after the pass that is shown |
//! | `busy_list` | the controllers that are busy |
//! | `pass_strip` | the last pass in two lines, under the cluster of a narrow screen |

mod act_card;
mod busy_list;
mod diff_card;
mod follow_choice;
mod later_passes;
mod observe_card;
mod pass_strip;
mod phase_card;

pub use follow_choice::FollowChoice;
pub use pass_strip::PassStrip;

use super::loops::{Diagram, KubeletCard, MessageCard, PartCard, thing_of};
use crate::ui::dispatch::use_dispatch;
use act_card::ActCard;
use busy_list::AtWork;
use diff_card::DiffCard;
use later_passes::LaterList;
use loopscope::page::Select;
use loopscope::view::Selection;
use loopscope::view::loops::LoopView;
use loopscope::view::pass::PassCard;
use loopscope::view::rings::KUBELETS_SHOWN;
use observe_card::ObserveCard;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LearnPaneProps {
    pub view: Rc<LoopView>,
    pub selection: Selection,
}

/// One pass of a controller, in large type.
#[component]
pub fn LearnPane(LearnPaneProps { view, selection }: &LearnPaneProps) -> Html {
    let (dispatch, wire) = (use_dispatch(), &selection.wire);
    html! {
        <div class="learn" role="group" aria-label="One pass of the loop" tabindex="0">
            <header class="learn-head">
                <h2 title={title(view)}>{ title(view) }</h2>
                if let Some(pass) = &view.pass {
                    <span class="soft">{ format!("at {}", pass.at) }</span>
                    if !view.reading.woken_by.is_empty() { <span class="soft woken" title={view.reading.woken_by.clone()}>{ format!("woken by: {}", view.reading.woken_by) }</span> }
                    if selection.pass == Some(pass.number) {
                        <button type="button" class="quiet" onclick={dispatch.on(Select::TogglePass(pass.number))}>{ "Back to the newest pass" }</button>
                    }
                }
            </header>
            if let Some(kubelet) = &view.kubelet {
                <KubeletCard kubelet={kubelet.clone()} has_many={view.nodes > KUBELETS_SHOWN} />
            } else if let Some(pass) = &view.pass {
                { cards(view, pass) }
            } else {
                <p class="empty">{ "Nothing has differed yet: a pass appears here as soon as a controller finds something to do." }</p>
            }
            // The style shows one of them: letters of the wide one would be too small in a narrow place.
            <Diagram wires={view.wires.clone()} thing={thing_of(selection)} part={wire.part} message={wire.message} wide=true />
            <Diagram wires={view.wires.clone()} thing={thing_of(selection)} part={wire.part} message={wire.message} />
            if let (Some(message), Some(id)) = (&view.message, wire.message) {
                <MessageCard message={message.clone()} {id} />
            }
            if let Some(detail) = &view.detail { <PartCard detail={detail.clone()} /> }
            <AtWork rings={view.rings.clone()} kubelets={view.kubelets.clone()} />
        </div>
    }
}

fn title(view: &LoopView) -> String {
    match &view.pass {
        _ if view.kubelet.is_some() => format!("The {}", view.name),
        Some(pass) if view.name == "scheduler" => format!("The scheduler, about {}", pass.key),
        Some(pass) => format!("The {} controller, about {}", view.name, pass.key),
        None => format!("The {} controller", view.name),
    }
}

fn cards(view: &LoopView, pass: &Rc<PassCard>) -> Html {
    let phase = view.reading.phase;
    html! {
        <>
            <div class="cards" data-pass={pass.number.to_string()}>
                <ObserveCard pass={pass.clone()} {phase} />
                <span class="then" aria-hidden="true">{ "→" }</span>
                <DiffCard pass={pass.clone()} {phase} conclusion={view.reading.conclusion.clone()} />
                <span class="then" aria-hidden="true">{ "→" }</span>
                <ActCard pass={pass.clone()} {phase} asks={view.reading.asks.clone()} afterwards={view.reading.afterwards.clone()} />
            </div>
            <blockquote class="saying" aria-live="polite">
                if view.reading.outcome.is_empty() {
                    { format!("“{}”", pass.monologue.join(" ")) }
                } else {
                    { format!("At {}: “{}” ", pass.at, pass.monologue.join(" ")) }<b>{ format!("Since then: {}", view.reading.outcome) }</b>
                }
            </blockquote>
            <LaterList later={view.later.clone()} />
        </>
    }
}
