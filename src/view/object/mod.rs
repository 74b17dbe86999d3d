//! An object opened: what is wanted of it, what is observed, how it came to be so. Made from the object's tree, so that every kind the API serves can be opened,
//! also one that is gone: its last state and its history are still noted.
//!
//! | file | what |
//! | --- | --- |
//! | `head` | what stands above all pages: name, state, generation, owners |
//! | `overview` | spec and status apart, conditions, containers |
//! | `fields` | the tree as single fields, and what differs between two |
//! | `who` | who wrote something, in few words |

pub mod fields;
pub mod head;
pub mod overview;
pub mod who;

use super::clock;
use super::events::{EventLine, events_about};
use super::run::Run;
use super::selection::{Choice, Selection, Subject};
use super::store_log::{Diff, Revision, opened, parts, row};
use crate::api::object::Object;
use crate::api::watch::WatchType;
use head::Head;
use overview::Overview;
use std::rc::Rc;
use std::sync::Arc;

/// A page of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectTab {
    /// Spec and status in short.
    #[default]
    Overview,
    /// The whole object.
    Yaml,
    /// Its revisions.
    History,
    /// What components had to say about it.
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

/// The object that is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectView {
    /// Which; none while nothing is open.
    pub subject: Option<Subject>,
    /// What stands above all pages.
    pub head: Head,
    /// The page that is shown.
    pub page: Page,
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Page {
    /// There is nothing to show.
    #[default]
    Empty,
    /// Spec and status in short.
    Overview(Rc<Overview>),
    /// The whole object in parts: each with the name of its key, or none for what stands on a line each.
    Yaml(Rc<Vec<(String, String)>>),
    /// Its revisions.
    History(Rc<History>),
    /// What components had to say about it.
    Events(Rc<Vec<EventLine>>),
}

/// The revisions of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Newest first.
    pub rows: Vec<Rc<Revision>>,
    /// How many older ones are not listed.
    pub more: usize,
    /// The one that is open.
    pub open: Option<Rc<Diff>>,
}

/// Whether an object is there.
#[derive(Clone, Debug)]
pub enum Presence {
    /// It is.
    Here(Arc<Object>),
    /// It was: its last state, and the revision and the time of its end.
    Gone(Arc<Object>, u64, String),
    /// It will be, at this time: another moment is looked at.
    NotYet(String),
    /// Nothing is known of it.
    Unknown,
}

/// How many revisions are listed.
const ROWS_SHOWN: usize = 60;
const EVENTS_SHOWN: usize = 40;

/// The object that is open, given how it was shown before.
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

/// Whether an object is there at the moment looked at.
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
    /// The object, or its last state.
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
