//! All controllers, the scheduler and the kubelets as small rings, which show the phases of their passes.

use super::data_of;
use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::{RingMark, on_menu};
use loopscope::page::Select;
use loopscope::sim::ProcessName;
use loopscope::view::menus::Thing;
use loopscope::view::rings::{KUBELETS_SHOWN, Ring};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RingListProps {
    /// The states of the controllers and the scheduler.
    pub controllers: Vec<Rc<Ring>>,
    /// The states of the kubelets; empty if there are too many.
    pub kubelets: Vec<Rc<Ring>>,
    /// The number of nodes in the cluster.
    pub nodes: usize,
    /// The index of the chosen controller, unless a kubelet is chosen.
    pub controller: usize,
    /// The node whose kubelet is chosen, if any.
    pub kubelet: Option<String>,
}

/// A ring for each controller, for the scheduler, and for each kubelet (or one for all kubelets if there are many).
#[component]
pub fn RingList(props: &RingListProps) -> Html {
    let controller = |ring: &Rc<Ring>| {
        let is_chosen = props.kubelet.is_none() && ring.index == props.controller;
        html! {
            <RingItem
                key={ring.name.clone()}
                ring={ring.clone()}
                {is_chosen}
                thing={Thing::Controller(ring.index)}
                select={Select::Controller(ring.index)}
            />
        }
    };
    let kubelet = |ring: &Rc<Ring>| {
        html! {
            <RingItem
                key={format!("kubelet {}", ring.name)}
                ring={ring.clone()}
                of="kubelet "
                is_chosen={props.kubelet.as_ref() == Some(&ring.name)}
                thing={Thing::Process(ProcessName::Kubelet(ring.name.clone()))}
                select={Select::Kubelet(ring.name.clone())}
            />
        }
    };
    let all_kubelets = || {
        let ring = Ring { name: format!("kubelets ({})", props.nodes), up: true, phase: "idle", ..Ring::default() };
        html! {
            <RingItem
                key="all kubelets"
                ring={Rc::new(ring)}
                is_chosen={props.kubelet.is_some()}
                thing={Thing::Cluster}
                select={Select::Kubelet("node-1".to_owned())}
            />
        }
    };
    let summary = (props.nodes > KUBELETS_SHOWN).then(all_kubelets);
    let rings = props.controllers.iter().map(controller).chain(props.kubelets.iter().map(kubelet)).chain(summary);
    html! { <ul class="rings" aria-label="Controllers">{ for rings }</ul> }
}

#[derive(Properties, PartialEq)]
struct RingItemProps {
    ring: Rc<Ring>,
    /// The word before the ring's name, such as `kubelet`; may be empty.
    #[prop_or_default]
    of: &'static str,
    is_chosen: bool,
    /// The component whose context menu the ring opens.
    thing: Thing,
    /// The change of the selection that shows this controller or kubelet.
    select: Select,
}

/// A ring as a button that selects the controller or kubelet it stands for.
#[component]
fn RingItem(RingItemProps { ring, of, is_chosen, thing, select }: &RingItemProps) -> Html {
    let dispatch = use_dispatch();
    let (kind, name) = data_of(thing);
    html! {
        <li>
            <button
                type="button"
                title={format!("{of}{}", ring.name)}
                class={classes!("ring-button", (!ring.up).then_some("down"))}
                aria-pressed={is_chosen.to_string()}
                data-kind={kind}
                data-name={name}
                onclick={dispatch.on(select.clone())}
                oncontextmenu={on_menu(&dispatch, thing.clone())}
            >
                // A new pass makes a new element, whose arcs glow once.
                <RingMark key={ring.passes} phase={ring.phase} reached={ring.reached} />
                <span class="name"><span class="hidden">{ *of }</span>{ &ring.name }</span>
                <span class={if ring.up && ring.queued == 0 { "hidden" } else { "soft" }}>{ state(ring) }</span>
            </button>
        </li>
    }
}

/// Returns the state of a controller or kubelet in a word or two.
fn state(ring: &Ring) -> String {
    match (ring.up, ring.phase, ring.queued, ring.waits) {
        (false, ..) => "down".to_owned(),
        (true, "idle", n, _) if n > 0 => format!("{n} queued"),
        (true, "idle", _, n) if n > 0 => format!("{n} waiting"),
        (true, phase, ..) => phase.to_owned(),
    }
}
