//! The dialog that shows the progress while a run is loaded.

use super::{DialogHead, ModalDialog};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LoadingDialogProps {
    /// The number of commands replayed so far.
    pub replayed: usize,
    /// The number of commands that the run consists of.
    pub all: usize,
}

/// The progress of loading a run. Closing the dialog cancels the loading.
#[component]
pub fn LoadingDialog(LoadingDialogProps { replayed, all }: &LoadingDialogProps) -> Html {
    html! {
        <ModalDialog class="narrow">
            <DialogHead title="Opening a run" />
            <p role="status">{ format!("{replayed} of {all} commands are done again …") }</p>
        </ModalDialog>
    }
}
