//! The list of the last passes of a controller.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Term;
use loopscope::page::Select;
use loopscope::view::pass::PassLine;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PassListProps {
    pub lines: Rc<Vec<PassLine>>,
    /// The number of the pass that a person has chosen; `None` to show the newest.
    pub chosen: Option<u64>,
    /// The number of the pass that is open.
    pub open: Option<u64>,
}

/// The last passes, newest first, each as a button that opens the pass.
#[component]
pub fn PassList(PassListProps { lines, chosen, open }: &PassListProps) -> Html {
    let dispatch = use_dispatch();
    let line = |line: &PassLine| {
        let is_open = *open == Some(line.number);
        html! {
            <li key={line.number}>
                <button
                    type="button"
                    aria-pressed={(*chosen == Some(line.number)).to_string()}
                    class={classes!("pass-line", line.drift.then_some("differs"), is_open.then_some("open"))}
                    onclick={dispatch.on(Select::TogglePass(line.number))}
                >
                    <span class="when">{ &line.at }</span><span class="subject">{ &line.key }</span><span class="soft">{ &line.result }</span>
                </button>
            </li>
        }
    };
    html! {
        <section class="passes">
            <h3>{ "Last " }<Term of="pass">{ "passes" }</Term></h3>
            if lines.is_empty() { <p class="soft">{ "none yet" }</p> } else { <ol>{ for lines.iter().map(line) }</ol> }
        </section>
    }
}
