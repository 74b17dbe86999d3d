//! What just happened: the story since the last action, with the choice to begin one action earlier.

use crate::ui::widgets::{StoryLines, Toggle};
use loopscope::page::{Action, Select};
use loopscope::view::story::Story;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StoryPaneProps {
    pub story: Rc<Story>,
}

/// The story with its title.
#[component]
pub fn StoryPane(StoryPaneProps { story }: &StoryPaneProps) -> Html {
    let earlier = Action::from(Select::StoryEarlier(!story.is_earlier));
    html! {
        <div class="story-pane" role="group" aria-label="Story" tabindex="0">
            <header class="pane-head">
                <h2>{ "What just happened" }</h2>
                <span class="soft">{ &story.title }</span>
                if story.has_earlier { <Toggle name="Begin one action earlier" on={story.is_earlier} action={earlier} /> }
            </header>
            <StoryLines story={story.clone()} />
        </div>
    }
}
