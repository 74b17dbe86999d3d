//! A person's preferences: the look of the page, its keys and its pace. They outlive a visit.
//!
//! **To add a preference**: an enum of its values, a field of [`Preferences`], a variant of [`Preference`] with its line in [`Preferences::set`], and a row in
//! [`PREFERENCES`]. Storage, the address, the palette and the dialog read the rows; `boot.js` names only those that show before the engine is there.

use super::auto::Reading;
use super::room::Rooms;
use crate::view::Layout;

/// A person's preferences; the defaults follow the operating system's settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The light or the dark theme.
    pub theme: Theme,
    /// The amount of animation.
    pub motion: Motion,
    /// Set to `On` if single keys are shortcuts.
    pub keys: Keys,
    /// The time that the speed *auto* gives people to read.
    pub reading: Reading,
    /// The layout of the panes.
    pub layout: Layout,
    /// The size of everything on the page.
    pub size: Size,
    /// The room of the panes in each layout.
    pub rooms: Rooms,
}

/// One preference with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// The light or the dark theme.
    Theme(Theme),
    /// The amount of animation.
    Motion(Motion),
    /// Shortcuts of single keys, on or off.
    Keys(Keys),
    /// The time that the speed *auto* gives people to read.
    Reading(Reading),
    /// The layout of the panes.
    Layout(Layout),
    /// The size of everything on the page.
    Size(Size),
}

impl Preferences {
    /// Sets a preference.
    pub fn set(&mut self, preference: Preference) {
        match preference {
            Preference::Theme(theme) => self.theme = theme,
            Preference::Motion(motion) => self.motion = motion,
            Preference::Keys(keys) => self.keys = keys,
            Preference::Reading(reading) => self.reading = reading,
            Preference::Layout(layout) => self.layout = layout,
            Preference::Size(size) => self.size = size,
        }
    }
    /// Reads all preferences by their names. A missing or unknown value leaves the default.
    pub fn read(text_of: impl Fn(&Row) -> Option<String>) -> Preferences {
        let mut read = Preferences::default();
        for row in PREFERENCES {
            if let Some(value) = text_of(row).and_then(|text| row.find(&text)) {
                read.set(value.preference);
            }
        }
        read
    }
}

/// A preference as storage, the address, the palette and the dialog know it.
#[derive(Debug)]
pub struct Row {
    /// Its name in storage, in the address and as an attribute `data-<name>` of the page.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// A sentence about its effect.
    pub help: &'static str,
    /// Set if a parameter of the address may choose its value.
    pub in_address: bool,
    /// All values, the default first.
    pub values: &'static [Value],
    get: fn(&Preferences) -> Preference,
}

/// A value of a preference.
#[derive(Debug, PartialEq)]
pub struct Value {
    /// Its name in storage and in the address.
    pub name: &'static str,
    /// Its name for people.
    pub words: &'static str,
    /// The preference with this value.
    pub preference: Preference,
}

impl Row {
    /// Returns the chosen value.
    pub fn chosen(&self, preferences: &Preferences) -> Option<&'static Value> {
        self.values.iter().find(|value| value.preference == (self.get)(preferences))
    }
    /// Returns the value with a name.
    pub fn find(&self, name: &str) -> Option<&'static Value> {
        self.values.iter().find(|value| value.name == name)
    }
}

const fn value(name: &'static str, words: &'static str, preference: Preference) -> Value {
    Value { name, words, preference }
}

/// All preferences, in the order of the dialog.
pub const PREFERENCES: &[Row] = &[
    Row {
        name: "theme",
        title: "Theme",
        help: "Light or dark colours.",
        in_address: true,
        values: &[
            value("auto", "as the system asks", Preference::Theme(Theme::Auto)),
            value("light", "light", Preference::Theme(Theme::Light)),
            value("dark", "dark", Preference::Theme(Theme::Dark)),
        ],
        get: |preferences| Preference::Theme(preferences.theme),
    },
    Row {
        name: "motion",
        title: "Motion",
        help: "With less motion nothing slides or fades.",
        in_address: true,
        values: &[
            value("auto", "as the system asks", Preference::Motion(Motion::Auto)),
            value("less", "less", Preference::Motion(Motion::Less)),
        ],
        get: |preferences| Preference::Motion(preferences.motion),
    },
    Row {
        name: "keys",
        title: "Single-key shortcuts",
        help: "When they are off, only shortcuts with Ctrl or ⌘ work.",
        in_address: false,
        values: &[value("on", "on", Preference::Keys(Keys::On)), value("off", "off", Preference::Keys(Keys::Off))],
        get: |preferences| Preference::Keys(preferences.keys),
    },
    Row {
        name: "reading",
        title: "Reading time",
        help: "At the speed auto, time stands still after each phase so that it can be read.",
        in_address: true,
        values: &[
            value("normal", "normal", Preference::Reading(Reading::Normal)),
            value("brief", "brief", Preference::Reading(Reading::Brief)),
            value("long", "long", Preference::Reading(Reading::Long)),
        ],
        get: |preferences| Preference::Reading(preferences.reading),
    },
    Row {
        name: "layout",
        title: "Layout",
        help: "Learn shows one pass large, Operate the cluster and the terminal, Inspect the loop in full.",
        // The layout in an address holds for one visit only (`Start::layout`).
        in_address: false,
        values: &[
            value("learn", "Learn", Preference::Layout(Layout::Learn)),
            value("operate", "Operate", Preference::Layout(Layout::Operate)),
            value("inspect", "Inspect", Preference::Layout(Layout::Inspect)),
        ],
        get: |preferences| Preference::Layout(preferences.layout),
    },
    Row {
        name: "size",
        title: "Size",
        help: "Large is for a lecture hall: larger, and with fewer words around the loop.",
        in_address: true,
        values: &[value("normal", "normal", Preference::Size(Size::Normal)), value("large", "large", Preference::Size(Size::Large))],
        get: |preferences| Preference::Size(preferences.size),
    },
];

/// The light or the dark theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// The operating system's theme.
    #[default]
    Auto,
    /// The light theme.
    Light,
    /// The dark theme.
    Dark,
}

impl Theme {
    /// Returns its name.
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

/// The amount of animation on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// The amount that the operating system's setting allows.
    #[default]
    Auto,
    /// Less animation, whatever the operating system asks for.
    Less,
}

/// Shortcuts of single keys, on or off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// Single keys are shortcuts.
    #[default]
    On,
    /// Only shortcuts with Ctrl or ⌘ work.
    Off,
}

/// The size of everything on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// The normal size, for one reader.
    #[default]
    Normal,
    /// A larger size for a lecture hall, without the labels and hints that a speaker says aloud.
    Large,
}
