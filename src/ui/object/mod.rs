//! An object opened: what is wanted of it, what is observed, and how it came to be so.
//!
//! | file | what |
//! | --- | --- |
//! | `overview` | spec and status apart, conditions, containers |
//! | `history` | revisions and diffs, shared with the store |

mod history;
mod overview;

pub use history::{diff, revision_line};

use super::drawer::event_line;
use super::menu::more;
use super::state::{Action, Dispatch, Pane};
use super::tabs::{tab_id, tabs};
use crate::ui::markup::{classes, html};
use crate::ui::part::Part;
use loopscope::view::object::head::{Head, Named};
use loopscope::view::object::{ObjectTab, ObjectView, Page};
use loopscope::view::paint::paint;
use loopscope::view::{Choice, Subject};
use std::rc::Rc;
use yew::{Callback, Html, MouseEvent};

/// The object that is open.
#[derive(PartialEq)]
pub struct ObjectPane {
    pub view: Rc<ObjectView>,
    pub page: ObjectTab,
    pub managed: bool,
    pub revision: Option<u64>,
    pub dispatch: Dispatch,
}

impl Part for ObjectPane {
    fn draw(&self) -> Html {
        let (view, dispatch) = (&self.view, &self.dispatch);
        if view.subject.is_none() {
            return html! { <p class="empty">{ "Open a pod, a node or anything else that has a name, and see its spec and status here." }</p> };
        }
        let pick = dispatch.clone();
        html! {
            <div class="object">
                { head(&view.head, dispatch) }
                { tabs("object", "Pages of the object", self.page, move |page| pick.look(move |look| look.page = page)) }
                <div id="object-panel" class="object-panel" role="tabpanel" tabindex="0" aria-labelledby={tab_id("object", self.page.name())}>
                    { page(self) }
                </div>
            </div>
        }
    }
}

fn page(props: &ObjectPane) -> Html {
    match &props.view.page {
        Page::Empty => html! { <p class="empty">{ "There is nothing to show at this moment." }</p> },
        Page::Overview(overview) => overview::overview(overview, &props.dispatch),
        Page::Yaml(parts) => yaml(parts, props.managed, &props.dispatch),
        Page::History(history) => history::history(history, props.revision, &props.dispatch),
        Page::Events(events) if events.is_empty() => html! { <p class="empty">{ "No component has had anything to say about it." }</p> },
        Page::Events(events) => html! { <div class="events"><ol>{ for events.iter().map(|e| event_line(e, None)) }</ol></div> },
    }
}

fn head(head: &Head, dispatch: &Dispatch) -> Html {
    let state = head.health.map_or("", |h| h.class());
    let fact = |(name, value): &(&'static str, String)| html! { <div><dt>{ *name }</dt><dd>{ value }</dd></div> };
    html! {
        <header class="object-head" data-kind={head.kind} data-namespace={head.namespace.clone()} data-name={head.name.clone()}>
            <p class="soft">{ head.kind }if !head.namespace.is_empty() { { " in " }{ &head.namespace } }</p>
            <h2>{ &head.name }</h2>
            <p class="object-state">
                if !head.state.is_empty() {
                    <span class={classes!("state", state)}><span aria-hidden="true">{ head.health.map_or("", |h| h.glyph()) }{ " " }</span>{ &head.state }</span>
                }
                { why_button(None, &head.name, dispatch) }
                { more(&[head.kind, " ", &head.name].concat()) }
            </p>
            <dl class="facts">
                if head.generation.is_some() {
                    <div><dt title="metadata.generation and status.observedGeneration">{ "generation, observed" }</dt><dd>{ head.progress() }</dd></div>
                }
                { for head.facts.iter().map(fact) }
            </dl>
            if !head.owners.is_empty() { <p class="names"><span class="soft">{ "owned by " }</span>{ for head.owners.iter().map(|o| named(o, dispatch)) }</p> }
            if !head.owned.is_empty() {
                <p class="names">
                    <span class="soft">{ "owns " }</span>{ for head.owned.iter().map(|o| named(o, dispatch)) }
                    if head.more_owned > 0 { <span class="soft">{ format!("and {} more", head.more_owned) }</span> }
                </p>
            }
            { note("absent", &head.absent) }
            { note("deleting", &head.deleting) }
            { note("stuck", head.stuck.as_deref().unwrap_or_default()) }
        </header>
    }
}

fn note(class: &'static str, text: &str) -> Html {
    if text.is_empty() {
        Html::default()
    } else {
        html! { <p class={classes!("note", class)} role="status">{ text }</p> }
    }
}

fn named(named: &Named, dispatch: &Dispatch) -> Html {
    match &named.subject {
        Some(subject) => subject_button(subject, &named.text, dispatch),
        None => html! { <span>{ &named.text }{ " " }</span> },
    }
}

/// A button that opens an object.
pub fn subject_button(subject: &Subject, text: &str, dispatch: &Dispatch) -> Html {
    let onclick = open(subject, dispatch);
    html! { <button type="button" class="quiet subject" {onclick}>{ text.to_owned() }</button> }
}

/// Opens an object.
pub fn open(subject: &Subject, dispatch: &Dispatch) -> Callback<MouseEvent> {
    let subject = subject.clone();
    dispatch.on_page(move |state| state.open(subject.clone()))
}

/// A button that asks why the open object, or a field of it, is as it is.
pub fn why_button(field: Option<&str>, name: &str, dispatch: &Dispatch) -> Html {
    let (field, dispatch) = (field.map(str::to_owned), dispatch.clone());
    let onclick = move |_| {
        let field = field.clone();
        dispatch.look(move |look| look.ask_why(field));
        dispatch.send(Action::Pane(Pane::Time));
    };
    html! { <button type="button" class="quiet why" aria-label={format!("Why {name}?")} {onclick}>{ "why?" }</button> }
}

fn yaml(parts: &[(String, String)], managed: bool, dispatch: &Dispatch) -> Html {
    let onclick = dispatch.on_look(|look| look.managed = !look.managed);
    let part = |(name, text): &(String, String)| {
        if name.is_empty() {
            return painted(text);
        }
        html! { <details key={name.clone()} open=true><summary>{ name }</summary>{ painted(text) }</details> }
    };
    html! {
        <div class="yaml">
            <p><button type="button" aria-pressed={managed} {onclick}>{ "Managed fields" }</button></p>
            { for parts.iter().map(part) }
        </div>
    }
}

fn painted(text: &str) -> Html {
    let line = |line: &str| -> Html {
        html! { <>{ for paint(line).into_iter().map(|(ink, piece)| html! { <span class={ink.class()}>{ piece }</span> }) }{ "\n" }</> }
    };
    html! { <pre class="mono" tabindex="0">{ for text.lines().map(line) }</pre> }
}
