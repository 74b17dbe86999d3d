//! The tab *History* of an object: its revisions, newest first; an open one shows its changes.

use super::compare_button::CompareButton;
use crate::ui::widgets::{DiffView, RevisionLine};
use loopscope::view::object::History;
use loopscope::view::store_log::Revision;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HistoryPageProps {
    pub history: Rc<History>,
    /// The number of the revision that is open, which may be one of another object.
    pub open: Option<u64>,
}

/// The list of an object's revisions.
#[component]
pub fn HistoryPage(HistoryPageProps { history, open }: &HistoryPageProps) -> Html {
    let line = |row: &Rc<Revision>| {
        let is_open = history.open.is_some() && *open == Some(row.number);
        let details = history.open.as_ref().map(|diff| match is_open {
            true => html! { <DiffView diff={diff.clone()} /> },
            false => html! { <CompareButton number={row.number} is_compared={diff.from == row.number || diff.to == row.number} /> },
        });
        html! { <li key={row.number}><RevisionLine row={row.clone()} {is_open} with_key={false} />{ details }</li> }
    };
    html! {
        <div class="history">
            <p class="soft">{ "Open a revision to see what it changed; then any other can be compared with it." }</p>
            if history.rows.is_empty() { <p class="empty">{ "Nothing has been written of it up to this moment." }</p> }
            <ol class="revisions">{ for history.rows.iter().map(line) }</ol>
            if history.more > 0 { <p class="soft">{ format!("and {} older", history.more) }</p> }
        </div>
    }
}
