//! Why: the chain of causes as a picture from left to right, and as sentences.

use crate::ui::markup::{classes, html};
use crate::ui::object::open;
use crate::ui::part::Part;
use crate::ui::state::{Action, Dispatch, Pane};
use loopscope::view::Side;
use loopscope::view::why::{Link, Opens, Story, WhyView};
use std::rc::Rc;
use yew::{Callback, Html, MouseEvent};

/// Why the open object is as it is.
#[derive(PartialEq)]
pub struct WhyPane {
    pub view: Rc<WhyView>,
    pub dispatch: Dispatch,
}

impl Part for WhyPane {
    fn draw(&self) -> Html {
        let (view, dispatch) = (&self.view, &self.dispatch);
        let Some(subject) = &view.subject else {
            return html! { <p class="empty">{ "Open an object, and ask why it is there or why a field of it is as it is." }</p> };
        };
        let stuck = match (&view.stuck, view.is_workload) {
            (Some(stuck), _) => html! { <p class="note stuck" role="status">{ stuck }</p> },
            (None, true) => html! { <p class="soft">{ format!("Nothing holds {} up.", subject.text()) }</p> },
            _ => Html::default(),
        };
        html! {
            <div class="why-stories" role="group" tabindex="0" aria-label="Why">
                { stuck }
                if view.stories.is_empty() { <p class="empty">{ "At this moment nothing is known of it." }</p> }
                { for view.stories.iter().map(|s| story(s, dispatch)) }
            </div>
        }
    }
}

fn story(story: &Story, dispatch: &Dispatch) -> Html {
    let sentence = |link: &Link| html! { <span class={link.sort.class()}>{ &link.sentence }{ " " }</span> };
    html! {
        <section class="story" key={story.question.clone()}>
            <h2>{ &story.question }</h2>
            <ol class="chain" aria-label="Chain of causes, the first cause first">
                { for story.links.iter().enumerate().map(|(i, link)| cell(link, i > 0, dispatch)) }
            </ol>
            <p class="told">{ for story.links.iter().map(sentence) }</p>
        </section>
    }
}

fn cell(link: &Link, arrow: bool, dispatch: &Dispatch) -> Html {
    let inside = html! {
        <>
            <span class="at">{ &link.at }</span>
            <b>{ &link.title }</b>
            <span>{ &link.detail }</span>
        </>
    };
    let class = classes!("box", link.sort.class());
    html! {
        <li>
            if arrow {
                <svg class="arrow" viewBox="0 0 24 12" aria-hidden="true"><path d="M0 6H20M15 1L21 6L15 11" /></svg>
            }
            if let Some(onclick) = opening(&link.opens, dispatch) {
                <button type="button" {class} {onclick} title={link.sentence.clone()}>{ inside }</button>
            } else {
                <div {class} title={link.sentence.clone()}>{ inside }</div>
            }
        </li>
    }
}

fn opening(opens: &Opens, dispatch: &Dispatch) -> Option<Callback<MouseEvent>> {
    match opens {
        Opens::Nothing => None,
        Opens::Object(subject, _) => Some(open(subject, dispatch)),
        Opens::Pass(controller, number) => {
            let (dispatch, controller, number) = (dispatch.clone(), *controller, *number);
            Some(Callback::from(move |_| {
                dispatch.look(move |look| {
                    look.turn_to(controller);
                    look.pass = Some(number);
                    look.side = Side::Loop;
                });
                dispatch.send(Action::Pane(Pane::Loop));
            }))
        }
    }
}
