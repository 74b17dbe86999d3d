//! The store: its newest revisions, what one of them changed, and what was refused and never came this far.

use crate::ui::markup::html;
use crate::ui::object::{diff, revision_line, subject_button};
use crate::ui::part::Part;
use crate::ui::press::chosen;
use crate::ui::state::Dispatch;
use loopscope::api::kind::Kind;
use loopscope::view::store_log::{Refusal, Revision, StoreLook, StoreView};
use std::rc::Rc;
use yew::{Event, Html};

/// The store.
#[derive(PartialEq)]
pub struct StorePane {
    pub view: Rc<StoreView>,
    pub wanted: StoreLook,
    pub revision: Option<u64>,
    pub dispatch: Dispatch,
}

impl Part for StorePane {
    fn draw(&self) -> Html {
        let (view, dispatch) = (&self.view, &self.dispatch);
        let kinds: Vec<String> = view.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let line = |row: &Rc<Revision>| html! { <li key={row.number}>{ revision_line(row, self.revision == Some(row.number), true, dispatch) }</li> };
        html! {
            <>
                <div class="store-list">
                    <header class="filters">
                        <h2>{ format!("Revision {}", view.revision) }</h2>
                        { search("Find revisions by key, writer or verb", &self.wanted.text, dispatch, |look, text| look.store.text = text) }
                        { kind_choice(self.wanted.kind, dispatch) }
                        { toggle("Heartbeats", self.wanted.leases, dispatch, |look| look.store.leases = !look.store.leases) }
                        <p class="soft">{ format!("compacted up to {} · keys: {}", view.compacted, kinds.join(", ")) }</p>
                    </header>
                    if view.rows.is_empty() {
                        <p class="empty">{ "No revision fits." }</p>
                    } else {
                        <ol class="revisions wide" tabindex="0" aria-label="Newest revisions">{ for view.rows.iter().map(line) }</ol>
                    }
                </div>
                <div class="store-open" tabindex="0" role="group" aria-label="The revision that is open">
                    if let Some(open) = &view.open {
                        <p>{ subject_button(&open.subject, &open.subject.text(), dispatch) }</p>
                        { diff(open) }
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
}

fn refusal(r: &Refusal) -> Html {
    html! { <li><span class="at">{ &r.at }</span><span><b>{ r.code }</b>{ format!(" {}, {}: ", r.who, r.asked) }<span class="soft">{ &r.message }</span></span></li> }
}

/// A field that finds something by text.
pub fn search(label: &'static str, text: &str, dispatch: &Dispatch, set: fn(&mut loopscope::view::Look, String)) -> Html {
    let oninput = dispatch.on_text(set);
    html! { <input type="search" aria-label={label} placeholder="find" value={text.to_owned()} {oninput} /> }
}

/// A switch.
pub fn toggle(name: &'static str, on: bool, dispatch: &Dispatch, turn: fn(&mut loopscope::view::Look)) -> Html {
    let onclick = dispatch.on_look(turn);
    html! { <button type="button" aria-pressed={on} {onclick}>{ name }</button> }
}

fn kind_choice(chosen: Option<Kind>, dispatch: &Dispatch) -> Html {
    let dispatch = dispatch.clone();
    let onchange = move |event: Event| {
        // The first is all of them.
        let kind = self::chosen(&event).checked_sub(1).and_then(|place| Kind::all().nth(place));
        dispatch.look(move |look| look.store.kind = kind);
    };
    let option = |kind: Kind| html! { <option selected={chosen == Some(kind)}>{ kind.row().name }</option> };
    html! {
        <select aria-label="Kind" {onchange}>
            <option selected={chosen.is_none()}>{ "all kinds" }</option>
            { for Kind::all().map(option) }
        </select>
    }
}
