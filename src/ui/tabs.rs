//! A row of tabs: one is chosen, the arrow keys move between them.

use crate::ui::markup::html;
use loopscope::view::Choice;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::{Callback, Html, KeyboardEvent, MouseEvent};

/// Tabs for a choice. The panel they control has the id `<id>-panel`.
pub fn tabs<C: Choice>(id: &'static str, label: &'static str, chosen: C, pick: impl Fn(C) + 'static) -> Html {
    marked_tabs(id, label, chosen, pick, |_| (0, ""))
}

/// The same with a number and its word on some of the tabs; none for zero.
pub fn marked_tabs<C: Choice>(
    id: &'static str,
    label: &'static str,
    chosen: C,
    pick: impl Fn(C) + 'static,
    mark: impl Fn(C) -> (usize, &'static str),
) -> Html {
    let marks: Vec<(usize, &'static str)> = C::ALL.iter().map(|c| mark(*c)).collect();
    let names: Vec<&'static str> = C::ALL.iter().map(|c| c.name()).collect();
    let place = C::ALL.iter().position(|c| *c == chosen).unwrap_or(0);
    let pick = Callback::from(move |i: usize| C::ALL.get(i).copied().into_iter().for_each(&pick));
    row(id, label, &names, &marks, place, &pick)
}

/// The id of the tab that names a panel, for `aria-labelledby`.
pub fn tab_id(id: &str, name: &str) -> String {
    [id, "-", name].concat()
}

fn row(
    id: &'static str,
    label: &'static str,
    names: &[&'static str],
    marks: &[(usize, &'static str)],
    chosen: usize,
    pick: &Callback<usize>,
) -> Html {
    let count = names.len();
    let tab = |(i, name): (usize, &&'static str)| {
        let (click, keys) = (pick.clone(), pick.clone());
        let onclick = move |_: MouseEvent| click.emit(i);
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
            focus(&event, to);
            keys.emit(to);
        };
        let selected = i == chosen;
        let mark = marks.get(i).filter(|(n, _)| *n > 0);
        html! {
            <button
                type="button"
                role="tab"
                id={tab_id(id, name)}
                aria-selected={selected}
                aria-controls={tab_id(id, "panel")}
                tabindex={if selected { "0" } else { "-1" }}
                {onclick}
                {onkeydown}
            >
                { *name }
                if let Some((n, word)) = mark { <span class="badge">{ n }<span class="hidden">{ " " }{ *word }</span></span> }
            </button>
        }
    };
    html! { <div class="tab-row" role="tablist" aria-label={label}>{ for names.iter().enumerate().map(tab) }</div> }
}

/// Moves the focus to another tab of the same row.
fn focus(event: &KeyboardEvent, to: usize) {
    let tab = event.target().and_then(|t| t.dyn_into::<HtmlElement>().ok());
    let row = tab.and_then(|tab| tab.parent_element());
    let next = row.and_then(|row| row.children().item(to as u32)).and_then(|next| next.dyn_into::<HtmlElement>().ok());
    if let Some(next) = next {
        // A tab that cannot be focused is no worse off than before.
        drop(next.focus());
    }
}
