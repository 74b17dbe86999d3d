//! The arrangement: desired on the left, actual in the middle, the loop on the right, time along the bottom.

use super::actual::ActualPane;
use super::answer::AnswerBox;
use super::cover::Cover;
use super::drawer::drawer;
use super::driver::use_driver;
use super::editor::Editor;
use super::loops::LoopPane;
use super::object::ObjectPane;
use super::recover::use_keeping;
use super::share::use_links;
use super::shortcuts::use_shortcuts;
use super::state::{Action, Dispatch, Pace, Pane, State};
use super::tabs::{tab_id, tabs};
use super::transport::Transport;
use crate::ui::markup::{classes, html, mount};
use crate::ui::part::part;
use loopscope::view::{Choice, Side};
use yew::{Html, component, use_reducer_eq};

/// The whole page.
#[component]
pub fn App() -> Html {
    let state = use_reducer_eq(|| State::first_visit().take_up());
    let dispatch = Dispatch(state.dispatcher());
    let running = state.pace != Pace::Paused || state.frame.bar.catching_up || state.is_coming() || !state.whole;
    use_driver(running, state.is_fast(), dispatch.clone());
    use_shortcuts(dispatch.clone());
    use_links(dispatch.clone());
    use_keeping(dispatch.clone());
    html! {
        <div class={classes!("page", state.pane.class())}>
            { part(Transport { bar: state.frame.bar.clone(), pace: state.pace, speed: state.speed, meter: state.meter, dispatch: dispatch.clone(), taste: state.over.taste }) }
            <main>
                <section class="pane desired" aria-labelledby="desired">if state.whole { { desired(&state, &dispatch) } }</section>
                { actual(&state, &dispatch) }
                <section class="pane loop" aria-label="The loop and its objects">if state.whole { { side(&state, &dispatch) } }</section>
                <section class="pane drawer" aria-label="Drawer">if state.whole { { drawer(&state, &dispatch) } }</section>
                if state.whole { { mount! { <Cover over={state.over.clone()} dispatch={dispatch.clone()} /> } } }
            </main>
            { pane_tabs(state.pane, &dispatch) }
        </div>
    }
}

fn desired(state: &State, dispatch: &Dispatch) -> Html {
    html! {
        <>
            { mount! { <Editor text={state.text.clone()} applied={state.applied.clone()} draft={state.draft.is_some()} dispatch={dispatch.clone()} /> } }
            { part(AnswerBox { answer: state.frame.answer.clone(), paused: state.pace == Pace::Paused }) }
        </>
    }
}

fn actual(state: &State, dispatch: &Dispatch) -> Html {
    let frame = &state.frame;
    part(ActualPane {
        stage: state.look.stage,
        cluster: frame.cluster.clone(),
        owners: frame.owners.clone(),
        services: frame.services.clone(),
        tally: frame.tally.clone(),
        hint: frame.hint.clone(),
        twins: frame.twins.clone(),
        dispatch: dispatch.clone(),
    })
}

fn side(state: &State, dispatch: &Dispatch) -> Html {
    let (chosen, pick) = (state.look.side, dispatch.clone());
    html! {
        <>
            <header class="pane-head">{ tabs("side", "The loop, or an object", chosen, move |side| pick.look(move |look| look.side = side)) }</header>
            <div id="side-panel" class="side-panel" role="tabpanel" aria-labelledby={tab_id("side", chosen.name())}>
                if chosen == Side::Loop {
                    { part(LoopPane { view: state.frame.side.clone(), look: state.look.clone(), dispatch: dispatch.clone() }) }
                } else {
                    { part(ObjectPane { view: state.frame.object.clone(), page: state.look.page, managed: state.look.managed, revision: state.look.revision, dispatch: dispatch.clone() }) }
                }
            </div>
        </>
    }
}

/// On a narrow screen: which pane is shown.
fn pane_tabs(shown: Pane, dispatch: &Dispatch) -> Html {
    let tab = |pane: Pane| {
        let dispatch = dispatch.clone();
        let onclick = move |_| dispatch.send(Action::Pane(pane));
        html! { <button type="button" aria-pressed={pane == shown} {onclick}>{ pane.name() }</button> }
    };
    html! { <nav class="tabs" aria-label="Panes">{ for Pane::ALL.map(tab) }</nav> }
}
