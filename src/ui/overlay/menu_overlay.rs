//! The context menu of an element: all actions on the object or component it stands for. Arrow keys and first letters move the focus, Escape goes back.

use crate::ui::browser::focus::focused;
use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::page::overlay::Menu;
use loopscope::page::{OverlayAction, RunAction};
use loopscope::view::menus::MenuEntry;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// The least distance between a menu and the window's edge, in pixels.
const EDGE: i32 = 6;

#[derive(Properties, PartialEq)]
pub struct MenuOverlayProps {
    pub menu: Rc<Menu>,
}

/// An open context menu. A click outside closes it.
#[component]
pub fn MenuOverlay(MenuOverlayProps { menu }: &MenuOverlayProps) -> Html {
    let dispatch = use_dispatch();
    let node = use_node_ref();
    let (drawn, at, first) = (node.clone(), menu.at, menu.first);
    use_effect_with(menu.number, move |_| {
        if let Some(element) = drawn.cast::<HtmlElement>() {
            place(&element, at);
            move_focus(&element, "Home");
            for _ in 0..first {
                move_focus(&element, "ArrowDown");
            }
        }
    });
    let leave = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            dispatch.send(OverlayAction::Close);
        })
    };
    let groups = menu.entries.chunk_by(|a, b| a.group == b.group).map(|group| menu_group(group, &dispatch));
    html! {
        <>
            <div class="veil" onclick={leave.clone()} oncontextmenu={leave} />
            <div class="menu" role="menu" aria-label={menu.title.clone()} tabindex="-1" ref={node.clone()} onkeydown={on_key(node, dispatch.clone())}>
                <p class="menu-title" aria-hidden="true">{ &menu.title }</p>
                { for groups }
            </div>
        </>
    }
}

/// Draws the entries of a group under their heading, if they have one.
fn menu_group(entries: &[MenuEntry], dispatch: &Dispatch) -> Html {
    let name = entries.first().map_or("", |entry| entry.group);
    let items = entries.iter().map(|entry| menu_item(entry, dispatch));
    if name.is_empty() {
        return items.collect();
    }
    html! { <div role="group" aria-label={name}><p aria-hidden="true">{ name }</p>{ for items }</div> }
}

fn menu_item(entry: &MenuEntry, dispatch: &Dispatch) -> Html {
    let is_possible = entry.why_not.is_empty();
    let onclick = is_possible.then(|| dispatch.on::<MouseEvent>(RunAction::Effect(entry.effect.clone())));
    let class = classes!(entry.breaks.then_some("breaks"));
    html! {
        <button type="button" role="menuitem" tabindex="-1" {class} aria-disabled={(!is_possible).then_some("true")} {onclick}>
            { &entry.label }
            if !is_possible { <span class="soft">{ format!(" ({})", entry.why_not) }</span> }
        </button>
    }
}

fn on_key(node: NodeRef, dispatch: Dispatch) -> Callback<KeyboardEvent> {
    Callback::from(move |event: KeyboardEvent| {
        let Some(menu) = node.cast::<Element>() else { return };
        match event.key().as_str() {
            "Escape" | "Tab" => dispatch.send(OverlayAction::Close),
            key if !move_focus(&menu, key) => return,
            _ => {}
        }
        event.prevent_default();
        event.stop_propagation();
    })
}

/// Moves a menu to a point of the window, given in pixels, as far as there is room.
fn place(menu: &HtmlElement, at: (i32, i32)) {
    let Some(window) = web_sys::window() else { return };
    let pixels = |value: Result<JsValue, JsValue>| value.ok().and_then(|value| value.as_f64()).unwrap_or(0.0) as i32;
    let fit = |wanted: i32, own: i32, room: i32| wanted.min(room - own - EDGE).max(EDGE);
    let left = fit(at.0, menu.offset_width(), pixels(window.inner_width()));
    let top = fit(at.1, menu.offset_height(), pixels(window.inner_height()));
    // A menu that cannot be moved still works in the corner; ignore failure.
    let _ = menu.style().set_property("left", &format!("{left}px"));
    let _ = menu.style().set_property("top", &format!("{top}px"));
}

/// Moves the focus to the entry that a key leads to. Returns whether there is such an entry.
fn move_focus(menu: &Element, key: &str) -> bool {
    let Ok(found) = menu.query_selector_all("[role=menuitem]") else { return false };
    let items: Vec<HtmlElement> = (0..found.length()).filter_map(|i| found.item(i)?.dyn_into().ok()).collect();
    let focused = focused();
    let here = items.iter().position(|item| Some(item) == focused.as_ref());
    let Some(item) = entry_of_key(&items, key, here).and_then(|place| items.get(place)) else { return false };
    // Focus is best effort; a failure is ignored.
    let _ = item.focus();
    true
}

/// Returns the index of the entry that a key leads to. `here` is the index of the focused entry.
fn entry_of_key(items: &[HtmlElement], key: &str, here: Option<usize>) -> Option<usize> {
    let count = items.len().max(1);
    match (key, here) {
        ("ArrowDown", Some(i)) => Some((i + 1) % count),
        ("ArrowUp", Some(i)) => Some((i + count - 1) % count),
        ("ArrowDown" | "Home", _) => Some(0),
        ("ArrowUp" | "End", _) => Some(count - 1),
        (letter, _) if letter.chars().count() == 1 && letter != " " => {
            let letter = letter.to_ascii_lowercase();
            let begins = |item: &HtmlElement| item.text_content().is_some_and(|text| text.to_ascii_lowercase().starts_with(&letter));
            let from = here.map_or(0, |i| i + 1);
            (from..items.len()).chain(0..from).find(|i| items.get(*i).is_some_and(begins))
        }
        _ => None,
    }
}
