//! The panels of an embed: single views of the page, in the order that a course author gives. The page itself has panes with tabs instead, and no panels.
//!
//! **To add a panel** to an embed: a variant of [`Panel`] here, with its name, its title and its tab; its content in `ui/embed/panel.rs`, where
//! `has_own_head` and `is_wide` (`ui/embed/mod.rs`) hold what differs; a row in
//! `static/embed-contract.json`, and its name among the frozen ones in `tests/page/embed/contract.rs`. The view itself comes first: `panes.rs`.

use super::panes::{Drawer, Side, Stage};
use super::selection::Selection;
use crate::view::Layout;
use std::rc::Rc;

/// A view of the page that can stand alone in an embed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The manifest, and the API server's answer.
    Desired,
    /// Nodes and the pods on them.
    Cluster,
    /// The tree of objects below their owners.
    Owners,
    /// Services and their endpoints.
    Services,
    /// The objects of one kind as a table.
    Objects,
    /// The run and its twin, a second cluster, side by side.
    Twins,
    /// The loop of one controller in full.
    Loop,
    /// One pass of a controller, large.
    Pass,
    /// The loop of one controller as code.
    Code,
    /// The object that is open.
    Object,
    /// The story of what just happened, in sentences.
    Story,
    /// The timeline of the run.
    Time,
    /// The terminal.
    Terminal,
    /// The Events of the API.
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

impl Panel {
    /// All panels, in the order of `embed-contract.json`.
    pub const ALL: [Panel; 18] = [
        Panel::Desired,
        Panel::Cluster,
        Panel::Owners,
        Panel::Services,
        Panel::Objects,
        Panel::Twins,
        Panel::Loop,
        Panel::Pass,
        Panel::Code,
        Panel::Object,
        Panel::Story,
        Panel::Time,
        Panel::Terminal,
        Panel::Events,
        Panel::Store,
        Panel::Requests,
        Panel::Alerts,
        Panel::Why,
    ];
    /// Returns the name of the panel in the page's URL.
    pub fn name(self) -> &'static str {
        match self {
            Panel::Desired => "desired",
            Panel::Cluster => "cluster",
            Panel::Owners => "owners",
            Panel::Services => "services",
            Panel::Objects => "objects",
            Panel::Twins => "twins",
            Panel::Loop => "loop",
            Panel::Pass => "pass",
            Panel::Code => "code",
            Panel::Object => "object",
            Panel::Story => "story",
            Panel::Time => "time",
            Panel::Terminal => "terminal",
            Panel::Events => "events",
            Panel::Store => "store",
            Panel::Requests => "requests",
            Panel::Alerts => "alerts",
            Panel::Why => "why",
        }
    }
    /// Returns the heading of the panel.
    pub fn title(self) -> &'static str {
        match self {
            Panel::Desired => "Desired",
            Panel::Cluster => "Nodes and pods",
            Panel::Owners => "Owners",
            Panel::Services => "Services",
            Panel::Objects => "Objects",
            Panel::Twins => "Twins",
            Panel::Loop => "The loop",
            Panel::Pass => "One pass of the loop",
            Panel::Code => "The loop as code",
            Panel::Object => "Object",
            Panel::Story => "What just happened",
            Panel::Time => "Time",
            Panel::Terminal => "Terminal",
            Panel::Events => "Events",
            Panel::Store => "Store",
            Panel::Requests => "Requests",
            Panel::Alerts => "Alerts",
            Panel::Why => "Why",
        }
    }
    /// Returns the panel with this name in the page's URL.
    pub fn named(name: &str) -> Option<Panel> {
        Panel::ALL.into_iter().find(|panel| panel.name() == name)
    }
    /// Returns the panel with the same view as a tab of the middle pane.
    pub fn of_stage(stage: Stage) -> Panel {
        match stage {
            Stage::Cluster => Panel::Cluster,
            Stage::Owners => Panel::Owners,
            Stage::Services => Panel::Services,
            Stage::Objects => Panel::Objects,
            Stage::Twins => Panel::Twins,
        }
    }
    /// Returns the panel with the same view as a tab of the right pane.
    pub fn of_side(side: Side) -> Panel {
        match side {
            Side::Loop => Panel::Loop,
            Side::Object => Panel::Object,
        }
    }
    /// Returns the panel with the same view as a tab of the drawer.
    pub fn of_drawer(drawer: Drawer) -> Panel {
        match drawer {
            Drawer::Story => Panel::Story,
            Drawer::Time => Panel::Time,
            Drawer::Terminal => Panel::Terminal,
            Drawer::Events => Panel::Events,
            Drawer::Store => Panel::Store,
            Drawer::Requests => Panel::Requests,
            Drawer::Alerts => Panel::Alerts,
            Drawer::Why => Panel::Why,
        }
    }
    /// Returns whether this panel includes the view of `other`.
    fn stands_for(self, other: Panel) -> bool {
        self == other || self == Panel::Pass && other == Panel::Loop
    }
}

/// The panels of an embed, and one that was opened over them until it is closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// The panels in their order; empty on the page itself.
    pub shown: Rc<[Panel]>,
    /// The panel that was opened over the others, if there is one.
    pub guest: Option<Panel>,
}

impl Panels {
    /// Creates the panels that a course author has chosen.
    pub fn new(shown: &[Panel]) -> Panels {
        Panels { shown: shown.into(), guest: None }
    }
    /// Returns whether panels are shown instead of panes.
    pub fn are_given(&self) -> bool {
        !self.shown.is_empty()
    }
    /// Returns whether a panel is drawn.
    pub fn has(&self, panel: Panel) -> bool {
        self.shown.contains(&panel) || self.guest == Some(panel)
    }
    /// Makes a panel visible: over the others, if none of them includes its view.
    pub fn invite(&mut self, panel: Panel) {
        if self.are_given() {
            let is_there = self.shown.iter().any(|shown| shown.stands_for(panel));
            self.guest = (!is_there).then_some(panel);
        }
    }
}

impl Selection {
    /// Returns whether a panel, or the tab of a pane with the same view, is on the screen.
    pub fn looks_at(&self, panel: Panel) -> bool {
        if self.panels.are_given() {
            return self.panels.has(panel);
        }
        match panel {
            Panel::Desired => true,
            // In the layout *Learn*, a narrow screen shows the last pass under the cluster even while an object is open.
            Panel::Loop | Panel::Pass | Panel::Code => self.side == Side::Loop || self.layout == Layout::Learn,
            Panel::Object => self.side == Side::Object,
            Panel::Story => self.drawer == Drawer::Story || self.layout == Layout::Learn && self.drawer == Drawer::Time,
            panel => panel == Panel::of_stage(self.stage) || panel == Panel::of_drawer(self.drawer),
        }
    }
}
