//! The layouts of the page, and the tabs of its panes: the middle pane (*stage*), the right pane (*side*) and the drawer along the bottom each show one of
//! several views. A *panel* is such a view alone, in an embed.
//!
//! **To add a view** (a tab of a pane):
//! 1. its data: a file here in `src/view`, a field of [`Frame`](super::Frame) and what fills it in `frame.rs`,
//! 2. its drawing: a component in the folder of its pane, `ui/actual` (stage), `ui/drawer` or beside `ui/object` (side), and its arm in that folder's `mod.rs`
//!    (`ui/app.rs` for the side); its styles in `static/style`, where a new sheet is named in `index.html`,
//! 3. its tab: a variant of [`Stage`], [`Side`] or [`Drawer`] here, and in the drawer its key in `page/shortcuts.rs`, with words to
//!    search for in `page/palette/commands.rs`,
//! 4. its panel in embeds: `embed_panels.rs` says how.

use serde::{Deserialize, Serialize};

/// A choice between a few things with names, shown as tabs.
pub trait Choice: Copy + PartialEq + 'static {
    /// All values, in the order of the screen.
    const ALL: &'static [Self];
    /// Returns the name of the value on the screen.
    fn name(self) -> &'static str;
}

/// The layout of the panes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// One pass large in the middle: observe, diff and act side by side.
    #[default]
    Learn,
    /// The cluster and the terminal.
    Operate,
    /// Everything about the loop, its objects and the store.
    Inspect,
}

impl Choice for Layout {
    const ALL: &'static [Layout] = &[Layout::Learn, Layout::Operate, Layout::Inspect];
    fn name(self) -> &'static str {
        match self {
            Layout::Learn => "Learn",
            Layout::Operate => "Operate",
            Layout::Inspect => "Inspect",
        }
    }
}

/// The view in the middle pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nodes and the pods on them.
    Cluster,
    /// Objects below the objects that own them (`ownerReferences`).
    Owners,
    /// Services, their endpoints, and the endpoint that a request would reach.
    Services,
    /// The objects of one kind as a table.
    Objects,
    /// The run and its twin, a second cluster that differs in one thing, side by side.
    Twins,
}

impl Choice for Stage {
    const ALL: &'static [Stage] = &[Stage::Cluster, Stage::Owners, Stage::Services, Stage::Objects, Stage::Twins];
    fn name(self) -> &'static str {
        match self {
            Stage::Cluster => "Nodes",
            Stage::Owners => "Owners",
            Stage::Services => "Services",
            Stage::Objects => "Objects",
            Stage::Twins => "Twins",
        }
    }
}

/// The view in the right pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The controllers and their passes.
    Loop,
    /// The object that is open.
    Object,
}

impl Choice for Side {
    const ALL: &'static [Side] = &[Side::Loop, Side::Object];
    fn name(self) -> &'static str {
        match self {
            Side::Loop => "Loop",
            Side::Object => "Object",
        }
    }
}

/// The view in the drawer along the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawer {
    /// The story of what just happened, in sentences.
    Story,
    /// The timeline, and the newest Events of the API.
    Time,
    /// The terminal.
    Terminal,
    /// All Events of the API.
    Events,
    /// The revisions of the store.
    Store,
    /// The charts of requests and queues over time.
    Requests,
    /// The alerts on lasting drift.
    Alerts,
    /// The reasons why the open object is as it is.
    Why,
}

impl Choice for Drawer {
    const ALL: &'static [Drawer] =
        &[Drawer::Story, Drawer::Time, Drawer::Terminal, Drawer::Events, Drawer::Store, Drawer::Requests, Drawer::Alerts, Drawer::Why];
    fn name(self) -> &'static str {
        match self {
            Drawer::Story => "Story",
            Drawer::Time => "Time",
            Drawer::Terminal => "Terminal",
            Drawer::Events => "Events",
            Drawer::Store => "Store",
            Drawer::Requests => "Requests",
            Drawer::Alerts => "Alerts",
            Drawer::Why => "Why",
        }
    }
}
