//! What components had to say, newest first.

use super::clock;
use super::desk::Desk;
use super::look::Subject;
use crate::api::kind::Kind;
use crate::api::kind::event::{Event, ObjectRef};
use crate::api::meta::Uid;
use crate::api::time::Time;
use crate::api::watch::WatchType;
use crate::persistent::OrdSet;

/// What a component had to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// The Event's own number.
    pub uid: u64,
    /// When it last happened.
    pub at: String,
    /// Whether it is a warning.
    pub warning: bool,
    /// In one word.
    pub reason: String,
    /// About what.
    pub about: String,
    /// The same, to be opened.
    pub subject: Option<Subject>,
    /// In a sentence.
    pub message: String,
    /// How often it happened.
    pub count: u32,
}

/// Which events are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventsLook {
    /// Only those with this in them.
    pub text: String,
    /// Only warnings.
    pub warnings: bool,
}

/// How many changes are looked through for events.
const LOOKED_THROUGH: usize = 5_000;

/// At most so many events, newest first, each as it stands.
pub fn events(desk: &Desk, most: usize) -> Vec<EventLine> {
    gather(desk, most, &|_| true)
}

/// The same of those that are wanted.
pub fn events_wanted(desk: &Desk, wanted: &EventsLook, most: usize) -> Vec<EventLine> {
    let text = wanted.text.to_ascii_lowercase();
    let has = |part: &str| part.to_ascii_lowercase().contains(&text);
    gather(desk, most, &|e| {
        (!wanted.warnings || e.type_ == "Warning")
            && (text.is_empty() || has(&e.reason) || has(&e.message) || has(&e.involved.name) || has(&e.involved.kind))
    })
}

/// The same of those about one object.
pub fn events_about(desk: &Desk, subject: &Subject, most: usize) -> Vec<EventLine> {
    let is_it = |about: &ObjectRef| {
        about.name == subject.key.name
            && about.kind == subject.kind.row().name
            && (subject.kind == Kind::NODE || about.namespace == subject.key.namespace)
    };
    gather(desk, most, &|e| is_it(&e.involved))
}

fn gather(desk: &Desk, most: usize, wanted: &dyn Fn(&Event) -> bool) -> Vec<EventLine> {
    let mut told = OrdSet::new();
    let newest = desk.notes().writes.newest().take(LOOKED_THROUGH).filter(|w| w.object.kind() == Kind::EVENT);
    let mut lines = Vec::new();
    for wrote in newest.filter(|w| w.type_ != WatchType::Deleted) {
        let Some(event) = wrote.object.event().filter(|e| wanted(e)) else { continue };
        if told.insert(wrote.object.meta.uid) {
            lines.push(line(wrote.object.meta.uid, event, desk.start));
            if lines.len() == most {
                break;
            }
        }
    }
    lines
}

fn line(uid: Uid, e: &Event, start: Time) -> EventLine {
    let at = e.series.map(|s| s.1).or(e.last).or(e.event_time).or(e.first).unwrap_or_default();
    EventLine {
        uid: uid.0,
        at: clock::second(at - start),
        warning: e.type_ == "Warning",
        reason: e.reason.to_string(),
        about: format!("{}/{}", e.involved.kind.to_ascii_lowercase(), e.involved.name),
        subject: subject(&e.involved),
        message: e.message.to_string(),
        count: e.series.map_or(e.count, |s| s.0),
    }
}

fn subject(about: &ObjectRef) -> Option<Subject> {
    let kind = Kind::all().find(|kind| kind.row().name == about.kind)?;
    let namespace = if kind.row().namespaced { about.namespace.as_str() } else { "" };
    Some(Subject::new(kind, namespace, &about.name))
}
