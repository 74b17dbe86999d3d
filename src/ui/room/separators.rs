//! The movable edges between panes: pointer and arrow keys move them, a double click resets them.

use super::tracks::columns;
use crate::ui::dispatch::use_dispatch;
use loopscope::page::room::Edge;
use loopscope::page::{Room, RoomAction};
use loopscope::view::Layout;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SeparatorsProps {
    pub room: Room,
    pub layout: Layout,
}

/// The edges between panes that can be moved at present.
#[component]
pub fn Separators(SeparatorsProps { room, layout }: &SeparatorsProps) -> Html {
    let (middle, right) = columns(*layout);
    let is_open = |edge: Edge| match edge {
        Edge::Left => !room.folded.desired && !room.folded.has(middle),
        Edge::Right => !room.folded.has(right) && !room.folded.has(middle),
        Edge::Bottom => !room.folded.drawer,
    };
    let edges = Edge::ALL.into_iter().filter(|edge| room.maximised.is_none() && is_open(*edge));
    let name = |edge: Edge| match edge {
        Edge::Left => "Width of Desired".to_owned(),
        Edge::Right => format!("Width of {}", right.name()),
        Edge::Bottom => "Height of the drawer".to_owned(),
    };
    let separator = |edge: Edge| html! { <Separator key={class_of(edge)} {edge} size={room.size(edge)} name={name(edge)} /> };
    html! { <>{ for edges.map(separator) }</> }
}

#[derive(Properties, PartialEq)]
struct SeparatorProps {
    edge: Edge,
    /// The size of the pane at the outer side of the edge, in thousandths of the whole.
    size: u16,
    name: String,
}

/// The step by which an arrow key moves an edge, in thousandths of the whole.
const STEP: i16 = 20;

/// One movable edge between panes.
#[component]
fn Separator(SeparatorProps { edge, size, name }: &SeparatorProps) -> Html {
    let (edge, dispatch) = (*edge, use_dispatch());
    let is_dragged = use_mut_ref(|| false);
    let onpointerdown = {
        let is_dragged = is_dragged.clone();
        move |event: PointerEvent| {
            let Some(target) = event.target_dyn_into::<Element>().filter(|_| event.button() == 0) else { return };
            // Without pointer capture the edge still moves while the pointer is over it; ignore failure.
            let _ = target.set_pointer_capture(event.pointer_id());
            *is_dragged.borrow_mut() = true;
        }
    };
    let onpointermove = {
        let (is_dragged, dispatch) = (is_dragged.clone(), dispatch.clone());
        move |event: PointerEvent| {
            if let Some(size) = place(&event, edge).filter(|_| *is_dragged.borrow()) {
                dispatch.send(RoomAction::Move(edge, size));
            }
        }
    };
    let onpointerup = {
        let is_dragged = is_dragged.clone();
        move |_: PointerEvent| *is_dragged.borrow_mut() = false
    };
    let onpointercancel = onpointerup.clone();
    let onkeydown = {
        let dispatch = dispatch.clone();
        move |event: KeyboardEvent| {
            let action = match (edge, event.key().as_str()) {
                (Edge::Left, "ArrowRight") | (Edge::Right, "ArrowLeft") | (Edge::Bottom, "ArrowUp") => RoomAction::Nudge(edge, STEP),
                (Edge::Left, "ArrowLeft") | (Edge::Right, "ArrowRight") | (Edge::Bottom, "ArrowDown") => RoomAction::Nudge(edge, -STEP),
                (_, "Home") => RoomAction::Move(edge, Edge::LEAST),
                (_, "End") => RoomAction::Move(edge, edge.most()),
                _ => return,
            };
            event.prevent_default();
            dispatch.send(action);
        }
    };
    let percent = |size: u16| (size / 10).to_string();
    html! {
        <div
            class={classes!("separator", class_of(edge))}
            role="separator"
            tabindex="0"
            aria-label={name.clone()}
            aria-orientation={if edge == Edge::Bottom { "horizontal" } else { "vertical" }}
            aria-valuenow={percent(*size)}
            aria-valuemin={percent(Edge::LEAST)}
            aria-valuemax={percent(edge.most())}
            aria-valuetext={format!("{} %", size / 10)}
            title={format!("{name}: drag, arrow keys, double click to reset")}
            ondblclick={dispatch.on(RoomAction::Reset(edge))}
            {onpointerdown}
            {onpointermove}
            {onpointerup}
            {onpointercancel}
            {onkeydown}
        />
    }
}

/// Returns the size that the pane at the outer side of an edge would have if the edge were at the pointer, in thousandths of the whole.
fn place(event: &PointerEvent, edge: Edge) -> Option<u16> {
    let main = event.target_dyn_into::<HtmlElement>()?.closest("main").ok().flatten()?;
    let all = main.get_bounding_client_rect();
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    let window_height = web_sys::window()?.inner_height().ok()?.as_f64()?;
    let share = match edge {
        Edge::Left => (x - all.left()) / all.width(),
        Edge::Right => (all.right() - x) / all.width(),
        Edge::Bottom => (all.bottom() - y) / window_height,
    };
    // A share that is no number becomes 0, the smallest size.
    Some((share * 1000.0).round() as u16)
}

fn class_of(edge: Edge) -> &'static str {
    match edge {
        Edge::Left => "left",
        Edge::Right => "right",
        Edge::Bottom => "bottom",
    }
}
