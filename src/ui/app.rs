//! The arrangement: desired on the left, actual in the middle, the loop on the right, time along the bottom.

use super::actual::ActualPane;
use super::bar::TopBar;
use super::browser::address::{self, use_links};
use super::browser::focus::use_focus;
use super::browser::storage::{self, use_introduction, use_preferences, use_saving};
use super::browser::visibility::use_is_visible;
use super::browser::{recovery, wall_ms};
use super::desired::DesiredPane;
use super::dispatch::Dispatch;
use super::drawer::DrawerPane;
use super::driver::{Drive, use_driver};
use super::keyboard::use_keyboard;
use super::learn::{LearnPane, PassStrip};
use super::loops::{CodeListing, LoopPane};
use super::object::ObjectPane;
use super::overlay::OverlayLayer;
use super::widgets::{Tab, Tabs, tab_id};
use loopscope::page::{Action, Page, Pane, Screen, Select, Start};
use loopscope::view::{Choice, Layout, Side};
use std::rc::Rc;
use yew::prelude::*;

/// The whole page.
#[component]
pub fn App() -> Html {
    let page = use_mut_ref(|| {
        let found = recovery::found();
        let introduces = found.state.is_none() && found.saved.is_none() && address::is_plain() && storage::is_first_visit();
        let mut page = Page::new(Start { preferences: storage::preferences(), introduces, ..address::start() }, wall_ms);
        page.take_up(found);
        page
    });
    let screen = {
        let page = page.clone();
        use_state(move || Rc::new(page.borrow().screen()))
    };
    let dispatch = Dispatch::new(page, screen.setter());
    let running = use_is_visible() && screen.needs_ticks;
    use_driver(Drive { running, fast: screen.is_fast, rest: screen.rest }, dispatch.clone());
    use_keyboard(screen.preferences.keys, dispatch.clone());
    use_links(dispatch.clone());
    use_focus(screen.focus);
    use_preferences(screen.preferences);
    use_introduction(screen.introduces);
    use_saving(screen.revision, dispatch.clone());
    html! {
        <ContextProvider<Dispatch> context={dispatch.clone()}>
            <div class={classes!("page", shown_class(screen.pane), layout_class(screen.selection.layout))}>
                <TopBar
                    bar={screen.frame.bar.clone()}
                    pace={screen.pace}
                    speed={screen.speed}
                    meter={screen.meter}
                    theme={screen.preferences.theme}
                    at_rest={screen.rest.is_some()}
                    layout={screen.selection.layout}
                    skipped={screen.skipped.clone()}
                />
                <main>
                    <DesiredPane
                        text={screen.text.clone()}
                        applied={screen.applied.clone()}
                        is_draft={screen.is_draft}
                        answer={screen.frame.answer.clone()}
                        is_paused={screen.pace == loopscope::page::Pace::Paused}
                    />
                    <ActualPane
                        stage={screen.selection.stage}
                        cluster={screen.frame.cluster.clone()}
                        owners={screen.frame.owners.clone()}
                        services={screen.frame.services.clone()}
                        twins={screen.frame.twins.clone()}
                        tally={screen.frame.tally.clone()}
                        hint={screen.frame.hint.clone()}
                        theme={screen.preferences.theme}
                    >
                        <PassStrip view={screen.frame.side.clone()} />
                    </ActualPane>
                    if screen.selection.layout == Layout::Learn {
                        <section class="pane code-pane" aria-label="The loop as code"><CodeListing code={screen.frame.side.code.clone()} /></section>
                    }
                    <section class="pane loop" aria-label="The loop and its objects">{ side(&screen, &dispatch) }</section>
                    <DrawerPane screen={(*screen).clone()} />
                    <OverlayLayer
                        overlay={screen.overlay.clone()}
                        notice={screen.notice.clone()}
                        preferences={screen.preferences}
                        introduction={screen.introduction.clone()}
                    />
                </main>
                { pane_tabs(screen.pane, &dispatch) }
            </div>
        </ContextProvider<Dispatch>>
    }
}

/// The loop, or the object that is open.
fn side(screen: &Screen, dispatch: &Dispatch) -> Html {
    let (selection, frame) = (&screen.selection, &screen.frame);
    let dispatch = dispatch.clone();
    let onpick = move |place: usize| {
        if let Some(side) = Side::ALL.get(place) {
            dispatch.send(Select::Side(*side));
        }
    };
    html! {
        <>
            <header class="pane-head">
                <Tabs id="side" label="The loop, or an object" tabs={Tab::all::<Side>()} chosen={Tab::place(selection.side)} {onpick} />
            </header>
            <div id="side-panel" class="side-panel" role="tabpanel" aria-labelledby={tab_id("side", selection.side.name())}>
                if selection.side == Side::Loop && selection.layout == Layout::Learn {
                    <LearnPane view={frame.side.clone()} selection={selection.clone()} is_reading={screen.is_reading} />
                } else if selection.side == Side::Loop {
                    <LoopPane view={frame.side.clone()} selection={selection.clone()} />
                } else {
                    <ObjectPane view={frame.object.clone()} tab={selection.page} managed={selection.managed} revision={selection.revision} />
                }
            </div>
        </>
    }
}

/// The tabs of a narrow screen, which shows one pane at a time.
fn pane_tabs(shown: Pane, dispatch: &Dispatch) -> Html {
    let tab = |pane: Pane| {
        let onclick = dispatch.on(Action::ShowPane(pane));
        html! { <button type="button" aria-pressed={(pane == shown).to_string()} {onclick}>{ pane.name() }</button> }
    };
    html! { <nav class="tabs" aria-label="Panes">{ for Pane::ALL.map(tab) }</nav> }
}

/// The class by which the panes are arranged.
fn layout_class(layout: Layout) -> &'static str {
    match layout {
        Layout::Learn => "layout-learn",
        Layout::Operate => "layout-operate",
        Layout::Inspect => "layout-inspect",
    }
}

/// The class by which a narrow screen shows a pane.
fn shown_class(pane: Pane) -> &'static str {
    match pane {
        Pane::Desired => "show-desired",
        Pane::Actual => "show-actual",
        Pane::Loop => "show-loop",
        Pane::Time | Pane::Terminal => "show-time",
    }
}
