//! A search field that filters a list.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use yew::prelude::*;

/// The list that a search box filters.
#[derive(Clone, Copy, PartialEq)]
pub enum Finds {
    Revisions,
    Events,
    Objects,
}

#[derive(Properties, PartialEq)]
pub struct SearchBoxProps {
    pub finds: Finds,
    pub text: String,
}

/// A search field that filters one of the lists of the page.
#[component]
pub fn SearchBox(SearchBoxProps { finds, text }: &SearchBoxProps) -> Html {
    let dispatch = use_dispatch();
    let (label, oninput) = match finds {
        Finds::Revisions => ("Find revisions by key, writer or verb", dispatch.on_text(Select::StoreText)),
        Finds::Objects => ("Find objects", dispatch.on_text(Select::TableText)),
        Finds::Events => ("Find events", dispatch.on_text(Select::EventsText)),
    };
    html! { <input type="search" aria-label={label} placeholder="find" value={text.clone()} {oninput} /> }
}
