//! The heat map: all nodes and pods as one picture on a canvas. Pointer and arrow keys select a node.

use super::heat_canvas::HeatCanvas;
use crate::ui::dispatch::{Dispatch, use_dispatch};
use crate::ui::widgets::on_menu;
use loopscope::api::kind::Kind;
use loopscope::page::Select;
use loopscope::page::preferences::Theme;
use loopscope::view::Subject;
use loopscope::view::cluster::MapView;
use loopscope::view::menus::Thing;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, MediaQueryList, ResizeObserver};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HeatMapProps {
    pub view: MapView,
    pub theme: Theme,
}

/// All nodes and pods as one picture on a canvas.
#[component]
pub fn HeatMap(HeatMapProps { view, theme }: &HeatMapProps) -> Html {
    let dispatch = use_dispatch();
    let canvas = use_node_ref();
    let picture = use_mut_ref(HeatCanvas::default);
    let surroundings = use_surroundings(&canvas);
    {
        let (canvas, picture) = (canvas.clone(), picture.clone());
        use_effect_with((view.clone(), *theme, surroundings), move |(view, theme, surroundings)| {
            if let Some(canvas) = canvas.cast() {
                picture.borrow_mut().show(&canvas, view, *theme, *surroundings);
            }
        });
    }
    let (count, place) = picture.borrow().heat.place(view.picked);
    let name = view.picked.and_then(|slot| view.census.node_pods(slot)).map(|node_pods| node_pods.name.to_string());
    let oncontextmenu = name.as_ref().map(|name| on_menu(&dispatch, Thing::Object(Subject::new(Kind::NODE, "", name))));
    html! {
        <div class="heat">
            <canvas ref={canvas} role="img" aria-label={view.words.clone()} />
            <div
                class="walk"
                role="slider"
                tabindex="0"
                aria-label="Node on the map"
                aria-valuemin="1"
                aria-valuemax={count.max(1).to_string()}
                aria-valuenow={place.max(1).to_string()}
                aria-valuetext={view.picked_words.clone()}
                data-kind={name.is_some().then_some("Node")}
                data-namespace=""
                data-name={name}
                onkeydown={on_key(view, &picture, &dispatch)}
                onpointerdown={on_press(view, &picture, &dispatch)}
                {oncontextmenu}
            />
        </div>
    }
}

/// Returns a listener for the arrow keys, which move the selection from node to node.
fn on_key(view: &MapView, picture: &Rc<RefCell<HeatCanvas>>, dispatch: &Dispatch) -> Callback<KeyboardEvent> {
    let (view, picture, dispatch) = (view.clone(), picture.clone(), dispatch.clone());
    Callback::from(move |event: KeyboardEvent| {
        let (right, down) = match event.key().as_str() {
            "ArrowRight" => (1, 0),
            "ArrowLeft" => (-1, 0),
            "ArrowDown" => (0, 1),
            "ArrowUp" => (0, -1),
            "PageDown" => (0, 10),
            "PageUp" => (0, -10),
            "Home" => (isize::MIN / 2, 0),
            "End" => (isize::MAX / 2, 0),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let slot = picture.borrow().heat.beside(view.picked, right, down);
        select_node(slot, &view, &dispatch);
    })
}

/// Returns a listener that selects the node under the pointer as soon as the pointer is pressed, so that a menu opens for that node.
fn on_press(view: &MapView, picture: &Rc<RefCell<HeatCanvas>>, dispatch: &Dispatch) -> Callback<PointerEvent> {
    let (view, picture, dispatch) = (view.clone(), picture.clone(), dispatch.clone());
    Callback::from(move |event: PointerEvent| {
        let slot = picture.borrow().slot_at(event.offset_x(), event.offset_y());
        select_node(slot, &view, &dispatch);
    })
}

fn select_node(slot: Option<u32>, view: &MapView, dispatch: &Dispatch) {
    if let Some(node_pods) = slot.and_then(|slot| view.census.node_pods(slot)) {
        dispatch.send(Select::Node(node_pods.name.clone()));
    }
}

/// Returns a number that changes whenever the size of the canvas or the operating system's theme changes.
#[hook]
fn use_surroundings(canvas: &NodeRef) -> u32 {
    let number = use_state_eq(|| 0);
    let (canvas, setter) = (canvas.clone(), number.setter());
    use_effect_with((), move |()| {
        let count = Cell::new(0);
        let watch = Watch::start(&canvas, move || {
            count.set(count.get() + 1);
            setter.set(count.get());
        });
        move || drop(watch)
    });
    *number
}

/// Observes the size of the canvas and the operating system's theme until it is dropped.
struct Watch {
    observer: Option<ResizeObserver>,
    query: Option<MediaQueryList>,
    _callback: Closure<dyn FnMut()>,
}

impl Watch {
    fn start(canvas: &NodeRef, changed: impl FnMut() + 'static) -> Watch {
        let callback = Closure::<dyn FnMut()>::new(changed);
        let function = callback.as_ref().unchecked_ref();
        let observer = ResizeObserver::new(function).ok();
        if let (Some(observer), Some(canvas)) = (&observer, canvas.cast::<Element>()) {
            observer.observe(&canvas);
        }
        let query = super::heat_canvas::dark_query();
        if let Some(query) = &query {
            query.set_onchange(Some(function));
        }
        Watch { observer, query, _callback: callback }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
        if let Some(query) = &self.query {
            query.set_onchange(None);
        }
    }
}
