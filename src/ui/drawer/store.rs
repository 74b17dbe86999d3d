//! The tab *Store*: the newest revisions, the changes in the open one, and the writes that the API server refused.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::{DiffView, Finds, RevisionLine, SearchBox, SubjectButton, Term, Toggle};
use loopscope::api::kind::Kind;
use loopscope::page::{Action, Select};
use loopscope::view::store_log::{Refusal, Revision, StoreSelection, StoreView};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StorePaneProps {
    pub view: Rc<StoreView>,
    /// The filters that a person has set.
    pub wanted: StoreSelection,
    /// The number of the revision that is open, if any.
    pub revision: Option<u64>,
}

/// The list of the newest revisions, and the one that is open.
#[component]
pub fn StorePane(StorePaneProps { view, wanted, revision }: &StorePaneProps) -> Html {
    let line = |row: &Rc<Revision>| {
        html! { <li key={row.number}><RevisionLine row={row.clone()} is_open={*revision == Some(row.number)} with_key=true /></li> }
    };
    html! {
        <>
            <div class="store-list">
                { filters(view, wanted) }
                if view.rows.is_empty() {
                    <p class="empty">{ "No revision fits." }</p>
                } else {
                    <ol class="revisions wide" tabindex="0" aria-label="Newest revisions">{ for view.rows.iter().map(line) }</ol>
                }
            </div>
            <div class="store-open" tabindex="0" role="group" aria-label="The revision that is open">
                if let Some(diff) = &view.open {
                    <p><SubjectButton subject={diff.subject.clone()} text={diff.subject.text()} /></p>
                    <DiffView diff={diff.clone()} />
                } else {
                    <p class="soft">{ "Open a revision to see what it changed." }</p>
                }
                if !view.refused.is_empty() {
                    <h3>{ "Refused, nothing stored" }</h3>
                    <ul class="refusals">{ for view.refused.iter().map(refusal) }</ul>
                }
            </div>
        </>
    }
}

fn filters(view: &StoreView, wanted: &StoreSelection) -> Html {
    html! {
        <header class="filters">
            <h2><Term of="revision">{ "Revision" }</Term>{ format!(" {}", view.revision) }</h2>
            <SearchBox finds={Finds::Revisions} text={wanted.text.clone()} />
            <KindChoice chosen={wanted.kind} />
            <Toggle name="Heartbeats" on={wanted.leases} action={Action::from(Select::ToggleLeases)} />
            <p class="soft">{ format!("compacted up to {} · keys: {}", view.compacted, view.kinds.join(", ")) }</p>
        </header>
    }
}

fn refusal(refusal: &Refusal) -> Html {
    let Refusal { at, who, asked, code, message } = refusal;
    html! {
        <li><span class="at">{ at }</span><span><b>{ code }</b>{ format!(" {who}, {asked}: ") }<span class="soft">{ message }</span></span></li>
    }
}

#[derive(Properties, PartialEq)]
struct KindChoiceProps {
    chosen: Option<Kind>,
}

/// The choice of the kind whose revisions are listed.
#[component]
fn KindChoice(KindChoiceProps { chosen }: &KindChoiceProps) -> Html {
    let dispatch = use_dispatch();
    let kinds: Vec<Kind> = dispatch.read(|run| run.cluster().api.kinds.all().collect());
    let option = |kind: &Kind| html! { <option selected={*chosen == Some(*kind)}>{ kind.row().name }</option> };
    let options: Html = kinds.iter().map(option).collect();
    // The first option stands for all kinds.
    let onchange = dispatch.on_option(move |place| Select::StoreKind(place.checked_sub(1).and_then(|place| kinds.get(place)).copied()));
    html! {
        <select aria-label="Kind" {onchange}>
            <option selected={chosen.is_none()}>{ "all kinds" }</option>
            { options }
        </select>
    }
}
