//! Applies each [`Select`] to the [`Selection`]: a person looks at something else.

use super::action::Select;
use super::embed_controls::panel_of;
use super::{Page, Pane};
use crate::view::{Drawer, Layout, Selection, Side};

impl Page {
    /// Applies a change of the selection. A narrow screen shows the pane of the selected thing.
    pub(super) fn select(&mut self, change: Select) {
        match &change {
            Select::Open(_) | Select::OpenAt(..) | Select::Pass { .. } => self.pane = Pane::Loop,
            Select::Why(_) | Select::Revision(_) => self.pane = Pane::Time,
            _ => {}
        }
        if let Some(pane) = shown_in(&change) {
            self.reveal(pane);
        }
        if let Some(panel) = panel_of(&change) {
            self.selection.panels.invite(panel);
        }
        apply(&mut self.selection, change);
    }
    /// Shows a pane on a screen that has room for one only. The terminal and the timeline share one pane; the drawer's tab tells them apart.
    pub(super) fn show_pane(&mut self, pane: Pane) {
        self.pane = pane;
        self.reveal(pane);
        match (pane, self.selection.drawer) {
            (Pane::Terminal, _) => self.selection.drawer = Drawer::Terminal,
            (Pane::Time, Drawer::Terminal) => self.selection.drawer = Drawer::Time,
            _ => {}
        }
        self.invite_pane(pane);
    }
    /// Sets the layout of the panes, and selects the tabs that belong to the layout, such as the terminal for *Operate*.
    pub(super) fn lay_out(&mut self, layout: Layout) {
        (self.selection.layout, self.preferences.layout) = (layout, layout);
        self.show_purpose();
    }
    /// Selects the tabs that belong to the current layout, such as the terminal for *Operate*.
    pub(super) fn show_purpose(&mut self) {
        match self.selection.layout {
            Layout::Learn => {
                self.selection.side = Side::Loop;
                self.selection.drawer = Drawer::Time;
            }
            Layout::Operate => {
                self.selection.drawer = Drawer::Terminal;
                if self.selection.side == Side::Object {
                    self.reveal(Pane::Loop);
                }
            }
            Layout::Inspect => {}
        }
    }
    /// Shows a tab of the drawer, and closes the overlay.
    pub(super) fn show_drawer(&mut self, drawer: Drawer) {
        self.close_overlay();
        self.selection.drawer = drawer;
        self.pane = if drawer == Drawer::Terminal { Pane::Terminal } else { Pane::Time };
        self.reveal(self.pane);
        self.invite_pane(self.pane);
    }
}

/// Returns the pane that must be visible after a change of the selection, even if it was folded or another was maximised; `None` if the change only concerns
/// the pane that it comes from.
fn shown_in(change: &Select) -> Option<Pane> {
    match change {
        Select::Stage(_) => Some(Pane::Actual),
        Select::Side(_) | Select::Open(_) | Select::Pass { .. } | Select::Controller(_) | Select::Kubelet(_) => Some(Pane::Loop),
        Select::Why(_) => Some(Pane::Time),
        _ => None,
    }
}

fn apply(selection: &mut Selection, change: Select) {
    match change {
        Select::Stage(stage) => selection.stage = stage,
        Select::Side(side) => selection.side = side,
        Select::Drawer(drawer) => selection.drawer = drawer,
        Select::Open(subject) => selection.open(subject),
        Select::Follow(follows) => {
            selection.follows = follows;
            if follows {
                (selection.kubelet, selection.pass) = (None, None);
            }
        }
        Select::Controller(index) => {
            selection.follows = false;
            selection.turn_to(index);
        }
        Select::Kubelet(node) => {
            selection.follows = false;
            selection.turn_to_kubelet(node);
        }
        Select::TogglePass(number) => {
            toggle(&mut selection.pass, number);
            selection.wire.action = None;
        }
        Select::Pass { controller, pass } => {
            selection.turn_to(controller);
            selection.pass = Some(pass);
        }
        Select::ToggleRequest { pass, place } => {
            let is_open = selection.wire.action == Some(place) && selection.pass == Some(pass);
            // The pass must not change while its request is open.
            selection.pass = Some(pass);
            selection.wire.action = (!is_open).then_some(place);
        }
        Select::TogglePart(part) => toggle(&mut selection.wire.part, part),
        Select::ToggleMessage(id) => toggle(&mut selection.wire.message, id),
        Select::ExplainPod(name) => selection.wire.pod = name,
        Select::BreakpointFilter(object) => selection.wire.filter = object,
        Select::ToggleBreakpointScope => selection.wire.any = !selection.wire.any,
        Select::ObjectTab(tab) => selection.page = tab,
        Select::OpenAt(subject, tab) => {
            selection.open(subject);
            selection.page = tab;
        }
        Select::ToggleManagedFields => selection.managed = !selection.managed,
        Select::Why(field) => selection.ask_why(field),
        Select::ToggleRevision(number) => selection.turn_revision(number),
        Select::Revision(number) => selection.show_revision(number),
        Select::StoryEarlier(earlier) => selection.story.earlier = earlier,
        Select::CompareWith(number) => selection.store.base = number,
        Select::StoreText(text) => selection.store.text = text,
        Select::StoreKind(kind) => selection.store.kind = kind,
        Select::ToggleLeases => selection.store.leases = !selection.store.leases,
        Select::EventsText(text) => selection.events.text = text,
        Select::ToggleWarnings => selection.events.warnings = !selection.events.warnings,
        Select::TimeZoom(span) => selection.time.zoom = span,
        Select::TimeHold(stretch) => selection.time.hold = stretch,
        Select::TimeWidth(pixels) => selection.time.width = pixels,
        Select::Workload(workload) => selection.time.workload = workload,
        Select::RequestsByVerb(by_verb) => selection.time.by_verb = by_verb,
        Select::AlertAfter(text) => selection.time.alert_after = text.parse().unwrap_or(selection.time.alert_after),
        Select::Zoom(zoom) => selection.cluster.zoom = zoom,
        Select::ToggleHealth(health) => toggle(&mut selection.cluster.filter, health),
        Select::Node(name) => selection.cluster.node = Some(name),
        Select::Fold { owner, away } => selection.owners.fold(owner, away),
        Select::ShowAll(owner) => selection.owners.whole.push(owner),
        Select::TableKind(kind) => selection.table.turn_to(kind),
        Select::TableNamespace(namespace) => selection.table.set_namespace(namespace),
        Select::TableText(text) => selection.table.text = text,
        Select::TableSort(column) => selection.table.sort_by(column),
        Select::ToggleWide => selection.table.toggle_wide(),
        Select::ToggleTableLeases => selection.table.toggle_leases(),
        Select::TableRow(subject) => selection.table.row = Some(subject),
    }
}

/// Selects a value, or clears the choice if the value is selected already.
fn toggle<T: PartialEq>(chosen: &mut Option<T>, value: T) {
    *chosen = if chosen.as_ref() == Some(&value) { None } else { Some(value) };
}
