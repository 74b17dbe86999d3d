//! The tray: pods that have not been scheduled to a node.

use super::and_more;
use super::pod_square::{PodSquare, move_among_squares};
use super::pod_tile::PodTile;
use crate::ui::widgets::Term;
use loopscope::view::cluster::{self, Level, PodCell};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TrayProps {
    pub level: Level,
    pub pods: Vec<Rc<cluster::PodTile>>,
    /// The number of pods without a node that are not shown.
    pub more: usize,
}

/// The pods without a node.
#[component]
pub fn Tray(TrayProps { level, pods, more }: &TrayProps) -> Html {
    html! {
        <div class="tray">
            <h3><Term of="unscheduled">{ "Unscheduled" }</Term></h3>
            if pods.is_empty() {
                <span class="soft">{ "none" }</span>
            } else if *level != Level::Tiles {
                // One line whatever its content, so that the elements below do not move with every new pod.
                <div class="cells" role="group" aria-label="Pods without a node" onkeydown={move_among_squares}>
                    { for pods.iter().enumerate().map(|(i, pod)| square(pod, i == 0)) }
                </div>
                { and_more(*more, "") }
            } else {
                <ul class="tiles" aria-label="Pods without a node">
                    { for pods.iter().map(|pod| html! { <PodTile key={pod.key()} pod={pod.clone()} /> }) }
                </ul>
                { and_more(*more, "") }
            }
        </div>
    }
}

fn square(pod: &cluster::PodTile, is_first: bool) -> Html {
    let cell = PodCell { namespace: pod.namespace.as_str().into(), name: pod.name().into(), health: pod.health, news: pod.news };
    html! { <PodSquare key={pod.key()} pod={cell} words={pod.status.clone()} {is_first} /> }
}
