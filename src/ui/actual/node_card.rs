//! One node: its state, the resources that its pods request, its pods, and buttons that break and mend it.

use super::and_more;
use super::click::on_click;
use super::pod_square::{PodSquare, move_among_squares};
use super::pod_tile::PodTile;
use crate::ui::dispatch::{Dispatch, use_dispatch};
use crate::ui::widgets::{MenuButton, on_menu};
use loopscope::api::kind::Kind;
use loopscope::page::{RunAction, Select};
use loopscope::sim::{Fault, ProcessName};
use loopscope::view::Subject;
use loopscope::view::cluster::{self, Gauge, PodCell};
use loopscope::view::menus::Thing;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NodeCardProps {
    pub card: Rc<cluster::NodeCard>,
}

/// A node as a card, with its pods.
#[component]
pub fn NodeCard(NodeCardProps { card }: &NodeCardProps) -> Html {
    let dispatch = use_dispatch();
    let subject = Subject::new(Kind::NODE, "", &card.name);
    let thing = Thing::Object(subject.clone());
    html! {
        <article
            class={classes!("node", card.health.class())}
            aria-label={format!("Node {}", card.name)}
            data-kind="Node"
            data-namespace=""
            data-name={card.name.clone()}
            onclick={on_click(&dispatch, Select::Open(subject))}
            oncontextmenu={on_menu(&dispatch, thing.clone())}
        >
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
            if !card.taints.is_empty() { <ul class="taints" aria-label="Taints">{ for card.taints.iter().map(|text| taint(text)) }</ul> }
            { pods(card) }
            { and_more(card.more, "") }
            <footer>
                <MenuButton {thing} title={format!("node {}", card.name)} />
                { power_button(card, &dispatch) }
                { link_button(card, &dispatch) }
            </footer>
        </article>
    }
}

fn pods(card: &cluster::NodeCard) -> Html {
    let label = format!("Pods on {}", card.name);
    if card.cells.is_empty() {
        let tile = |pod: &Rc<cluster::PodTile>| html! { <PodTile key={pod.key()} pod={pod.clone()} /> };
        html! { <ul class="tiles" aria-label={label}>{ for card.pods.iter().map(tile) }</ul> }
    } else {
        let square = |(i, pod): (usize, &PodCell)| {
            html! { <PodSquare key={pod.key()} pod={pod.clone()} words={pod.health.word()} is_first={i == 0} /> }
        };
        html! {
            <div class="cells" role="group" aria-label={label} onkeydown={move_among_squares}>
                { for card.cells.iter().enumerate().map(square) }
            </div>
        }
    }
}

fn taint(taint: &str) -> Html {
    html! { <li title={taint.to_owned()}>{ taint.trim_start_matches("node.kubernetes.io/").to_owned() }</li> }
}

fn power_button(card: &cluster::NodeCard, dispatch: &Dispatch) -> Html {
    let node = card.name.clone();
    let (word, fault) = if card.powered { ("Crash", Fault::CrashNode { node }) } else { ("Restart", Fault::RestartNode { node }) };
    fault_button(word, fault, card, dispatch)
}

fn link_button(card: &cluster::NodeCard, dispatch: &Dispatch) -> Html {
    let process = ProcessName::Kubelet(card.name.clone());
    let (word, fault) = if card.linked { ("Cut off", Fault::Partition { process }) } else { ("Heal", Fault::Heal { process }) };
    fault_button(word, fault, card, dispatch)
}

fn fault_button(word: &'static str, fault: Fault, card: &cluster::NodeCard, dispatch: &Dispatch) -> Html {
    let onclick = on_click(dispatch, RunAction::Fault(fault));
    html! { <button type="button" class="quiet" aria-label={format!("{word} {}", card.name)} {onclick}>{ word }</button> }
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
