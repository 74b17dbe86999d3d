//! Keys and pointers of the whole page: shortcuts, and every way to a thing's menu. They act only where nothing else wants the key, and a person
//! can turn the single ones off.

use super::state::{Dispatch, Pane, SPEEDS, State, Travel};
use gloo_timers::callback::Timeout;
use loopscope::view::things::Thing;
use loopscope::view::{Choice, Drawer};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent, PointerEvent};
use yew::{hook, use_effect_with};

/// What a shortcut does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Move {
    /// A move in time.
    Travel(Travel),
    /// Faster or slower.
    Speed(bool),
    /// A tab of the drawer.
    Drawer(usize),
    /// The focus goes to a pane.
    Pane(Pane, &'static str),
    /// The palette.
    Palette,
    /// The menu of what has the focus.
    Menu,
    /// All shortcuts.
    Sheet,
}

/// How the editor is found, with or without its better half.
pub const EDITOR: &str = ".desired .rich:not(.waiting), .desired textarea";

/// All shortcuts: keys, words, and what they do.
pub const ALL: &[(&str, &str, Move)] = &[
    ("Space", "Play or pause", Move::Travel(Travel::Toggle)),
    ("→", "Step one event", Move::Travel(Travel::Event)),
    ("←", "Step one event back", Move::Travel(Travel::Back)),
    (".", "Step one phase: observe, diff, act", Move::Travel(Travel::Phase)),
    ("c", "Run until converged", Move::Travel(Travel::Converge)),
    ("u", "Undo: before the last thing you did", Move::Travel(Travel::Undo)),
    ("n", "Return to now", Move::Travel(Travel::Live)),
    ("+", "Faster", Move::Speed(true)),
    ("-", "Slower", Move::Speed(false)),
    ("d", "To the desired state", Move::Pane(Pane::Desired, ".desired")),
    ("a", "To the actual state", Move::Pane(Pane::Actual, ".actual")),
    ("l", "To the loop", Move::Pane(Pane::Loop, ".loop")),
    ("e", "To the editor", Move::Pane(Pane::Desired, EDITOR)),
    ("t", "To the terminal", Move::Pane(Pane::Terminal, "#terminal-line")),
    ("1", "Drawer: Time", Move::Drawer(0)),
    ("2", "Drawer: Terminal", Move::Drawer(1)),
    ("3", "Drawer: Events", Move::Drawer(2)),
    ("4", "Drawer: Store", Move::Drawer(3)),
    ("5", "Drawer: Requests", Move::Drawer(4)),
    ("6", "Drawer: Alerts", Move::Drawer(5)),
    ("7", "Drawer: Why", Move::Drawer(6)),
    ("m", "Menu of what has the focus", Move::Menu),
    ("/", "Palette: everything by its name", Move::Palette),
    ("?", "All shortcuts", Move::Sheet),
];

impl State {
    /// Does what a shortcut says.
    pub fn make(&mut self, what: Move) {
        match what {
            Move::Travel(travel) => self.travel(travel),
            Move::Speed(faster) => self.speed = if faster { (self.speed + 1).min(SPEEDS.len() - 1) } else { self.speed.saturating_sub(1) },
            Move::Drawer(number) => Drawer::ALL.get(number).copied().into_iter().for_each(|drawer| self.open_drawer(drawer)),
            Move::Pane(pane, selector) => self.focus(selector, Some(pane)),
            Move::Palette => self.search(""),
            Move::Menu => {
                let thing = self.look.object.clone().map_or(Thing::Cluster, Thing::Object);
                self.open_menu(&thing, (80, 80));
            }
            Move::Sheet => self.over.shown = super::state::Shown::Sheet,
        }
    }
}

/// Listens to the whole window.
#[hook]
pub fn use_shortcuts(dispatch: Dispatch) {
    use_effect_with((), move |()| {
        let mut hand = Hand { dispatch, press: None, swallow: false };
        let listener = Closure::<dyn FnMut(Event)>::new(move |event: Event| hand.event(&event));
        if let Some(window) = web_sys::window() {
            for (name, first) in HEARD {
                // A window that cannot be listened to leaves the buttons of the page.
                drop(window.add_event_listener_with_callback_and_bool(name, listener.as_ref().unchecked_ref(), first));
            }
        }
        move || {
            if let Some(window) = web_sys::window() {
                for (name, first) in HEARD {
                    drop(window.remove_event_listener_with_callback_and_bool(name, listener.as_ref().unchecked_ref(), first));
                }
            }
        }
    });
}

/// What is listened to, and whether before the page's own parts: keys come last, so that whoever handles one can say so.
const HEARD: [(&str, bool); 7] = [
    ("keydown", false),
    ("contextmenu", true),
    ("click", true),
    ("pointerdown", true),
    ("pointermove", true),
    ("pointerup", true),
    ("pointercancel", true),
];

/// How long a finger rests on a thing before its menu opens, in milliseconds, and how far it may move.
const LONG_PRESS: u32 = 500;
const REST: i32 = 10;

struct Hand {
    dispatch: Dispatch,
    /// The finger that rests on a thing.
    press: Option<Press>,
    /// Whether the click that ends a long press is still to come.
    swallow: bool,
}

/// A finger that rests on a thing.
struct Press {
    x: i32,
    y: i32,
    /// Whether it has rested for long enough, and the menu is open.
    long: Rc<Cell<bool>>,
    /// Opens the menu in time, unless it is dropped before.
    _timer: Timeout,
}

