//! The dialog with the settings of a new run.

use super::{DialogHead, ModalDialog};
use crate::ui::dispatch::use_dispatch;
use loopscope::page::OverlayAction;
use loopscope::page::overlay::SettingsForm;
use loopscope::view::settings::{SETTINGS, Setting};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NewRunDialogProps {
    pub form: Rc<SettingsForm>,
}

/// A form with the settings of a new run.
#[component]
pub fn NewRunDialog(NewRunDialogProps { form }: &NewRunDialogProps) -> Html {
    let dispatch = use_dispatch();
    let values = use_state(|| form.values.clone());
    let applies = use_state(|| true);
    let onsubmit = {
        let (values, applies) = (values.clone(), applies.clone());
        move |event: SubmitEvent| {
            event.prevent_default();
            dispatch.send(OverlayAction::Start { values: (*values).clone(), apply: *applies });
        }
    };
    let row = |(place, setting): (usize, &Setting)| {
        let value = values.get(place).cloned().unwrap_or_default();
        let values = values.clone();
        let oninput = move |event: InputEvent| {
            let mut edited = (*values).clone();
            if let Some(value) = edited.get_mut(place) {
                *value = event.target_unchecked_into::<HtmlInputElement>().value();
            }
            values.set(edited);
        };
        html! {
            <label>
                <span>{ setting.label }</span>
                <input name={setting.path} {value} inputmode={setting.is_number().then_some("numeric")} autocomplete="off" {oninput} />
                <span class="soft">{ setting.help }</span>
            </label>
        }
    };
    // Settings without a label are not in the form.
    let asked = SETTINGS.iter().enumerate().filter(|(_, setting)| !setting.label.is_empty());
    let checked = *applies;
    let toggle = move |_: MouseEvent| applies.set(!*applies);
    html! {
        <ModalDialog class="wide">
            <form {onsubmit}>
                <DialogHead title="New run" />
                <div class="settings">{ for asked.map(row) }</div>
                if !form.error.is_empty() { <p class="failed" role="alert">{ &form.error }</p> }
                <footer>
                    <label><input type="checkbox" name="apply" {checked} onclick={toggle} />{ " Apply the manifest at once" }</label>
                    <button type="submit" class="primary">{ "Start anew" }</button>
                </footer>
            </form>
        </ModalDialog>
    }
}
