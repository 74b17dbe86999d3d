//! The dialog with a person's preferences: a row of choices for each.

use super::{DialogHead, ModalDialog};
use crate::ui::dispatch::use_dispatch;
use loopscope::page::Preferences;
use loopscope::page::preferences::{PREFERENCES, Row, Value};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PreferencesDialogProps {
    pub preferences: Preferences,
}

/// The dialog with all preferences.
#[component]
pub fn PreferencesDialog(PreferencesDialogProps { preferences }: &PreferencesDialogProps) -> Html {
    let dispatch = use_dispatch();
    let row = |row: &'static Row| {
        let chosen = row.chosen(preferences).map(|value| value.preference);
        let choice = |value: &'static Value| {
            let onchange = dispatch.on(value.preference);
            html! {
                <label>
                    <input type="radio" name={row.name} value={value.name} checked={Some(value.preference) == chosen} {onchange} />{ " " }{ value.words }
                </label>
            }
        };
        html! {
            <fieldset>
                <legend>{ row.title }</legend>
                <div class="choices">{ for row.values.iter().map(choice) }</div>
                <p class="soft">{ row.help }</p>
            </fieldset>
        }
    };
    html! {
        <ModalDialog class="preferences">
            <DialogHead title="Preferences" />
            { for PREFERENCES.iter().map(row) }
            <p class="soft">{ "They are kept in this browser and hold for your next visit." }</p>
        </ModalDialog>
    }
}
