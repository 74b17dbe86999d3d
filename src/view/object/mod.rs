//! The open object on the page: its spec, its status and its history. It is made from the object's fields, so that a person can open every kind that the API
//! serves, and also an object that is gone: the notes still have its last state and its history.
//!
//! | file | what |
//! | --- | --- |
//! | `head` | the part above all tabs: name, state, generation, owners |
//! | `overview` | spec and status, conditions, containers |
//! | `fields` | the fields of an object as a flat list, and the differences between two versions |
//! | `who` | the author and the verb of a change |

pub mod fields;
pub mod head;
pub mod overview;
pub mod who;

use super::clock;
use super::events::{EventLine, events_about};
use super::panes::Choice;
use super::run::Run;
use super::selection::{Selection, Subject};
use super::store_log::{Diff, Revision, opened, parts, row};
use crate::api::object::Object;
use crate::api::watch::WatchType;
use head::Head;
use overview::Overview;
use std::rc::Rc;
use std::sync::Arc;

/// A tab of the open object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectTab {
    /// Shows spec and status in short.
    #[default]
    Overview,
    /// Shows the whole object as YAML.
    Yaml,
    /// Shows the revisions of the object.
    History,
    /// Shows the events about the object.
    Events,
}

impl Choice for ObjectTab {
    const ALL: &'static [ObjectTab] = &[ObjectTab::Overview, ObjectTab::Yaml, ObjectTab::History, ObjectTab::Events];
    fn name(self) -> &'static str {
        match self {
            ObjectTab::Overview => "Overview",
            ObjectTab::Yaml => "YAML",
            ObjectTab::History => "History",
            ObjectTab::Events => "Events",
        }
    }
}

/// The open object, as the page shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectView {
    /// The object that is open; `None` while nothing is open.
    pub subject: Option<Subject>,
    /// The head of the object, above all tabs.
    pub head: Head,
    /// The content of the open tab.
    pub page: Page,
}

/// The content of a tab.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Page {
    /// There is nothing to show.
    #[default]
    Empty,
    /// Spec and status in short, for [`ObjectTab::Overview`].
    Overview(Rc<Overview>),
    /// The whole object as YAML in parts: the name of a key and its text; the name is empty for a group of one-line fields.
    Yaml(Rc<Vec<(String, String)>>),
    /// The revisions of the object, for [`ObjectTab::History`].
    History(Rc<History>),
    /// The events about the object, for [`ObjectTab::Events`].
    Events(Rc<Vec<EventLine>>),
}

/// The revisions of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The revisions of the object, newest first, at most `ROWS_SHOWN`.
    pub rows: Vec<Rc<Revision>>,
    /// The number of older revisions that are not in `rows`.
    pub more: usize,
    /// The open revision, with its differences; `None` if none is open.
    pub open: Option<Rc<Diff>>,
}

/// The existence of an object at the selected moment.
#[derive(Clone, Debug)]
pub enum Presence {
    /// The object exists.
    Here(Arc<Object>),
    /// The object existed: its last state, and the revision and the time of its deletion.
    Gone(Arc<Object>, u64, String),
    /// The object will be created at this time; an earlier moment is selected.
    NotYet(String),
    /// Neither the store nor the notes know the object.
    Unknown,
}

/// The greatest number of revisions that are listed.
const ROWS_SHOWN: usize = 60;
/// The greatest number of Events that are listed.
const EVENTS_SHOWN: usize = 40;

/// Makes the view of the open object. Unchanged rows of the history are reused from the `last` view.
pub fn object_view(run: &Run, selection: &Selection, last: &ObjectView) -> ObjectView {
    let Some(subject) = &selection.object else { return ObjectView::default() };
    let presence = presence(run, subject);
    let page = match (selection.page, presence.object()) {
        (ObjectTab::History, _) => Page::History(history(run, selection, subject, last).into()),
        (ObjectTab::Events, _) => Page::Events(events_about(run, subject, EVENTS_SHOWN).into()),
        (_, None) => Page::Empty,
        (ObjectTab::Overview, Some(object)) => Page::Overview(overview::overview(run, object).into()),
        (ObjectTab::Yaml, Some(object)) => {
            Page::Yaml(parts(&if selection.managed { object.to_full_map() } else { object.to_map() }).into())
        }
    };
    ObjectView { subject: Some(subject.clone()), head: head::head(run, subject, &presence), page }
}

/// Returns whether an object exists at the selected moment, existed before it, or was created after it.
pub fn presence(run: &Run, subject: &Subject) -> Presence {
    if let Some(object) = run.cluster().api.store.get(subject.kind, &subject.key) {
        return Presence::Here(object.clone());
    }
    if let Some(wrote) = run.notes().writes.of(subject.kind, &subject.key).next() {
        return Presence::Gone(wrote.object.clone(), wrote.revision, clock::moment(wrote.at - run.start));
    }
    let later = run.session.live_notes().writes.of(subject.kind, &subject.key).filter(|w| w.type_ == WatchType::Added).last();
    later.map_or(Presence::Unknown, |wrote| Presence::NotYet(clock::moment(wrote.at - run.start)))
}

impl Presence {
    /// Returns the object, or its last state if it is gone.
    pub fn object(&self) -> Option<&Arc<Object>> {
        match self {
            Presence::Here(object) | Presence::Gone(object, ..) => Some(object),
            _ => None,
        }
    }
}

fn history(run: &Run, selection: &Selection, subject: &Subject, last: &ObjectView) -> History {
    let known = match &last.page {
        Page::History(history) => Some(history),
        _ => None,
    };
    let mut wrote = run.notes().writes.of(subject.kind, &subject.key);
    let rows_before = known.map_or(&[][..], |h| &h.rows);
    let rows: Vec<Rc<Revision>> = wrote.by_ref().take(ROWS_SHOWN).filter_map(|w| row(w, run, rows_before, |_| true)).collect();
    let mine = |revision: &u64| run.notes().writes.get(*revision).is_some_and(|w| subject.is(&w.object));
    let open = selection.revision.filter(mine);
    History {
        more: wrote.count(),
        open: open.and_then(|revision| opened(run, revision, selection.store.base, known.and_then(|h| h.open.as_ref()))),
        rows,
    }
}
