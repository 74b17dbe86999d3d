//! The Events of the API (`kubectl get events`), newest first.

use super::clock;
use super::run::Run;
use super::selection::Subject;
use crate::api::kind::event::{Event, ObjectRef};
use crate::api::kind::{Kind, Kinds};
use crate::api::meta::Uid;
use crate::api::time::Time;
use crate::api::watch::WatchType;
use crate::persistent::OrdSet;

/// An Event of the API, as the page lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// The uid of the Event.
    pub uid: u64,
    /// The time at which the Event last happened, as text.
    pub at: String,
    /// Set if the Event is a warning.
    pub warning: bool,
    /// The reason of the Event, one word.
    pub reason: String,
    /// The kind and the name of the object that the Event is about.
    pub about: String,
    /// The object that the Event is about, if the cluster serves its kind.
    pub subject: Option<Subject>,
    /// The message of the Event, a sentence.
    pub message: String,
    /// The number of times that the Event has happened.
    pub count: u32,
}

/// The filters of the list of Events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventsSelection {
    /// A text that the listed Events contain; empty for all Events.
    pub text: String,
    /// Set if only warnings are listed.
    pub warnings: bool,
}

/// The number of the store's newest changes that are searched for Events.
const LOOKED_THROUGH: usize = 5_000;

/// Returns at most `most` Events, newest first, each in its last state.
pub fn events(run: &Run, most: usize) -> Vec<EventLine> {
    gather(run, most, &|_| true)
}

/// Returns at most `most` Events that match the filters, newest first.
pub fn events_wanted(run: &Run, wanted: &EventsSelection, most: usize) -> Vec<EventLine> {
    let text = wanted.text.to_ascii_lowercase();
    let has = |part: &str| part.to_ascii_lowercase().contains(&text);
    gather(run, most, &|e| {
        (!wanted.warnings || e.type_ == "Warning")
            && (text.is_empty() || has(&e.reason) || has(&e.message) || has(&e.involved_object.name) || has(&e.involved_object.kind))
    })
}

/// Returns at most `most` Events about one object, newest first.
pub fn events_about(run: &Run, subject: &Subject, most: usize) -> Vec<EventLine> {
    let is_it = |about: &ObjectRef| {
        about.name == subject.key.name
            && about.kind == subject.kind.row().name
            && (!subject.kind.row().namespaced || about.namespace == subject.key.namespace)
    };
    gather(run, most, &|e| is_it(&e.involved_object))
}

fn gather(run: &Run, most: usize, wanted: &dyn Fn(&Event) -> bool) -> Vec<EventLine> {
    let mut told = OrdSet::new();
    let newest = run.notes().writes.newest().take(LOOKED_THROUGH).filter(|w| w.object.kind() == Kind::EVENT);
    let mut lines = Vec::new();
    for wrote in newest.filter(|w| w.type_ != WatchType::Deleted) {
        let Some(event) = wrote.object.event().filter(|e| wanted(e)) else { continue };
        if told.insert(wrote.object.meta.uid) {
            lines.push(line(&run.cluster().api.kinds, wrote.object.meta.uid, event, run.start));
            if lines.len() == most {
                break;
            }
        }
    }
    lines
}

fn line(kinds: &Kinds, uid: Uid, e: &Event, start: Time) -> EventLine {
    let at = e.series.map(|s| s.last_observed_time).or(e.last_timestamp).or(e.event_time).or(e.first_timestamp).unwrap_or_default();
    EventLine {
        uid: uid.0,
        at: clock::second(at - start),
        warning: e.type_ == "Warning",
        reason: e.reason.to_string(),
        about: format!("{}/{}", e.involved_object.kind.to_ascii_lowercase(), e.involved_object.name),
        subject: subject(kinds, &e.involved_object),
        message: e.message.to_string(),
        count: e.series.map_or(e.count, |s| s.count),
    }
}

fn subject(kinds: &Kinds, about: &ObjectRef) -> Option<Subject> {
    let kind = kinds.named(&about.kind)?;
    let namespace = if kind.row().namespaced { about.namespace.as_str() } else { "" };
    Some(Subject::new(kind, namespace, &about.name))
}
