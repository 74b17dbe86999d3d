//! One panel of an embed: a heading, and the same component that the page has in a pane.

use super::is_wide;
use crate::ui::actual::{ClusterStage, ObjectTableStage, OwnerTree, ServicesStage, TwinsStage};
use crate::ui::desired::DesiredPanel;
use crate::ui::dispatch::use_dispatch;
use crate::ui::drawer::drawer_view;
use crate::ui::learn::LearnPane;
use crate::ui::loops::{CodeListing, LoopPane};
use crate::ui::object::ObjectPane;
use crate::ui::widgets::Icon;
use loopscope::page::{Action, Screen};
use loopscope::view::{Drawer, Panel};
use std::rc::Rc;
use web_sys::HtmlElement;
use yew::prelude::*;

const CLOSE: &str =
    "M3.500 2.400 8 6.900l4.500-4.500 1.100 1.100L9.100 8l4.500 4.500-1.100 1.100L8 9.100l-4.500 4.500-1.100-1.100L6.900 8 2.400 3.500z";

#[derive(Properties, PartialEq)]
pub struct PanelViewProps {
    pub panel: Panel,
    pub screen: Rc<Screen>,
    /// Set if this is the only panel; its heading is then only for screen readers.
    #[prop_or_default]
    pub is_alone: bool,
    /// Set if the panel was opened over the others.
    #[prop_or_default]
    pub is_guest: bool,
}

/// A panel of an embed.
#[component]
pub fn PanelView(PanelViewProps { panel, screen, is_alone, is_guest }: &PanelViewProps) -> Html {
    let dispatch = use_dispatch();
    let close = use_node_ref();
    {
        let close = close.clone();
        // A panel that opens over the others takes the keyboard focus.
        use_effect_with((), move |()| {
            if let Some(button) = close.cast::<HtmlElement>() {
                crate::ui::browser::focus::focus_on(&button);
            }
        });
    }
    let id = format!("panel-{}", panel.name());
    let class = classes!("embed-panel", id.clone(), is_wide(*panel).then_some("wide"), is_guest.then_some("guest"));
    html! {
        <section {class} aria-labelledby={id.clone()}>
            <header class={classes!("embed-head", (*is_alone || has_own_head(*panel) && !is_guest).then_some("hidden"))}>
                <h2 {id}>{ panel.title() }</h2>
                if *is_guest {
                    <button ref={close} type="button" class="tool" aria-label="Close" title="Close" onclick={dispatch.on(Action::DismissGuest)}>
                        <Icon path={CLOSE} />
                    </button>
                }
            </header>
            <div class="embed-body">{ content(*panel, screen) }</div>
        </section>
    }
}

/// Returns whether the content of a panel has a heading of its own.
fn has_own_head(panel: Panel) -> bool {
    panel == Panel::Time
}

fn content(panel: Panel, screen: &Rc<Screen>) -> Html {
    let (frame, selection) = (&screen.frame, &screen.selection);
    let stage = |view: Html| html! { <div class="stage" tabindex="0" role="group" aria-label={panel.title()}>{ view }</div> };
    let drawer = |tab: Drawer| html! { <div class={classes!("drawer-panel", panel.name())}>{ drawer_view(tab, screen) }</div> };
    match panel {
        Panel::Desired => html! { <DesiredPanel screen={screen.clone()} /> },
        Panel::Cluster => stage(html! { <ClusterStage view={frame.cluster.clone()} theme={screen.preferences.theme} /> }),
        Panel::Owners => stage(html! { <OwnerTree tree={frame.owners.clone()} /> }),
        Panel::Services => stage(html! { <ServicesStage view={frame.services.clone()} /> }),
        Panel::Objects => stage(html! { <ObjectTableStage table={frame.table.clone()} /> }),
        Panel::Twins => stage(html! { <TwinsStage view={frame.twins.clone()} /> }),
        Panel::Loop => html! { <LoopPane view={frame.side.clone()} selection={selection.clone()} /> },
        Panel::Pass => html! { <LearnPane view={frame.side.clone()} selection={selection.clone()} /> },
        Panel::Code => html! { <CodeListing code={frame.side.code.clone()} /> },
        Panel::Object => {
            html! { <ObjectPane view={frame.object.clone()} tab={selection.page} managed={selection.managed} revision={selection.revision} /> }
        }
        Panel::Story => drawer(Drawer::Story),
        Panel::Time => drawer(Drawer::Time),
        Panel::Terminal => drawer(Drawer::Terminal),
        Panel::Events => drawer(Drawer::Events),
        Panel::Store => drawer(Drawer::Store),
        Panel::Requests => drawer(Drawer::Requests),
        Panel::Alerts => drawer(Drawer::Alerts),
        Panel::Why => drawer(Drawer::Why),
    }
}
