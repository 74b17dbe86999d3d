//! The panels of an embed: single views of the page, any of them, in the order that a course author gives. The page itself has panes with tabs
//! instead, and then no panels are given.

use super::selection::{Drawer, Selection, Side, Stage};
use crate::view::Layout;
use std::rc::Rc;

/// One view of the page that can stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The manifest, and the API server's answer.
    Desired,
    /// Nodes and the pods on them.
    Cluster,
    /// Objects below their owners.
    Owners,
    /// Services and their endpoints.
    Services,
    /// The objects of one kind as a table.
    Objects,
    /// The run and its twin.
    Twins,
    /// The loop of one controller in full.
    Loop,
    /// One pass of the loop, large.
    Pass,
    /// The loop as code.
    Code,
    /// The object that is open.
    Object,
    /// What just happened, in sentences.
    Story,
    /// The timeline.
    Time,
    /// The terminal.
    Terminal,
    /// Events.
    Events,
    /// Revisions of the store.
    Store,
    /// Requests and queues over time.
    Requests,
    /// Alerts on drift that lasts.
    Alerts,
    /// Why the open object is as it is.
    Why,
}

impl Panel {
    /// All, in the order of the contract.
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
    /// Its name in an address.
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
    /// Its heading.
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
    /// The panel of a name in an address.
    pub fn named(name: &str) -> Option<Panel> {
        Panel::ALL.into_iter().find(|panel| panel.name() == name)
    }
    /// The panel that shows what a tab of the middle pane shows.
    pub fn of_stage(stage: Stage) -> Panel {
        match stage {
            Stage::Cluster => Panel::Cluster,
            Stage::Owners => Panel::Owners,
            Stage::Services => Panel::Services,
            Stage::Objects => Panel::Objects,
            Stage::Twins => Panel::Twins,
        }
    }
    /// The panel that shows what a tab of the right pane shows.
    pub fn of_side(side: Side) -> Panel {
        match side {
            Side::Loop => Panel::Loop,
            Side::Object => Panel::Object,
        }
    }
    /// The panel that shows what a tab of the drawer shows.
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
    /// The tab of the drawer that shows the same; none for what is no part of the drawer.
    pub fn drawer(self) -> Option<Drawer> {
        use super::selection::Choice;
        Drawer::ALL.iter().copied().find(|drawer| Panel::of_drawer(*drawer) == self)
    }
    /// Whether this panel shows everything that `other` would be opened for.
    fn stands_for(self, other: Panel) -> bool {
        self == other || self == Panel::Pass && other == Panel::Loop
    }
}

/// The panels of an embed, and one that was asked for although it is not among them: it lies over the others until it is closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// The panels in their order; empty on the page itself.
    pub shown: Rc<[Panel]>,
    /// The panel over the others.
    pub guest: Option<Panel>,
}

impl Panels {
    /// The panels that an author gives.
    pub fn new(shown: &[Panel]) -> Panels {
        Panels { shown: shown.into(), guest: None }
    }
    /// Whether panels are shown instead of panes.
    pub fn are_given(&self) -> bool {
        !self.shown.is_empty()
    }
    /// Whether a panel is drawn.
    pub fn has(&self, panel: Panel) -> bool {
        self.shown.contains(&panel) || self.guest == Some(panel)
    }
    /// Brings a panel into sight: if it is not among those that are given, over these.
    pub fn invite(&mut self, panel: Panel) {
        if self.are_given() {
            let is_there = self.shown.iter().any(|shown| shown.stands_for(panel));
            self.guest = (!is_there).then_some(panel);
        }
    }
}

impl Selection {
    /// Whether a panel, or the tab of a pane that shows the same, is on the screen.
    pub fn looks_at(&self, panel: Panel) -> bool {
        if self.panels.are_given() {
            return self.panels.has(panel);
        }
        match panel {
            Panel::Desired => true,
            // Where an object is open in the layout Learn, a phone still shows the last pass under the cluster.
            Panel::Loop | Panel::Pass | Panel::Code => self.side == Side::Loop || self.layout == Layout::Learn,
            Panel::Object => self.side == Side::Object,
            Panel::Story => self.drawer == Drawer::Story || self.layout == Layout::Learn && self.drawer == Drawer::Time,
            panel => panel == Panel::of_stage(self.stage) || panel == Panel::of_drawer(self.drawer),
        }
    }
}
