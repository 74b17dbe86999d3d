//! How the page looks by a person's choice: light or dark, and how much moves.

use super::host;

/// What a person chose; where nothing is chosen, the system's own settings hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taste {
    /// `auto`, `light` or `dark`.
    pub theme: &'static str,
    /// Whether less moves than the system asks for.
    pub still: bool,
    /// Whether single keys are shortcuts.
    pub keys: bool,
}

/// The themes, in the order of the switch.
pub const THEMES: [&str; 3] = ["auto", "light", "dark"];

impl Taste {
    /// As it was chosen before.
    pub fn found() -> Taste {
        let chosen = host::preference("theme");
        let theme = THEMES.into_iter().find(|t| *t == chosen).unwrap_or(THEMES[0]);
        Taste { theme, still: host::preference("motion") == "less", keys: host::preference("keys") != "off" }
    }
    /// Makes it hold.
    pub fn hold(self) {
        host::prefer("theme", self.theme);
        host::prefer("motion", if self.still { "less" } else { "auto" });
        host::prefer("keys", if self.keys { "on" } else { "off" });
    }
    /// The next theme of the switch.
    pub fn next_theme(self) -> &'static str {
        let place = THEMES.iter().position(|t| *t == self.theme).unwrap_or(0);
        THEMES[(place + 1) % THEMES.len()]
    }
}

/// Whether the page is dark now: by a person's choice, or by the system's.
pub fn is_dark() -> bool {
    let system = || web_sys::window().and_then(|w| w.match_media("(prefers-color-scheme: dark)").ok().flatten());
    match host::preference("theme").as_str() {
        "dark" => true,
        "light" => false,
        _ => system().is_some_and(|query| query.matches()),
    }
}
