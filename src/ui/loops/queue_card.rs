//! The work queue of a controller.

use crate::ui::widgets::Term;
use loopscope::view::clock::count;
use loopscope::view::rings::{Ring, Waiting};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct QueueCardProps {
    /// The state of the controller, including its queue.
    pub ring: Rc<Ring>,
}

/// The keys in a controller's work queue.
#[component]
pub fn QueueCard(QueueCardProps { ring }: &QueueCardProps) -> Html {
    let line = |waiting: &Waiting| {
        let failures =
            if waiting.failures == 0 { String::new() } else { format!(" · failed {}", count(waiting.failures as usize, "time", "times")) };
        html! { <li><span>{ &waiting.key }</span><span class="soft">{ &waiting.left }{ failures }</span></li> }
    };
    html! {
        <section class="queue">
            <h3><Term of="queue">{ "Queue" }</Term></h3>
            <p class="soft">{ format!("{} ready, {} waiting", ring.queued, ring.waits) }</p>
            if !ring.waiting.is_empty() { <ul>{ for ring.waiting.iter().map(line) }</ul> }
        </section>
    }
}
