//! The arrangement of the page: desired on the left, actual in the middle, the loop on the right, time along the bottom.

use super::actual::ActualPane;
use super::bar::TopBar;
use super::browser::address::{self, use_links};
use super::browser::focus::use_focus;
use super::browser::host_port::use_host;
use super::browser::storage::{self, use_introduction, use_preferences, use_saving, use_unapplied};
use super::browser::visibility::use_is_visible;
use super::browser::{recovery, wall_ms};
use super::desired::DesiredPane;
use super::dispatch::{Dispatch, use_dispatch};
use super::drawer::DrawerPane;
use super::driver::{Drive, use_driver};
use super::embed::{MiniBar, PanelList, columns_class};
use super::keyboard::use_keyboard;
use super::learn::{FollowChoice, LearnPane, PassStrip};
use super::loops::{CodeListing, LoopPane};
use super::object::ObjectPane;
use super::overlay::{Banners, OverlayLayer};
use super::room::{PaneTools, Separators, room_class, use_entry, use_tracks};
use super::widgets::{Tab, Tabs, tab_id};
use loopscope::page::{Action, Controls, Embedding, FocusTarget, Page, Pane, Screen, Select, Start};
use loopscope::view::{Choice, Layout, Side};
use std::rc::Rc;
use yew::prelude::*;

/// The whole page: the root component.
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
    use_unapplied(screen.unapplied.clone());
    let frame = use_node_ref();
    use_host(&frame, (*screen).clone(), dispatch.clone());
    let main = use_tracks(screen.room, screen.selection.layout);
    let panels = &screen.selection.panels;
    html! {
        <ContextProvider<Dispatch> context={dispatch.clone()}>
            <div
                ref={frame}
                class={classes!(
                    "page",
                    shown_class(screen.pane),
                    layout_class(screen.selection.layout),
                    room_class(screen.room),
                    embedding_class(screen.embedding)
                )}
            >
                { bar(&screen) }
                <Banners stop={screen.stop.clone()} notice={screen.notice.clone()} />
                <main ref={main} class={panels.are_given().then(|| classes!("embed-panels", columns_class(&panels.shown)))}>
                    if panels.are_given() {
                        <PanelList screen={(*screen).clone()} />
                    } else {
                        <PaneList screen={(*screen).clone()} />
                    }
                    <OverlayLayer
                        overlay={screen.overlay.clone()}
                        preferences={screen.preferences}
                        introduction={screen.introduction.clone()}
                    />
                </main>
                if !panels.are_given() { { pane_tabs(screen.pane, &dispatch) } }
            </div>
        </ContextProvider<Dispatch>>
    }
}

/// Draws the controls along the top: the full bar, the small one of an embed, or none.
fn bar(screen: &Rc<Screen>) -> Html {
    match screen.embedding.controls {
        Controls::None => html! { <h1 class="hidden">{ "Loopscope" }</h1> },
        Controls::Minimal => html! { <MiniBar screen={screen.clone()} /> },
        Controls::Full => html! {
            <TopBar
                bar={screen.frame.bar.clone()}
                pace={screen.pace}
                speed={screen.speed}
                meter={screen.meter}
                theme={screen.preferences.theme}
                at_rest={screen.rest.is_some()}
                layout={screen.selection.layout}
                has_layouts={!screen.selection.panels.are_given()}
                // In the layout *Learn* the sentence is beside the large view of the pass instead.
                skipped={if screen.selection.layout == Layout::Learn { Rc::from("") } else { screen.skipped.clone() }}
            />
        },
    }
}

#[derive(Properties, PartialEq)]
struct PaneListProps {
    screen: Rc<Screen>,
}

/// The panes of the page: the desired state, the cluster, the loop, and time. An embed for which panels are chosen shows those instead.
#[component]
fn PaneList(PaneListProps { screen }: &PaneListProps) -> Html {
    html! {
        <>
            <DesiredPane
                text={screen.text.clone()}
                applied={screen.applied.clone()}
                state={screen.text_state}
                is_draft={screen.is_draft}
                draft_title={screen.draft_title.clone()}
                is_past={!screen.frame.bar.behind.is_empty()}
                answer={screen.frame.answer.clone()}
                overruled={screen.overruled.clone()}
                is_paused={screen.pace == loopscope::page::Pace::Paused}
                room={screen.room}
            />
            <ActualPane
                stage={screen.selection.stage}
                cluster={screen.frame.cluster.clone()}
                owners={screen.frame.owners.clone()}
                services={screen.frame.services.clone()}
                table={screen.frame.table.clone()}
                twins={screen.frame.twins.clone()}
                tally={screen.frame.tally.clone()}
                hint={screen.frame.hint.clone()}
                theme={screen.preferences.theme}
                room={screen.room}
            >
                if screen.selection.layout == Layout::Learn { <PassStrip view={screen.frame.side.clone()} /> }
            </ActualPane>
            if screen.selection.layout == Layout::Learn {
                <section class="pane code-pane" aria-label="The loop as code"><CodeListing code={screen.frame.side.code.clone()} /></section>
            }
            <SidePane screen={screen.clone()} />
            <DrawerPane screen={screen.clone()} />
            <Separators room={screen.room} layout={screen.selection.layout} />
        </>
    }
}

