//! The drawer along the bottom: tabs for the story, time, the terminal, events, the store, requests, alerts and why.
//!
//! | file | what |
//! | --- | --- |
//! | `story` | what just happened, in sentences |
//! | `time` | the timeline, and moving along it |
//! | `terminal` | the terminal's output and its input line |
//! | `events` | the newest Events |
//! | `store` | revisions of the store |
//! | `requests` | requests and queues over time |
//! | `alerts` | alerts on drift that lasts |
//! | `why` | chains of causes |

mod alerts;
mod events;
mod requests;
mod store;
mod story;
mod terminal;
mod time;
mod why;

use super::dispatch::use_dispatch;
use super::room::{PaneTools, use_entry};
use super::widgets::{Tab, Tabs, tab_id};
use alerts::AlertsPane;
use events::{EventsPane, NewestEvents};
use loopscope::page::{FocusTarget, Pace, Pane, Screen, Select};
use loopscope::view::frame::Bar;
use loopscope::view::{Choice, Drawer, Layout};
use requests::RequestsPane;
use std::rc::Rc;
use store::StorePane;
use story::StoryPane;
use terminal::TerminalPane;
use time::TimePane;
use why::WhyPane;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DrawerPaneProps {
    pub screen: Rc<Screen>,
}

/// The drawer, with its tabs and the content of the chosen one.
#[component]
pub fn DrawerPane(DrawerPaneProps { screen }: &DrawerPaneProps) -> Html {
    let dispatch = use_dispatch();
    // The callback keeps its identity, so that the tabs are not rendered again.
    let onstory = dispatch.on(Select::Drawer(Drawer::Story));
    let onpick = use_callback(dispatch, |place: usize, dispatch| {
        match Drawer::ALL.get(place) {
            // A person who opens the terminal wants to type, so the focus moves there; in other tabs single keys are shortcuts.
            Some(Drawer::Terminal) => dispatch.send(FocusTarget::Terminal),
            Some(drawer) => dispatch.send(Select::Drawer(*drawer)),
            None => {}
        }
    });
    let (bar, chosen) = (&screen.frame.bar, screen.selection.drawer);
    let onfocusin = use_entry(Pane::Time);
    html! {
        <section class="pane drawer" aria-label="Drawer" {onfocusin}>
            <PaneTools pane={Pane::Time} name={chosen.name()} room={screen.room} />
            <div class="drawer-head">
                <Tabs id="drawer" label="Drawer" tabs={tabs(bar.firing)} chosen={Tab::place(chosen)} {onpick} />
                { past_note(bar) }
                if chosen != Drawer::Story {
                    <button type="button" class="quiet what-happened" onclick={onstory}>{ "What just happened?" }</button>
                }
            </div>
            <div
                role="tabpanel"
                id="drawer-panel"
                class={classes!("drawer-panel", chosen.name().to_ascii_lowercase())}
                aria-labelledby={tab_id("drawer", chosen.name())}
            >
                { panel(screen) }
            </div>
        </section>
    }
}

/// Returns the tabs, with the number of firing alerts on the tab of alerts.
fn tabs(firing: usize) -> Vec<Tab> {
    let mark = |drawer: &Drawer| if *drawer == Drawer::Alerts { (firing, "firing") } else { (0, "") };
    Drawer::ALL.iter().map(|drawer| Tab { name: drawer.name(), mark: mark(drawer) }).collect()
}

/// Draws a note while the page shows a past moment: a command there starts a new branch.
fn past_note(bar: &Bar) -> Html {
    let words = bar.past_words();
    html! { if !words.is_empty() { <p class="past-note">{ words }</p> } }
}

/// Draws the content of the chosen tab. Beside the timeline there is room for the story, or for the newest Events.
fn panel(screen: &Screen) -> Html {
    let (frame, selection) = (&screen.frame, &screen.selection);
    match selection.drawer {
        Drawer::Time if selection.layout == Layout::Learn => html! {
            <>
                <StoryPane story={frame.story.clone()} />
                <TimePane timeline={frame.timeline.clone()} />
            </>
        },
        Drawer::Time => html! {
            <>
                <TimePane timeline={frame.timeline.clone()} />
                <NewestEvents events={frame.events.clone()} revision={frame.bar.revision} />
            </>
        },
        drawer => drawer_view(drawer, screen),
    }
}

/// Draws the content of a tab.
pub fn drawer_view(drawer: Drawer, screen: &Screen) -> Html {
    let (frame, selection) = (&screen.frame, &screen.selection);
    match drawer {
        Drawer::Story => html! { <StoryPane story={frame.story.clone()} /> },
        Drawer::Time => html! { <TimePane timeline={frame.timeline.clone()} /> },
        Drawer::Terminal => html! {
            <TerminalPane
                view={frame.terminal.clone()}
                line={screen.line.clone()}
                is_paused={screen.pace == Pace::Paused}
                editing={screen.draft_title.clone()}
            />
        },
        Drawer::Events => html! { <EventsPane events={frame.events.clone()} wanted={selection.events.clone()} /> },
        Drawer::Store => html! {
            <StorePane view={frame.store.clone()} wanted={selection.store.clone()} revision={selection.revision} />
        },
        Drawer::Requests => html! { <RequestsPane requests={frame.requests.clone()} /> },
        Drawer::Alerts => html! { <AlertsPane alerts={frame.alerts.clone()} /> },
        Drawer::Why => html! { <WhyPane view={frame.why.clone()} /> },
    }
}
