//! The tab *Why*: chains of causes as pictures from left to right, and as sentences.

use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::page::Select;
use loopscope::view::why::{Link, Opens, Story, WhyView};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct WhyPaneProps {
    pub view: Rc<WhyView>,
}

/// The tab *Why*: the reasons why the open object is as it is.
#[component]
pub fn WhyPane(WhyPaneProps { view }: &WhyPaneProps) -> Html {
    let dispatch = use_dispatch();
    let Some(subject) = &view.subject else {
        return html! { <p class="empty">{ "Open an object, and ask why it is there or why a field of it is as it is." }</p> };
    };
    let stuck = match (&view.stuck, view.is_workload) {
        (Some(stuck), _) => html! { <p class="note stuck" role="status">{ stuck }</p> },
        (None, true) => html! { <p class="soft">{ format!("Nothing holds {} up.", subject.text()) }</p> },
        (None, false) => Html::default(),
    };
    html! {
        <div class="why-stories" role="group" tabindex="0" aria-label="Why">
            { stuck }
            if view.stories.is_empty() { <p class="empty">{ "At this moment nothing is known of it." }</p> }
            <>{ for view.stories.iter().map(|told| story(told, &dispatch)) }</>
        </div>
    }
}

fn story(story: &Story, dispatch: &Dispatch) -> Html {
    let sentence = |link: &Link| html! { <span class={link.sort.class()}>{ &link.sentence }{ " " }</span> };
    html! {
        <section class="why-story" key={story.question.clone()}>
            <h2>{ &story.question }</h2>
            <ol class="chain" aria-label="Chain of causes, the first cause first">
                { for story.links.iter().enumerate().map(|(i, link)| cell(link, i > 0, dispatch)) }
            </ol>
            <p class="told">{ for story.links.iter().map(sentence) }</p>
        </section>
    }
}

/// Draws a link of the chain of causes as a box, with an arrow from the link before it.
fn cell(link: &Link, has_arrow: bool, dispatch: &Dispatch) -> Html {
    let inside = html! {
        <>
            <span class="at">{ &link.at }</span>
            <b>{ &link.title }</b>
            <span>{ &link.detail }</span>
        </>
    };
    let (class, title) = (classes!("box", link.sort.class()), link.sentence.clone());
    html! {
        <li>
            if has_arrow {
                <svg class="arrow" viewBox="0 0 24 12" aria-hidden="true"><path d="M0 6H20M15 1L21 6L15 11" /></svg>
            }
            if let Some(select) = opening(&link.opens) {
                <button type="button" {class} onclick={dispatch.on(select)} {title}>{ inside }</button>
            } else {
                <div {class} {title}>{ inside }</div>
            }
        </li>
    }
}

/// Returns the change of the selection that opens the object or the pass of a link; `None` if the link opens nothing.
fn opening(opens: &Opens) -> Option<Select> {
    match opens {
        Opens::Nothing => None,
        Opens::Object(subject, _) => Some(Select::Open(subject.clone())),
        Opens::Pass(controller, pass) => Some(Select::Pass { controller: *controller, pass: *pass }),
    }
}
