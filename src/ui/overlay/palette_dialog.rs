//! The palette: finds every action by a few letters of its name.

use super::ModalDialog;
use crate::ui::dispatch::use_dispatch;
use loopscope::page::OverlayAction;
use loopscope::page::overlay::Palette;
use loopscope::page::palette::Item;
use std::rc::Rc;
use web_sys::{Element, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

/// The number of entries by which PageUp and PageDown move.
const PAGE: usize = 8;

#[derive(Properties, PartialEq)]
pub struct PaletteDialogProps {
    pub palette: Rc<Palette>,
}

/// The command palette: a search field, and the entries that match.
#[component]
pub fn PaletteDialog(PaletteDialogProps { palette }: &PaletteDialogProps) -> Html {
    let dispatch = use_dispatch();
    let list = use_node_ref();
    let (chosen, count) = (palette.chosen, palette.items.len());
    let drawn = list.clone();
    use_effect_with(chosen, move |chosen| scroll_to(&drawn, *chosen));
    let oninput = dispatch.on_text(OverlayAction::Search);
    let keys = dispatch.clone();
    let onkeydown = move |event: KeyboardEvent| {
        let action = match event.key().as_str() {
            "Enter" => OverlayAction::Pick(chosen),
            key => match place_after(key, chosen, count) {
                Some(place) => OverlayAction::Choose(place),
                None => return,
            },
        };
        event.prevent_default();
        keys.send(action);
    };
    let row = |(i, item): (usize, &Item)| {
        html! {
            <li role="option" id={format!("palette-{i}")} aria-selected={(i == chosen).to_string()} title={item.label.clone()} onclick={dispatch.on(OverlayAction::Pick(i))}>
                <span class="label">{ &item.label }</span>
                if !item.hint.is_empty() { <span class="soft">{ &item.hint }</span> }
            </li>
        }
    };
    html! {
        <ModalDialog class="palette" label="Palette">
            <input
                type="text"
                role="combobox"
                aria-label="What to do, or an object's name"
                aria-expanded="true"
                aria-controls="palette-list"
                aria-activedescendant={format!("palette-{chosen}")}
                placeholder="What to do, or an object's name"
                autocomplete="off"
                spellcheck="false"
                value={palette.query.clone()}
                {oninput}
                {onkeydown}
            />
            <ul id="palette-list" role="listbox" aria-label="What can be done" ref={list}>{ for palette.items.iter().enumerate().map(row) }</ul>
            if palette.items.is_empty() { <p class="empty" role="status">{ "Nothing fits." }</p> }
        </ModalDialog>
    }
}

/// Returns the index of the entry that a key selects; `None` if the key selects nothing.
fn place_after(key: &str, chosen: usize, count: usize) -> Option<usize> {
    let count = count.max(1);
    match key {
        "ArrowDown" => Some((chosen + 1) % count),
        "ArrowUp" => Some((chosen + count - 1) % count),
        "PageDown" => Some((chosen + PAGE).min(count - 1)),
        "PageUp" => Some(chosen.saturating_sub(PAGE)),
        _ => None,
    }
}

fn scroll_to(list: &NodeRef, place: usize) {
    if let Some(row) = list.cast::<Element>().and_then(|list| list.children().item(place as u32)) {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        row.scroll_into_view_with_scroll_into_view_options(&options);
    }
}
