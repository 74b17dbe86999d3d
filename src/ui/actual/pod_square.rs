//! One pod as a small square, for views with many pods.

use super::click::on_click;
use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::{focus, on_menu};
use loopscope::api::kind::Kind;
use loopscope::api::meta::Key;
use loopscope::page::Select;
use loopscope::view::Subject;
use loopscope::view::cluster::PodCell;
use loopscope::view::menus::Thing;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// The properties of a pod's square, small and quick to compare: there are up to 900 squares, and only those that changed are rendered again.
#[derive(Properties, PartialEq)]
pub struct PodSquareProps {
    pub pod: PodCell,
    /// The state of the pod in words.
    pub words: AttrValue,
    /// Set for the first square of a group. The Tab key leads only to the first square; the arrow keys move among all.
    pub is_first: bool,
}

/// A pod as a small square.
#[component]
pub fn PodSquare(PodSquareProps { pod, words, is_first }: &PodSquareProps) -> Html {
    let dispatch = use_dispatch();
    let name = if pod.namespace == "default" { pod.name.to_string() } else { pod.key() };
    let subject = Subject { kind: Kind::POD, key: Key { namespace: pod.namespace.clone(), name: pod.name.clone() } };
    html! {
        <button
            type="button"
            class={classes!("square", pod.health.class(), pod.news.class())}
            aria-label={format!("{name}, {words}")}
            title={name.clone()}
            tabindex={if *is_first { "0" } else { "-1" }}
            data-kind="Pod"
            data-namespace={pod.namespace.to_string()}
            data-name={pod.name.to_string()}
            onclick={on_click(&dispatch, Select::Open(subject.clone()))}
            oncontextmenu={on_menu(&dispatch, Thing::Object(subject))}
        />
    }
}

/// Moves the focus among the squares of a group, by the arrow keys, Home and End.
pub fn move_among_squares(event: KeyboardEvent) {
    let next = event.target_dyn_into::<Element>().and_then(|square| next_square(&square, &event.key()));
    if next.is_some() {
        event.prevent_default();
        focus(next);
    }
}

/// Returns the square to which a key leads; `None` if there is none.
fn next_square(square: &Element, key: &str) -> Option<Element> {
    let step = |from: &Element, back: bool| if back { from.previous_element_sibling() } else { from.next_element_sibling() };
    match key {
        "ArrowRight" => step(square, false),
        "ArrowLeft" => step(square, true),
        "Home" => square.parent_element()?.first_element_child(),
        "End" => square.parent_element()?.last_element_child(),
        // The square above or below is the nearest one in the neighbouring row at the same distance from the left.
        "ArrowDown" | "ArrowUp" => {
            let ((left, top), back) = (place(square), key == "ArrowUp");
            std::iter::successors(step(square, back), |other| step(other, back))
                .find(|other| place(other).0 == left && place(other).1 != top)
        }
        _ => None,
    }
}

/// Returns the distances of an element from the left and the top of its offset parent, in CSS pixels.
fn place(element: &Element) -> (i32, i32) {
    element.dyn_ref::<HtmlElement>().map_or((0, 0), |element| (element.offset_left(), element.offset_top()))
}
