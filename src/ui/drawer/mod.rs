//! The drawer along the bottom: what it shows is chosen by tabs.

mod alerts;
mod events;
mod requests;
mod store;
mod terminal;
mod timeline;
mod why;

pub use events::event_line;

use super::state::{Dispatch, Pace, State};
use super::tabs::{marked_tabs, tab_id};
use crate::ui::markup::{html, mount};
use crate::ui::part::part;
use alerts::AlertRules;
use events::EventList;
use loopscope::view::{Choice, Drawer};
use requests::RequestCharts;
use store::StorePane;
use terminal::Terminal;
use timeline::TimelineChart;
use why::WhyPane;
use yew::Html;

/// The drawer.
pub fn drawer(state: &State, dispatch: &Dispatch) -> Html {
    let (chosen, pick) = (state.look.drawer, dispatch.clone());
    html! {
        <>
            <div class="drawer-head">
                { marked_tabs("drawer", "Drawer", chosen, move |drawer| pick.look(move |look| look.drawer = drawer), |d| firing(d, state)) }
                { past_note(state) }
            </div>
            <div role="tabpanel" id="drawer-panel" class={["drawer-panel", chosen.name()].join(" ").to_ascii_lowercase()} aria-labelledby={tab_id("drawer", chosen.name())}>
                { panel(state, dispatch) }
            </div>
        </>
    }
}

/// How many alerts fire, on the tab of alerts.
fn firing(drawer: Drawer, state: &State) -> (usize, &'static str) {
    (if drawer == Drawer::Alerts { state.frame.bar.firing } else { 0 }, "firing")
}

/// What acting in the past would do, told before it is done.
fn past_note(state: &State) -> Html {
    let bar = &state.frame.bar;
    if bar.behind.is_empty() {
        return Html::default();
    }
    html! { <p class="past-note">{ format!("{} back. What you do here replaces the {} later steps.", bar.behind, bar.later) }</p> }
}

fn panel(state: &State, dispatch: &Dispatch) -> Html {
    let frame = &state.frame;
    match state.look.drawer {
        Drawer::Time => html! {
            <>
                { mount! { <TimelineChart timeline={frame.timeline.clone()} dispatch={dispatch.clone()} /> } }
                { part(EventList { events: frame.events.clone(), revision: frame.bar.revision, wanted: None, dispatch: dispatch.clone() }) }
            </>
        },
        Drawer::Terminal => mount! {
            <Terminal
                view={frame.terminal.clone()}
                line={state.typing.line.clone()}
                choices={state.typing.choices.clone()}
                paused={state.pace == Pace::Paused}
                dispatch={dispatch.clone()}
            />
        },
        Drawer::Events => part(EventList {
            events: frame.events.clone(),
            revision: 0,
            wanted: Some(state.look.events.clone()),
            dispatch: dispatch.clone(),
        }),
        Drawer::Store => part(StorePane {
            view: frame.store.clone(),
            wanted: state.look.store.clone(),
            revision: state.look.revision,
            dispatch: dispatch.clone(),
        }),
        Drawer::Why => part(WhyPane { view: frame.why.clone(), dispatch: dispatch.clone() }),
        Drawer::Requests => part(RequestCharts { requests: frame.requests.clone(), dispatch: dispatch.clone() }),
        Drawer::Alerts => part(AlertRules { alerts: frame.alerts.clone(), dispatch: dispatch.clone() }),
    }
}
