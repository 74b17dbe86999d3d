//! The selection: what a person has chosen to look at. It decides which parts of the screen are made at all.

use super::cluster::ClusterSelection;
use super::embed_panels::Panels;
use super::events::EventsSelection;
use super::loops::LoopSelection;
use super::object::ObjectTab;
use super::object_table::TableSelection;
use super::owners::OwnersSelection;
use super::panes::{Drawer, Layout, Side, Stage};
use super::store_log::StoreSelection;
use super::story::StorySelection;
use super::timeline::TimeSelection;
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::controller::registry::{Controllers, FIRST_SHOWN};

/// The parts of the run that a person looks at.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The layout of the panes.
    pub layout: Layout,
    /// The panels of an embed, which are shown instead of panes.
    pub panels: Panels,
    /// The view in the middle pane.
    pub stage: Stage,
    /// The view in the right pane.
    pub side: Side,
    /// The view in the drawer along the bottom.
    pub drawer: Drawer,
    /// The index of the controller whose loop is shown.
    pub controller: usize,
    /// The node of the kubelet that is shown instead of the controller.
    pub kubelet: Option<String>,
    /// A person's choices in the loop pane: the open box, message and request, the pod that is explained, and what new breakpoints stop at.
    pub wire: LoopSelection,
    /// The number of the open pass of the controller; `None` for the one that `view::pass::shown` chooses.
    pub pass: Option<u64>,
    /// Set if the page always shows the controller that acts.
    pub follows: bool,
    /// The number of the pass that the speed *auto* showed last; it stays on the screen until the next pass that makes a difference.
    pub followed: Option<u64>,
    /// The object that is open, if one is.
    pub object: Option<Subject>,
    /// The revision of the store that is open, if one is.
    pub revision: Option<u64>,
    /// The open tab of the open object.
    pub page: ObjectTab,
    /// Set if the `managedFields` of the open object are shown.
    pub managed: bool,
    /// The field that a person asks *why* about; `None` for the object as a whole.
    pub field: Option<String>,
    /// The filters of the store's log.
    pub store: StoreSelection,
    /// The filters of the list of Events.
    pub events: EventsSelection,
    /// The choices for the timeline.
    pub time: TimeSelection,
    /// The choices for the view of nodes and pods.
    pub cluster: ClusterSelection,
    /// The choices for the tree of owners.
    pub owners: OwnersSelection,
    /// The choices for the story of what just happened.
    pub story: StorySelection,
    /// The choices for the table of objects.
    pub table: TableSelection,
}

impl Default for Selection {
    fn default() -> Self {
        Selection {
            layout: Layout::default(),
            panels: Panels::default(),
            stage: Stage::Cluster,
            side: Side::Loop,
            drawer: Drawer::Time,
            controller: Controllers::default().index_of(FIRST_SHOWN).unwrap_or(0),
            kubelet: None,
            wire: LoopSelection::default(),
            pass: None,
            follows: true,
            followed: None,
            object: None,
            revision: None,
            page: ObjectTab::default(),
            managed: false,
            field: None,
            store: StoreSelection::default(),
            events: EventsSelection::default(),
            time: TimeSelection::default(),
            cluster: ClusterSelection::default(),
            owners: OwnersSelection::default(),
            story: StorySelection::default(),
            table: TableSelection::default(),
        }
    }
}

impl Selection {
    /// Opens an object in the right pane.
    pub fn open(&mut self, subject: Subject) {
        self.object = Some(subject);
        self.field = None;
        self.side = Side::Object;
    }
    /// Asks for the reasons why the open object, or a field of it, is as it is.
    pub fn ask_why(&mut self, field: Option<String>) {
        self.field = field;
        self.drawer = Drawer::Why;
    }
    /// Opens a revision of the store, or closes it if it is the open one.
    pub fn turn_revision(&mut self, revision: u64) {
        self.revision = (self.revision != Some(revision)).then_some(revision);
        self.store.base = None;
    }
    /// Shows the store's log with a revision open.
    pub fn show_revision(&mut self, revision: u64) {
        self.revision = Some(revision);
        self.store.base = None;
        self.drawer = Drawer::Store;
    }
    /// Shows a controller, at its newest pass.
    pub fn turn_to(&mut self, controller: usize) {
        self.controller = controller;
        self.kubelet = None;
        self.show_loop();
    }
    /// Returns whether a pass is the one that the speed *auto* showed last.
    pub fn shows(&self, controller: usize, pass: u64) -> bool {
        self.controller == controller && self.followed == Some(pass) && self.kubelet.is_none()
    }
    /// Shows a controller's pass that makes a difference, and leaves everything else as it is.
    pub fn follow(&mut self, controller: usize, pass: u64) {
        if !self.shows(controller, pass) {
            self.wire.action = None;
            self.pass = None;
        }
        (self.controller, self.kubelet, self.followed) = (controller, None, Some(pass));
    }
    /// Shows the kubelet of a node.
    pub fn turn_to_kubelet(&mut self, node: String) {
        self.kubelet = Some(node);
        self.show_loop();
    }
    fn show_loop(&mut self) {
        self.pass = None;
        self.followed = None;
        self.wire.message = None;
        self.wire.action = None;
        self.side = Side::Loop;
    }
}

/// An object, named by its kind, namespace and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// The kind of the object.
    pub kind: Kind,
    /// The namespace and name of the object.
    pub key: Key,
}

impl Subject {
    /// Creates the name of an object; the namespace is empty for kinds without namespaces.
    pub fn new(kind: Kind, namespace: &str, name: &str) -> Subject {
        Subject { kind, key: Key::new(namespace, name) }
    }
    /// Returns kind and name of the object: `Pod my-app-x7k2p`.
    pub fn text(&self) -> String {
        format!("{} {}", self.kind.row().name, self.key.name)
    }
    /// Returns whether an object has this kind, namespace and name.
    pub fn is(&self, object: &Object) -> bool {
        object.kind() == self.kind && object.meta.name == self.key.name && object.meta.namespace == self.key.namespace
    }
}
