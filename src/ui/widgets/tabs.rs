//! A row of tabs: one is selected, the arrow keys move between them.

use super::focus;
use loopscope::view::Choice;
use web_sys::HtmlElement;
use yew::prelude::*;

/// One tab of a row.
#[derive(Clone, PartialEq)]
pub struct Tab {
    /// The name on the tab.
    pub name: &'static str,
    /// A number on the tab with its noun, as in "2 firing"; zero shows nothing.
    pub mark: (usize, &'static str),
}

impl Tab {
    /// Returns a tab for each value of a choice, without numbers.
    pub fn all<C: Choice>() -> Vec<Tab> {
        C::ALL.iter().map(|choice| Tab { name: choice.name(), mark: (0, "") }).collect()
    }
    /// Returns the index of a value among the tabs of its choice.
    pub fn place<C: Choice>(chosen: C) -> usize {
        C::ALL.iter().position(|choice| *choice == chosen).unwrap_or(0)
    }
}

#[derive(Properties, PartialEq)]
pub struct TabsProps {
    /// The id of the row. The panel that the tabs control has the id `<id>-panel`.
    pub id: &'static str,
    pub label: &'static str,
    pub tabs: Vec<Tab>,
    /// The index of the selected tab.
    pub chosen: usize,
    /// Called with the index of the tab that a person picks.
    pub onpick: Callback<usize>,
}

/// Returns the id of a tab, by which its panel is named (`aria-labelledby`).
pub fn tab_id(id: &str, name: &str) -> String {
    format!("{id}-{name}")
}

/// Scrolls a row that is longer than its place until a tab is in sight.
fn show_tab(row: &NodeRef, chosen: usize) {
    let Some(row) = row.cast::<HtmlElement>() else { return };
    let Some(tab) = row.children().item(chosen as u32) else { return };
    let (tab, place) = (tab.get_bounding_client_rect(), row.get_bounding_client_rect());
    let hidden = (tab.right() - place.right()).max(0.0) + (tab.left() - place.left()).min(0.0);
    row.set_scroll_left(row.scroll_left() + hidden as i32);
}

/// A row of tabs, of which one is selected.
#[component]
pub fn Tabs(props: &TabsProps) -> Html {
    let count = props.tabs.len();
    let tab = |(i, tab): (usize, &Tab)| {
        let onclick = props.onpick.reform(move |_: MouseEvent| i);
        let onpick = props.onpick.clone();
        let onkeydown = move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowRight" => (i + 1) % count,
                "ArrowLeft" => (i + count - 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            let row = event.target_dyn_into::<HtmlElement>().and_then(|tab| tab.closest("[role=tablist]").ok().flatten());
            focus(row.and_then(|row| row.children().item(to as u32)));
            onpick.emit(to);
        };
        let is_chosen = i == props.chosen;
        let (number, word) = tab.mark;
        html! {
            <button
                type="button"
                role="tab"
                id={tab_id(props.id, tab.name)}
                aria-selected={is_chosen.to_string()}
                aria-controls={tab_id(props.id, "panel")}
                tabindex={if is_chosen { "0" } else { "-1" }}
                {onclick}
                {onkeydown}
            >
                { tab.name }
                if number > 0 { <span class="badge">{ number }<span class="hidden">{ " " }{ word }</span></span> }
            </button>
        }
    };
    let row = use_node_ref();
    use_effect_with((props.chosen, row.clone()), |(chosen, row)| show_tab(row, *chosen));
    html! { <div ref={row} class="tab-row" role="tablist" aria-label={props.label}>{ for props.tabs.iter().enumerate().map(tab) }</div> }
}
