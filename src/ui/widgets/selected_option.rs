//! A hook that selects an option of a `<select>`.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// Returns a reference for a `<select>` whose option at index `place`, of `count` options, is selected. Browsers ignore the attribute `selected` once a
/// person has chosen an option, so the hook sets the selection on the element itself.
#[hook]
pub fn use_selected_option(place: usize, count: usize) -> NodeRef {
    let select = use_node_ref();
    let drawn = select.clone();
    use_effect_with((place, count), move |(place, _)| {
        if let Some(select) = drawn.cast::<HtmlSelectElement>() {
            select.set_selected_index(*place as i32);
        }
    });
    select
}
