//! One pod as a tile: its state by glyph, word and colour, and buttons that delete or kill it.

use super::click::on_click;
use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::{MenuButton, on_menu};
use loopscope::api::kind::Kind;
use loopscope::page::{RunAction, Select};
use loopscope::sim::Fault;
use loopscope::view::menus::Thing;
use loopscope::view::{Subject, cluster};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PodTileProps {
    pub pod: Rc<cluster::PodTile>,
}

/// A pod as a tile, with its state and its buttons.
#[component]
pub fn PodTile(PodTileProps { pod }: &PodTileProps) -> Html {
    let (dispatch, name) = (use_dispatch(), pod.name());
    let subject = Subject::new(Kind::POD, &pod.namespace, &name);
    let thing = Thing::Object(subject.clone());
    let delete = RunAction::DeletePod { namespace: pod.namespace.as_str().into(), name: name.clone() };
    let kill = RunAction::Fault(Fault::KillPod { namespace: pod.namespace.clone(), pod: name.clone() });
    html! {
        <li
            class={classes!("tile", pod.health.class(), pod.news.class())}
            data-kind="Pod"
            data-namespace={pod.namespace.clone()}
            data-name={name.clone()}
            onclick={on_click(&dispatch, Select::Open(subject))}
            oncontextmenu={on_menu(&dispatch, thing.clone())}
        >
            <span class="glyph" aria-hidden="true">{ pod.health.glyph() }</span>
            <button type="button" class="name" title={pod.key()}>
                <span class="full">
                    if pod.namespace != "default" { <span class="soft">{ &pod.namespace }{ "/" }</span> }
                    <b>{ &pod.prefix }</b><span class="soft">{ &pod.suffix }</span>
                </span>
            </button>
            <span class="status">
                { &pod.status }<span class="soft">{ format!(" · {} · {}", pod.ready, pod.age) }</span>
                if pod.restarts > 0 { <span class="soft">{ restarts(pod.restarts) }</span> }
            </span>
            if !pod.waits_for.is_empty() { <span class="why">{ &pod.waits_for }</span> }
            <span class="tile-actions">
                <MenuButton {thing} title={format!("pod {name}")} />
                <button type="button" class="quiet" aria-label={format!("Delete pod {name}")} onclick={on_click(&dispatch, delete)}>{ "Delete" }</button>
                <button type="button" class="quiet" aria-label={format!("Kill the containers of pod {name}")} onclick={on_click(&dispatch, kill)}>
                    { "Kill" }
                </button>
            </span>
        </li>
    }
}

fn restarts(count: u32) -> String {
    format!(" · {count} {}", if count == 1 { "restart" } else { "restarts" })
}
