//! The sizes of the panes as CSS variables. The page's Content-Security-Policy allows no `style` attribute, so they are set on the element by script.

use loopscope::page::room::Edge;
use loopscope::page::{Pane, Room};
use loopscope::view::Layout;
use web_sys::HtmlElement;
use yew::{NodeRef, hook, use_effect_with, use_node_ref};

/// The width or height of a folded pane, as a CSS length.
const STRIP: &str = "2.25rem";

/// Sets the CSS variables of the panes' sizes on the element that is given the returned reference.
#[hook]
pub fn use_tracks(room: Room, layout: Layout) -> NodeRef {
    let main = use_node_ref();
    let drawn = main.clone();
    use_effect_with((room, layout), move |(room, layout)| {
        let Some(main) = drawn.cast::<HtmlElement>() else { return };
        for (name, value) in variables(*room, *layout) {
            // Without the variables the panes have the sizes of the style sheet; ignore failure.
            let _ = main.style().set_property(name, &value);
        }
    });
    main
}

/// Returns the panes in the middle and on the right of a layout.
pub fn columns(layout: Layout) -> (Pane, Pane) {
    match layout {
        Layout::Learn => (Pane::Loop, Pane::Actual),
        Layout::Operate | Layout::Inspect => (Pane::Actual, Pane::Loop),
    }
}

/// Returns the CSS variables with the sizes of the panes. No pane becomes too small to use: columns have at least 11 rem, the drawer 6 rem.
fn variables(room: Room, layout: Layout) -> [(&'static str, String); 5] {
    let (middle, right) = columns(layout);
    let (is_left, is_middle, is_right) = (!room.folded.desired, !room.folded.has(middle), !room.folded.has(right));
    let percent = |edge: Edge| format!("{}%", f64::from(room.size(edge)) / 10.0);
    let left_size = if is_left { format!("clamp(11rem, {}, 100% - 22rem)", percent(Edge::Left)) } else { STRIP.to_owned() };
    let right_size = format!("clamp(11rem, {}, 100% - 11rem - {left_size})", percent(Edge::Right));
    let track = |is_open: bool, size: String, share: u16| match (is_open, is_middle) {
        (false, _) => STRIP.to_owned(),
        (true, true) => size,
        // A folded middle column leaves its room to the others.
        (true, false) => format!("minmax(11rem, {share}fr)"),
    };
    let middle = if is_middle { "minmax(0, 1fr)" } else { STRIP };
    let bottom = format!("clamp(6rem, {}vh, 100vh - 14rem)", f64::from(room.bottom) / 10.0);
    [
        ("--left", track(is_left, left_size.clone(), room.left)),
        ("--middle", middle.to_owned()),
        ("--right", track(is_right, right_size, room.right)),
        ("--bottom", if room.folded.drawer { STRIP.to_owned() } else { bottom }),
        ("--left-size", left_size),
    ]
}
