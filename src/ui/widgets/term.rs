//! A glossary term with its explanation, which opens on hover, on keyboard focus and on a tap. Escape closes it.
//!
//! The explanation is drawn in `<main>` and not beside the term, so that no pane can cut it off.

use gloo_timers::callback::Timeout;
use loopscope::view::glossary;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, Node};
use yew::prelude::*;

/// The element id of the explanation, of which at most one is open at a time.
const TIP: &str = "explanation";
/// The time in which the pointer may move from the term to its explanation, in milliseconds.
const LEAVE_MS: u32 = 150;
/// The distance between a term and its explanation, in pixels.
const GAP: f64 = 6.0;
/// The least distance between the explanation and the window's edge, in pixels.
const EDGE: f64 = 8.0;

#[derive(Properties, PartialEq)]
pub struct TermProps {
    /// The name of the term in the glossary.
    pub of: &'static str,
    /// The term as it is written here.
    pub children: Html,
}

/// A term with a dotted underline, and its explanation.
#[component]
pub fn Term(TermProps { of, children }: &TermProps) -> Html {
    let word = use_node_ref();
    let tip = use_explanation(of, &word, "explanation");
    if glossary::find(of).is_none() {
        return children.clone();
    }
    html! {
        <>
            <dfn
                class="term"
                ref={word}
                tabindex="0"
                aria-describedby={tip.describes()}
                onfocus={tip.open.reform(|_: FocusEvent| ())}
                onblur={tip.close.reform(|_: FocusEvent| ())}
                onclick={tip.open.reform(|_: MouseEvent| ())}
                onmouseenter={tip.open.reform(|_: MouseEvent| ())}
                onmouseleave={tip.leave.reform(|_: MouseEvent| ())}
            >
                { children.clone() }
            </dfn>
            { tip.drawn }
        </>
    }
}

/// The explanation of a term, with callbacks that open and close it.
pub struct Explanation {
    pub is_open: bool,
    pub open: Callback<()>,
    pub close: Callback<()>,
    /// Closes the explanation, unless the pointer enters the term or the explanation soon.
    pub leave: Callback<()>,
    pub drawn: Html,
}

impl Explanation {
    /// Returns the id of the explanation while it is open, for `aria-describedby`.
    pub fn describes(&self) -> Option<&'static str> {
        self.is_open.then_some(TIP)
    }
}

/// Returns the explanation of a term, to be drawn beside the element `word`. `class` is its CSS class; `passive` in it lets the pointer through.
#[hook]
pub fn use_explanation(of: &'static str, word: &NodeRef, class: &'static str) -> Explanation {
    let is_open = use_state(|| false);
    let leaving = use_mut_ref(|| None::<Timeout>);
    let tip = use_node_ref();
    let open = {
        let (is_open, leaving) = (is_open.setter(), leaving.clone());
        Callback::from(move |()| {
            leaving.replace(None);
            is_open.set(true);
        })
    };
    let close = {
        let is_open = is_open.setter();
        Callback::from(move |()| is_open.set(false))
    };
    let leave = {
        let (close, leaving) = (close.clone(), leaving);
        Callback::from(move |()| {
            let close = close.clone();
            leaving.replace(Some(Timeout::new(LEAVE_MS, move || close.emit(()))));
        })
    };
    let (drawn_tip, drawn_word, closes) = (tip.clone(), word.clone(), close.clone());
    use_effect_with(*is_open, move |is_open| {
        let listening = is_open.then(|| Listening::new(drawn_word.clone(), drawn_tip.clone(), closes));
        if let (true, Some(tip), Some(word)) = (*is_open, drawn_tip.cast::<HtmlElement>(), drawn_word.cast::<Element>()) {
            place(&tip, &word);
        }
        move || drop(listening)
    });
    let main = is_open.then(|| web_sys::window()?.document()?.query_selector("main").ok().flatten()).flatten();
    let drawn = match (main, glossary::find(of)) {
        (Some(main), Some(entry)) => create_portal(
            html! {
                <p
                    id={TIP}
                    {class}
                    role="tooltip"
                    ref={tip}
                    onmouseenter={open.reform(|_: MouseEvent| ())}
                    onmouseleave={leave.reform(|_: MouseEvent| ())}
                >
                    <b>{ entry.term }</b>{ ": " }{ entry.sentence }
                </p>
            },
            main,
        ),
        _ => Html::default(),
    };
    Explanation { is_open: *is_open, open, close, leave, drawn }
}

/// Listens, while an explanation is open, for the events that close it: Escape, a press elsewhere, or scrolling away.
struct Listening {
    listener: Closure<dyn Fn(Event)>,
}

const EVENTS: [&str; 3] = ["keydown", "pointerdown", "scroll"];

impl Listening {
    fn new(word: NodeRef, tip: NodeRef, close: Callback<()>) -> Listening {
        let listener = Closure::<dyn Fn(Event)>::new(move |event: Event| {
            let is_inside = |node: &NodeRef| {
                let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
                node.get().is_some_and(|node| node.contains(target.as_ref()))
            };
            match event.type_().as_str() {
                "keydown" if event.unchecked_ref::<KeyboardEvent>().key() != "Escape" => return,
                // Escape then closes nothing else, such as a dialog.
                "keydown" => {
                    event.prevent_default();
                    event.stop_propagation();
                }
                "pointerdown" if is_inside(&word) || is_inside(&tip) => return,
                _ => {}
            }
            close.emit(());
        });
        if let Some(window) = web_sys::window() {
            for name in EVENTS {
                // Without the listener the explanation still closes when the focus or the pointer leaves; ignore failure.
                let _ = window.add_event_listener_with_callback_and_bool(name, listener.as_ref().unchecked_ref(), true);
            }
        }
        Listening { listener }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            for name in EVENTS {
                let _ = window.remove_event_listener_with_callback_and_bool(name, self.listener.as_ref().unchecked_ref(), true);
            }
        }
    }
}

/// Moves the explanation below the term, or above it where there is no room, inside the window.
fn place(tip: &HtmlElement, word: &Element) {
    let Some(window) = web_sys::window() else { return };
    let size = |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|value: wasm_bindgen::JsValue| value.as_f64()).unwrap_or(0.0);
    let (width, height) = (size(window.inner_width()), size(window.inner_height()));
    let (rect, own) = (word.get_bounding_client_rect(), tip.get_bounding_client_rect());
    let left = rect.left().min(width - own.width() - EDGE).max(EDGE);
    let below = rect.bottom() + GAP;
    let top = if below + own.height() + EDGE <= height { below } else { (rect.top() - GAP - own.height()).max(EDGE) };
    // A failure leaves the explanation in the corner, where people can read it as well.
    let _ = tip.style().set_property("left", &format!("{}px", left.round()));
    let _ = tip.style().set_property("top", &format!("{}px", top.round()));
}
