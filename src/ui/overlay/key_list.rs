//! The list of all keys, a part of the help dialog.

use loopscope::page::shortcuts::SHORTCUTS;
use yew::prelude::*;

/// The keys that are not in the list of single-key shortcuts, with their descriptions.
const OTHER_KEYS: [(&str, &str); 4] = [
    ("Ctrl or ⌘ K", "Palette, also while typing"),
    ("Ctrl or ⌘ Enter", "Apply, in the editor"),
    ("Shift F10", "Menu of what has the focus; also a right click or a long press"),
    (
        "Escape",
        "Closes what is open: a menu, a dialog, an explanation, the introduction. Leaves the editor and the terminal, so that these keys work",
    ),
];

/// The list of all keys, with their descriptions.
#[component]
pub fn KeyList() -> Html {
    let row = |(key, words): (&'static str, &'static str)| html! { <><dt><kbd>{ key }</kbd></dt><dd>{ words }</dd></> };
    let single = SHORTCUTS.iter().map(|shortcut| (shortcut.key, shortcut.words));
    html! { <dl class="keys">{ for single.chain(OTHER_KEYS).map(row) }</dl> }
}
