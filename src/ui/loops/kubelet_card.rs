//! A kubelet's loop: its pods with their containers, and its last actions.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Term;
use loopscope::page::Select;
use loopscope::view::loops::pod_actions::{self, ContainerLine, KubeletAction, PodWork};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct KubeletCardProps {
    pub kubelet: Rc<pod_actions::KubeletCard>,
    /// Set if there are too many kubelets to list them all, so that a person chooses one by its node's name.
    pub has_many: bool,
}

/// The loop of a kubelet: its pods with their containers, and its last actions.
#[component]
pub fn KubeletCard(KubeletCardProps { kubelet, has_many }: &KubeletCardProps) -> Html {
    let count = kubelet.count;
    let action = |action: &KubeletAction| html! { <li><span class="soft">{ &action.at }</span><b>{ action.word }</b><span>{ &action.text }</span></li> };
    html! {
        <section class="agent">
            if *has_many { <NodeField node={kubelet.node.clone()} /> }
            <p class="soft">{ format!("{} · looks after {count} {}", kubelet.state, if count == 1 { "pod" } else { "pods" }) }</p>
            <div class="phases">
                <section class="phase observe">
                    <header><h3>{ "Observe and diff" }</h3><span class="soft">{ "its pods, and what the runtime has" }</span></header>
                    if kubelet.pods.is_empty() { <p class="soft">{ "No pod is bound to this node." }</p> }
                    <ul>{ for kubelet.pods.iter().map(pod) }</ul>
                    if count > kubelet.pods.len() { <p class="soft">{ format!("and {} more", count - kubelet.pods.len()) }</p> }
                </section>
                <section class="phase act">
                    <header><h3><Term of="act">{ "Act" }</Term></h3><span class="soft">{ "newest first" }</span></header>
                    if kubelet.actions.is_empty() { <p class="soft">{ "nothing lately" }</p> }
                    <ol class="did">{ for kubelet.actions.iter().map(action) }</ol>
                </section>
            </div>
        </section>
    }
}

fn pod(pod: &PodWork) -> Html {
    let container = |container: &ContainerLine| {
        html! {
            <li class={classes!("container", container.state)}>
                <span><span class="glyph" aria-hidden="true" />{ &container.name }{ " " }<b>{ container.state }</b></span>
                <span class="soft">{ &container.words }</span>
            </li>
        }
    };
    let work = match (pod.doing.as_str(), pod.todo.as_str()) {
        ("", "") => "nothing to do".to_owned(),
        ("", todo) => format!("to do: {todo}"),
        (doing, _) => doing.to_owned(),
    };
    html! {
        <li class="pod-work">
            <p><span class="mono">{ &pod.name }</span><span class="soft">{ work }</span></p>
            <ul>{ for pod.containers.iter().map(container) }</ul>
        </li>
    }
}

#[derive(Properties, PartialEq)]
struct NodeFieldProps {
    node: String,
}

/// A text field for the name of the node whose kubelet is shown.
#[component]
fn NodeField(NodeFieldProps { node }: &NodeFieldProps) -> Html {
    let dispatch = use_dispatch();
    let onchange = move |event: Event| dispatch.send(Select::Kubelet(event.target_unchecked_into::<HtmlInputElement>().value()));
    // The node's name is the placeholder and not the value, because a value would replace the typed text with every rendering.
    html! { <label class="other">{ "node " }<input type="text" placeholder={node.clone()} {onchange} /></label> }
}
