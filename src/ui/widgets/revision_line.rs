//! A revision of the store as a line, which opens the revision when pressed.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use loopscope::view::store_log::Revision;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RevisionLineProps {
    pub row: Rc<Revision>,
    pub is_open: bool,
    /// Set if the line shows the key of the object.
    pub with_key: bool,
}

/// A revision of the store as a line, which opens the revision when pressed.
#[component]
pub fn RevisionLine(RevisionLineProps { row, is_open, with_key }: &RevisionLineProps) -> Html {
    let onclick = use_dispatch().on(Select::ToggleRevision(row.number));
    let change = match (row.became, row.fields) {
        ("changed", 0) => "nothing differs".to_owned(),
        ("changed", _) => row.change.clone(),
        (became, _) => became.to_owned(),
    };
    html! {
        <button type="button" class={classes!("revision", row.became)} aria-expanded={is_open.to_string()} {onclick}>
            <span class="number">{ row.number }</span>
            <span class="at">{ &row.at }</span>
            <span class="who">{ &row.who }<span class="soft">{ " " }{ &row.verb }</span></span>
            if *with_key { <span class="place">{ &row.key }</span> }
            <span class="change">{ change }</span>
        </button>
    }
}