impl Hand {
    fn event(&mut self, event: &Event) {
        match event.type_().as_str() {
            "keydown" => self.key(event.unchecked_ref()),
            "contextmenu" => self.menu(event.unchecked_ref()),
            "click" => self.click(event.unchecked_ref()),
            "pointerdown" => self.down(event.unchecked_ref()),
            "pointermove" => self.press = self.press.take().filter(|press| press.long.get() || near(event.unchecked_ref(), press)),
            _ => self.swallow = self.press.take().is_some_and(|press| press.long.get()),
        }
    }
    fn key(&self, event: &KeyboardEvent) {
        if event.default_prevented() || event.is_composing() || is_covered() {
            return;
        }
        let key = event.key();
        let target = target_of(event);
        if (event.ctrl_key() || event.meta_key()) && !event.alt_key() && key.eq_ignore_ascii_case("k") {
            event.prevent_default();
            return self.dispatch.page(|state| state.search(""));
        }
        let menu_key = key == "ContextMenu" || (key == "F10" && event.shift_key());
        if event.ctrl_key() || event.meta_key() || event.alt_key() || (is_text(target.as_ref()) && !menu_key) {
            return;
        }
        if menu_key {
            if let Some(around) = target.as_ref().and_then(around) {
                event.prevent_default();
                self.open(&around, None);
            }
            return;
        }
        let Some((_, _, what)) = ALL.iter().find(|(keys, ..)| *keys == named(&key)) else { return };
        if has_own_use(target.as_ref(), &key) || super::host::preference("keys") == "off" {
            return;
        }
        event.prevent_default();
        match (what, target.as_ref().and_then(around)) {
            (Move::Menu, Some(around)) => self.open(&around, None),
            _ => {
                let what = *what;
                self.dispatch.page(move |state| state.make(what));
            }
        }
    }
    fn menu(&mut self, event: &MouseEvent) {
        if self.press.as_ref().is_some_and(|press| press.long.get()) {
            event.prevent_default();
            return;
        }
        self.press = None;
        let target = target_of(event);
        let Some(around) = target.as_ref().filter(|t| !is_text(Some(t))).and_then(around) else { return };
        event.prevent_default();
        self.open(&around, Some((event.client_x(), event.client_y())));
    }
    fn click(&mut self, event: &MouseEvent) {
        if std::mem::take(&mut self.swallow) {
            event.prevent_default();
            event.stop_propagation();
            return;
        }
        let target = target_of(event);
        let button = target.and_then(|t| t.closest("[data-menu]").ok().flatten());
        if let Some(around) = button.as_ref().and_then(around) {
            event.prevent_default();
            event.stop_propagation();
            let rect = button.unwrap_or(around.clone()).get_bounding_client_rect();
            self.open(&around, Some((rect.left() as i32, rect.bottom() as i32)));
        }
    }
    fn down(&mut self, event: &PointerEvent) {
        self.swallow = false;
        let target = target_of(event);
        self.press = None;
        if event.pointer_type() != "touch" || is_text(target.as_ref()) {
            return;
        }
        let Some(around) = target.as_ref().and_then(around) else { return };
        let (dispatch, x, y) = (self.dispatch.clone(), event.client_x(), event.client_y());
        let long = Rc::new(Cell::new(false));
        let rested = long.clone();
        let timer = Timeout::new(LONG_PRESS, move || {
            rested.set(true);
            open(&dispatch, &around, Some((x, y)));
        });
        self.press = Some(Press { x, y, long, _timer: timer });
    }
    fn open(&self, around: &Element, at: Option<(i32, i32)>) {
        open(&self.dispatch, around, at);
    }
}

fn open(dispatch: &Dispatch, around: &Element, at: Option<(i32, i32)>) {
    let attribute = |name: &str| around.get_attribute(name).unwrap_or_default();
    let Some(thing) = Thing::named(&attribute("data-kind"), &attribute("data-namespace"), &attribute("data-name")) else { return };
    let rect = around.get_bounding_client_rect();
    let at = at.unwrap_or((rect.left() as i32 + 8, rect.top() as i32 + 24));
    dispatch.page(move |state| state.open_menu(&thing, at));
}

/// The innermost element that an event is about, also inside a shadow root, as that of the editor.
fn target_of(event: &Event) -> Option<Element> {
    event.composed_path().get(0).dyn_into::<Element>().ok()
}

/// The thing that an element belongs to.
fn around(element: &Element) -> Option<Element> {
    element.closest("[data-kind]").ok().flatten()
}

/// Whether something lies over the page, which then has all keys.
fn is_covered() -> bool {
    let document = web_sys::window().and_then(|w| w.document());
    document.and_then(|d| d.query_selector("dialog[open], [role=menu]").ok().flatten()).is_some()
}

fn near(event: &PointerEvent, press: &Press) -> bool {
    (event.client_x() - press.x).abs() <= REST && (event.client_y() - press.y).abs() <= REST
}

fn is_text(element: Option<&Element>) -> bool {
    element.is_some_and(|e| e.closest("input, textarea, select, [contenteditable]").ok().flatten().is_some())
}

/// Whether the element in focus, or one around it, has its own use for a key.
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

/// A key as the list of shortcuts names it.
fn named(key: &str) -> &str {
    match key {
        " " => "Space",
        "ArrowRight" => "→",
        "ArrowLeft" => "←",
        "=" => "+",
        key => key,
    }
}
