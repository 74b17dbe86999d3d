//! A person's preferences: the look of the page, its keys and its pace. They outlive a visit.
//!
//! **To add a preference**: an enum of its values, a field of [`Preferences`], a variant of [`Preference`] with its line in [`Preferences::set`], and a row in
//! [`PREFERENCES`]. Storage, the page's URL, the palette and the dialog read the rows; `boot.js` names only those that show before the engine is there, and
//! `static/embed-contract.json`, `loop-scope.js` and its `.d.ts` those that an embed takes in its address (`tests/page/embed/contract.rs`
//! compares them); `tests/browser/words.test.mjs` has the list of all preferences, which the page writes onto its root element as data attributes.

use super::auto::Reading;
use super::room::Rooms;
use crate::view::Layout;

/// A person's preferences; the defaults follow the operating system's settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The theme of the page: light, dark or the operating system's.
    pub theme: Theme,
    /// The amount of animation on the page.
    pub motion: Motion,
    /// Set to `On` if single keys are shortcuts.
    pub keys: Keys,
    /// The time that the speed *auto* gives people to read.
    pub reading: Reading,
    /// The layout of the panes.
    pub layout: Layout,
    /// The size of everything on the page.
    pub size: Size,
    /// The sizes of the panes in each layout.
    pub rooms: Rooms,
}

/// One preference and the value that is chosen for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// The theme of the page: light, dark or the operating system's.
    Theme(Theme),
    /// The amount of animation on the page.
    Motion(Motion),
    /// The shortcuts of single keys, on or off.
    Keys(Keys),
    /// The time that the speed *auto* gives people to read.
    Reading(Reading),
    /// The layout of the panes.
    Layout(Layout),
    /// The size of everything on the page.
    Size(Size),
}

impl Preferences {
    /// Sets one preference to its chosen value.
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
    /// Reads all preferences; `text_of` returns the stored text of each. A missing or unknown text leaves the default.
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

/// A preference in the table that storage, the page's URL, the palette and the dialog read.
#[derive(Debug)]
pub struct Row {
    /// The preference's name in storage, in the page's URL and in the attribute `data-<name>` of the page.
    pub name: &'static str,
    /// The preference's name for people.
    pub title: &'static str,
    /// A sentence about the preference's effect.
    pub help: &'static str,
    /// Set if a parameter of the page's URL may choose the value.
    pub in_address: bool,
    /// All values of the preference, the default first.
    pub values: &'static [Value],
    get: fn(&Preferences) -> Preference,
}

/// A value that a preference can have.
#[derive(Debug, PartialEq)]
pub struct Value {
    /// The value's name in storage and in the page's URL.
    pub name: &'static str,
    /// The value's name for people.
    pub words: &'static str,
    /// The preference with this value.
    pub preference: Preference,
}

impl Row {
    /// Returns the value of this preference that the person has chosen.
    pub fn chosen(&self, preferences: &Preferences) -> Option<&'static Value> {
        self.values.iter().find(|value| value.preference == (self.get)(preferences))
    }
    /// Returns the value of this preference by its name in storage and in the URL; `None` if the preference has no such value.
    pub fn find(&self, name: &str) -> Option<&'static Value> {
        self.values.iter().find(|value| value.name == name)
    }
}

const fn value(name: &'static str, words: &'static str, preference: Preference) -> Value {
    Value { name, words, preference }
}

/// The table of all preferences, in the order of the dialog.
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
        // The layout in a URL holds for one visit only (`Start::layout`).
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

/// The theme of the page.
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
    /// Returns the theme's name in storage and in the page's URL.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
    /// Returns the theme that the page's switch chooses after this one, given whether the operating system's is dark. The first press always changes the
    /// colours.
    pub fn next(self, system_is_dark: bool) -> Theme {
        let (same, other) = if system_is_dark { (Theme::Dark, Theme::Light) } else { (Theme::Light, Theme::Dark) };
        match self {
            Theme::Auto => other,
            theme if theme == other => same,
            _ => Theme::Auto,
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

/// The shortcuts of single keys, on or off.
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
