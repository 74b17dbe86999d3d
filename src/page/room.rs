//! The room that each pane has: sizes, panes folded to a strip, and one that takes all of it. Every layout keeps its own.

use super::{Page, Pane};
use crate::api::json;
use crate::api::value::from_value;
use crate::view::{Layout, Side};
use serde::{Deserialize, Serialize};

/// The room of the panes in one layout. Sizes are in thousandths of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Room {
    /// The width of the left column.
    pub left: u16,
    /// The width of the right column.
    pub right: u16,
    /// The height of the drawer.
    pub bottom: u16,
    /// Panes that are only a strip.
    pub folded: Folded,
    /// The pane that takes all the room.
    pub maximised: Option<Pane>,
}

/// The panes that are folded to a strip. The terminal is folded with the drawer that it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Folded {
    /// The manifest.
    pub desired: bool,
    /// Nodes and pods.
    pub actual: bool,
    /// Controllers and objects.
    pub side: bool,
    /// The drawer.
    pub drawer: bool,
}

impl Folded {
    /// Whether a pane is folded.
    pub fn has(&self, pane: Pane) -> bool {
        match pane {
            Pane::Desired => self.desired,
            Pane::Actual => self.actual,
            Pane::Loop => self.side,
            Pane::Time | Pane::Terminal => self.drawer,
        }
    }
    fn set(&mut self, pane: Pane, folded: bool) {
        match pane {
            Pane::Desired => self.desired = folded,
            Pane::Actual => self.actual = folded,
            Pane::Loop => self.side = folded,
            Pane::Time | Pane::Terminal => self.drawer = folded,
        }
    }
    /// Whether a pane may be folded: one of the columns has to stay.
    pub fn may_fold(&self, pane: Pane) -> bool {
        let mut after = *self;
        after.set(pane, true);
        !after.has_no_column()
    }
    fn has_no_column(&self) -> bool {
        self.desired && self.actual && self.side
    }
}

/// An edge between panes that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Between the left column and the middle.
    Left,
    /// Between the middle and the right column.
    Right,
    /// Above the drawer.
    Bottom,
}

impl Edge {
    /// All edges.
    pub const ALL: [Edge; 3] = [Edge::Left, Edge::Right, Edge::Bottom];
    /// The smallest size that it can be moved to.
    pub const LEAST: u16 = 80;
    /// The largest size that it can be moved to.
    pub fn most(self) -> u16 {
        if self == Edge::Bottom { 800 } else { 600 }
    }
}

/// Something done to the room of the panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomAction {
    /// Moves an edge, so that the pane outside of it has this size.
    Move(Edge, u16),
    /// Moves an edge outwards (less than 0) or inwards, by thousandths.
    Nudge(Edge, i16),
    /// Puts an edge back to where the layout has it.
    Reset(Edge),
    /// Folds a pane to a strip.
    Fold(Pane),
    /// Unfolds a pane.
    Unfold(Pane),
    /// Gives all the room to a pane, or brings the others back if it has it.
    Maximise(Pane),
    /// The same for the pane that had the focus last.
    MaximiseFocused,
    /// Brings the other panes back.
    Restore,
    /// Tells that the keyboard focus is now in a pane.
    Entered(Pane),
}

impl Room {
    /// The room as a layout has it before anybody changes it.
    pub fn of(layout: Layout) -> Room {
        let (left, right, bottom) = match layout {
            Layout::Learn => (190, 210, 250),
            Layout::Operate => (240, 280, 440),
            Layout::Inspect => (240, 270, 320),
        };
        // An object takes its column only once it is open.
        let folded = Folded { side: layout == Layout::Operate, ..Folded::default() };
        Room { left, right, bottom, folded, maximised: None }
    }
    /// The size outside of an edge.
    pub fn size(&self, edge: Edge) -> u16 {
        match edge {
            Edge::Left => self.left,
            Edge::Right => self.right,
            Edge::Bottom => self.bottom,
        }
    }
    /// Moves an edge as far as it goes.
    pub fn set_size(&mut self, edge: Edge, size: u16) {
        let size = size.clamp(Edge::LEAST, edge.most());
        match edge {
            Edge::Left => self.left = size,
            Edge::Right => self.right = size,
            Edge::Bottom => self.bottom = size,
        }
    }
    /// The same room with sizes that make sense, whoever wrote it.
    fn checked(mut self) -> Room {
        for edge in Edge::ALL {
            self.set_size(edge, self.size(edge));
        }
        if self.folded.has_no_column() {
            self.folded = Folded::default();
        }
        self
    }
    /// Makes sure that a pane can be seen.
    fn reveal(&mut self, pane: Pane) {
        self.folded.set(pane, false);
        if self.maximised.is_some_and(|maximised| maximised.place() != pane.place()) {
            self.maximised = None;
        }
    }
}

