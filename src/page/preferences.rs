//! How the page looks and listens by a person's choice. It outlives a visit.

use super::auto::Reading;
use super::room::Rooms;
use crate::view::Layout;
use serde::{Deserialize, Serialize};

/// A person's choices; the defaults follow the system's own settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Preferences {
    /// Light or dark.
    pub theme: Theme,
    /// How much moves.
    pub motion: Motion,
    /// Whether single keys are shortcuts.
    pub keys: Keys,
    /// How long the speed *auto* lets people read.
    pub reading: Reading,
    /// The arrangement of the panes.
    pub layout: Layout,
    /// How large everything is.
    pub size: Size,
    /// The room of the panes in each layout.
    pub rooms: Rooms,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// As the system asks.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// All, in the order of the switch.
    pub const ALL: [Theme; 3] = [Theme::Auto, Theme::Light, Theme::Dark];
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
    /// Returns the next theme of the switch.
    pub fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }
}

/// How much moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    /// As the system asks.
    #[default]
    Auto,
    /// Less.
    Less,
}

impl Motion {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Motion::Auto => "auto",
            Motion::Less => "less",
        }
    }
    /// Returns the other one.
    pub fn other(self) -> Motion {
        if self == Motion::Auto { Motion::Less } else { Motion::Auto }
    }
}

/// Whether single keys are shortcuts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keys {
    /// They are.
    #[default]
    On,
    /// They are not: only shortcuts with Ctrl or ⌘ work.
    Off,
}

impl Keys {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Keys::On => "on",
            Keys::Off => "off",
        }
    }
    /// Returns the other one.
    pub fn other(self) -> Keys {
        if self == Keys::On { Keys::Off } else { Keys::On }
    }
}

/// How large everything is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// For one reader.
    #[default]
    Normal,
    /// For a lecture hall: larger, and with fewer words around the loop.
    Large,
}

impl Size {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Size::Normal => "normal",
            Size::Large => "large",
        }
    }
    /// Returns the other one.
    pub fn other(self) -> Size {
        if self == Size::Normal { Size::Large } else { Size::Normal }
    }
}
