//! The drawer along the bottom: what it shows is chosen by tabs.

mod events;
mod store;
mod terminal;
mod timeline;
mod why;

pub use events::event_line;

use super::state::{Dispatch, Pace, State};
use super::tabs::{tab_id, tabs};
use events::EventList;
use loopscope::view::{Choice, Drawer};
use store::StorePane;
use terminal::Terminal;
use timeline::TimelineChart;
use why::WhyPane;
use yew::{Html, html};

/// The drawer.
pub fn drawer(state: &State, dispatch: &Dispatch) -> Html {
    let (chosen, pick) = (state.look.drawer, dispatch.clone());
    html! {
        <section class="pane drawer" aria-label="Drawer">
            { tabs("drawer", "Drawer", chosen, move |drawer| pick.look(move |look| look.drawer = drawer)) }
            <div role="tabpanel" id="drawer-panel" class={["drawer-panel", chosen.name()].join(" ").to_lowercase()} aria-labelledby={tab_id("drawer", chosen.name())}>
                { panel(state, dispatch) }
            </div>
        </section>
    }
}

fn panel(state: &State, dispatch: &Dispatch) -> Html {
    let frame = &state.frame;
    match state.look.drawer {
        Drawer::Time => html! {
            <>
                <TimelineChart timeline={frame.timeline.clone()} />
                <EventList events={frame.events.clone()} revision={frame.bar.revision} dispatch={dispatch.clone()} />
            </>
        },
        Drawer::Terminal => html! {
            <Terminal
                view={frame.terminal.clone()}
                line={state.typing.line.clone()}
                choices={state.typing.choices.clone()}
                paused={state.pace == Pace::Paused}
                dispatch={dispatch.clone()}
            />
        },
        Drawer::Events => html! {
            <EventList events={frame.events.clone()} revision={0} wanted={Some(state.look.events.clone())} dispatch={dispatch.clone()} />
        },
        Drawer::Store => html! {
            <StorePane view={frame.store.clone()} wanted={state.look.store.clone()} revision={state.look.revision} dispatch={dispatch.clone()} />
        },
        Drawer::Why => html! { <WhyPane view={frame.why.clone()} dispatch={dispatch.clone()} /> },
        Drawer::Requests | Drawer::Alerts => Html::default(),
    }
}
