//! One pod: its state by glyph, word and colour, and what can be done to it.

use crate::ui::menu::more;
use crate::ui::state::Dispatch;
use loopscope::sim::Fault;
use loopscope::view::cluster::PodTile;
use std::rc::Rc;
use yew::{Html, Properties, classes, component, html};

#[derive(Properties, PartialEq)]
pub struct TileProps {
    pub pod: Rc<PodTile>,
    pub dispatch: Dispatch,
}

/// A pod.
#[component]
pub fn Tile(props: &TileProps) -> Html {
    let pod = &props.pod;
    let name = pod.name();
    let (dispatch, namespace, target) = (props.dispatch.clone(), pod.namespace.clone(), name.clone());
    let delete = move |_| {
        let (namespace, target) = (namespace.clone(), target.clone());
        dispatch.desk(move |desk| desk.delete_pod(&namespace, &target));
    };
    let (dispatch, namespace, target) = (props.dispatch.clone(), pod.namespace.clone(), name.clone());
    let kill = move |_| {
        let fault = Fault::KillPod { namespace: namespace.clone(), pod: target.clone() };
        dispatch.desk(move |desk| desk.fault(fault));
    };
    html! {
        <li class={classes!("tile", pod.health.class())} data-kind="Pod" data-namespace={pod.namespace.clone()} data-name={name.clone()}>
            <span class="glyph" aria-hidden="true">{ pod.health.glyph() }</span>
            <span class="name">
                if pod.namespace != "default" { <span class="soft">{ &pod.namespace }{ "/" }</span> }
                <b>{ &pod.prefix }</b><span class="soft">{ &pod.suffix }</span>
            </span>
            <span class="status">
                { &pod.status }<span class="soft">{ format!(" · {} · {}", pod.ready, pod.age) }</span>
                if pod.restarts > 0 { <span class="soft">{ format!(" · {} {}", pod.restarts, if pod.restarts == 1 { "restart" } else { "restarts" }) }</span> }
            </span>
            if !pod.waits_for.is_empty() { <span class="why">{ &pod.waits_for }</span> }
            <span class="deeds">
                { more(&["pod ", &name].concat()) }
                <button type="button" class="quiet" aria-label={format!("Delete pod {name}")} onclick={delete}>{ "Delete" }</button>
                <button type="button" class="quiet" aria-label={format!("Kill the containers of pod {name}")} onclick={kill}>{ "Kill" }</button>
            </span>
        </li>
    }
}
