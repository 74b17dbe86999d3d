//! The shortcuts: single keys, their descriptions, and their actions. Help, palette and keyboard read the same list.

use super::action::{Action, OverlayAction, Select};
use super::room::RoomAction;
use super::time::{Scope, Travel};
use super::{FocusTarget, HelpPart, Pane};
use crate::view::Drawer;

/// A shortcut: a single key and its action.
#[derive(Debug)]
pub struct Shortcut {
    /// The key, as the help dialog names it.
    pub key: &'static str,
    /// The description of the action.
    pub words: &'static str,
    /// The action that the key carries out.
    pub action: Action,
}

const fn shortcut(key: &'static str, words: &'static str, action: Action) -> Shortcut {
    Shortcut { key, words, action }
}

const fn drawer(key: &'static str, words: &'static str, drawer: Drawer) -> Shortcut {
    shortcut(key, words, Action::Select(Select::Drawer(drawer)))
}

/// All shortcuts, in the order of the help dialog.
pub const SHORTCUTS: &[Shortcut] = &[
    shortcut("Space", "Play or pause", Action::Travel(Travel::Toggle)),
    shortcut("→", "Step one event", Action::Travel(Travel::Event)),
    shortcut("←", "Step one event back", Action::Travel(Travel::Back)),
    shortcut(".", "Step one phase: observe, diff, act", Action::Travel(Travel::Phase(Scope::Looked))),
    shortcut(",", "Step one phase back", Action::Travel(Travel::BackPhase(Scope::Looked))),
    shortcut("c", "Run until converged", Action::Travel(Travel::Converge)),
    shortcut("u", "Undo: before the last thing you did", Action::Travel(Travel::Undo)),
    shortcut("n", "Return to now", Action::Travel(Travel::Live)),
    shortcut("+", "Faster", Action::SpeedStep(true)),
    shortcut("-", "Slower", Action::SpeedStep(false)),
    shortcut("d", "To the desired state", Action::Focus(FocusTarget::Pane(Pane::Desired))),
    shortcut("a", "To the actual state", Action::Focus(FocusTarget::Pane(Pane::Actual))),
    shortcut("l", "To the loop", Action::Focus(FocusTarget::Pane(Pane::Loop))),
    shortcut("e", "To the editor", Action::Focus(FocusTarget::Editor)),
    shortcut("t", "To the terminal", Action::Focus(FocusTarget::Terminal)),
    drawer("w", "What just happened?", Drawer::Story),
    shortcut("f", "The pane with the focus alone, or all panes", Action::Room(RoomAction::MaximiseFocused)),
    drawer("1", "Drawer: Time", Drawer::Time),
    drawer("2", "Drawer: Terminal", Drawer::Terminal),
    drawer("3", "Drawer: Events", Drawer::Events),
    drawer("4", "Drawer: Store", Drawer::Store),
    drawer("5", "Drawer: Requests", Drawer::Requests),
    drawer("6", "Drawer: Alerts", Drawer::Alerts),
    drawer("7", "Drawer: Why", Drawer::Why),
    shortcut("m", "Menu of what has the focus", Action::Overlay(OverlayAction::MenuOfSelection)),
    shortcut("/", "Palette: everything by its name", Action::Overlay(OverlayAction::Search(String::new()))),
    shortcut("?", "Help: this page, its keys, its words", Action::Overlay(OverlayAction::Help(HelpPart::About))),
];

/// Returns the shortcut of a key, by the browser's name of the key.
pub fn of_key(key: &str) -> Option<&'static Shortcut> {
    let name = match key {
        " " => "Space",
        "ArrowRight" => "→",
        "ArrowLeft" => "←",
        "=" => "+",
        key => key,
    };
    SHORTCUTS.iter().find(|shortcut| shortcut.key == name)
}
