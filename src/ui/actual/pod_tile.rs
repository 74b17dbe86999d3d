//! One pod: its state by glyph, word and colour, and what can be done to it.

use crate::ui::markup::{classes, html};
use crate::ui::menu::more;
use crate::ui::state::Dispatch;
use loopscope::sim::Fault;
use loopscope::view::cluster::{PodCell, PodTile};
use yew::{AttrValue, Html};

/// A pod as a tile.
pub fn tile(pod: &PodTile, dispatch: &Dispatch) -> Html {
    let name = pod.name();
    let (namespace, target) = (pod.namespace.clone(), name.clone());
    let delete = dispatch.on_desk(move |desk| desk.delete_pod(&namespace, &target));
    let fault = Fault::KillPod { namespace: pod.namespace.clone(), pod: name.clone() };
    let kill = dispatch.on_desk(move |desk| desk.fault(fault.clone()));
    html! {
        <li key={name.clone()} class={classes!("tile", pod.health.class(), pod.news.class())} data-kind="Pod" data-namespace={pod.namespace.clone()} data-name={name.clone()}>
            <span class="glyph" aria-hidden="true">{ pod.health.glyph() }</span>
            <button type="button" class="name">
                if pod.namespace != "default" { <span class="soft">{ &pod.namespace }{ "/" }</span> }
                <b>{ &pod.prefix }</b><span class="soft">{ &pod.suffix }</span>
            </button>
            <span class="status">
                { &pod.status }<span class="soft">{ [" · ", &pod.ready, " · ", &pod.age].concat() }</span>
                if pod.restarts > 0 { <span class="soft">{ format!(" · {} {}", pod.restarts, if pod.restarts == 1 { "restart" } else { "restarts" }) }</span> }
            </span>
            if !pod.waits_for.is_empty() { <span class="why">{ &pod.waits_for }</span> }
            <span class="deeds">
                { more(&["pod ", &name].concat()) }
                <button type="button" class="quiet deed" aria-label={["Delete pod ", &name].concat()} onclick={delete}>{ "Delete" }</button>
                <button type="button" class="quiet deed" aria-label={["Kill the containers of pod ", &name].concat()} onclick={kill}>{ "Kill" }</button>
            </span>
        </li>
    }
}

/// A pod as a cell. Of the cells of a node only one is in the order of the Tab key, the arrow keys walk among them.
pub fn cell(pod: &PodCell, first: bool) -> Html {
    let label = [pod.name.as_str(), ", ", pod.health.word()].concat();
    square(&pod.namespace, &pod.name, label, classes!("square", pod.health.class(), pod.news.class()), first)
}

/// A pod without a node as a cell.
pub fn chip(pod: &PodTile, first: bool) -> Html {
    let name = pod.name();
    let label = [name.as_str(), ", ", &pod.status].concat();
    square(&pod.namespace, &name, label, classes!("square", pod.health.class(), pod.news.class()), first)
}

fn square(namespace: &str, name: &str, label: String, class: Option<AttrValue>, first: bool) -> Html {
    html! {
        <button
            key={name}
            type="button"
            {class}
            aria-label={label}
            tabindex={if first { "0" } else { "-1" }}
            data-kind="Pod"
            data-namespace={namespace.to_owned()}
            data-name={name.to_owned()}
        />
    }
}

/// How many are not shown.
pub fn and_more(more: usize, what: &str) -> Html {
    if more == 0 {
        return Html::default();
    }
    html! { <p class="more soft">{ ["and ", &loopscope::view::cluster::number(more), " more", what].concat() }</p> }
}
