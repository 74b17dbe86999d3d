//! Keyboard and touch for the whole page: shortcuts act only where no element uses the key itself, and a long press opens a context menu.
//!
//! An element opens its context menu on the browser's `contextmenu` event (`widgets::on_menu`). This file turns a long press and the key `m` into that
//! event.

use super::browser::focus::focused;
use super::dispatch::Dispatch;
use super::widgets::focus;
use gloo_timers::callback::Timeout;
use loopscope::page::preferences::Keys;
use loopscope::page::{Action, IntroductionAction, OverlayAction, RoomAction, shortcuts};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent, MouseEventInit, PointerEvent};
use yew::{hook, use_effect_with};

/// The events to listen to, and whether to do so in the capture phase, before the page's own components. Keys are heard after them, so that a component
/// that handles a key can prevent its shortcut.
const EVENTS: [(&str, bool); 7] = [
    ("keydown", false),
    ("contextmenu", true),
    ("click", true),
    ("pointerdown", true),
    ("pointermove", true),
    ("pointerup", true),
    ("pointercancel", true),
];

/// The time for which a finger must rest on an element until its menu opens, in milliseconds.
const LONG_PRESS_MS: u32 = 500;
/// The distance by which a resting finger may move, in pixels.
const STEADY_PX: i32 = 10;

/// Listens to keys, clicks and touches in the whole window.
#[hook]
pub fn use_keyboard(keys: Keys, dispatch: Dispatch) {
    use_effect_with(keys, move |keys| {
        let listening = RefCell::new(Listening { dispatch, keys: *keys, press: None, swallows_click: false });
        let listener = Closure::<dyn Fn(Event)>::new(move |event: Event| {
            // An untrusted event is one that `ask_for_menu` dispatches, from inside this very listener.
            if event.is_trusted() {
                listening.borrow_mut().event(&event);
            }
        });
        if let Some(window) = web_sys::window() {
            for (name, first) in EVENTS {
                // Without the listener the buttons of the page still work; ignore failure.
                let _ = window.add_event_listener_with_callback_and_bool(name, listener.as_ref().unchecked_ref(), first);
            }
        }
        move || {
            if let Some(window) = web_sys::window() {
                for (name, first) in EVENTS {
                    let _ = window.remove_event_listener_with_callback_and_bool(name, listener.as_ref().unchecked_ref(), first);
                }
            }
        }
    });
}

struct Listening {
    dispatch: Dispatch,
    keys: Keys,
    /// The finger that rests on an element at present, if any.
    press: Option<Press>,
    /// Set if the click that ends a long press is still to come.
    swallows_click: bool,
}

/// A finger that rests on an element.
struct Press {
    x: i32,
    y: i32,
    /// Set once the press has been long enough and the menu is open.
    is_long: Rc<Cell<bool>>,
    /// A timer that opens the menu when it fires, unless it is dropped before.
    _timer: Timeout,
}

