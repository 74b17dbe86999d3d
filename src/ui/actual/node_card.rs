//! One node: how it is, what is taken of it, its pods, and what can be done to it.

use super::pod_tile::{and_more, cell, tile};
use crate::ui::markup::{classes, html};
use crate::ui::menu::more;
use crate::ui::part::Part;
use crate::ui::state::Dispatch;
use loopscope::sim::{Fault, ProcessName};
use loopscope::view::cluster::{Gauge, NodeCard};
use std::rc::Rc;
use yew::Html;

/// A node.
#[derive(PartialEq)]
pub struct NodeBox {
    pub card: Rc<NodeCard>,
    pub dispatch: Dispatch,
}

impl Part for NodeBox {
    fn draw(&self) -> Html {
        let card = &self.card;
        html! {
            <article class={classes!("node", card.health.class())} aria-label={["Node ", &card.name].concat()} data-kind="Node" data-namespace="" data-name={card.name.clone()}>
                <header>
                    <h3><button type="button" class="name">{ &card.name }</button></h3>
                    <span class="state">
                        <span aria-hidden="true">{ card.health.glyph() }{ " " }</span>{ card.status.replace(',', ", ") }
                        if !card.truth.is_empty() { { ", " }<span class="truth">{ card.truth }</span> }
                    </span>
                </header>
                { gauge("cpu", &card.cpu) }
                { gauge("memory", &card.memory) }
                { gauge("pods", &card.room) }
                if !card.taints.is_empty() {
                    <ul class="taints" aria-label="Taints">
                        { for card.taints.iter().map(|t| html! { <li title={t.clone()}>{ t.trim_start_matches("node.kubernetes.io/") }</li> }) }
                    </ul>
                }
                { pods(card, &self.dispatch) }
                { and_more(card.more, "") }
                { deeds(card, &self.dispatch) }
            </article>
        }
    }
}

fn pods(card: &NodeCard, dispatch: &Dispatch) -> Html {
    let label = ["Pods on ", &card.name].concat();
    if card.cells.is_empty() {
        html! { <ul class="tiles" aria-label={label}>{ for card.pods.iter().map(|pod| tile(pod, dispatch)) }</ul> }
    } else {
        html! { <div class="cells" role="group" aria-label={label}>{ for card.cells.iter().enumerate().map(|(i, pod)| cell(pod, i == 0)) }</div> }
    }
}

fn deeds(card: &NodeCard, dispatch: &Dispatch) -> Html {
    let button = |word: &'static str, fault: Fault| {
        let onclick = dispatch.on_desk(move |desk| desk.fault(fault.clone()));
        html! { <button type="button" class="quiet deed" aria-label={[word, " ", &card.name].concat()} {onclick}>{ word }</button> }
    };
    let node = card.name.clone();
    let process = ProcessName::Kubelet(node.clone());
    html! {
        <footer>
            { more(&["node ", &card.name].concat()) }
            { if card.powered { button("Crash", Fault::CrashNode { node }) } else { button("Restart", Fault::RestartNode { node }) } }
            { if card.linked { button("Cut off", Fault::Partition { process }) } else { button("Heal", Fault::Heal { process }) } }
        </footer>
    }
}

fn gauge(name: &'static str, gauge: &Gauge) -> Html {
    html! {
        <div class="gauge">
            <span>{ name }</span>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width={gauge.percent} height="1" /></svg>
            <span class="amount"><span class="hidden">{ "requested: " }</span>{ &gauge.text }</span>
        </div>
    }
}
