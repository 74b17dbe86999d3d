//! The manifest's problems: searched for when typing pauses, and listed below the editor.

use crate::ui::dispatch::use_dispatch;
use gloo_timers::callback::Timeout;
use loopscope::view::assist::{Problem, Severity, lint, lint_live};
use std::rc::Rc;
use yew::prelude::*;

/// The time without typing after which the page searches for problems, in milliseconds.
const QUIET_MS: u32 = 400;

/// Returns the problems of a manifest, updated once a person has stopped typing, and after an apply, which may solve some or cause new ones.
#[hook]
pub fn use_problems(text: Rc<str>, applied: Rc<str>, is_draft: bool) -> Rc<Vec<Problem>> {
    let dispatch = use_dispatch();
    let problems = use_state_eq(Rc::<Vec<Problem>>::default);
    let found = problems.setter();
    use_effect_with((text, applied, is_draft), move |(text, _, is_draft)| {
        let (text, is_draft) = (text.clone(), *is_draft);
        let timer = Timeout::new(QUIET_MS, move || {
            // `kubectl edit` saves an object as a patch, so the answer to a rehearsal of `kubectl apply` would mean nothing.
            let now = if is_draft { lint(&text) } else { dispatch.read(|run| lint_live(&text, run.session.cluster())) };
            found.set(Rc::new(now));
        });
        move || drop(timer)
    });
    (*problems).clone()
}

#[derive(Properties, PartialEq)]
pub struct ProblemsProps {
    pub problems: Rc<Vec<Problem>>,
    /// Called with the byte position of the problem that a person picks.
    pub onpick: Callback<usize>,
}

/// The list of problems, each a button that moves the cursor to the problem.
#[component]
pub fn Problems(ProblemsProps { problems, onpick }: &ProblemsProps) -> Html {
    let item = |problem: &Problem| {
        let from = problem.from;
        let onclick = onpick.reform(move |_: MouseEvent| from);
        let (class, glyph) = match problem.severity {
            Severity::Error => ("error", "✕"),
            Severity::Warning => ("warning", "!"),
        };
        html! {
            <li {class}>
                <button type="button" {onclick}>
                    <span aria-hidden="true">{ glyph }</span>
                    <span>{ format!("line {}: {}", problem.line, problem.message) }</span>
                </button>
            </li>
        }
    };
    let count = match problems.len() {
        0 => String::new(),
        1 => "1 problem".to_owned(),
        n => format!("{n} problems"),
    };
    html! {
        <>
            <p class="hidden" role="status">{ count }</p>
            if !problems.is_empty() { <ul class="problems" aria-label="Problems">{ for problems.iter().map(item) }</ul> }
        </>
    }
}
