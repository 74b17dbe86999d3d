//! Revisions, newest first; one opened shows what it changed. The store's list draws its lines the same way.

use crate::ui::markup::{classes, html};
use crate::ui::state::Dispatch;
use loopscope::view::object::History;
use loopscope::view::store_log::{Diff, Revision};
use std::rc::Rc;
use yew::Html;

/// The revisions of an object.
pub fn history(history: &History, open: Option<u64>, dispatch: &Dispatch) -> Html {
    let shown = history.open.as_ref();
    let line = |row: &Rc<Revision>| {
        let is_open = shown.is_some() && open == Some(row.number);
        let compare = shown.is_some() && !is_open;
        html! {
            <li key={row.number}>
                { revision_line(row, is_open, false, dispatch) }
                if compare { { compare_button(row.number, shown, dispatch) } }
                if let (true, Some(diff)) = (is_open, shown) { { self::diff(diff) } }
            </li>
        }
    };
    html! {
        <div class="history">
            <p class="soft">{ "Open a revision to see what it changed; then any other can be compared with it." }</p>
            if history.rows.is_empty() { <p class="empty">{ "Nothing has been written of it since this run began." }</p> }
            <ol class="revisions">{ for history.rows.iter().map(line) }</ol>
            if history.more > 0 { <p class="soft">{ format!("and {} older", history.more) }</p> }
        </div>
    }
}

/// A revision as a line that opens it.
pub fn revision_line(row: &Revision, open: bool, with_key: bool, dispatch: &Dispatch) -> Html {
    let number = row.number;
    let onclick = dispatch.on_look(move |look| look.turn_revision(number));
    let change = match (row.became, row.fields) {
        ("changed", 0) => "nothing differs".to_owned(),
        ("changed", _) => row.change.clone(),
        (became, _) => became.to_owned(),
    };
    html! {
        <button type="button" class={classes!("revision", row.became)} aria-expanded={open} {onclick}>
            <span class="number">{ row.number }</span>
            <span class="at">{ &row.at }</span>
            <span class="who">{ &row.who }<span class="soft">{ " " }{ &row.verb }</span></span>
            if with_key { <span class="place">{ &row.key }</span> }
            <span class="change">{ change }</span>
        </button>
    }
}

fn compare_button(number: u64, shown: Option<&Rc<Diff>>, dispatch: &Dispatch) -> Html {
    let compared = shown.is_some_and(|d| d.from == number || d.to == number);
    let onclick = dispatch.on_look(move |look| look.store.base = (!compared).then_some(number));
    html! { <button type="button" class="quiet compare" aria-pressed={compared} aria-label={format!("Compare with revision {number}")} {onclick}>{ "compare" }</button> }
}

/// What differs between two revisions.
pub fn diff(diff: &Diff) -> Html {
    let line = |line: &loopscope::view::store_log::DiffLine| {
        let class = match line.sign {
            "+" => "new",
            "-" => "gone",
            "…" => "gap",
            _ => "same",
        };
        html! { <span class={class}>{ line.sign }{ " " }{ &line.text }{ "\n" }</span> }
    };
    html! {
        <div class="diff">
            <p class="soft">{ &diff.title }</p>
            <pre class="mono" tabindex="0" aria-label={format!("Diff {}", diff.title)}>{ for diff.lines.iter().map(line) }</pre>
        </div>
    }
}
