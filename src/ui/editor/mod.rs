//! Desired: the manifest with what helps to write it. A plain text box shows at once; CodeMirror takes its place when its bundle has arrived.
//!
//! | file | what |
//! | --- | --- |
//! | `plain` | the text box |
//! | `rich` | CodeMirror, which is JavaScript, and what it asks |
//! | `below` | problems, and the difference to what is live |

mod below;
mod plain;
mod rich;

use super::state::{Action, Dispatch};
use crate::ui::markup::{classes, html};
use gloo_timers::callback::{Interval, Timeout};
use loopscope::view::assist::{Problem, lint, lint_live};
use loopscope::view::compare::{Comparison, compare};
use loopscope::view::examples::EXAMPLES;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{HtmlSelectElement, HtmlTextAreaElement};
use yew::{AttrValue, Event, Html, MouseEvent, NodeRef, Properties, component, use_effect_with, use_mut_ref, use_node_ref, use_state};

/// Problems are told when a person has stopped typing for so long.
const QUIET_MS: u32 = 400;
/// While the difference to what is live is shown, it is made anew so often.
const COMPARE_MS: u32 = 500;

#[derive(Properties, PartialEq)]
pub struct EditorProps {
    pub text: AttrValue,
    /// The text as it was applied last.
    pub applied: AttrValue,
    /// Whether this is an object that kubectl edit handed over.
    pub draft: bool,
    pub dispatch: Dispatch,
}

/// The manifest, its examples, its problems, and the buttons that do something with it.
#[component]
pub fn Editor(props: &EditorProps) -> Html {
    let (host, area) = (use_node_ref(), use_node_ref());
    let cursor = use_mut_ref(|| None::<usize>);
    let handle = use_state(|| None::<Rc<rich::Handle>>);
    let problems = use_state(Vec::<Problem>::new);
    let comparing = use_state(|| false);
    let found = use_state(Vec::<Comparison>::new);
    {
        let (host, area, text, dispatch) = (host.clone(), area.clone(), props.text.clone(), props.dispatch.clone());
        let (handle, cursor) = (handle.clone(), cursor.clone());
        use_effect_with((), move |()| {
            let ready = move |made| {
                *cursor.borrow_mut() = plain::cursor(&area);
                handle.set(Some(Rc::new(made)));
            };
            let opened = host.cast().map(|host| rich::open(&host, &text, &dispatch, ready));
            move || drop(opened)
        });
    }
    {
        let cursor = cursor.clone();
        use_effect_with((props.text.clone(), handle.is_some()), {
            let handle = handle.clone();
            move |(text, _)| {
                let Some(handle) = &*handle else { return };
                handle.set_text(text);
                // Whoever was typing in the plain box goes on where they were.
                if let Some(place) = cursor.borrow_mut().take() {
                    handle.show(place);
                }
            }
        });
    }
    {
        let (problems, dispatch) = (problems.clone(), props.dispatch.clone());
        use_effect_with((props.text.clone(), props.applied.clone(), props.draft), move |(text, _, draft)| {
            let (text, draft) = (text.clone(), *draft);
            let look = move || {
                let seen = text.clone();
                // An object that is being edited is saved as a patch, so applying it says nothing.
                let now = if draft { Some(lint(&text)) } else { ask(&dispatch, move |desk| lint_live(&seen, desk.session.cluster())) };
                problems.set(now.unwrap_or_default());
            };
            let timer = Timeout::new(QUIET_MS, look);
            move || drop(timer)
        });
    }
    {
        let problems = problems.clone();
        let key = ((*problems).clone(), handle.is_some());
        let (handle, text) = (handle.clone(), props.text.clone());
        use_effect_with(key, move |(problems, _)| {
            if let Some(handle) = &*handle {
                handle.set_diagnostics(&rich::diagnostics(&text, problems));
            }
        });
    }
    {
        let (found, dispatch) = (found.clone(), props.dispatch.clone());
        use_effect_with((props.text.clone(), *comparing), move |(text, comparing)| {
            let timer = comparing.then(|| watch_live(text.clone(), found, dispatch));
            move || drop(timer)
        });
    }
    let jump = {
        let (handle, area, text) = (handle.clone(), area.clone(), props.text.clone());
        move |from: usize| match &*handle {
            Some(handle) => handle.show(rich::units_of(&text, from)),
            None => plain::show(&area, rich::units_of(&text, from)),
        }
    };
    let toggle = {
        let comparing = comparing.clone();
        move |_| comparing.set(!*comparing)
    };
    let (dispatch, applied) = (props.dispatch.clone(), props.applied.clone());
    let revert = move |_| dispatch.send(Action::Edit(applied.to_string()));
    let dispatch = props.dispatch.clone();
    let apply = move |_| dispatch.send(Action::Apply);
    html! {
        <>
            { head(props) }
            if handle.is_none() {
                { plain::text_box(&props.text, &area, &props.dispatch) }
            }
            <div class={classes!("editor", "rich", handle.is_none().then_some("waiting"))} ref={host}></div>
            { below::problem_list(&problems, jump) }
            <div class="apply">
                { status(props) }
                if props.text != props.applied {
                    { button("Revert to applied", "quiet", revert) }
                }
                <button type="button" aria-pressed={*comparing} onclick={toggle}>{ "Diff against live" }</button>
                { button(if props.draft { "Save" } else { "Apply" }, "primary", apply) }
            </div>
            if *comparing {
                { below::comparisons(&found) }
            }
        </>
    }
}

