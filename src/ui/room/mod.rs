//! The sizes of the panes: movable edges, panes folded to a strip, and a maximised pane.
//!
//! | file | what |
//! | --- | --- |
//! | `separators` | the edges between panes |
//! | `pane_tools` | the buttons at the head of a pane, and the strip of a folded one |
//! | `tracks` | the sizes as CSS variables |

mod pane_tools;
mod separators;
mod tracks;

pub use pane_tools::PaneTools;
pub use separators::Separators;
pub use tracks::use_tracks;

use super::dispatch::use_dispatch;
use loopscope::page::{Pane, Room, RoomAction};
use yew::{Callback, Classes, FocusEvent, classes, hook, use_callback};

/// Returns a focus listener that reports to the page's model when the keyboard focus enters a pane.
#[hook]
pub fn use_entry(pane: Pane) -> Callback<FocusEvent> {
    let dispatch = use_dispatch();
    use_callback((dispatch, pane), |_, (dispatch, pane)| {
        if dispatch.page(|page| page.entered()) != Some(*pane) {
            dispatch.send(RoomAction::Entered(*pane));
        }
    })
}

/// Returns the CSS classes for folded and maximised panes.
pub fn room_class(room: Room) -> Classes {
    let folded = [
        room.folded.desired.then_some("fold-desired"),
        room.folded.actual.then_some("fold-actual"),
        room.folded.side.then_some("fold-loop"),
        room.folded.drawer.then_some("fold-drawer"),
    ];
    let alone = room.maximised.map(|pane| match pane {
        Pane::Desired => "only-desired",
        Pane::Actual => "only-actual",
        Pane::Loop => "only-loop",
        Pane::Time | Pane::Terminal => "only-drawer",
    });
    classes!(folded.into_iter().flatten().collect::<Vec<_>>(), alone.map(|alone| classes!("only", alone)))
}
