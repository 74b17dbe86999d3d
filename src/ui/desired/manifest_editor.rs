//! The manifest editor with its examples, problems and buttons.

use super::apply_row::ApplyRow;
use super::code_mirror::use_code_mirror;
use super::comparisons::Comparisons;
use super::draft_head::DraftHead;
use super::example_select::{ExampleOffer, ExampleSelect};
use super::plain_box::{self, PlainBox};
use super::problems::{Problems, use_problems};
use crate::ui::widgets::Term;
use loopscope::page::utf16::units_of;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ManifestEditorProps {
    pub text: Rc<str>,
    /// The manifest as it was applied last.
    pub applied: Rc<str>,
    /// The state of the text in a few words.
    pub state: &'static str,
    /// Set if the editor holds an object of `kubectl edit` instead of the manifest.
    pub is_draft: bool,
    /// The kind and name of the object of `kubectl edit`, if there is one.
    pub draft_title: Option<Rc<str>>,
}

/// The manifest editor, with its examples, problems and buttons.
#[component]
pub fn ManifestEditor(ManifestEditorProps { text, applied, state, is_draft, draft_title }: &ManifestEditorProps) -> Html {
    let (host, area) = (use_node_ref(), use_node_ref());
    let problems = use_problems(text.clone(), applied.clone(), *is_draft);
    let code_mirror = use_code_mirror(&host, &area, text.clone(), problems.clone());
    let is_comparing = use_state(|| false);
    let oncompare = {
        let is_comparing = is_comparing.clone();
        move |_: MouseEvent| is_comparing.set(!*is_comparing)
    };
    let is_waiting = code_mirror.is_none();
    let onpick = {
        let (area, text) = (area.clone(), text.clone());
        move |from: usize| match &code_mirror {
            Some(code_mirror) => code_mirror.show(units_of(&text, from)),
            None => plain_box::show(&area, units_of(&text, from)),
        }
    };
    html! {
        <>
            if let Some(title) = draft_title {
                <DraftHead title={title.clone()} />
            } else {
                <header class="pane-head"><h2 id="desired"><Term of="desired">{ "Desired" }</Term></h2><ExampleSelect /></header>
                <ExampleOffer text={text.clone()} applied={applied.clone()} />
            }
            if is_waiting { <PlainBox text={text.clone()} {area} /> }
            <div class={classes!("editor", "rich", is_waiting.then_some("waiting"))} ref={host} />
            <Problems {problems} {onpick} />
            <ApplyRow text={text.clone()} applied={applied.clone()} {state} is_draft={*is_draft} is_comparing={*is_comparing} {oncompare} />
            if *is_comparing { <Comparisons text={text.clone()} /> }
        </>
    }
}
