//! The heat map's canvas: paints the colour indexes (inks) of [`Heat`] in the page's colours. It repaints only the parts that changed.

use loopscope::page::preferences::Theme;
use loopscope::view::cluster::heat::{Area, Heat, Ink, Painted};
use loopscope::view::cluster::{Health, MapView};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData, MediaQueryList};

/// The number of changed parts above which the whole picture is painted at once.
const PARTS_AT_ONCE: usize = 150;

/// The picture of the heat map on its canvas.
#[derive(Default)]
pub struct HeatCanvas {
    pub heat: Heat,
    colours: [[u8; 4]; Ink::COUNT],
    /// Set if the picture is painted in the colours of the dark theme; `None` before the first painting.
    is_dark: Option<bool>,
    /// The number of device pixels per CSS pixel.
    density: f64,
    /// The number of the surroundings (see [`HeatCanvas::show`]) in which the canvas was measured, and the size that was found.
    measured: Option<(u32, (u32, u32))>,
}

impl HeatCanvas {
    /// Paints a view on the canvas. Measures the canvas again only if the number `surroundings` has changed, because reading a size makes the browser lay
    /// out the whole page.
    pub fn show(&mut self, canvas: &HtmlCanvasElement, view: &MapView, theme: Theme, surroundings: u32) {
        let context = canvas.get_context("2d").ok().flatten().and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok());
        let Some(context) = context else { return };
        let (width, height) = match self.measured {
            Some((at, size)) if at == surroundings => size,
            _ => self.measure(canvas, surroundings),
        };
        let is_dark = Some(is_dark(theme));
        let is_recoloured = is_dark != self.is_dark;
        if is_recoloured {
            self.colours = colours(canvas, is_dark == Some(true));
            self.is_dark = is_dark;
        }
        if (canvas.width(), canvas.height()) != (width, height) {
            canvas.set_width(width);
            canvas.set_height(height);
        }
        match self.heat.draw(view, width as usize, height as usize, self.density.round() as usize) {
            Painted::Parts(parts) if !is_recoloured && parts.len() <= PARTS_AT_ONCE => {
                parts.iter().for_each(|part| self.put(&context, *part));
            }
            _ => self.put(&context, self.heat.area),
        }
    }
    /// Returns the slot of the node at a point, given in CSS pixels from the upper left corner of the canvas.
    pub fn slot_at(&self, x: i32, y: i32) -> Option<u32> {
        let scale = |offset: i32| (f64::from(offset.max(0)) * self.density) as usize;
        self.heat.at(scale(x), scale(y))
    }
    fn measure(&mut self, canvas: &HtmlCanvasElement, surroundings: u32) -> (u32, u32) {
        self.density = web_sys::window().map_or(1.0, |w| w.device_pixel_ratio()).clamp(1.0, 2.0);
        let pixels = |length: i32| (f64::from(length.max(1)) * self.density) as u32;
        let size = (pixels(canvas.client_width()), pixels(canvas.client_height()));
        self.measured = Some((surroundings, size));
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
        // A part that cannot be painted now follows with its next change; ignore failure.
        let _ = context.put_image_data(&image, part.x as f64, part.y as f64);
    }
}

/// Returns the media query that matches if the operating system uses a dark theme.
pub fn dark_query() -> Option<MediaQueryList> {
    web_sys::window()?.match_media("(prefers-color-scheme: dark)").ok().flatten()
}

/// Returns whether a theme is dark at present.
pub fn is_dark(theme: Theme) -> bool {
    match theme {
        Theme::Dark => true,
        Theme::Light => false,
        Theme::Auto => dark_query().is_some_and(|query| query.matches()),
    }
}

/// Reads the colours of all inks (contents of a point of the heat map) from the style sheet, as red, green, blue and opacity.
fn colours(canvas: &HtmlCanvasElement, is_dark: bool) -> [[u8; 4]; Ink::COUNT] {
    let style = web_sys::window().and_then(|w| w.get_computed_style(canvas).ok().flatten());
    let mut all = [[0; 4]; Ink::COUNT];
    for ink in Ink::all() {
        let token = style.as_ref().and_then(|style| style.get_property_value(token(ink)).ok()).unwrap_or_default();
        all[usize::from(ink.number())] = red_green_blue(one_of_two(token.trim(), is_dark));
    }
    all
}

/// Returns the CSS custom property with the colour of an ink, the content of a point of the heat map.
fn token(ink: Ink) -> &'static str {
    match ink {
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
    }
}

/// Returns the light or the dark one of the two colours in a CSS value such as `light-dark(#1f7a4c, #5cc48f)`.
fn one_of_two(value: &str, is_dark: bool) -> &str {
    let both = value.strip_prefix("light-dark(").and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.split_once(','));
    both.map_or(value, |(light, dark)| if is_dark { dark } else { light }).trim()
}

/// Parses `#1f7a4c` into red, green, blue and full opacity.
fn red_green_blue(hex: &str) -> [u8; 4] {
    let part = |from: usize| hex.get(from..from + 2).and_then(|two| u8::from_str_radix(two, 16).ok()).unwrap_or(0);
    [part(1), part(3), part(5), 255]
}
