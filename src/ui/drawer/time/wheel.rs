//! Zooming the timeline by the wheel.

use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::api::time::Span;
use loopscope::page::Select;
use loopscope::view::timeline::Axis;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlElement, WheelEvent};
use yew::prelude::*;

/// The shortest period that the timeline can be zoomed to.
const CLOSEST: Span = Span::secs(5);
/// The share of the drawn period that remains after one turn of the wheel, as numerator and denominator.
const CLOSER: (i64, i64) = (4, 5);

/// Makes the mouse wheel over `element` zoom the timeline.
#[hook]
pub fn use_wheel(element: &NodeRef, axis: Axis, zoom: Span) {
    let (dispatch, element) = (use_dispatch(), element.clone());
    let drawn = use_mut_ref(|| (axis, zoom));
    *drawn.borrow_mut() = (axis, zoom);
    use_effect_with((), move |()| {
        let listener = Closure::<dyn FnMut(WheelEvent)>::new(move |event: WheelEvent| {
            let (axis, zoom) = *drawn.borrow();
            turn(&event, axis, zoom, &dispatch);
        });
        let element = element.cast::<HtmlElement>();
        if let Some(element) = &element {
            // Yew's own wheel listeners are passive: they cannot keep the page from scrolling.
            element.set_onwheel(Some(listener.as_ref().unchecked_ref()));
        }
        move || {
            if let Some(element) = element {
                element.set_onwheel(None);
            }
            drop(listener);
        }
    });
}

fn turn(event: &WheelEvent, axis: Axis, zoom: Span, dispatch: &Dispatch) {
    // If the page itself can scroll, the wheel scrolls it, unless Ctrl or Shift is held.
    let root = web_sys::window().and_then(|window| window.document()).and_then(|document| document.document_element());
    let scrolls = root.is_some_and(|root| root.scroll_height() > root.client_height());
    if scrolls && !event.ctrl_key() && !event.shift_key() {
        return;
    }
    event.prevent_default();
    let span = axis.span();
    let closer = Span(span.0 * CLOSER.0 / CLOSER.1);
    // Zooming out further than the length of the run shows the whole run.
    let further = if zoom.0 == 0 || span < zoom { Span(0) } else { Span(span.0 * CLOSER.1 / CLOSER.0) };
    let is_closer = event.delta_y() + event.delta_x() < 0.0;
    dispatch.send(Select::TimeZoom(if is_closer { closer.max(CLOSEST) } else { further }));
}