#[derive(Properties, PartialEq)]
struct SidePaneProps {
    screen: Rc<Screen>,
}

/// The pane on the right: the reconcile loop, or the object that is open.
#[component]
fn SidePane(SidePaneProps { screen }: &SidePaneProps) -> Html {
    let (selection, frame) = (&screen.selection, &screen.frame);
    let dispatch = use_dispatch();
    let onfocusin = use_entry(Pane::Loop);
    let rings = &frame.side.rings;
    let onpick = move |place: usize| {
        if let Some(side) = Side::ALL.get(place) {
            dispatch.send(Select::Side(*side));
        }
    };
    html! {
        <section class="pane loop" aria-label="The loop and its objects" {onfocusin}>
            <PaneTools pane={Pane::Loop} name={selection.side.name()} room={screen.room} closes={selection.layout == Layout::Operate} />
            <header class="pane-head">
                <Tabs id="side" label="The loop, or an object" tabs={Tab::all::<Side>()} chosen={Tab::place(selection.side)} {onpick} />
                if selection.layout == Layout::Learn && !screen.skipped.is_empty() {
                    <p class="skipped" role="status" title={AttrValue::from(screen.skipped.clone())}>{ AttrValue::from(screen.skipped.clone()) }</p>
                }
                if selection.side == Side::Loop && selection.layout == Layout::Learn {
                    <FollowChoice rings={rings.clone()} follows={selection.follows} controller={selection.controller} kubelet={selection.kubelet.clone()} />
                }
            </header>
            <div id="side-panel" class="side-panel" role="tabpanel" aria-labelledby={tab_id("side", selection.side.name())}>
                { match selection.side {
                    Side::Loop if selection.layout == Layout::Learn => html! { <LearnPane view={frame.side.clone()} selection={selection.clone()} /> },
                    Side::Loop => html! { <LoopPane view={frame.side.clone()} selection={selection.clone()} /> },
                    Side::Object => {
                        html! { <ObjectPane view={frame.object.clone()} tab={selection.page} managed={selection.managed} revision={selection.revision} /> }
                    }
                } }
            </div>
        </section>
    }
}

/// Draws the tabs of a narrow screen, which shows one pane at a time.
fn pane_tabs(shown: Pane, dispatch: &Dispatch) -> Html {
    let tab = |pane: Pane| {
        // A person who opens the terminal wants to type.
        let onclick = dispatch.on(if pane == Pane::Terminal { FocusTarget::Terminal.into() } else { Action::ShowPane(pane) });
        html! { <button type="button" aria-pressed={(pane == shown).to_string()} {onclick}>{ pane.name() }</button> }
    };
    html! { <nav class="tabs" aria-label="Panes">{ for Pane::ALL.map(tab) }</nav> }
}

/// Returns the CSS class of a layout of the panes (Learn, Operate or Inspect).
fn layout_class(layout: Layout) -> &'static str {
    match layout {
        Layout::Learn => "layout-learn",
        Layout::Operate => "layout-operate",
        Layout::Inspect => "layout-inspect",
    }
}

/// Returns the CSS classes of an embedded page.
fn embedding_class(embedding: Embedding) -> Classes {
    let Embedding { is_embed, is_readonly, is_autoheight, .. } = embedding;
    classes!(is_embed.then_some("embed"), is_readonly.then_some("readonly"), is_autoheight.then_some("autoheight"))
}

/// Returns the CSS class that makes a narrow screen show a pane.
fn shown_class(pane: Pane) -> &'static str {
    match pane {
        Pane::Desired => "show-desired",
        Pane::Actual => "show-actual",
        Pane::Loop => "show-loop",
        Pane::Time | Pane::Terminal => "show-time",
    }
}
