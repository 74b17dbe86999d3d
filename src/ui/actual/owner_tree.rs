//! Owners and the objects that they own: a tree that can be folded, and navigated with the arrow keys.

use super::and_more;
use super::owner_row::OwnerRow;
use loopscope::view::owners;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct OwnerTreeProps {
    pub tree: Rc<owners::OwnerTree>,
}

/// The tree of all owners and the objects that they own.
#[component]
pub fn OwnerTree(OwnerTreeProps { tree }: &OwnerTreeProps) -> Html {
    if tree.rows.is_empty() {
        return html! { <p class="empty">{ "Nothing has been applied that could own anything." }</p> };
    }
    let row = |(i, row): (usize, &Rc<owners::OwnerRow>)| {
        // An object with two owners appears twice in the tree, and an owner may have a second row with the number of objects not shown.
        let key = if row.more > 0 { format!("{}+", row.uid.0) } else { format!("{}/{}", row.uid.0, row.rails.len()) };
        html! { <OwnerRow {key} row={row.clone()} is_first={i == 0} /> }
    };
    html! {
        <>
            <ul class="owners" role="tree" aria-label="Owners and what they own">{ for tree.rows.iter().enumerate().map(row) }</ul>
            { and_more(tree.more, " at the top") }
        </>
    }
}
