//! The page as part of another page: its controls, and what a learner may do there.
//!
//! In a read-only embed a learner may look at everything and move in time, but not change the run. The host's own requests (`crate::embed`) are not bound by
//! that: they are the teacher's.

use super::action::{Action, OverlayAction, RunAction, Select};
use super::{Page, Pane};
use crate::api::time::Span;
use crate::view::menus::Effect;
use crate::view::{Panel, Panels};

/// The controls along the top of an embedded page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controls {
    /// The whole top bar.
    #[default]
    Full,
    /// Play, step, the clock, and the sign that shows whether desired and actual agree.
    Minimal,
    /// No top bar.
    None,
}

impl Controls {
    /// All values, with their names in the page's URL.
    pub const ALL: [(Controls, &'static str); 3] = [(Controls::Full, "full"), (Controls::Minimal, "minimal"), (Controls::None, "none")];
}

/// The settings of an embedded page. The defaults apply to a page that is not embedded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Embedding {
    /// Set if the page is part of another page.
    pub is_embed: bool,
    /// The controls along the top of the page.
    pub controls: Controls,
    /// Set if a learner may look at the run but not change it.
    pub is_readonly: bool,
    /// Set if the page is as high as its content, and the host makes room for it.
    pub is_autoheight: bool,
    /// The learner's goal: the cluster converges within this virtual time; `None` for no goal.
    pub goal: Option<Span>,
}

const READ_ONLY: &str = "This view is read-only: you can look at everything and move in time.";

impl Page {
    /// Returns the settings of the page as part of another page; the defaults if it stands by itself.
    pub fn embedding(&self) -> Embedding {
        self.embedding
    }
    /// Returns whether an action would change a run that a learner may only look at, and shows a notice if so.
    pub(super) fn refuses(&mut self, action: &Action) -> bool {
        let refuses = self.embedding.is_readonly && changes_run(action);
        if refuses && !matches!(action, Action::Edit(_)) {
            self.notify(READ_ONLY, None);
        }
        refuses
    }
    /// Runs a line of the terminal if the line only reads; otherwise shows a notice that the view is read-only.
    pub(super) fn run_reading_line(&mut self, line: &str) {
        if !self.run.enter_reading(line) {
            self.notify(READ_ONLY, None);
        }
    }
    /// Makes the view of a pane visible in an embed that shows panels (single views, chosen by its author) instead of the page's panes.
    pub(super) fn invite_pane(&mut self, pane: Pane) {
        let selection = &mut self.selection;
        let panel = match pane {
            Pane::Desired => Panel::Desired,
            Pane::Actual => Panel::of_stage(selection.stage),
            Pane::Loop => Panel::of_side(selection.side),
            Pane::Terminal => Panel::Terminal,
            Pane::Time => Panel::of_drawer(selection.drawer),
        };
        selection.panels.invite(panel);
    }
    /// Closes the panel that was opened over the panels that the embed shows.
    pub(super) fn dismiss_guest(&mut self) {
        self.selection.panels.guest = None;
    }
    /// Returns the panels of the embed, without one that was opened over them.
    pub(super) fn panels(&self) -> Panels {
        Panels { guest: None, ..self.selection.panels.clone() }
    }
}

/// Returns the panel that shows the result of a change of the selection; `None` if the change only concerns the panel that it comes from.
pub(super) fn panel_of(change: &Select) -> Option<Panel> {
    match change {
        Select::Stage(stage) => Some(Panel::of_stage(*stage)),
        Select::Side(side) => Some(Panel::of_side(*side)),
        Select::Drawer(drawer) => Some(Panel::of_drawer(*drawer)),
        Select::Open(_) | Select::OpenAt(..) => Some(Panel::Object),
        Select::Controller(_) | Select::Kubelet(_) | Select::Pass { .. } => Some(Panel::Loop),
        Select::Why(_) => Some(Panel::Why),
        Select::Revision(_) => Some(Panel::Store),
        _ => None,
    }
}

/// Returns whether the effect of a menu entry changes the run.
pub(super) fn is_change(effect: &Effect) -> bool {
    matches!(effect, Effect::Fault(_) | Effect::Kubectl(_) | Effect::Edit(_))
}

fn changes_run(action: &Action) -> bool {
    match action {
        Action::Run(RunAction::Effect(effect)) => is_change(effect),
        Action::Run(RunAction::ToggleBreakpoint(_) | RunAction::EndTwins) => false,
        Action::Run(_) | Action::Edit(_) | Action::Apply | Action::CancelEdit => true,
        Action::Example(_) | Action::StartExample(_) | Action::OpenBranch(_) | Action::OpenRun { .. } => true,
        Action::Overlay(OverlayAction::Settings | OverlayAction::Start { .. } | OverlayAction::Try(_)) => true,
        _ => false,
    }
}
