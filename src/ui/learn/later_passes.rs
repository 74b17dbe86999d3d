//! What others did after the pass that is shown, as buttons that show it.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use loopscope::view::loops::telling::{Later, Opens};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LaterListProps {
    pub later: Rc<Vec<Later>>,
}

/// The later deeds, a button each; nothing if there are none.
#[component]
pub fn LaterList(LaterListProps { later }: &LaterListProps) -> Html {
    let dispatch = use_dispatch();
    let item = |later: &Later| {
        let onclick = dispatch.on(match &later.opens {
            Opens::Pass(controller, pass) => Select::Pass { controller: *controller, pass: *pass },
            Opens::Kubelet(node) => Select::Kubelet(node.clone()),
        });
        html! { <li><button type="button" class="chip" {onclick}>{ AttrValue::from(later.words.clone()) }</button></li> }
    };
    html! {
        <div class="later">
            if !later.is_empty() { <span class="soft">{ "Since then:" }</span><ul>{ for later.iter().map(item) }</ul> }
        </div>
    }
}
