//! The dialog with the branches that were left behind by acting in the past, each with a button that reopens it.

use super::{DialogHead, ModalDialog};
use crate::ui::dispatch::use_dispatch;
use loopscope::page::Action;
use loopscope::view::branches::{BranchLine, MOST_BRANCHES};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct BranchesDialogProps {
    pub lines: Rc<Vec<BranchLine>>,
    /// The number of branches, the oldest, for which the browser's storage has no room.
    pub unkept: usize,
}

/// The dialog with the list of branches.
#[component]
pub fn BranchesDialog(BranchesDialogProps { lines, unkept }: &BranchesDialogProps) -> Html {
    let dispatch = use_dispatch();
    let line = |line: &BranchLine| {
        html! {
            <li key={line.number}>
                <span>{ &line.text }</span>
                <button type="button" aria-label={format!("Reopen the branch left at {}", line.at)} onclick={dispatch.on(Action::OpenBranch(line.number))}>
                    { "Reopen" }
                </button>
            </li>
        }
    };
    let words = if lines.is_empty() {
        "No branch has been left behind. What you do in the past starts a new branch, and what came later is kept here.".to_owned()
    } else {
        format!(
            "What was done in the past started a new branch, and what came later is kept. The last {MOST_BRANCHES} such branches are listed; to reopen one keeps the present one."
        )
    };
    html! {
        <ModalDialog class="wide">
            <DialogHead title="Branches left behind" />
            <p class="soft">{ words }</p>
            if *unkept > 0 { <p>{ format!("The browser's storage is full: {unkept} of them, the oldest, are lost when this page is closed.") }</p> }
            if !lines.is_empty() { <ul class="branches">{ for lines.iter().map(line) }</ul> }
        </ModalDialog>
    }
}
