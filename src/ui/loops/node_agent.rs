//! A kubelet's loop: its pods with their containers, and what it did last.

use crate::ui::markup::{classes, html};
use crate::ui::state::Dispatch;
use loopscope::view::loops::pod_actions::{ContainerLine, Deed, KubeletCard, PodWork};
use yew::Html;

/// A kubelet.
pub fn kubelet(card: &KubeletCard, many: bool, dispatch: &Dispatch) -> Html {
    let deed = |d: &Deed| {
        html! { <li><span class="soft">{ &d.at }</span><b>{ d.word }</b><span>{ &d.text }</span></li> }
    };
    html! {
        <section class="agent">
            if many { { other_node(&card.node, dispatch) } }
            <p class="soft">{ format!("{} · looks after {} {}", card.state, card.count, if card.count == 1 { "pod" } else { "pods" }) }</p>
            <div class="phases">
                <section class="phase observe">
                    <header><h3>{ "Observe and diff" }</h3><span class="soft">{ "its pods, and what the runtime has" }</span></header>
                    if card.pods.is_empty() { <p class="soft">{ "No pod is bound to this node." }</p> }
                    <ul>{ for card.pods.iter().map(pod) }</ul>
                    if card.count > card.pods.len() { <p class="soft">{ format!("and {} more", card.count - card.pods.len()) }</p> }
                </section>
                <section class="phase act">
                    <header><h3>{ "Act" }</h3><span class="soft">{ "newest first" }</span></header>
                    if card.deeds.is_empty() { <p class="soft">{ "nothing lately" }</p> }
                    <ol class="did">{ for card.deeds.iter().map(deed) }</ol>
                </section>
            </div>
        </section>
    }
}

fn pod(pod: &PodWork) -> Html {
    let container = |c: &ContainerLine| {
        html! { <li class={classes!("container", c.state)}><span><span class="glyph" aria-hidden="true" />{ &c.name }{ " " }<b>{ c.state }</b></span><span class="soft">{ &c.words }</span></li> }
    };
    let todo = if pod.todo.is_empty() { "nothing to do".to_owned() } else { ["to do: ", &pod.todo].concat() };
    html! {
        <li class="pod-work">
            <p><span class="mono">{ &pod.name }</span><span class="soft">{ if pod.doing.is_empty() { todo } else { pod.doing.clone() } }</span></p>
            <ul>{ for pod.containers.iter().map(container) }</ul>
        </li>
    }
}

/// Among many nodes one is chosen by its name.
fn other_node(node: &str, dispatch: &Dispatch) -> Html {
    let onchange = dispatch.on_text(|look, text| look.turn_to_kubelet(text));
    // Not its value: what is being typed would be lost with the next drawing.
    html! { <label class="other">{ "node " }<input type="text" placeholder={node.to_owned()} {onchange} /></label> }
}
