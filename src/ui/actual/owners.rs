//! Who owns whom: a tree that can be folded, walked with the arrow keys, and from which objects are opened.

use crate::ui::markup::{classes, html};
use crate::ui::state::Dispatch;
use loopscope::api::meta::Uid;
use loopscope::view::cluster::number;
use loopscope::view::owners::{OwnerRow, OwnerTree};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{Html, KeyboardEvent, MouseEvent};

/// The tree.
pub fn owners(tree: &OwnerTree, dispatch: &Dispatch) -> Html {
    if tree.rows.is_empty() {
        return html! { <p class="empty">{ "Nothing has been applied that could own anything." }</p> };
    }
    let (clicked, pressed) = (dispatch.clone(), dispatch.clone());
    let onclick = move |event: MouseEvent| {
        let Some(target) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else { return };
        let Some(row) = closest(&target, "[role=treeitem]") else { return };
        if closest(&target, ".twisty").is_some() || row.has_attribute("data-more") {
            event.stop_propagation();
            turn(&row, None, &clicked);
        }
    };
    let onkeydown = move |event: KeyboardEvent| {
        let Some(row) = event.target().and_then(|t| t.dyn_into::<Element>().ok()).filter(|t| t.has_attribute("aria-level")) else { return };
        if step(&row, &event.key(), &pressed) {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    html! {
        <>
            <ul class="owners" role="tree" aria-label="Owners and what they own" {onclick} {onkeydown}>
                { for tree.rows.iter().enumerate().map(|(i, row)| item(row, i == 0)) }
            </ul>
            { super::pod_tile::and_more(tree.more, " at the top") }
        </>
    }
}

fn item(row: &OwnerRow, first: bool) -> Html {
    let level = (row.rails.len() + 1).to_string();
    let (own, above) = row.rails.split_last().map_or((None, &row.rails[..]), |(own, above)| (Some(*own), above));
    let rail = |goes_on: &bool| html! { <span class={classes!("rail", goes_on.then_some("on"))} /> };
    let lines = html! {
        <span class="rails" aria-hidden="true">
            { for above.iter().map(rail) }
            if let Some(goes_on) = own { <span class={classes!("rail", "to", goes_on.then_some("on"))} /> }
        </span>
    };
    let (tabindex, uid) = (if first { "0" } else { "-1" }, row.uid.0.to_string());
    if row.more > 0 {
        return html! {
            <li key={[&uid, "+"].concat()} role="treeitem" class="owner more" aria-level={level} {tabindex} data-uid={uid.clone()} data-more="">
                { lines }<span class="owned">{ ["and ", &number(row.more), " more"].concat() }</span>
            </li>
        };
    }
    let expanded = (row.children > 0).then(|| (!row.folded).to_string());
    html! {
        <li
            key={[uid.as_str(), "/", &level].concat()}
            role="treeitem"
            class={classes!("owner", row.health.class())}
            aria-level={level}
            aria-expanded={expanded}
            {tabindex}
            data-uid={uid.clone()}
            data-kind={row.kind}
            data-namespace={row.namespace.clone()}
            data-name={row.name.clone()}
        >
            { lines }
            <span class="body">
            <span class={classes!("twisty", (row.children == 0).then_some("none"))} aria-hidden="true">{ if row.folded { "▸" } else { "▾" } }</span>
            <span class="glyph" aria-hidden="true">{ row.health.glyph() }</span>
            <span class="kind soft">{ row.kind }</span>
            <span class="owned">
                if row.namespace != "default" { <span class="soft">{ &row.namespace }{ "/" }</span> }
                { &row.name }
            </span>
            <span class="numbers">{ &row.numbers }</span>
            { generation(row) }
            if !row.remark.is_empty() { <span class="remark">{ &row.remark }</span> }
            </span>
        </li>
    }
}

/// The two numbers by which one sees whether a controller has dealt with the newest wish.
fn generation(row: &OwnerRow) -> Html {
    let Some((wanted, seen)) = row.generation else { return Html::default() };
    let words = if wanted == seen { "reconciled" } else { "in progress" };
    html! {
        <span class={classes!("generation", (wanted != seen).then_some("behind"))} title="metadata.generation and status.observedGeneration">
            <span class="hidden">{ "generation and observed generation " }</span><span class="mono">{ format!("{wanted} {seen}") }</span>{ " " }{ words }
        </span>
    }
}

/// Folds or unfolds a family, or shows more of it.
fn turn(row: &Element, fold: Option<bool>, dispatch: &Dispatch) {
    let Some(uid) = row.get_attribute("data-uid").and_then(|text| text.parse().ok()).map(Uid) else { return };
    let open = row.get_attribute("aria-expanded").is_some_and(|expanded| expanded == "true");
    if row.has_attribute("data-more") {
        dispatch.look(move |look| look.owners.whole.push(uid));
    } else {
        dispatch.look(move |look| look.owners.fold(uid, fold.unwrap_or(open)));
    }
}

/// What a key does on a row; whether it did something.
fn step(row: &Element, key: &str, dispatch: &Dispatch) -> bool {
    let expanded = row.get_attribute("aria-expanded");
    let level = |of: &Element| of.get_attribute("aria-level").and_then(|l| l.parse::<u32>().ok()).unwrap_or(1);
    let to = match key {
        "ArrowDown" => row.next_element_sibling(),
        "ArrowUp" => row.previous_element_sibling(),
        "Home" => row.parent_element().and_then(|list| list.first_element_child()),
        "End" => row.parent_element().and_then(|list| list.last_element_child()),
        "ArrowRight" if expanded.as_deref() == Some("false") => {
            turn(row, Some(false), dispatch);
            return true;
        }
        "ArrowRight" if expanded.is_some() => row.next_element_sibling(),
        "ArrowLeft" if expanded.as_deref() == Some("true") => {
            turn(row, Some(true), dispatch);
            return true;
        }
        "ArrowLeft" => {
            std::iter::successors(row.previous_element_sibling(), |r| r.previous_element_sibling()).find(|r| level(r) < level(row))
        }
        "Enter" | " " if row.has_attribute("data-more") => {
            turn(row, None, dispatch);
            return true;
        }
        "Enter" => {
            super::open(row, dispatch);
            return true;
        }
        _ => return false,
    };
    if let Some(to) = to.and_then(|to| to.dyn_into::<HtmlElement>().ok()) {
        // A row that cannot be focused is no worse off than before.
        drop(to.focus());
    }
    true
}

fn closest(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}
