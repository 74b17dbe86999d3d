//! The pane *Desired*: the manifest in an editor, and the API server's answer. A plain text box is shown at once; CodeMirror takes its place when its
//! bundle has arrived.
//!
//! | file | what |
//! | --- | --- |
//! | `manifest_editor` | the arrangement of the parts below |
//! | `draft_head` | the head of the pane during `kubectl edit` |
//! | `example_select` | manifests to begin with |
//! | `plain_box` | the plain text box |
//! | `code_mirror`, `assistance` | CodeMirror, which is JavaScript, and the values that it exchanges with the page |
//! | `problems` | the manifest's problems |
//! | `apply_row` | the buttons that revert, compare and apply the manifest |
//! | `comparisons` | the difference to the live objects |
//! | `answer_box` | the API server's answer |

mod answer_box;
mod apply_row;
mod assistance;
mod code_mirror;
mod comparisons;
mod draft_head;
mod example_select;
mod manifest_editor;
mod plain_box;
mod problems;

use super::room::{PaneTools, use_entry};
use answer_box::AnswerBox;
use loopscope::page::{Pace, Pane, Room, Screen};
use loopscope::view::frame::Answer;
use manifest_editor::ManifestEditor;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DesiredPaneProps {
    pub text: Rc<str>,
    /// The manifest as it was applied last.
    pub applied: Rc<str>,
    /// The state of the text in a few words.
    pub state: &'static str,
    /// Set if the editor holds an object of `kubectl edit` instead of the manifest.
    pub is_draft: bool,
    /// The kind and name of the object of `kubectl edit`, if there is one.
    #[prop_or_default]
    pub draft_title: Option<Rc<str>>,
    pub answer: Option<Rc<Answer>>,
    /// A sentence about fields of the applied manifest that were changed in the cluster afterwards.
    #[prop_or_default]
    pub overruled: Option<Rc<str>>,
    pub is_paused: bool,
    /// Set while the page shows a past moment.
    #[prop_or_default]
    pub is_past: bool,
    pub room: Room,
}

/// The pane with the manifest and the API server's answer.
#[component]
pub fn DesiredPane(props: &DesiredPaneProps) -> Html {
    let onfocusin = use_entry(Pane::Desired);
    html! {
        <section class="pane desired" aria-labelledby="desired" {onfocusin}>
            <PaneTools pane={Pane::Desired} name="Desired" room={props.room} />
            <ManifestEditor text={props.text.clone()} applied={props.applied.clone()} state={props.state} is_draft={props.is_draft} draft_title={props.draft_title.clone()} />
            { overruled(&props.overruled) }
            <AnswerBox answer={props.answer.clone()} is_paused={props.is_paused} is_past={props.is_past} />
        </section>
    }
}

/// Draws a hint that the cluster no longer matches the applied manifest.
fn overruled(words: &Option<Rc<str>>) -> Html {
    html! { if let Some(words) = words { <p class="overruled" role="status">{ AttrValue::from(words.clone()) }</p> } }
}

#[derive(Properties, PartialEq)]
pub struct DesiredPanelProps {
    pub screen: Rc<Screen>,
}

/// The manifest as a panel of an embed.
#[component]
pub fn DesiredPanel(DesiredPanelProps { screen }: &DesiredPanelProps) -> Html {
    let is_past = !screen.frame.bar.behind.is_empty();
    html! {
        <div class="desired">
            <ManifestEditor
                text={screen.text.clone()}
                applied={screen.applied.clone()}
                state={screen.text_state}
                is_draft={screen.is_draft}
                draft_title={screen.draft_title.clone()}
            />
            { overruled(&screen.overruled) }
            <AnswerBox answer={screen.frame.answer.clone()} is_paused={screen.pace == Pace::Paused} {is_past} />
        </div>
    }
}
