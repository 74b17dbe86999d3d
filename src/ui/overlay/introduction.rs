//! The introduction on a first visit: each step draws a frame around the element that it explains, and a bubble with a sentence beside it. It takes no
//! focus and does not cover that element.

use crate::ui::dispatch::use_dispatch;
use gloo_timers::callback::Interval;
use loopscope::page::introduction::{Introduction, IntroductionAction, Step};
use std::cell::Cell;
use wasm_bindgen::JsCast;
use web_sys::{Document, DomRect, Element, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

/// The time between two measurements of the explained element's position, in milliseconds: it moves with the panes, and a pod may disappear.
const LOOK_MS: u32 = 200;
/// The distance between the explained element and the frame around it, in pixels.
const AWAY: f64 = 4.0;
/// The distance between the frame and the bubble, in pixels.
const GAP: f64 = 12.0;
/// The least distance between the bubble and the window's edge, in pixels.
const EDGE: f64 = 8.0;

#[derive(Properties, PartialEq)]
pub struct IntroductionBubbleProps {
    pub introduction: Introduction,
}

/// One step of the introduction: the frame and the bubble.
#[component]
pub fn IntroductionBubble(IntroductionBubbleProps { introduction }: &IntroductionBubbleProps) -> Html {
    let dispatch = use_dispatch();
    let (frame, bubble) = (use_node_ref(), use_node_ref());
    let step = introduction.step;
    let (drawn_frame, drawn_bubble) = (frame.clone(), bubble.clone());
    use_effect_with(introduction.clone(), move |_| {
        let is_revealed = Cell::new(false);
        let look = move || {
            // Brought into sight once, so that a person may scroll on.
            if !is_revealed.get() {
                is_revealed.set(reveal(step));
            }
            if let (Some(frame), Some(bubble)) = (drawn_frame.cast::<HtmlElement>(), drawn_bubble.cast::<HtmlElement>()) {
                point(step, &frame, &bubble);
            }
        };
        look();
        let again = Interval::new(LOOK_MS, look);
        move || drop(again)
    });
    let is_last = step.number() == Step::ALL.len();
    html! {
        <>
            <div class="pointed away" ref={frame} aria-hidden="true" />
            <aside class="introduction away" ref={bubble} aria-label="Introduction">
                <p role="status">{ &introduction.words }</p>
                <footer>
                    <span class="soft">{ format!("{} of {}", step.number(), Step::ALL.len()) }</span>
                    <button type="button" class="quiet" onclick={dispatch.on(IntroductionAction::End)}>{ "Skip" }</button>
                    <button type="button" class="primary" onclick={dispatch.on(IntroductionAction::Next)}>{ if is_last { "Done" } else { "Next" } }</button>
                </footer>
            </aside>
        </>
    }
}

/// Returns the element that a step explains, in sight or not.
fn explained(document: &Document, step: Step) -> Option<Element> {
    let first = |selector: &str| document.query_selector(selector).ok().flatten();
    match step {
        Step::Asked => first(".desired .rich").and_then(|editor| replicas_line(&editor)),
        Step::Compared => first(".loop .cards"),
        Step::There => first(".actual .tile.good").or_else(|| first(".actual .tile")),
    }
}

/// Returns the rectangle of the element that a step explains, or of one around it; `None` if neither is visible.
fn target(document: &Document, step: Step) -> Option<DomRect> {
    let first = |selector: &str| document.query_selector(selector).ok().flatten();
    let (host, around) = match step {
        Step::Asked => (first(".desired .rich"), ".desired .rich:not(.waiting), .desired textarea"),
        Step::Compared => (None, ".loop .phases"),
        Step::There => (None, ".actual .stage"),
    };
    let exact = explained(document, step).and_then(|element| seen(document, &element, host.as_ref().unwrap_or(&element)));
    exact.or_else(|| first(around).and_then(|element| seen(document, &element, &element)))
}

/// Scrolls the element that a step explains into sight. Returns whether the element is there.
fn reveal(step: Step) -> bool {
    let element = web_sys::window().and_then(|w| w.document()).and_then(|document| explained(&document, step));
    let Some(element) = element else { return false };
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
    // A line that is longer than the editor is wide begins at its left edge.
    if let Ok(Some(editor)) = element.closest(".cm-scroller") {
        editor.set_scroll_left(0);
    }
    true
}

/// Returns the rectangle of an element, cut to the width of `host`; `None` if its middle is outside the window or covered. `host` is the element itself,
/// or the one whose shadow root contains it.
fn seen(document: &Document, element: &Element, host: &Element) -> Option<DomRect> {
    let (width, height) = window_size();
    let (rect, around) = (element.get_bounding_client_rect(), host.get_bounding_client_rect());
    // A long line of the editor would reach behind the next pane.
    rect.set_width(rect.right().min(around.right()) - rect.left());
    let x = rect.left().max(0.0).midpoint(rect.right().min(width));
    let y = rect.top().max(0.0).midpoint(rect.bottom().min(height));
    let hit = document.element_from_point(x as f32, y as f32)?;
    (rect.width() > 0.0 && host.contains(Some(&hit))).then_some(rect)
}

/// Returns the line of the editor that sets the number of replicas.
fn replicas_line(editor: &Element) -> Option<Element> {
    let lines = editor.shadow_root()?.query_selector_all(".cm-line").ok()?;
    let mut elements = (0..lines.length()).filter_map(|i| lines.item(i)?.dyn_into::<Element>().ok());
    elements.find(|line| line.text_content().is_some_and(|text| text.trim_start().starts_with("replicas:")))
}

fn window_size() -> (f64, f64) {
    let size = |value: Option<wasm_bindgen::JsValue>| value.and_then(|value| value.as_f64()).unwrap_or(0.0);
    let window = web_sys::window();
    (size(window.as_ref().and_then(|w| w.inner_width().ok())), size(window.as_ref().and_then(|w| w.inner_height().ok())))
}

/// Puts the frame around the explained element and the bubble beside it; hides both while the element is not visible.
fn point(step: Step, frame: &HtmlElement, bubble: &HtmlElement) {
    let found = web_sys::window().and_then(|w| w.document()).and_then(|document| target(&document, step));
    for element in [frame, bubble] {
        // CSS classes and positions are best effort; a failure is ignored.
        let _ = element.class_list().toggle_with_force("away", found.is_none());
    }
    let Some(rect) = found else { return };
    let place = |element: &HtmlElement, name: &str, value: f64| {
        let _ = element.style().set_property(name, &format!("{}px", value.round()));
    };
    let (width, height) = window_size();
    let (left, top) = ((rect.left() - AWAY).max(0.0), (rect.top() - AWAY).max(0.0));
    let (right, bottom) = ((rect.right() + AWAY).min(width), (rect.bottom() + AWAY).min(height));
    place(frame, "left", left);
    place(frame, "top", top);
    place(frame, "width", right - left);
    place(frame, "height", bottom - top);
    let (own_width, own_height) = (f64::from(bubble.offset_width()), f64::from(bubble.offset_height()));
    let across = left.min(width - own_width - EDGE).max(EDGE);
    let along = top.min(height - own_height - EDGE).max(EDGE);
    // Below, above, right or left of the element: the first position with room.
    let (x, y) = if bottom + GAP + own_height + EDGE <= height {
        (across, bottom + GAP)
    } else if top - GAP - own_height >= EDGE {
        (across, top - GAP - own_height)
    } else if right + GAP + own_width + EDGE <= width {
        (right + GAP, along)
    } else if left - GAP - own_width >= EDGE {
        (left - GAP - own_width, along)
    } else {
        (across, height - own_height - EDGE)
    };
    place(bubble, "left", x);
    place(bubble, "top", y);
}
