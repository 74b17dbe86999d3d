//! What components had to say, newest first.

use super::clock;
use super::desk::Desk;
use crate::api::kind::Kind;
use crate::api::kind::event::Event;
use crate::api::time::Time;
use crate::api::watch::WatchType;
use crate::persistent::OrdSet;

/// What a component had to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// When it last happened.
    pub at: String,
    /// Whether it is a warning.
    pub warning: bool,
    /// In one word.
    pub reason: String,
    /// About what.
    pub about: String,
    /// In a sentence.
    pub message: String,
    /// How often it happened.
    pub count: u32,
}

/// How many changes are looked through for events.
const LOOKED_THROUGH: usize = 5_000;

/// At most so many events, newest first, each as it stands.
pub fn events(desk: &Desk, most: usize) -> Vec<EventLine> {
    let mut told = OrdSet::new();
    let newest = desk.notes().writes.newest().take(LOOKED_THROUGH).filter(|w| w.object.kind() == Kind::EVENT);
    let mut lines = Vec::new();
    for wrote in newest.filter(|w| w.type_ != WatchType::Deleted) {
        if let Some(event) = wrote.object.event().filter(|_| told.insert(wrote.object.meta.uid)) {
            lines.push(line(event, desk.start));
            if lines.len() == most {
                break;
            }
        }
    }
    lines
}

fn line(e: &Event, start: Time) -> EventLine {
    let at = e.series.map(|s| s.1).or(e.last).or(e.event_time).or(e.first).unwrap_or_default();
    EventLine {
        at: clock::second(at - start),
        warning: e.type_ == "Warning",
        reason: e.reason.to_string(),
        about: format!("{}/{}", e.involved.kind.to_ascii_lowercase(), e.involved.name),
        message: e.message.to_string(),
        count: e.series.map_or(e.count, |s| s.0),
    }
}
