//! The heat map on a canvas: the inks of [`Heat`] in the page's colours. Only parts that changed are put on the screen again.

use crate::ui::markup::html;
use crate::ui::state::Dispatch;
use crate::ui::theme::is_dark;
use loopscope::view::cluster::heat::{Area, Heat, Ink, Painted};
use loopscope::view::cluster::{Health, MapView};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData, ResizeObserver};
use yew::{Html, KeyboardEvent, NodeRef, PointerEvent, Properties, component, use_effect_with, use_mut_ref, use_node_ref, use_state_eq};

#[derive(Properties, PartialEq)]
pub struct HeatMapProps {
    pub view: MapView,
    pub dispatch: Dispatch,
}

/// With more changed parts than this the whole picture is put on the screen at once.
const PARTS_AT_ONCE: usize = 150;

/// All nodes and pods as one picture.
#[component]
pub fn HeatMap(props: &HeatMapProps) -> Html {
    let canvas = use_node_ref();
    let screen = use_mut_ref(Screen::default);
    // Counts up when the canvas got another size or the page another theme.
    let turn = use_state_eq(|| 0u32);
    let (watched, setter) = (canvas.clone(), turn.setter());
    use_effect_with((), move |()| {
        let count = Rc::new(RefCell::new(0));
        let watch = Watch::start(&watched, move || {
            *count.borrow_mut() += 1;
            setter.set(*count.borrow());
        });
        move || drop(watch)
    });
    let (drawn, shown, view) = (canvas.clone(), screen.clone(), props.view.clone());
    use_effect_with((props.view.clone(), *turn), move |(_, turn)| shown.borrow_mut().show(&drawn, &view, *turn));
    let walk = walk(props, &screen);
    let point = point(props, &screen);
    let (count, at) = screen.borrow().heat.place(props.view.picked);
    let name = props.view.picked.and_then(|slot| props.view.census.crew(slot)).map(|crew| crew.name.to_string());
    html! {
        <div class="heat">
            <canvas ref={canvas} role="img" aria-label={props.view.words.clone()} />
            <div
                class="walk"
                role="slider"
                tabindex="0"
                aria-label="Node on the map"
                aria-valuemin="1"
                aria-valuemax={count.max(1)}
                aria-valuenow={at.max(1)}
                aria-valuetext={props.view.picked_words.clone()}
                data-kind={name.is_some().then_some("Node")}
                data-namespace=""
                data-name={name}
                onkeydown={walk}
                onpointerdown={point}
            />
        </div>
    }
}

/// The arrow keys go from block to block.
fn walk(props: &HeatMapProps, screen: &Rc<RefCell<Screen>>) -> impl Fn(KeyboardEvent) + 'static {
    let (view, dispatch, screen) = (props.view.clone(), props.dispatch.clone(), screen.clone());
    move |event: KeyboardEvent| {
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
        let slot = screen.borrow().heat.beside(view.picked, right, down);
        pick(slot, &view, &dispatch);
    }
}

/// A press picks the node under it, before anything else learns of the press.
fn point(props: &HeatMapProps, screen: &Rc<RefCell<Screen>>) -> impl Fn(PointerEvent) + 'static {
    let (view, dispatch, screen) = (props.view.clone(), props.dispatch.clone(), screen.clone());
    move |event: PointerEvent| {
        let screen = screen.borrow();
        let scale = |offset: i32| (f64::from(offset.max(0)) * screen.density) as usize;
        let slot = screen.heat.at(scale(event.offset_x()), scale(event.offset_y()));
        pick(slot, &view, &dispatch);
    }
}

fn pick(slot: Option<u32>, view: &MapView, dispatch: &Dispatch) {
    if let Some(crew) = slot.and_then(|slot| view.census.crew(slot)) {
        let name = crew.name.clone();
        dispatch.look(move |look| look.cluster.node = Some(name));
    }
}

/// What is on the canvas.
#[derive(Default)]
struct Screen {
    heat: Heat,
    colours: [[u8; 4]; Ink::COUNT],
    /// Whether the colours are the dark ones, once there are any.
    dark: Option<bool>,
    density: f64,
    /// For which turn, and how large.
    measured: Option<(u32, (u32, u32))>,
}

