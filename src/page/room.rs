//! The room of each pane: sizes, panes folded to a strip, and a maximised one. Every layout keeps its own.

use super::{Page, Pane};
use crate::api::json;
use crate::api::value::from_value;
use crate::view::{Layout, Side};
use serde::{Deserialize, Serialize};

/// The room of the panes in one layout. Sizes are in thousandths of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Room {
    /// The width of the left column, in thousandths of the window's width.
    pub left: u16,
    /// The width of the right column, in thousandths of the window's width.
    pub right: u16,
    /// The height of the drawer, in thousandths of the window's height.
    pub bottom: u16,
    /// The panes that are folded to a strip.
    pub folded: Folded,
    /// The pane that takes all the room, if one is maximised.
    pub maximised: Option<Pane>,
}

/// The panes that are folded to a strip. The terminal is folded with the drawer that it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Folded {
    /// Set if the pane with the manifest is folded.
    pub desired: bool,
    /// Set if the pane with nodes and pods is folded.
    pub actual: bool,
    /// Set if the pane with controllers and objects is folded.
    pub side: bool,
    /// Set if the drawer is folded.
    pub drawer: bool,
}

impl Folded {
    /// Returns whether a pane is folded.
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
    /// Returns whether a pane may be folded: at least one of the columns has to stay.
    pub fn may_fold(&self, pane: Pane) -> bool {
        let mut after = *self;
        after.set(pane, true);
        !after.has_no_column()
    }
    fn has_no_column(&self) -> bool {
        self.desired && self.actual && self.side
    }
}

/// A movable edge between panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The edge between the left column and the middle.
    Left,
    /// The edge between the middle and the right column.
    Right,
    /// The edge above the drawer.
    Bottom,
}

impl Edge {
    /// All movable edges.
    pub const ALL: [Edge; 3] = [Edge::Left, Edge::Right, Edge::Bottom];
    /// The smallest size of the outer pane (a side column or the drawer) that an edge can be moved to, in thousandths of the window.
    pub const LEAST: u16 = 80;
    /// Returns the largest size of the outer pane (a side column or the drawer) that the edge can be moved to, in thousandths of the window.
    pub fn most(self) -> u16 {
        if self == Edge::Bottom { 800 } else { 600 }
    }
}

/// An action on the room of the panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomAction {
    /// Moves an edge, so that its outer pane (a side column or the drawer) has this size, in thousandths of the window.
    Move(Edge, u16),
    /// Moves an edge, so that its outer pane (a side column or the drawer) grows or, below 0, shrinks by this many thousandths of the window.
    Nudge(Edge, i16),
    /// Moves an edge back to its place in the layout by default.
    Reset(Edge),
    /// Folds a pane to a strip.
    Fold(Pane),
    /// Unfolds a pane.
    Unfold(Pane),
    /// Maximises a pane, or restores the others if it is maximised.
    Maximise(Pane),
    /// Maximises the pane that had the keyboard focus last, or restores the others if it is maximised.
    MaximiseFocused,
    /// Restores the panes that a maximised one hides.
    Restore,
    /// Reports that the keyboard focus is now in a pane.
    Entered(Pane),
}

impl Room {
    /// Returns the default room of the panes in a layout.
    pub fn of(layout: Layout) -> Room {
        let (left, right, bottom) = match layout {
            Layout::Learn => (190, 210, 250),
            Layout::Operate => (240, 280, 440),
            Layout::Inspect => (240, 270, 320),
        };
        // In *Operate* the right column appears only once an object is open.
        let folded = Folded { side: layout == Layout::Operate, ..Folded::default() };
        Room { left, right, bottom, folded, maximised: None }
    }
    /// Returns the size of the pane outside of an edge (a side column or the drawer), in thousandths of the window.
    pub fn size(&self, edge: Edge) -> u16 {
        match edge {
            Edge::Left => self.left,
            Edge::Right => self.right,
            Edge::Bottom => self.bottom,
        }
    }
    /// Sets the size of the pane outside of an edge, within the edge's limits.
    pub fn set_size(&mut self, edge: Edge, size: u16) {
        let size = size.clamp(Edge::LEAST, edge.most());
        match edge {
            Edge::Left => self.left = size,
            Edge::Right => self.right = size,
            Edge::Bottom => self.bottom = size,
        }
    }
    /// Returns the room with all sizes within their limits and with at least one open column, because a stored text may hold anything.
    fn checked(mut self) -> Room {
        for edge in Edge::ALL {
            self.set_size(edge, self.size(edge));
        }
        if self.folded.has_no_column() {
            self.folded = Folded::default();
        }
        self
    }
    /// Unfolds a pane, and restores it if another one is maximised.
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
    /// Reads the rooms that an earlier visit has stored. Invalid ones become the defaults of their layouts.
    pub fn read(text: &str) -> Rooms {
        let rooms: Rooms = json::parse(text).ok().and_then(|tree| from_value(&tree).ok()).unwrap_or_default();
        Rooms { learn: rooms.learn.checked(), operate: rooms.operate.checked(), inspect: rooms.inspect.checked() }
    }
    /// Returns the rooms as a text to store for the next visit.
    pub fn write(&self) -> String {
        json::text_of(self)
    }
    /// Returns the room of the panes in a layout.
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
                // In *Operate* the right column shows an object, and folding the column closes the object.
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
    /// Makes a pane visible in the current layout.
    pub(super) fn reveal(&mut self, pane: Pane) {
        self.preferences.rooms.of_mut(self.selection.layout).reveal(pane);
    }
    /// Returns the room of the panes in the current layout.
    pub fn room(&self) -> Room {
        self.preferences.rooms.of(self.selection.layout)
    }
    /// Returns the pane that had the keyboard focus last.
    pub fn entered(&self) -> Option<Pane> {
        self.entered
    }
}

/// Returns the main pane of a layout, which is maximised if no pane has had the focus yet.
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
