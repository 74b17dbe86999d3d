//! One row of the table of objects, with its keyboard shortcuts.

use crate::ui::dispatch::{Dispatch, use_dispatch};
use crate::ui::widgets::{MenuButton, focus, on_menu};
use loopscope::page::{Action, OverlayAction, RunAction, Select};
use loopscope::view::menus::{self, Thing};
use loopscope::view::object_table::TableRow;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ObjectRowProps {
    pub row: Rc<TableRow>,
    /// Set for the row that the Tab key leads to; the arrow keys move among all rows.
    pub is_current: bool,
}

/// A row of the table of objects. A click opens its object.
#[component]
pub fn ObjectRow(ObjectRowProps { row, is_current }: &ObjectRowProps) -> Html {
    let dispatch = use_dispatch();
    let (subject, thing) = (&row.subject, Thing::Object(row.subject.clone()));
    let onfocus = (!is_current).then(|| dispatch.on::<FocusEvent>(Select::TableRow(subject.clone())));
    html! {
        <tr
            class={classes!(row.health.map(|health| health.class()))}
            tabindex={if *is_current { "0" } else { "-1" }}
            data-kind={subject.kind.row().name}
            data-namespace={subject.key.namespace.to_string()}
            data-name={subject.key.name.to_string()}
            onclick={dispatch.on::<MouseEvent>(Select::Open(subject.clone()))}
            oncontextmenu={on_menu(&dispatch, thing.clone())}
            onkeydown={on_key(row, &dispatch)}
            {onfocus}
        >
            { for row.cells.iter().map(|cell| html! { <td>{ cell }</td> }) }
            <td class="menu-cell"><MenuButton {thing} title={subject.text()} /></td>
        </tr>
    }
}

/// Returns a listener for the keys of a row: they move among the rows, or act on the object of the row.
fn on_key(row: &Rc<TableRow>, dispatch: &Dispatch) -> Callback<KeyboardEvent> {
    let (row, dispatch) = (row.clone(), dispatch.clone());
    Callback::from(move |event: KeyboardEvent| {
        let Some(element) = event.target_dyn_into::<Element>().filter(|element| element.tag_name() == "TR") else { return };
        if event.meta_key() || event.alt_key() {
            return;
        }
        let key = event.key();
        if let Some(action) = action_of(&row, &key, event.ctrl_key(), &element) {
            dispatch.send(action);
        } else {
            let body = || element.parent_element();
            focus(match key.as_str() {
                _ if event.ctrl_key() => return,
                "ArrowDown" => element.next_element_sibling(),
                "ArrowUp" => element.previous_element_sibling(),
                "Home" => body().and_then(|body| body.first_element_child()),
                "End" => body().and_then(|body| body.last_element_child()),
                _ => return,
            });
        }
        event.prevent_default();
        event.stop_propagation();
    })
}

/// Returns the action of a key on a row; `None` if the key moves the focus or does nothing.
fn action_of(row: &TableRow, key: &str, is_ctrl: bool, element: &Element) -> Option<Action> {
    let subject = &row.subject;
    let effect = |effect: menus::Effect| Action::from(RunAction::Effect(effect));
    match (key, is_ctrl) {
        ("Delete", false) | ("d", true) => {
            let rect = element.get_bounding_client_rect();
            Some(OverlayAction::DeleteMenu { subject: subject.clone(), at: (rect.left() as i32 + 8, rect.bottom() as i32) }.into())
        }
        ("Enter", false) => Some(Select::Open(subject.clone()).into()),
        ("l", false) => row.logs.clone().map(effect),
        ("y", false) => Some(effect(menus::yaml(subject))),
        ("d", false) => Some(effect(menus::describe(subject))),
        ("e", false) => Some(effect(menus::edit(subject))),
        _ => None,
    }
}
