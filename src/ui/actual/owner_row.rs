//! One row of the owner tree: an object, or the number of objects that are not shown.

use super::click::on_click;
use crate::ui::dispatch::{Dispatch, use_dispatch};
use crate::ui::widgets::{focus, on_menu};
use loopscope::page::Select;
use loopscope::view::cluster::number;
use loopscope::view::menus::Thing;
use loopscope::view::owners;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct OwnerRowProps {
    pub row: Rc<owners::OwnerRow>,
    /// Set for the first row of the tree. The Tab key leads only to the first row; the arrow keys move among all rows.
    pub is_first: bool,
}

/// A row of the owner tree.
#[component]
pub fn OwnerRow(OwnerRowProps { row, is_first }: &OwnerRowProps) -> Html {
    let dispatch = use_dispatch();
    let level = (row.rails.len() + 1).to_string();
    let tabindex = if *is_first { "0" } else { "-1" };
    let onkeydown = on_key(row, &dispatch);
    if row.more > 0 {
        let onclick = on_click(&dispatch, Select::ShowAll(row.uid));
        return html! {
            <li role="treeitem" class="owner more" aria-level={level} {tabindex} {onclick} {onkeydown}>
                { rails(row) }<span class="owned">{ format!("and {} more", number(row.more)) }</span>
            </li>
        };
    }
    let key = &row.subject.key;
    html! {
        <li
            role="treeitem"
            class={classes!("owner", row.health.class())}
            aria-level={level}
            aria-expanded={(row.children > 0).then(|| (!row.folded).to_string())}
            {tabindex}
            data-kind={row.kind()}
            data-namespace={key.namespace.to_string()}
            data-name={key.name.to_string()}
            onclick={on_click(&dispatch, Select::Open(row.subject.clone()))}
            oncontextmenu={on_menu(&dispatch, Thing::Object(row.subject.clone()))}
            {onkeydown}
        >
            { rails(row) }
            <span class="body">
                { twisty(row, &dispatch) }
                <span class="glyph" aria-hidden="true">{ row.health.glyph() }</span>
                <span class="kind soft">{ row.kind() }</span>
                <span class="owned" title={key.to_string()}>
                    if key.namespace != "default" { <span class="soft">{ key.namespace.as_str().to_owned() }{ "/" }</span> }
                    { key.name.as_str().to_owned() }
                </span>
                <span class="numbers">{ &row.numbers }</span>
                { generation(row) }
                if !row.remark.is_empty() { <span class="remark">{ &row.remark }</span> }
            </span>
        </li>
    }
}

/// Draws the lines of the tree in front of a row: those to its owner, and those that pass by it.
fn rails(row: &owners::OwnerRow) -> Html {
    let last = row.rails.len().saturating_sub(1);
    let rail = |(i, goes_on): (usize, &bool)| {
        html! { <span class={classes!("rail", (i == last).then_some("to"), goes_on.then_some("on"))} /> }
    };
    html! { <span class="rails" aria-hidden="true">{ for row.rails.iter().enumerate().map(rail) }</span> }
}

/// Draws the triangle that folds and unfolds the objects below a row.
fn twisty(row: &owners::OwnerRow, dispatch: &Dispatch) -> Html {
    let onclick = on_click(dispatch, Select::Fold { owner: row.uid, away: is_unfolded(row) });
    html! {
        <span class={classes!("twisty", (row.children == 0).then_some("none"))} aria-hidden="true" {onclick}>
            { if row.folded { "▸" } else { "▾" } }
        </span>
    }
}

/// Draws the generation and the observed generation, which show whether a controller has seen the newest spec.
fn generation(row: &owners::OwnerRow) -> Html {
    let Some((wanted, seen)) = row.generation else { return Html::default() };
    let words = if wanted == seen { "observed".to_owned() } else { format!("observed {seen}") };
    html! {
        <span class={classes!("generation", (wanted != seen).then_some("behind"))} title="metadata.generation and status.observedGeneration">
            { format!("generation {wanted}, {words}") }
        </span>
    }
}

fn is_unfolded(row: &owners::OwnerRow) -> bool {
    row.children > 0 && !row.folded
}

/// Returns a listener for the keys of a row: they fold, unfold and open the row, or move the focus among the rows.
fn on_key(row: &Rc<owners::OwnerRow>, dispatch: &Dispatch) -> Callback<KeyboardEvent> {
    let (row, dispatch) = (row.clone(), dispatch.clone());
    Callback::from(move |event: KeyboardEvent| {
        let key = event.key();
        if let Some(change) = change(&row, &key) {
            dispatch.send(change);
        } else {
            let Some(item) = event.target_dyn_into::<Element>() else { return };
            focus(match key.as_str() {
                "ArrowDown" => item.next_element_sibling(),
                "ArrowUp" => item.previous_element_sibling(),
                "Home" => item.parent_element().and_then(|tree| tree.first_element_child()),
                "End" => item.parent_element().and_then(|tree| tree.last_element_child()),
                "ArrowRight" if is_unfolded(&row) => item.next_element_sibling(),
                "ArrowLeft" => owner_of(&item),
                _ => return,
            });
        }
        event.prevent_default();
        event.stop_propagation();
    })
}

/// Returns the change of the selection that a key makes on a row; `None` if the key moves the focus or does nothing.
fn change(row: &owners::OwnerRow, key: &str) -> Option<Select> {
    match key {
        "ArrowRight" if row.children > 0 && row.folded => Some(Select::Fold { owner: row.uid, away: false }),
        "ArrowLeft" if is_unfolded(row) => Some(Select::Fold { owner: row.uid, away: true }),
        "Enter" | " " if row.more > 0 => Some(Select::ShowAll(row.uid)),
        "Enter" => Some(Select::Open(row.subject.clone())),
        _ => None,
    }
}

/// Returns the row of the owner: the nearest row above that is less indented.
fn owner_of(item: &Element) -> Option<Element> {
    let level = |item: &Element| item.get_attribute("aria-level").and_then(|level| level.parse::<u32>().ok());
    let own = level(item);
    std::iter::successors(item.previous_element_sibling(), |item| item.previous_element_sibling()).find(|item| level(item) < own)
}
