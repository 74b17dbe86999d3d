//! The glossary, a part of the help dialog.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::OverlayAction;
use loopscope::view::glossary::{Entry, matching};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct WordListProps {
    /// The text to search for; empty for all entries.
    pub query: String,
}

/// A search field, and the entries of the glossary that match it.
#[component]
pub fn WordList(WordListProps { query }: &WordListProps) -> Html {
    let oninput = use_dispatch().on_text(OverlayAction::Glossary);
    let found = matching(query);
    let row = |entry: &&'static Entry| {
        let also = entry.aliases.join(", ");
        html! {
            <>
                <dt>{ entry.term }if !also.is_empty() { <span class="soft">{ format!(" · also: {also}") }</span> }</dt>
                <dd>{ entry.sentence }</dd>
            </>
        }
    };
    html! {
        <>
            <input type="search" aria-label="Find a word" placeholder="find a word" autocomplete="off" value={query.clone()} {oninput} />
            if found.is_empty() {
                <p class="empty" role="status">{ "No word fits." }</p>
            } else {
                <dl class="glossary">{ for found.iter().map(row) }</dl>
            }
        </>
    }
}
