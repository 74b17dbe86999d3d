//! The small bar of an embed: play, step, the clock, the badge that shows whether desired and actual state agree, and a link to the whole page.

use crate::ui::bar::{DriftBadge, Moment, PlayButton, StepButtons};
use crate::ui::browser::address::whole_page;
use crate::ui::widgets::Icon;
use loopscope::page::{Pace, Screen};
use loopscope::view::clock::whole_seconds;
use std::rc::Rc;
use yew::prelude::*;

const OPEN: &str = "M3 2h4v1.500H3.500v9h9V9H14v5H2V2zM9 2h5v5h-1.500V4.560L7.530 9.530 6.470 8.470 11.440 3.500H9z";

#[derive(Properties, PartialEq)]
pub struct MiniBarProps {
    pub screen: Rc<Screen>,
}

/// The small bar along the top of an embed.
#[component]
pub fn MiniBar(MiniBarProps { screen }: &MiniBarProps) -> Html {
    let bar = &screen.frame.bar;
    let at_rest = screen.rest.is_some();
    let shown = |text: &str| if at_rest { whole_seconds(text) } else { text.to_owned() };
    let href = use_memo((), |()| whole_page());
    html! {
        <header class="mini-bar">
            <h1 class="hidden">{ "Loopscope" }</h1>
            <div class="transport" role="group" aria-label="Time">
                <PlayButton is_running={screen.pace != Pace::Paused} />
                <StepButtons />
            </div>
            <Moment clock={shown(&bar.clock)} forks={bar.forks} branches={bar.branches} behind={bar.behind.clone()} words={bar.past_words()} />
            <DriftBadge
                standing={bar.standing.clone()}
                gap={bar.gap.clone()}
                since={shown(&bar.since)}
                turned_at={bar.turned_at.clone()}
                steps={bar.steps}
            />
            <a class="whole-page" href={(*href).clone()} target="_blank" rel="noopener" aria-label="Open the whole page in a new tab" title="Open the whole page in a new tab">
                <Icon path={OPEN} />
            </a>
        </header>
    }
}
