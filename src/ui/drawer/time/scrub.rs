//! Dragging along the timeline. However fast the pointer is, the page goes to at most one moment in each animation frame.

use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::api::time::Time;
use loopscope::page::{Select, Travel};
use loopscope::view::timeline::Axis;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The pointer listeners of an element along which a person can drag.
pub struct Scrub {
    pub onpointerdown: Callback<PointerEvent>,
    pub onpointermove: Callback<PointerEvent>,
    pub onpointerup: Callback<PointerEvent>,
    /// Called when the browser takes the touch over for scrolling.
    pub onpointercancel: Callback<PointerEvent>,
}

/// Returns the listeners for dragging along an element, which go to the moment under the pointer.
#[hook]
pub fn use_scrub(element: &NodeRef, axis: Axis) -> Scrub {
    let (dispatch, state) = (use_dispatch(), use_mut_ref(Drag::default));
    let drag = Dragging { element: element.clone(), state, dispatch };
    let (down, moved, up, cancelled) = (drag.clone(), drag.clone(), drag.clone(), drag);
    Scrub {
        onpointerdown: Callback::from(move |event: PointerEvent| down.begin(&event, axis)),
        onpointermove: Callback::from(move |event: PointerEvent| moved.follow(&event)),
        onpointerup: Callback::from(move |event: PointerEvent| {
            up.follow(&event);
            up.end();
        }),
        onpointercancel: Callback::from(move |_| cancelled.end()),
    }
}

#[derive(Default)]
struct Drag {
    /// The axis of the timeline when the drag began; `None` while nobody drags.
    axis: Option<Axis>,
    /// The moment to go to in the next animation frame.
    wanted: Option<Time>,
}

#[derive(Clone)]
struct Dragging {
    element: NodeRef,
    state: Rc<RefCell<Drag>>,
    dispatch: Dispatch,
}

impl Dragging {
    fn begin(&self, event: &PointerEvent, axis: Axis) {
        let Some(element) = self.element.cast::<HtmlElement>().filter(|_| event.button() == 0) else { return };
        // Without pointer capture the drag ends at the edge of the timeline; ignore failure.
        let _ = element.set_pointer_capture(event.pointer_id());
        self.state.borrow_mut().axis = Some(axis);
        self.dispatch.send(Select::TimeHold(Some((axis.from, axis.to))));
        // A touch may be the beginning of scrolling, so it does not go anywhere yet.
        if event.pointer_type() != "touch" {
            self.follow(event);
        }
    }
    /// Takes the run to the moment that is under the pointer on the timeline, in the next animation frame.
    fn follow(&self, event: &PointerEvent) {
        let axis = self.state.borrow().axis;
        let Some((axis, element)) = axis.zip(self.element.cast::<HtmlElement>()) else { return };
        let bounds = element.get_bounding_client_rect();
        let share = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
        let is_waiting = self.state.borrow_mut().wanted.replace(axis.time(share * 1000.0)).is_some();
        if is_waiting {
            return;
        }
        let drag = self.clone();
        let frame = Closure::once_into_js(move || {
            let wanted = drag.state.borrow_mut().wanted.take();
            if let Some(at) = wanted {
                drag.dispatch.send(Travel::To(at));
            }
        });
        if let Some(window) = web_sys::window() {
            // A page without animation frames is not visible, so nobody can drag; ignore failure.
            let _ = window.request_animation_frame(frame.unchecked_ref());
        }
    }
    fn end(&self) {
        let was_dragged = self.state.borrow_mut().axis.take().is_some();
        if was_dragged {
            self.dispatch.send(Select::TimeHold(None));
        }
    }
}
