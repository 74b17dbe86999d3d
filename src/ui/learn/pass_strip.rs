//! The last pass in two lines, under the cluster of a narrow screen, so that people see cause and effect together.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::RingMark;
use loopscope::page::{Action, Pane};
use loopscope::view::loops::LoopView;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PassStripProps {
    pub view: Rc<LoopView>,
}

/// A button that summarises the last pass, and opens the pane of the loop.
#[component]
pub fn PassStrip(PassStripProps { view }: &PassStripProps) -> Html {
    let onclick = use_dispatch().on(Action::ShowPane(Pane::Loop));
    let Some(pass) = &view.pass else { return Html::default() };
    let phase = pass.phase;
    let state = if phase == "done" { format!("done at {}", pass.at) } else { phase.to_owned() };
    html! {
        <button type="button" class={classes!("pass-strip", phase)} {onclick}>
            <RingMark {phase} />
            <span class="strip-words"><b>{ format!("{}: {state}", view.name) }</b><span>{ pass.monologue.join(" ") }</span></span>
        </button>
    }
}
