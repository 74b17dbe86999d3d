//! What came of the pass that is shown, and what others did after it, as buttons that show it.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use loopscope::view::loops::telling::{Later, Opens};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LaterListProps {
    /// The state of the cluster since the pass is over; empty while it lasts.
    pub outcome: String,
    pub later: Rc<Vec<Later>>,
}

/// The state of the cluster, and the later deeds, a button each; nothing while the pass lasts.
#[component]
pub fn LaterList(LaterListProps { outcome, later }: &LaterListProps) -> Html {
    let dispatch = use_dispatch();
    let item = |later: &Later| {
        let onclick = dispatch.on(match &later.opens {
            Opens::Pass(controller, pass) => Select::Pass { controller: *controller, pass: *pass },
            Opens::Kubelet(node) => Select::Kubelet(node.clone()),
        });
        html! { <li><button type="button" class="chip" {onclick}>{ AttrValue::from(later.words.clone()) }</button></li> }
    };
    html! {
        if !outcome.is_empty() {
            <div class="later"><span class="soft">{ "Since then: " }<b>{ outcome }</b></span><ul>{ for later.iter().map(item) }</ul></div>
        }
    }
}
