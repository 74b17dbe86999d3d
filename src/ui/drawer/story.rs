//! The tab *What just happened*: the story since the last command, with the choice to begin one command earlier.

use crate::ui::widgets::{StoryLines, Toggle};
use loopscope::page::{Action, Select};
use loopscope::view::story::Story;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StoryPaneProps {
    pub story: Rc<Story>,
}

/// The distance from the end of the story, in pixels, within which a person counts as reading its end.
const NEAR_END: i32 = 64;

/// The story with its title. The pane scrolls to a new line, and stays at the end while the last one grows.
#[component]
pub fn StoryPane(StoryPaneProps { story }: &StoryPaneProps) -> Html {
    let pane = use_node_ref();
    let (scrolled, told) = (pane.clone(), use_mut_ref(|| 0));
    use_effect_with(story.clone(), move |story| {
        let has_new = told.replace(story.lines.len()) != story.lines.len();
        if let Some(pane) = scrolled.cast::<Element>()
            && (has_new || pane.scroll_height() - pane.client_height() - pane.scroll_top() < NEAR_END)
        {
            pane.set_scroll_top(pane.scroll_height());
        }
    });
    let earlier = Action::from(Select::StoryEarlier(!story.is_earlier));
    html! {
        <div class="story-pane" ref={pane} role="group" aria-label="Story" tabindex="0">
            <header class="pane-head">
                <h2>{ "What just happened" }</h2>
                <span class="soft" title={story.title.clone()}>{ &story.title }</span>
                if story.has_earlier { <Toggle name="Begin one action earlier" on={story.is_earlier} action={earlier} /> }
            </header>
            <StoryLines story={story.clone()} />
        </div>
    }
}
