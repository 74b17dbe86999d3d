//! All shortcuts, and the preferences that are about keys, motion and size.

use super::{DialogHead, ModalDialog};
use crate::ui::dispatch::use_dispatch;
use loopscope::page::Action;
use loopscope::page::preferences::{Keys, Motion, Size};
use loopscope::page::shortcuts::SHORTCUTS;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ShortcutsDialogProps {
    pub keys: Keys,
    pub motion: Motion,
    pub size: Size,
}

/// Keys that are not in the list of single-key shortcuts.
const OTHER_KEYS: [(&str, &str); 4] = [
    ("Escape", "All panes again, after one was maximised"),
    ("Ctrl or ⌘ K", "Palette, also while typing"),
    ("Ctrl or ⌘ Enter", "Apply, in the editor"),
    ("Shift F10", "Menu of what has the focus; also a right click or a long press"),
];

/// All shortcuts.
#[component]
pub fn ShortcutsDialog(ShortcutsDialogProps { keys, motion, size }: &ShortcutsDialogProps) -> Html {
    let dispatch = use_dispatch();
    let row = |(key, words): (&'static str, &'static str)| html! { <><dt><kbd>{ key }</kbd></dt><dd>{ words }</dd></> };
    let single = SHORTCUTS.iter().map(|shortcut| (shortcut.key, shortcut.words));
    html! {
        <ModalDialog class="narrow">
            <DialogHead title="Shortcuts" />
            <dl class="keys">{ for single.chain(OTHER_KEYS).map(row) }</dl>
            <p class="switches">
                <label>
                    <input type="checkbox" checked={*keys == Keys::On} onclick={dispatch.on(Action::Keys(keys.other()))} />
                    { " Single keys are shortcuts" }
                </label>
                <label>
                    <input type="checkbox" checked={*motion == Motion::Less} onclick={dispatch.on(Action::Motion(motion.other()))} />
                    { " Less motion" }
                </label>
                <label>
                    <input type="checkbox" checked={*size == Size::Large} onclick={dispatch.on(Action::Size(size.other()))} />
                    { " Size: large, for a lecture hall" }
                </label>
            </p>
        </ModalDialog>
    }
}
