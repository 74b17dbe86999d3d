//! The part above the tabs of an open object: its name, its state, its generation, its owners and the objects that it owns.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::{MenuButton, SubjectButton, Term, WhyButton, on_menu};
use loopscope::view::menus::Thing;
use loopscope::view::object::ObjectView;
use loopscope::view::object::head::{Head, Named};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ObjectHeadProps {
    pub view: Rc<ObjectView>,
}

/// The head of the open object, above its tabs.
#[component]
pub fn ObjectHead(ObjectHeadProps { view }: &ObjectHeadProps) -> Html {
    let dispatch = use_dispatch();
    let (head, thing) = (&view.head, view.subject.clone().map(Thing::Object));
    html! {
        <header
            class="object-head"
            data-kind={head.kind}
            data-namespace={head.namespace.clone()}
            data-name={head.name.clone()}
            oncontextmenu={thing.clone().map(|thing| on_menu(&dispatch, thing))}
        >
            <p class="soft">{ head.kind }if !head.namespace.is_empty() { { " in " }{ &head.namespace } }</p>
            <h2>{ &head.name }</h2>
            <p class="object-state">
                if !head.state.is_empty() { { state(head) } }
                <WhyButton name={head.name.clone()} />
                if let Some(thing) = thing { <MenuButton {thing} title={format!("{} {}", head.kind, head.name)} /> }
            </p>
            <dl class="facts">
                if head.generation.is_some() {
                    <div>
                        <dt title="metadata.generation and status.observedGeneration"><Term of="generation">{ "generation" }</Term></dt>
                        <dd>{ head.progress() }</dd>
                    </div>
                }
                { for head.facts.iter().map(|(name, value)| html! { <div><dt>{ *name }</dt><dd>{ value }</dd></div> }) }
            </dl>
            if !head.owners.is_empty() {
                <p class="names"><span class="soft">{ "owned by " }</span>{ for head.owners.iter().map(named) }</p>
            }
            if !head.owned.is_empty() {
                <p class="names">
                    <span class="soft">{ "owns " }</span>{ for head.owned.iter().map(named) }
                    if head.more_owned > 0 { <span class="soft">{ format!("and {} more", head.more_owned) }</span> }
                </p>
            }
            { note("absent", &head.absent) }
            { note("deleting", &head.deleting) }
            { note("stuck", head.stuck.as_deref().unwrap_or_default()) }
        </header>
    }
}

fn state(head: &Head) -> Html {
    let (class, glyph) = head.health.map_or(("", ""), |health| (health.class(), health.glyph()));
    html! { <span class={classes!("state", class)}><span aria-hidden="true">{ glyph }{ " " }</span>{ &head.state }</span> }
}

fn named(named: &Named) -> Html {
    match &named.subject {
        Some(subject) => html! { <SubjectButton subject={subject.clone()} text={named.text.clone()} /> },
        None => html! { <span>{ &named.text }{ " " }</span> },
    }
}

fn note(class: &'static str, text: &str) -> Html {
    if text.is_empty() {
        return Html::default();
    }
    html! { <p class={classes!("note", class)} role="status">{ text.to_owned() }</p> }
}
