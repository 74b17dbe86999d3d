//! The buttons that revert, compare and apply the manifest, and a text about its state.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Action;
use loopscope::view::examples::examples;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ApplyRowProps {
    pub text: Rc<str>,
    /// The manifest as it was applied last.
    pub applied: Rc<str>,
    /// The state of the text in a few words.
    pub state: &'static str,
    /// Set if the editor holds an object of `kubectl edit` instead of the manifest.
    pub is_draft: bool,
    /// Set if the difference between the manifest and the live objects is shown.
    pub is_comparing: bool,
    /// Called when a person shows or hides the difference.
    pub oncompare: Callback<MouseEvent>,
}

/// The buttons that revert, compare and apply the manifest.
#[component]
pub fn ApplyRow(props: &ApplyRowProps) -> Html {
    let dispatch = use_dispatch();
    let revert = || dispatch.on(Action::Edit(props.applied.to_string()));
    html! {
        <div class="apply">
            { status(props) }
            if props.text != props.applied { <button type="button" class="quiet" onclick={revert()}>{ if props.is_draft { "Revert to live" } else { "Revert to applied" } }</button> }
            <button type="button" aria-pressed={props.is_comparing.to_string()} onclick={props.oncompare.clone()}>{ "Diff against live" }</button>
            if !props.is_draft {
                <button type="button" class="primary" title="Ctrl or ⌘ and Enter, in the manifest" onclick={dispatch.on(Action::Apply)}>
                    { "Apply" }
                </button>
            }
        </div>
    }
}

fn status(props: &ApplyRowProps) -> Html {
    let example = examples().iter().find(|example| *example.manifest() == *props.text);
    let words = props.state;
    html! {
        <p class="soft">
            { words }
            if let Some(example) = example {
                if !words.is_empty() { <br /> }
                { example.see }
            }
        </p>
    }
}
