//! The dialog that shares a run as a link or a file, and imports a run from a file.

use super::{DialogHead, ModalDialog};
use crate::ui::browser::{address, clipboard, files};
use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::page::overlay::Sharing;
use loopscope::page::{Action, OverlayAction};
use loopscope::view::export::folder_zip;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ShareDialogProps {
    pub sharing: Rc<Sharing>,
}

const EXPLANATION: &str = "What was done is in the link itself: the settings, the manifest, and every command with its moment. \
    Whoever opens it sees this very moment. Nothing is sent anywhere.";

const FOR_A_REAL_CLUSTER: &str =
    "For a real cluster: a folder with the manifests that were applied, in order, and the kubectl commands as a shell script.";

/// The dialog with the run as a link, as a file, and as a zipped folder for a real cluster.
#[component]
pub fn ShareDialog(ShareDialogProps { sharing }: &ShareDialogProps) -> Html {
    let dispatch = use_dispatch();
    let has_link = !sharing.payload.is_empty();
    let link = if has_link { address::link_of(&sharing.payload) } else { String::new() };
    let import = on_import(dispatch.clone());
    let take_along = {
        let dispatch = dispatch.clone();
        move |_: MouseEvent| drop(files::download("loopscope.zip", "application/zip", &dispatch.read(folder_zip)))
    };
    let copy = {
        let link = link.clone();
        move |_: MouseEvent| {
            let dispatch = dispatch.clone();
            clipboard::copy(link.clone(), move |is_copied| dispatch.send(OverlayAction::Copied(is_copied)));
        }
    };
    let file = sharing.file.clone();
    // A browser that refuses to save the file says so itself; ignore failure.
    let export = move |_: MouseEvent| drop(files::download("loopscope.json", "application/json", file.as_bytes()));
    html! {
        <ModalDialog class="narrow">
            <DialogHead title="Share this run" />
            <p class="soft">{ EXPLANATION }</p>
            <label class="link">
                <span>{ "Link" }</span><input readonly=true value={link} placeholder="too long for a link" onfocus={select_all} />
            </label>
            <p class="buttons">
                <button type="button" class="primary" disabled={!has_link} onclick={copy}>{ "Copy link" }</button>
                <button type="button" onclick={export}>{ "Export file" }</button>
                <label class="file">{ "Import file" }<input type="file" accept=".json,application/json" onchange={import} /></label>
            </p>
            <p class="soft">{ FOR_A_REAL_CLUSTER }</p>
            <p class="buttons"><button type="button" onclick={take_along}>{ "Export folder" }</button></p>
            <p role="status">{ sharing.message }</p>
        </ModalDialog>
    }
}

fn select_all(event: FocusEvent) {
    event.target_unchecked_into::<HtmlInputElement>().select();
}

fn on_import(dispatch: Dispatch) -> Callback<Event> {
    Callback::from(move |event: Event| {
        let dispatch = dispatch.clone();
        let open = move |text| dispatch.send(Action::OpenRun { what: "This file", text });
        files::read(&event.target_unchecked_into(), open);
    })
}
