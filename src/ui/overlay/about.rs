//! The first part of the help dialog: the idea of the page, and experiments to try.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::experiments::Offered;
use loopscope::page::{FocusTarget, OverlayAction};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct AboutProps {
    /// The three experiments that the page offers.
    pub experiments: Vec<Offered>,
}

/// The page explained in a few sentences, and three experiments.
#[component]
pub fn About(AboutProps { experiments }: &AboutProps) -> Html {
    let dispatch = use_dispatch();
    let experiment = |offered: &Offered| {
        let onclick = dispatch.on(OverlayAction::Try(offered.experiment));
        html! {
            <li><button type="button" disabled={!offered.is_possible} {onclick}>{ &offered.label }</button><span class="soft">{ &offered.words }</span></li>
        }
    };
    html! {
        <div class="about">
            <p>
                { "A Kubernetes cluster runs in this page. " }<b>{ "Desired" }</b>{ " is what you ask for, " }<b>{ "actual" }</b>
                { " is what is there. Controllers " }<b class="observe">{ "observe" }</b>{ ", " }<b class="diff">{ "diff" }</b>{ " and " }
                <b class="act">{ "act" }</b>{ ", again and again, until both agree." }
            </p>
            <h3>{ "Try" }</h3>
            <ul class="experiments">{ for experiments.iter().map(experiment) }</ul>
            <h3>{ "Layouts" }</h3>
            <p><b>{ "Learn" }</b>{ " shows one pass of the loop, large. " }<b>{ "Operate" }</b>{ " gives the cluster and the terminal room. " }
                <b>{ "Inspect" }</b>{ " opens queues, caches, requests and the store." }</p>
            <h3>{ "Time" }</h3>
            <p>{ "At the speed " }<b>{ "auto" }</b>{ " time waits while there is something to read. " }<b>{ "Pause" }</b>{ ", " }<b>{ "step" }</b>
                { " on by an event or a phase, " }<b>{ "rewind" }</b>{ " by dragging the time along the bottom. What you do in the past starts a new branch; the later steps are kept as another." }</p>
            <h3>{ "Faults" }</h3>
            <p>{ "Whatever is drawn has a menu with its faults: a right click, or the key " }<b>{ "m" }</b>
                { ". Pods die and nodes crash; in the loop, links break and the " }<b>{ "API server" }</b>{ " refuses calls." }</p>
            <h3>{ "kubectl" }</h3>
            <p>
                { "It runs in the tab Terminal. " }
                <button type="button" class="quiet" onclick={dispatch.on(FocusTarget::Terminal)}>{ "Open the terminal" }</button>
            </p>
        </div>
    }
}
