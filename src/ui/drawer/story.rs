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

/// The story with its title. The pane scrolls to the newest line.
#[component]
pub fn StoryPane(StoryPaneProps { story }: &StoryPaneProps) -> Html {
    let pane = use_node_ref();
    let scrolled = pane.clone();
    use_effect_with(story.lines.len(), move |_| {
        if let Some(pane) = scrolled.cast::<Element>() {
            pane.set_scroll_top(pane.scroll_height());
        }
    });
    let earlier = Action::from(Select::StoryEarlier(!story.is_earlier));
    html! {
        <div class="story-pane" ref={pane} role="group" aria-label="Story" tabindex="0">
            <header class="pane-head">
                <h2>{ "What just happened" }</h2>
                <span class="soft">{ &story.title }</span>
                if story.has_earlier { <Toggle name="Begin one action earlier" on={story.is_earlier} action={earlier} /> }
            </header>
            <StoryLines story={story.clone()} />
        </div>
    }
}
