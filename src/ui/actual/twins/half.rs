//! One of the twins: a small picture of its nodes, and its numbers.

use loopscope::view::clock::count;
use loopscope::view::cluster::Health;
use loopscope::view::twins::{Half, Mini};
use yew::prelude::*;

/// Draws one of the two clusters: its state, its nodes and its numbers.
pub fn half(half: &Half) -> Html {
    let (class, glyph, word) = match half.converged {
        true => ("good", "●", "converged"),
        false if half.stuck => ("bad", "✕", "stuck, drifting"),
        false => ("warning", "◐", "drifting"),
    };
    let number = |name: &'static str, value: String| html! { <div><dt>{ name }</dt><dd>{ value }</dd></div> };
    let left_out = match half.left_out {
        (0, 0) => String::new(),
        (nodes, pods) => format!("{} and {} are not drawn", count(nodes, "node", "nodes"), count(pods, "pod", "pods")),
    };
    html! {
        <article class="half" aria-label={format!("Cluster {}", half.name)}>
            <header>
                <h3>{ half.name }</h3>
                <span class={classes!("drift", class)}><span aria-hidden="true">{ glyph }</span>{ format!(" {word} for {}", half.since) }</span>
            </header>
            <ul class="minis" aria-label="Nodes">{ for half.nodes.iter().map(node) }</ul>
            if !left_out.is_empty() { <p class="soft">{ left_out }</p> }
            <dl>
                { number("pods ready", format!("{} of {}", half.pods.0, half.pods.1)) }
                { number("converged after the last command", half.settled.clone()) }
                { number("requests", half.requests.to_string()) }
                { number("restarts", half.restarts.to_string()) }
            </dl>
        </article>
    }
}

fn node(node: &Mini) -> Html {
    let ready = node.pods.iter().filter(|health| **health == Health::Good).count();
    let pod = |health: &Health| html! { <span class={classes!("pod-cell", health.class())}>{ health.glyph() }</span> };
    html! {
        <li class={classes!("mini", node.health.class())}>
            <span class="name">{ node.name.as_deref().unwrap_or("no node").to_owned() }</span>
            if !node.status.is_empty() {
                <span class="state"><span aria-hidden="true">{ node.health.glyph() }{ " " }</span>{ node.status }</span>
            }
            <span class="cells" aria-hidden="true">{ for node.pods.iter().map(pod) }</span>
            <span class="hidden">{ format!("{ready} of {} pods ready", node.pods.len()) }</span>
        </li>
    }
}
