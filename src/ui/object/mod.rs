//! The pane of an open object: its desired state, its observed state, and its history.
//!
//! | file | what |
//! | --- | --- |
//! | `head` | the part above all tabs: name, state, generation, owners |
//! | `overview`, `section` | spec and status apart, conditions, containers |
//! | `yaml_page` | the whole object as YAML |
//! | `history`, `compare_button` | revisions, and the changes in each |

mod compare_button;
mod head;
mod history;
mod overview;
mod section;
mod yaml_page;

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::{EventRow, Tab, Tabs, tab_id};
use head::ObjectHead;
use history::HistoryPage;
use loopscope::page::Select;
use loopscope::view::Choice;
use loopscope::view::events::EventLine;
use loopscope::view::object::{ObjectTab, ObjectView, Page};
use overview::OverviewPage;
use std::rc::Rc;
use yaml_page::YamlPage;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ObjectPaneProps {
    pub view: Rc<ObjectView>,
    pub tab: ObjectTab,
    /// Set if `managedFields` are shown.
    pub managed: bool,
    /// The number of the revision that is open, if any.
    pub revision: Option<u64>,
}

/// The pane of the open object, with its tabs.
#[component]
pub fn ObjectPane(props: &ObjectPaneProps) -> Html {
    let dispatch = use_dispatch();
    let onpick = use_callback(dispatch, |place: usize, dispatch| {
        if let Some(tab) = ObjectTab::ALL.get(place) {
            dispatch.send(Select::ObjectTab(*tab));
        }
    });
    let view = &props.view;
    if view.subject.is_none() {
        return html! { <p class="empty">{ "Open a pod, a node or anything else that has a name, and see its spec and status here." }</p> };
    }
    html! {
        <div class="object">
            <ObjectHead view={view.clone()} />
            <Tabs id="object" label="Pages of the object" tabs={Tab::all::<ObjectTab>()} chosen={Tab::place(props.tab)} {onpick} />
            <div id="object-panel" class="object-panel" role="tabpanel" tabindex="0" aria-labelledby={tab_id("object", props.tab.name())}>
                { page(props) }
            </div>
        </div>
    }
}

fn page(props: &ObjectPaneProps) -> Html {
    match &props.view.page {
        Page::Empty => html! { <p class="empty">{ "There is nothing to show at this moment." }</p> },
        Page::Overview(overview) => html! { <OverviewPage overview={overview.clone()} /> },
        Page::Yaml(parts) => html! { <YamlPage parts={parts.clone()} managed={props.managed} /> },
        Page::History(history) => html! { <HistoryPage history={history.clone()} open={props.revision} /> },
        Page::Events(events) => events_page(events),
    }
}

fn events_page(events: &[EventLine]) -> Html {
    if events.is_empty() {
        return html! { <p class="empty">{ "No component has had anything to say about it." }</p> };
    }
    let row = |event: &EventLine| html! { <EventRow key={event.uid} event={event.clone()} /> };
    html! { <div class="events"><ol>{ for events.iter().map(row) }</ol></div> }
}
