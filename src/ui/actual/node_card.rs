//! One node: how it is, what is taken of it, its pods, and what can be done to it.

use super::pod_tile::Tile;
use crate::ui::menu::more;
use crate::ui::state::Dispatch;
use loopscope::sim::{Fault, ProcessName};
use loopscope::view::cluster::{Gauge, NodeCard};
use std::rc::Rc;
use yew::{Html, Properties, classes, component, html};

#[derive(Properties, PartialEq)]
pub struct NodeProps {
    pub card: Rc<NodeCard>,
    pub dispatch: Dispatch,
}

/// A node.
#[component]
pub fn NodeBox(props: &NodeProps) -> Html {
    let card = &props.card;
    let button = |word: &'static str, fault: Fault| {
        let dispatch = props.dispatch.clone();
        let onclick = move |_| {
            let fault = fault.clone();
            dispatch.desk(move |desk| desk.fault(fault));
        };
        html! { <button type="button" class="quiet" aria-label={format!("{word} {}", card.name)} {onclick}>{ word }</button> }
    };
    let node = card.name.clone();
    let process = ProcessName::Kubelet(node.clone());
    html! {
        <article class={classes!("node", card.health.class())} aria-label={format!("Node {}", card.name)} data-kind="Node" data-name={card.name.clone()}>
            <header>
                <h3>{ &card.name }</h3>
                <span class="state">
                    <span aria-hidden="true">{ card.health.glyph() }{ " " }</span>{ card.status.replace(',', ", ") }
                    if !card.truth.is_empty() { { ", " }<span class="truth">{ card.truth }</span> }
                </span>
            </header>
            { gauge("cpu", &card.cpu) }
            { gauge("memory", &card.memory) }
            if !card.taints.is_empty() {
                <ul class="taints" aria-label="Taints">
                    { for card.taints.iter().map(|t| html! { <li title={t.clone()}>{ t.trim_start_matches("node.kubernetes.io/") }</li> }) }
                </ul>
            }
            <ul class="tiles" aria-label={format!("Pods on {}", card.name)}>
                { for card.pods.iter().map(|pod| html! { <Tile key={pod.name()} pod={Rc::new(pod.clone())} dispatch={props.dispatch.clone()} /> }) }
            </ul>
            <footer>
                { more(&["node ", &card.name].concat()) }
                { if card.powered { button("Crash", Fault::CrashNode { node }) } else { button("Restart", Fault::RestartNode { node }) } }
                { if card.linked { button("Cut off", Fault::Partition { process }) } else { button("Heal", Fault::Heal { process }) } }
            </footer>
        </article>
    }
}

fn gauge(name: &'static str, gauge: &Gauge) -> Html {
    html! {
        <div class="gauge">
            <span>{ name }</span>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width={gauge.percent.to_string()} height="1" /></svg>
            <span class="amount"><span class="hidden">{ "requested: " }</span>{ &gauge.text }</span>
        </div>
    }
}
