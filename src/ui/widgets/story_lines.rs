//! The story of what just happened, line by line: a click on a time goes back to that moment, a click on a name opens the object.

use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::page::{Select, Travel};
use loopscope::view::story::{Part, Story, StoryLine};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StoryLinesProps {
    pub story: Rc<Story>,
}

/// The sentences of a story. Screen readers announce new ones, except for the last one, about the present, which changes too often.
#[component]
pub fn StoryLines(StoryLinesProps { story }: &StoryLinesProps) -> Html {
    let dispatch = use_dispatch();
    let (past, now): (Vec<&StoryLine>, Vec<&StoryLine>) = story.lines.iter().partition(|line| !line.is_now);
    html! {
        <div class="story-lines">
            <ol aria-label="What just happened" aria-live="polite" aria-relevant="additions">
                { for past.iter().enumerate().map(|(place, line)| row(line, key(&past, place), &dispatch)) }
            </ol>
            { for now.iter().map(|line| html! { <p class="story-now"><span class="at">{ "now" }</span><span>{ parts(&line.parts, &dispatch) }</span></p> }) }
        </div>
    }
}

/// Returns the Yew key of a line: its moment, and its index among the lines of the same moment.
fn key(lines: &[&StoryLine], place: usize) -> String {
    let time = lines.get(place).map_or(0, |line| line.time.0);
    let same = lines.iter().take(place).filter(|line| line.time.0 == time).count();
    format!("{time}-{same}")
}

fn row(line: &StoryLine, key: String, dispatch: &Dispatch) -> Html {
    let label = format!("Go to {}", line.at);
    html! {
        <li {key}>
            <button type="button" class="at" aria-label={label.clone()} title={label} onclick={dispatch.on(Travel::To(line.time))}>{ &line.at }</button>
            <span>{ parts(&line.parts, dispatch) }</span>
        </li>
    }
}

fn parts(all: &[Part], dispatch: &Dispatch) -> Html {
    let link = |words: &str, title: String, select: Select| {
        html! { <button type="button" class="story-link" {title} onclick={dispatch.on(select)}>{ words }</button> }
    };
    let part = |part: &Part| match part {
        Part::Text(words) => html! { words },
        Part::Object(subject, name) => link(name, format!("Open {}", subject.text()), Select::Open(subject.clone())),
        Part::Pass { controller, number, words } => {
            link(words, format!("Open pass {number}"), Select::Pass { controller: *controller, pass: *number })
        }
        Part::Revision(number, words) => link(words, format!("Open the store at revision {number}"), Select::Revision(*number)),
        Part::Strong(inside) => html! { <strong>{ parts(inside, dispatch) }</strong> },
    };
    all.iter().map(part).collect()
}
