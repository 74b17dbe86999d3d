//! The arrangement: desired on the left, actual in the middle, the loop on the right, time along the bottom.

use super::answer::AnswerBox;
use super::cluster::ClusterPane;
use super::controllers::LoopPane;
use super::driver::use_driver;
use super::editor::Editor;
use super::events::EventList;
use super::state::{Action, Dispatch, Drawer, Pace, Pane, State};
use super::terminal::Terminal;
use super::timeline::TimelineChart;
use super::transport::Transport;
use yew::{Html, Properties, classes, component, html, use_reducer};

/// The whole page.
#[component]
pub fn App() -> Html {
    let state = use_reducer(State::first_visit);
    let dispatch = state.dispatcher();
    use_driver(state.pace != Pace::Paused, dispatch.clone());
    let frame = &state.frame;
    html! {
        <div class={classes!("page", state.pane.class())}>
            <Transport
                clock={frame.clock.clone()}
                steps={frame.steps}
                converged={frame.converged}
                since={frame.since.clone()}
                turned_at={frame.turned_at.clone()}
                pace={state.pace}
                speed={state.speed}
                dispatch={dispatch.clone()}
            />
            <main>
                <section class="pane desired" aria-labelledby="desired">
                    <header class="pane-head"><h2 id="desired">{ "Desired" }</h2><span class="soft">{ "manifest" }</span></header>
                    <Editor text={state.text.clone()} edited={state.text != state.applied} draft={state.draft.is_some()} dispatch={dispatch.clone()} />
                    <AnswerBox answer={frame.answer.clone()} paused={state.pace == Pace::Paused} />
                </section>
                <ClusterPane view={frame.cluster.clone()} hint={frame.hint.clone()} dispatch={dispatch.clone()} />
                <LoopPane
                    rings={frame.rings.clone()}
                    pass={frame.pass.clone()}
                    lines={frame.lines.clone()}
                    selection={state.selection.clone()}
                    dispatch={dispatch.clone()}
                />
                <section class="pane drawer" aria-label="Drawer">
                    <DrawerTabs drawer={state.drawer} dispatch={dispatch.clone()} />
                    if state.drawer == Drawer::Time {
                        <div class="time" role="tabpanel" id="drawer" aria-labelledby="drawer-Time">
                            <TimelineChart timeline={frame.timeline.clone()} />
                            <EventList events={frame.events.clone()} revision={frame.revision} />
                        </div>
                    } else {
                        <div role="tabpanel" id="drawer" class="terminal-panel" aria-labelledby="drawer-Terminal">
                            <Terminal
                                view={frame.terminal.clone()}
                                line={state.typing.line.clone()}
                                choices={state.typing.choices.clone()}
                                paused={state.pace == Pace::Paused}
                                dispatch={dispatch.clone()}
                            />
                        </div>
                    }
                </section>
            </main>
            <PaneTabs pane={state.pane} {dispatch} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct DrawerTabsProps {
    drawer: Drawer,
    dispatch: Dispatch,
}

/// What the drawer shows.
#[component]
fn DrawerTabs(props: &DrawerTabsProps) -> Html {
    let tab = |drawer: Drawer| {
        let (dispatch, chosen) = (props.dispatch.clone(), drawer == props.drawer);
        let onclick = move |_| dispatch.dispatch(Action::Drawer(drawer));
        let id = format!("drawer-{}", drawer.name());
        html! { <button type="button" role="tab" {id} aria-selected={chosen.to_string()} aria-controls="drawer" {onclick}>{ drawer.name() }</button> }
    };
    html! { <div class="drawer-tabs" role="tablist" aria-label="Drawer">{ for Drawer::ALL.map(tab) }</div> }
}

#[derive(Properties, PartialEq)]
struct PaneTabsProps {
    pane: Pane,
    dispatch: Dispatch,
}

/// On a narrow screen: which pane is shown.
#[component]
fn PaneTabs(props: &PaneTabsProps) -> Html {
    let tab = |pane: Pane| {
        let dispatch = props.dispatch.clone();
        let onclick = move |_| dispatch.dispatch(Action::Pane(pane));
        html! { <button type="button" aria-pressed={(pane == props.pane).to_string()} {onclick}>{ pane.name() }</button> }
    };
    html! { <nav class="tabs" aria-label="Panes">{ for Pane::ALL.map(tab) }</nav> }
}