/// The name of the pane, and examples to begin with.
fn head(props: &EditorProps) -> Html {
    let dispatch = props.dispatch.clone();
    let onchange = move |event: Event| {
        let Some(select) = event.target().and_then(|t| t.dyn_into::<HtmlSelectElement>().ok()) else { return };
        if let Some(example) = EXAMPLES.iter().find(|example| example.title == select.value()) {
            dispatch.send(Action::Edit(example.manifest.to_owned()));
        }
        // The same example can be chosen again.
        select.set_selected_index(0);
    };
    let option = |title: &'static str| html! { <option value={title}>{ title }</option> };
    html! {
        <header class="pane-head">
            <h2 id="desired">{ "Desired" }</h2>
            <select class="examples" aria-label="Examples" disabled={props.draft} {onchange}>
                <option value="" selected=true>{ "Examples" }</option>
                { for EXAMPLES.iter().map(|example| option(example.title)) }
            </select>
        </header>
    }
}

fn status(props: &EditorProps) -> Html {
    let example = EXAMPLES.iter().find(|example| example.manifest == props.text.as_str());
    let words = match (props.draft, props.text == props.applied) {
        (true, _) => "kubectl edit: change it and save",
        (_, false) => "edited, not applied",
        _ => "",
    };
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

fn button(name: &'static str, class: &'static str, onclick: impl Fn(MouseEvent) + 'static) -> Html {
    let title = (class == "primary").then_some("Ctrl or ⌘ and Enter, in the manifest");
    html! { <button type="button" {class} {title} {onclick}>{ name }</button> }
}

/// Keeps the difference to what is live as it is, while it is looked at.
fn watch_live(text: AttrValue, found: yew::UseStateHandle<Vec<Comparison>>, dispatch: Dispatch) -> (Timeout, Interval) {
    let seen = Rc::new(RefCell::new(None::<(u64, Vec<Comparison>)>));
    let look = Rc::new(move || {
        let (seen, text, found) = (seen.clone(), text.clone(), found.setter());
        ask(&dispatch, move |desk| {
            let cluster = desk.session.cluster();
            let revision = cluster.api.store.revision();
            let mut seen = seen.borrow_mut();
            if seen.as_ref().is_some_and(|(at, _)| *at == revision) {
                return;
            }
            let now = compare(&text, cluster);
            if seen.as_ref().is_none_or(|(_, before)| *before != now) {
                found.set(now.clone());
            }
            *seen = Some((revision, now));
        });
    });
    let again = look.clone();
    (Timeout::new(0, move || look()), Interval::new(COMPARE_MS, move || again()))
}

/// Asks about the run. The reducer answers at once.
fn ask<T: 'static>(dispatch: &Dispatch, question: impl FnOnce(&loopscope::view::Desk) -> T + 'static) -> Option<T> {
    let answer = Rc::new(RefCell::new(None));
    let slot = answer.clone();
    dispatch.desk(move |desk| *slot.borrow_mut() = Some(question(desk)));
    answer.take()
}

/// The text box behind a reference.
fn area_of(area: &NodeRef) -> Option<HtmlTextAreaElement> {
    area.cast()
}
