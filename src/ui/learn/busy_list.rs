//! The list of controllers and kubelets that are busy now.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::RingMark;
use loopscope::page::Select;
use loopscope::view::rings::Ring;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct AtWorkProps {
    /// The states of the controllers and the scheduler, which are drawn as rings.
    pub rings: Vec<Rc<Ring>>,
    /// The states of the kubelets, which are drawn as rings; empty if there are too many.
    pub kubelets: Vec<Rc<Ring>>,
}

/// The maximum number of components that are down and named.
const DOWN_SHOWN: usize = 3;

/// The controllers and kubelets that are busy, and the number of those that are idle.
#[component]
pub fn AtWork(AtWorkProps { rings, kubelets }: &AtWorkProps) -> Html {
    let dispatch = use_dispatch();
    let is_busy = |ring: &&Rc<Ring>| ring.up && (ring.phase != "idle" || ring.queued > 0);
    let item = |ring: &Rc<Ring>, of: &'static str, select: Select| {
        let state = if ring.phase == "idle" { "queued" } else { ring.phase };
        html! {
            <li>
                <button type="button" class="chip" onclick={dispatch.on(select)}>
                    <RingMark phase={ring.phase} reached={ring.reached} />{ format!("{of}{}", ring.name) }<span class="soft">{ state }</span>
                </button>
            </li>
        }
    };
    let busy = rings.iter().filter(is_busy).map(|ring| item(ring, "", Select::Controller(ring.index)));
    let kubelets_busy = kubelets.iter().filter(is_busy).map(|ring| item(ring, "kubelet ", Select::Kubelet(ring.name.clone())));
    let asleep = rings.iter().chain(kubelets).filter(|ring| ring.up && !is_busy(ring)).count();
    let down: Vec<String> = (rings.iter().map(|ring| (ring, "")))
        .chain(kubelets.iter().map(|ring| (ring, "kubelet ")))
        .filter(|(ring, _)| !ring.up)
        .map(|(ring, of)| format!("{of}{}", ring.name))
        .collect();
    let down = match down.as_slice() {
        [] => String::new(),
        few if few.len() <= DOWN_SHOWN => format!("; down: {}", few.join(", ")),
        many => format!("; {} are down", many.len()),
    };
    html! {
        <div class="at-work">
            <span class="soft">{ "At work now:" }</span>
            <ul>{ for busy }{ for kubelets_busy }</ul>
            <span class="soft">{ format!("{asleep} sleep until a watch or a timer wakes them{down}") }</span>
        </div>
    }
}
