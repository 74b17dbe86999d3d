//! A field that finds something by a text.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use yew::prelude::*;

/// What a search box finds.
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

/// A field that finds something by a text.
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