impl Screen {
    fn show(&mut self, canvas: &NodeRef, view: &MapView, turn: u32) {
        let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else { return };
        let Some(context) = canvas.get_context("2d").ok().flatten().and_then(|c| c.dyn_into::<CanvasRenderingContext2d>().ok()) else {
            return;
        };
        let (width, height) = match self.measured {
            // Asking for the size makes the browser lay out the whole page at once.
            Some((at, size)) if at == turn => size,
            _ => self.measure(&canvas, turn),
        };
        let dark = Some(is_dark());
        let repainted = dark != self.dark;
        if repainted {
            self.colours = colours(&canvas);
            self.dark = dark;
        }
        if (canvas.width(), canvas.height()) != (width, height) {
            canvas.set_width(width);
            canvas.set_height(height);
        }
        match self.heat.draw(view, width as usize, height as usize, self.density.round() as usize) {
            Painted::Parts(parts) if !repainted && parts.len() <= PARTS_AT_ONCE => parts.iter().for_each(|part| self.put(&context, *part)),
            _ => self.put(&context, self.heat.area),
        }
    }
    fn measure(&mut self, canvas: &HtmlCanvasElement, turn: u32) -> (u32, u32) {
        self.density = web_sys::window().map_or(1.0, |w| w.device_pixel_ratio()).clamp(1.0, 2.0);
        let size = |css: i32| (f64::from(css.max(1)) * self.density) as u32;
        let size = (size(canvas.client_width()), size(canvas.client_height()));
        self.measured = Some((turn, size));
        size
    }
    fn put(&self, context: &CanvasRenderingContext2d, part: Area) {
        let mut pixels = Vec::with_capacity(part.width * part.height * 4);
        for y in part.y..(part.y + part.height).min(self.heat.area.height) {
            let row = y * self.heat.area.width;
            for ink in self.heat.inks.get(row + part.x..row + part.x + part.width).unwrap_or(&[]) {
                pixels.extend_from_slice(self.colours.get(usize::from(*ink)).unwrap_or(&[0; 4]));
            }
        }
        let Ok(image) = ImageData::new_with_u8_clamped_array(Clamped(&pixels), part.width as u32) else { return };
        // A part that cannot be put there is put there with the next change.
        drop(context.put_image_data(&image, part.x as f64, part.y as f64));
    }
}

fn colours(canvas: &HtmlCanvasElement) -> [[u8; 4]; Ink::COUNT] {
    let style = web_sys::window().and_then(|w| w.get_computed_style(canvas).ok().flatten());
    let token = |name: &str| style.as_ref().and_then(|s| s.get_property_value(name).ok()).map_or([0; 4], |text| hex(half(text.trim())));
    let mut all = [[0; 4]; Ink::COUNT];
    for ink in Ink::all() {
        let name = match ink {
            Ink::Ground => "--bg",
            Ink::Block => "--surface-strong",
            Ink::Dim => "--line",
            Ink::Frame => "--accent",
            Ink::Of(Health::Good) => "--ok",
            Ink::Of(Health::Waiting) => "--wait",
            Ink::Of(Health::Warning) => "--warn",
            Ink::Of(Health::Bad) => "--bad",
            Ink::Of(Health::Done) => "--text-soft",
            Ink::Pale(Health::Good) => "--ok-fill",
            Ink::Pale(Health::Waiting) => "--wait-fill",
            Ink::Pale(Health::Warning) => "--warn-fill",
            Ink::Pale(Health::Bad) => "--bad-fill",
            Ink::Pale(Health::Done) => "--surface-strong",
        };
        all[usize::from(ink.number())] = token(name);
    }
    all
}

/// A token is `light-dark(#1f7a4c, #5cc48f)`: the half that holds now.
fn half(token: &str) -> &str {
    let both = token.strip_prefix("light-dark(").and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.split_once(','));
    both.map_or(token, |(light, dark)| if is_dark() { dark } else { light }).trim()
}

/// `#1f7a4c` as red, green, blue and full.
fn hex(text: &str) -> [u8; 4] {
    let part = |from: usize| text.get(from..from + 2).and_then(|two| u8::from_str_radix(two, 16).ok()).unwrap_or(0);
    [part(1), part(3), part(5), 255]
}

/// Tells when the canvas gets another size, or the page another theme.
struct Watch {
    observer: Option<ResizeObserver>,
    query: Option<web_sys::MediaQueryList>,
    /// Lives exactly as long as it can be called.
    _callback: Closure<dyn FnMut()>,
}

impl Watch {
    fn start(canvas: &NodeRef, changed: impl FnMut() + 'static) -> Watch {
        let callback = Closure::<dyn FnMut()>::new(changed);
        let function = callback.as_ref().unchecked_ref();
        let observer = ResizeObserver::new(function).ok();
        if let (Some(observer), Some(canvas)) = (&observer, canvas.cast::<web_sys::Element>()) {
            observer.observe(&canvas);
        }
        let query = web_sys::window().and_then(|w| w.match_media("(prefers-color-scheme: dark)").ok().flatten());
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
