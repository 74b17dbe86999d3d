//! The help dialog: the idea of the page, all keys, the glossary.

use super::about::About;
use super::key_list::KeyList;
use super::word_list::WordList;
use super::{DialogHead, ModalDialog};
use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::{Tab, Tabs, tab_id};
use loopscope::page::overlay::Help;
use loopscope::page::{HelpPart, OverlayAction};
use loopscope::view::Choice;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HelpDialogProps {
    pub help: Rc<Help>,
}

/// The help dialog, which shows one of its parts at a time.
#[component]
pub fn HelpDialog(HelpDialogProps { help }: &HelpDialogProps) -> Html {
    let dispatch = use_dispatch();
    let preferences = dispatch.on(OverlayAction::Preferences);
    let onpick = move |place: usize| {
        if let Some(part) = HelpPart::ALL.get(place) {
            dispatch.send(OverlayAction::Help(*part));
        }
    };
    html! {
        <ModalDialog class="help">
            <DialogHead title="Help" />
            <div class="help-head">
                <Tabs id="help" label="Parts of help" tabs={Tab::all::<HelpPart>()} chosen={Tab::place(help.part)} {onpick} />
                <button type="button" class="quiet" onclick={preferences}>{ "Preferences" }</button>
            </div>
            <div id="help-panel" class="help-panel" role="tabpanel" tabindex="0" aria-labelledby={tab_id("help", help.part.name())}>
                { match help.part {
                    HelpPart::About => html! { <About experiments={help.experiments.clone()} /> },
                    HelpPart::Keys => html! { <KeyList /> },
                    HelpPart::Glossary => html! { <WordList query={help.query.clone()} /> },
                } }
            </div>
        </ModalDialog>
    }
}
