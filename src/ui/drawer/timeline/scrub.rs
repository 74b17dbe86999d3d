//! Looking at another moment by hand: a pointer that drags along the line, the arrow keys, and the wheel for a closer look. There is at most one
//! look at another moment per animation frame, however fast the pointer is.

use crate::ui::state::{Action, Dispatch, Travel};
use loopscope::api::time::{Span, Time};
use loopscope::view::timeline::{Axis, Timeline};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlElement, ResizeObserver, WheelEvent};
use yew::{Callback, KeyboardEvent, NodeRef, PointerEvent, hook, use_effect_with, use_mut_ref, use_node_ref};

/// The closest look, and how much closer one turn of the wheel comes.
const CLOSEST: Span = Span::secs(5);
const CLOSER: (i64, i64) = (4, 5);

/// What the line needs to be dragged.
pub struct Scrub {
    /// The element.
    pub place: NodeRef,
    /// The pointer goes down.
    pub down: Callback<PointerEvent>,
    /// It moves.
    pub moved: Callback<PointerEvent>,
    /// It goes up.
    pub up: Callback<PointerEvent>,
    /// It is taken away, for scrolling.
    pub cancel: Callback<PointerEvent>,
}

#[derive(Default)]
struct Drag {
    /// The line when the drag began; none when there is no drag.
    axis: Option<Axis>,
    /// The moment to look at with the next frame.
    wanted: Option<Time>,
    /// The line as it is drawn, for the wheel.
    drawn: Axis,
    zoom: Span,
}

/// Makes an element a line to drag along.
#[hook]
pub fn use_scrub(axis: Axis, zoom: Span, dispatch: &Dispatch) -> Scrub {
    let place = use_node_ref();
    let drag = use_mut_ref(Drag::default);
    {
        let mut drag = drag.borrow_mut();
        (drag.drawn, drag.zoom) = (axis, zoom);
    }
    let (element, wheel, to) = (place.clone(), drag.clone(), dispatch.clone());
    use_effect_with((), move |()| {
        let kept = element.cast::<HtmlElement>().map(|element| attend(&element, wheel, to));
        move || drop(kept)
    });
    let (held, to) = (drag.clone(), dispatch.clone());
    let down = move |event: PointerEvent| {
        let Some(element) = element_of(&event).filter(|_| event.button() == 0) else { return };
        // Without a capture the drag ends at the line's edge, which is no worse than it was.
        drop(element.set_pointer_capture(event.pointer_id()));
        held.borrow_mut().axis = Some(axis);
        to.look(move |look| look.time.hold = Some((axis.from, axis.to)));
        // A finger may be about to scroll the page.
        if event.pointer_type() != "touch" {
            want(&event, &held, &to);
        }
    };
    let (held, to) = (drag.clone(), dispatch.clone());
    let moved = move |event: PointerEvent| want(&event, &held, &to);
    let (held, to) = (drag.clone(), dispatch.clone());
    let up = move |event: PointerEvent| {
        want(&event, &held, &to);
        end(&held, &to);
    };
    let (held, to) = (drag, dispatch.clone());
    let cancel = move |_| end(&held, &to);
    Scrub { place, down: Callback::from(down), moved: Callback::from(moved), up: Callback::from(up), cancel: Callback::from(cancel) }
}

fn end(drag: &Rc<RefCell<Drag>>, dispatch: &Dispatch) {
    if drag.borrow_mut().axis.take().is_some() {
        dispatch.look(|look| look.time.hold = None);
    }
}

fn element_of(event: &PointerEvent) -> Option<HtmlElement> {
    let target = event.target()?.dyn_into::<web_sys::Element>().ok()?;
    target.closest(".chart").ok().flatten()?.dyn_into().ok()
}

/// The moment under the pointer is wanted, with the next frame.
fn want(event: &PointerEvent, drag: &Rc<RefCell<Drag>>, dispatch: &Dispatch) {
    let Some((axis, element)) = drag.borrow().axis.zip(element_of(event)) else { return };
    let bounds = element.get_bounding_client_rect();
    let share = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
    let is_waiting = drag.borrow_mut().wanted.replace(axis.time(share * 1000.0)).is_some();
    if is_waiting {
        return;
    }
    let (drag, dispatch) = (drag.clone(), dispatch.clone());
    let frame = Closure::once_into_js(move || {
        let wanted = drag.borrow_mut().wanted.take();
        wanted.into_iter().for_each(|at| dispatch.send(Action::Travel(Travel::To(at))));
    });
    if let Some(window) = web_sys::window() {
        drop(window.request_animation_frame(frame.unchecked_ref()));
    }
}

/// The arrow keys move by a hundredth of the line, the page keys by a tenth.
pub fn key(event: &KeyboardEvent, t: &Timeline, dispatch: &Dispatch) {
    let hundredths = match event.key().as_str() {
        "ArrowLeft" | "ArrowDown" => -1,
        "ArrowRight" | "ArrowUp" => 1,
        "PageDown" => -10,
        "PageUp" => 10,
        "Home" => i64::from(i32::MIN),
        "End" => i64::from(i32::MAX),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    let (now, live) = t.value;
    let wanted = now + (t.axis.span().0 / 100_000).max(1) * hundredths;
    // The values count thousandths of a second.
    let travel = if wanted >= live { Travel::Live } else { Travel::By(Span::millis(wanted.max(0) - now)) };
    dispatch.send(Action::Travel(travel));
}

/// What must be let go with the element.
struct Kept {
    observer: Option<ResizeObserver>,
    element: HtmlElement,
    _resized: Closure<dyn FnMut()>,
    _wheel: Closure<dyn FnMut(WheelEvent)>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.element.set_onwheel(None);
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

/// Keeps the line's width known, for the texts on it, and listens to the wheel. Yew's own listeners may not stop the page from scrolling.
fn attend(element: &HtmlElement, drag: Rc<RefCell<Drag>>, dispatch: Dispatch) -> Kept {
    let (measured, to) = (element.clone(), dispatch.clone());
    let resized = Closure::<dyn FnMut()>::new(move || {
        let width = i64::from(measured.client_width());
        to.look(move |look| look.time.width = width);
    });
    let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    if let Some(observer) = &observer {
        observer.observe(element);
    }
    let wheel = Closure::<dyn FnMut(WheelEvent)>::new(move |event: WheelEvent| {
        // Where the page itself scrolls, the wheel is the page's, unless a key says otherwise.
        let root = web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element());
        let scrolls = root.is_some_and(|root| root.scroll_height() > root.client_height());
        if scrolls && !event.ctrl_key() && !event.shift_key() {
            return;
        }
        event.prevent_default();
        let (span, zoom) = (drag.borrow().drawn.span(), drag.borrow().zoom);
        let closer = Span(span.0 * CLOSER.0 / CLOSER.1);
        // The line is only as long as the run: one that has grown longer than it shows the whole.
        let further = if zoom.0 == 0 || span < zoom { Span(0) } else { Span(span.0 * CLOSER.1 / CLOSER.0) };
        let zoom = if event.delta_y() + event.delta_x() < 0.0 { closer.max(CLOSEST) } else { further };
        dispatch.look(move |look| look.time.zoom = zoom);
    });
    element.set_onwheel(Some(wheel.as_ref().unchecked_ref()));
    Kept { observer, element: element.clone(), _resized: resized, _wheel: wheel }
}