/// The room of the panes in every layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rooms {
    learn: Room,
    operate: Room,
    inspect: Room,
}

impl Default for Rooms {
    fn default() -> Rooms {
        Rooms { learn: Room::of(Layout::Learn), operate: Room::of(Layout::Operate), inspect: Room::of(Layout::Inspect) }
    }
}

impl Rooms {
    /// Reads what an earlier visit has left. What makes no sense is as a layout has it.
    pub fn read(text: &str) -> Rooms {
        let rooms: Rooms = json::parse(text).ok().and_then(|tree| from_value(&tree).ok()).unwrap_or_default();
        Rooms { learn: rooms.learn.checked(), operate: rooms.operate.checked(), inspect: rooms.inspect.checked() }
    }
    /// Writes it down for the next visit.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
    /// The room in a layout.
    pub fn of(&self, layout: Layout) -> Room {
        match layout {
            Layout::Learn => self.learn,
            Layout::Operate => self.operate,
            Layout::Inspect => self.inspect,
        }
    }
    fn of_mut(&mut self, layout: Layout) -> &mut Room {
        match layout {
            Layout::Learn => &mut self.learn,
            Layout::Operate => &mut self.operate,
            Layout::Inspect => &mut self.inspect,
        }
    }
}

impl Page {
    /// Changes the room of the panes in the layout that is shown.
    pub(super) fn change_room(&mut self, action: RoomAction) {
        let layout = self.selection.layout;
        let focused = self.entered.unwrap_or_else(|| main_pane(layout));
        let room = self.preferences.rooms.of_mut(layout);
        match action {
            RoomAction::Move(edge, size) => room.set_size(edge, size),
            RoomAction::Nudge(edge, by) => room.set_size(edge, room.size(edge).saturating_add_signed(by)),
            RoomAction::Reset(edge) => room.set_size(edge, Room::of(layout).size(edge)),
            RoomAction::Fold(pane) if room.folded.may_fold(pane) => {
                room.maximised = None;
                room.folded.set(pane, true);
                // There the column is for an object, which this closes.
                if layout == Layout::Operate && pane == Pane::Loop {
                    self.selection.side = Side::Loop;
                }
            }
            RoomAction::Fold(_) => {}
            RoomAction::Unfold(pane) => room.reveal(pane),
            RoomAction::Maximise(pane) => maximise(room, pane),
            RoomAction::MaximiseFocused => maximise(room, focused),
            RoomAction::Restore => room.maximised = None,
            RoomAction::Entered(pane) => self.entered = Some(pane),
        }
    }
    /// Makes sure that a pane which was asked for can be seen.
    pub(super) fn reveal(&mut self, pane: Pane) {
        self.preferences.rooms.of_mut(self.selection.layout).reveal(pane);
    }
    /// The room of the panes in the layout that is shown.
    pub fn room(&self) -> Room {
        self.preferences.rooms.of(self.selection.layout)
    }
    /// The pane in which the keyboard focus was last.
    pub fn entered(&self) -> Option<Pane> {
        self.entered
    }
}

/// The pane that a layout is about.
fn main_pane(layout: Layout) -> Pane {
    match layout {
        Layout::Learn => Pane::Loop,
        Layout::Operate => Pane::Terminal,
        Layout::Inspect => Pane::Actual,
    }
}

fn maximise(room: &mut Room, pane: Pane) {
    let is_already = room.maximised.is_some_and(|maximised| maximised.place() == pane.place());
    room.maximised = if is_already { None } else { Some(pane.place()) };
    room.folded.set(pane, false);
}
