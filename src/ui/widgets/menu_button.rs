//! Ways to open the context menu of an object or component: a button, and the browser's own gesture for menus (right click, long press, menu key).

use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::page::OverlayAction;
use loopscope::view::menus::Thing;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct MenuButtonProps {
    pub thing: Thing,
    /// The name of the object or component, such as "pod web-x7k2p".
    pub title: AttrValue,
}

/// A button that opens the context menu of an object or component.
#[component]
pub fn MenuButton(props: &MenuButtonProps) -> Html {
    let (dispatch, thing) = (use_dispatch(), props.thing.clone());
    let onclick = move |event: MouseEvent| {
        event.stop_propagation();
        let Some(rect) = event.target_dyn_into::<Element>().map(|button| button.get_bounding_client_rect()) else { return };
        dispatch.send(OverlayAction::Menu { thing: thing.clone(), at: (rect.left() as i32, rect.bottom() as i32) });
    };
    html! {
        <button type="button" class="menu-button" aria-haspopup="menu" aria-label={format!("Menu of {}", props.title)} {onclick}>{ "⋯" }</button>
    }
}

/// Returns a listener for `oncontextmenu` that opens the menu of an object or component. `ui::keyboard` turns its own keys and the long press into that
/// event.
pub fn on_menu(dispatch: &Dispatch, thing: Thing) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |event: MouseEvent| {
        let target = event.target_dyn_into::<Element>();
        let is_text = target.as_ref().is_some_and(|t| t.closest("input, textarea, select").ok().flatten().is_some());
        if is_text {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
        let mut at = (event.client_x(), event.client_y());
        // A menu key has no pointer position.
        if let (true, Some(target)) = (at == (0, 0), target) {
            let rect = target.get_bounding_client_rect();
            at = (rect.left() as i32 + 8, rect.top() as i32 + 24);
        }
        dispatch.send(OverlayAction::Menu { thing: thing.clone(), at });
    })
}