impl Listening {
    fn event(&mut self, event: &Event) {
        match event.type_().as_str() {
            "keydown" => self.key(event.unchecked_ref()),
            "contextmenu" => self.context_menu(event),
            "click" => self.click(event),
            "pointerdown" => self.down(event.unchecked_ref()),
            "pointermove" => self.press = self.press.take().filter(|press| press.is_long.get() || press.is_near(event.unchecked_ref())),
            _ => self.swallows_click = self.press.take().is_some_and(|press| press.is_long.get()),
        }
    }
    fn key(&self, event: &KeyboardEvent) {
        if event.default_prevented() || event.is_composing() || is_covered() {
            return;
        }
        let (key, target) = (event.key(), target_of(event));
        if (event.ctrl_key() || event.meta_key()) && !event.alt_key() && key.eq_ignore_ascii_case("k") {
            event.prevent_default();
            return self.dispatch.send(OverlayAction::Search(String::new()));
        }
        if key == "Escape" && self.dispatch.page(|page| page.room().maximised.is_some()) {
            event.prevent_default();
            return self.dispatch.send(RoomAction::Restore);
        }
        if key == "Escape" {
            leave_text();
            return self.dispatch.send(IntroductionAction::End);
        }
        if event.ctrl_key() || event.meta_key() || event.alt_key() || is_text(target.as_ref()) {
            return;
        }
        let Some(shortcut) = shortcuts::of_key(&key) else { return };
        if self.keys == Keys::Off || has_own_use(target.as_ref(), &key) {
            return;
        }
        event.prevent_default();
        let is_menu = shortcut.action == Action::Overlay(OverlayAction::MenuOfSelection);
        // The element in focus may have a menu of its own.
        if !is_menu || !target.is_some_and(|target| ask_for_menu(&target, (0, 0))) {
            self.dispatch.send(shortcut.action.clone());
        }
    }
    /// Suppresses the browser's own menu after a long press, which has opened ours already.
    fn context_menu(&mut self, event: &Event) {
        if self.press.as_ref().is_some_and(|press| press.is_long.get()) {
            event.prevent_default();
            event.stop_propagation();
        } else {
            self.press = None;
        }
    }
    fn click(&mut self, event: &Event) {
        if std::mem::take(&mut self.swallows_click) {
            event.prevent_default();
            event.stop_propagation();
        }
    }
    fn down(&mut self, event: &PointerEvent) {
        self.swallows_click = false;
        self.press = None;
        let Some(target) = target_of(event).filter(|target| event.pointer_type() == "touch" && !is_text(Some(target))) else { return };
        let (x, y) = (event.client_x(), event.client_y());
        let is_long = Rc::new(Cell::new(false));
        let rested = is_long.clone();
        let timer = Timeout::new(LONG_PRESS_MS, move || rested.set(ask_for_menu(&target, (x, y))));
        self.press = Some(Press { x, y, is_long, _timer: timer });
    }
}

impl Press {
    fn is_near(&self, event: &PointerEvent) -> bool {
        (event.client_x() - self.x).abs() <= STEADY_PX && (event.client_y() - self.y).abs() <= STEADY_PX
    }
}

/// Dispatches `contextmenu` to an element, from which it bubbles up. Returns whether an element has opened its menu.
fn ask_for_menu(element: &Element, (x, y): (i32, i32)) -> bool {
    let init = MouseEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    init.set_composed(true);
    init.set_client_x(x);
    init.set_client_y(y);
    let Ok(event) = MouseEvent::new_with_mouse_event_init_dict("contextmenu", &init) else { return false };
    // A listener that opens a menu prevents the browser's own menu.
    element.dispatch_event(&event).is_ok_and(|goes_on| !goes_on)
}

/// Returns the innermost element of an event, also inside a shadow root such as the editor's.
fn target_of(event: &Event) -> Option<Element> {
    event.composed_path().get(0).dyn_into::<Element>().ok()
}

/// Moves the focus from the editor or the terminal to the pane around it, where single keys are shortcuts.
fn leave_text() {
    let text = focused().filter(|element| element.matches("textarea, .rich").unwrap_or(false));
    if let Some(pane) = text.and_then(|text| text.closest(".pane").ok().flatten()) {
        let _ = pane.set_attribute("tabindex", "-1");
        focus(Some(pane));
    }
}

/// Returns whether an overlay is open, which then gets all keys.
fn is_covered() -> bool {
    let document = web_sys::window().and_then(|w| w.document());
    document.and_then(|d| d.query_selector("dialog[open], [role=menu]").ok().flatten()).is_some()
}

fn is_text(element: Option<&Element>) -> bool {
    element.is_some_and(|e| e.closest("input, textarea, select, [contenteditable]").ok().flatten().is_some())
}

/// Returns whether the element in focus, or one around it, uses a key itself.
fn has_own_use(element: Option<&Element>, key: &str) -> bool {
    let selector = match key {
        " " => "button, a, summary, [role=option], [role=treeitem], [role=slider], [role=tab]",
        "ArrowLeft" | "ArrowRight" => {
            "[role=tablist], [role=slider], [role=tree], [role=treegrid], [role=grid], [role=listbox], [role=radiogroup], [role=separator]"
        }
        _ => return false,
    };
    element.is_some_and(|e| e.closest(selector).ok().flatten().is_some())
}
