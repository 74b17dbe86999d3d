//! An object opened: what is wanted of it, what is observed, and how it came to be so.

use yew::{Html, html};

/// What stands here before anything has been opened.
pub fn nothing_open() -> Html {
    html! { <p class="empty">{ "Open a pod, a node or anything else that has a name, and see its spec and status here." }</p> }
}
