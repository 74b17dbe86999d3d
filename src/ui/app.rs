//! The arrangement: desired on the left, actual in the middle, the loop on the right, time along the bottom.

use super::actual::ActualPane;
use super::answer::AnswerBox;
use super::cover::Cover;
use super::drawer::drawer;
use super::driver::use_driver;
use super::editor::Editor;
use super::loops::LoopPane;
use super::object::nothing_open;
use super::recover::use_keeping;
use super::share::use_links;
use super::shortcuts::use_shortcuts;
use super::state::{Action, Dispatch, Pace, Pane, State};
use super::tabs::{tab_id, tabs};
use super::tools::tools;
use super::transport::Transport;
use loopscope::view::{Choice, Side};
use yew::{Html, classes, component, html, use_reducer};

/// The whole page.
#[component]
pub fn App() -> Html {
    let state = use_reducer(|| State::first_visit().take_up());
    let dispatch = Dispatch(state.dispatcher());
    use_driver(state.pace != Pace::Paused || state.is_coming(), dispatch.clone());
    use_shortcuts(dispatch.clone());
    use_links(dispatch.clone());
    use_keeping(dispatch.clone());
    html! {
        <div class={classes!("page", state.pane.class())}>
            <Transport bar={state.frame.bar.clone()} pace={state.pace} speed={state.speed} dispatch={dispatch.clone()} extra={tools(state.over.taste, &dispatch)} />
            <main>
                { desired(&state, &dispatch) }
                <ActualPane stage={state.look.stage} view={state.frame.cluster.clone()} hint={state.frame.hint.clone()} dispatch={dispatch.clone()} />
                { side(&state, &dispatch) }
                { drawer(&state, &dispatch) }
            </main>
            { pane_tabs(state.pane, &dispatch) }
            <Cover over={state.over.clone()} dispatch={dispatch.clone()} />
        </div>
    }
}

fn desired(state: &State, dispatch: &Dispatch) -> Html {
    html! {
        <section class="pane desired" aria-labelledby="desired">
            <header class="pane-head"><h2 id="desired">{ "Desired" }</h2><span class="soft">{ "manifest" }</span></header>
            <Editor text={state.text.clone()} edited={state.text != state.applied} draft={state.draft.is_some()} dispatch={dispatch.clone()} />
            <AnswerBox answer={state.frame.answer.clone()} paused={state.pace == Pace::Paused} />
        </section>
    }
}

fn side(state: &State, dispatch: &Dispatch) -> Html {
    let (chosen, pick) = (state.look.side, dispatch.clone());
    html! {
        <section class="pane loop" aria-label="The loop and its objects">
            <header class="pane-head">{ tabs("side", "The loop, or an object", chosen, move |side| pick.look(move |look| look.side = side)) }</header>
            <div id="side-panel" class="side-panel" role="tabpanel" aria-labelledby={tab_id("side", chosen.name())}>
                if chosen == Side::Loop {
                    <LoopPane view={state.frame.side.clone()} controller={state.look.controller} pass={state.look.pass} dispatch={dispatch.clone()} />
                } else {
                    { nothing_open() }
                }
            </div>
        </section>
    }
}

/// On a narrow screen: which pane is shown.
fn pane_tabs(shown: Pane, dispatch: &Dispatch) -> Html {
    let tab = |pane: Pane| {
        let dispatch = dispatch.clone();
        let onclick = move |_| dispatch.send(Action::Pane(pane));
        html! { <button type="button" aria-pressed={(pane == shown).to_string()} {onclick}>{ pane.name() }</button> }
    };
    html! { <nav class="tabs" aria-label="Panes">{ for Pane::ALL.map(tab) }</nav> }
}
