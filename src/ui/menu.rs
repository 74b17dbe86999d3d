//! The menu of a thing: what can be done to it, where the thing is. Arrow keys and first letters move, Escape leads back.

use super::state::{Dispatch, MenuView};
use crate::ui::markup::{classes, html};
use loopscope::view::things::Deed;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{Html, KeyboardEvent, MouseEvent, NodeRef};

/// A button that opens the menu of the thing around it: an element with `data-kind`, `data-namespace` and `data-name`.
pub fn more(title: &str) -> Html {
    html! { <button type="button" class="menu-button" data-menu="" aria-haspopup="menu" aria-label={["Menu of ", title].concat()}>{ "⋯" }</button> }
}

/// The menu drawn.
pub fn menu(view: &MenuView, place: &NodeRef, dispatch: &Dispatch) -> Html {
    let close = dispatch.clone();
    let leave = move |event: MouseEvent| {
        event.prevent_default();
        close.page(|state| state.close());
    };
    let (keys, inside) = (dispatch.clone(), place.clone());
    let onkeydown = move |event: KeyboardEvent| {
        let Some(menu) = inside.cast::<Element>() else { return };
        match event.key().as_str() {
            "Escape" | "Tab" => keys.page(|state| state.close()),
            key if !move_to(&menu, key) => return,
            _ => {}
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let item = |deed: &Deed| {
        let (dispatch, effect) = (dispatch.clone(), deed.effect.clone());
        let can = deed.why_not.is_empty();
        let onclick = move |_: MouseEvent| {
            let effect = effect.clone();
            if can {
                dispatch.page(move |state| state.happen(&effect));
            }
        };
        html! {
            <button type="button" role="menuitem" tabindex="-1" class={classes!(deed.breaks.then_some("breaks"))} aria-disabled={(!can).then_some("true")} {onclick}>
                { &deed.label }
                if !can { <span class="soft">{ format!(" ({})", deed.why_not) }</span> }
            </button>
        }
    };
    let groups = view.deeds.chunk_by(|a, b| a.group == b.group).map(|group| {
        let name = group.first().map_or("", |deed| deed.group);
        let items: Html = group.iter().map(item).collect();
        if name.is_empty() {
            return items;
        }
        html! { <div role="group" aria-label={name}><p aria-hidden="true">{ name }</p>{ items }</div> }
    });
    html! {
        <>
            <div class="veil" onclick={leave.clone()} oncontextmenu={leave} />
            <div class="menu" role="menu" aria-label={view.title.clone()} tabindex="-1" ref={place.clone()} {onkeydown}>
                <p class="menu-title" aria-hidden="true">{ &view.title }</p>
                { for groups }
            </div>
        </>
    }
}

/// Puts a menu where it was asked for, as far as the window has room, and its first entry into focus.
pub fn settle(menu: &HtmlElement, at: (i32, i32)) {
    let Some(window) = web_sys::window() else { return };
    let size = |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|v| v.as_f64()).unwrap_or(0.0) as i32;
    let (width, height) = (size(window.inner_width()), size(window.inner_height()));
    let fit = |wanted: i32, own: i32, room: i32| wanted.min(room - own - EDGE).max(EDGE);
    let place = [("left", fit(at.0, menu.offset_width(), width)), ("top", fit(at.1, menu.offset_height(), height))];
    for (name, px) in place {
        // A menu that cannot be moved still works in the corner.
        drop(menu.style().set_property(name, &format!("{px}px")));
    }
    move_to(menu, "Home");
}

/// How near to the window's edge a menu may come, in pixels.
const EDGE: i32 = 6;

/// Moves the focus to the entry that a key means; the answer is whether it means one.
fn move_to(menu: &Element, key: &str) -> bool {
    let Ok(items) = menu.query_selector_all("[role=menuitem]") else { return false };
    let item = |i: u32| items.item(i).and_then(|node| node.dyn_into::<HtmlElement>().ok());
    let active = web_sys::window().and_then(|w| w.document()).and_then(|d| d.active_element());
    let here = (0..items.length()).find(|i| item(*i).map(Element::from) == active);
    let count = items.length().max(1);
    let to = match (key, here) {
        ("ArrowDown", Some(i)) => (i + 1) % count,
        ("ArrowUp", Some(i)) => (i + count - 1) % count,
        ("ArrowDown" | "Home", _) => 0,
        ("ArrowUp" | "End", _) => count - 1,
        (letter, _) if letter.chars().count() == 1 && letter != " " => {
            let begins = |i: &u32| {
                item(*i).and_then(|e| e.text_content()).is_some_and(|t| t.to_ascii_lowercase().starts_with(&letter.to_ascii_lowercase()))
            };
            let from = here.map_or(0, |i| i + 1);
            match (from..count).chain(0..from.min(count)).find(begins) {
                Some(i) => i,
                None => return false,
            }
        }
        _ => return false,
    };
    if let Some(item) = item(to) {
        // An entry that cannot be focused is no worse off than before.
        drop(item.focus());
    }
    true
}
