//! The progress of a run that is being loaded.

use super::{DialogHead, ModalDialog};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LoadingDialogProps {
    /// The number of commands replayed so far.
    pub replayed: usize,
    /// The number of commands that the run consists of.
    pub all: usize,
}

/// The progress of a run that is being loaded. Closing it cancels the loading.
#[component]
pub fn LoadingDialog(LoadingDialogProps { replayed, all }: &LoadingDialogProps) -> Html {
    html! {
        <ModalDialog class="narrow">
            <DialogHead title="Opening a run" />
            <p role="status">{ format!("{replayed} of {all} commands are done again …") }</p>
        </ModalDialog>
    }
}
