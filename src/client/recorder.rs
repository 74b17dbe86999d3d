//! The event recorder, which counts repeated events up, combines similar ones and drops spam. Counterpart: `client-go/tools/record`, and `tools/events` for
//! the scheduler.
//!
//! There may be thousands of recorders, so they keep no strings, only hashes and times. An event's name is made from the time at which it was first written, so
//! that time is enough to find it again. Simplifications: messages that were combined are not kept, and a series of the newer API is written when it begins but
//! not when it ends.

use crate::api::Body;
use crate::api::fnv;
use crate::api::kind::Kind;
use crate::api::kind::event::{Event, EventSeries, EventSource, ObjectRef, RefUid};
use crate::api::meta::Meta;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Payload, Request, Verb};
use crate::api::time::{Span, Time};
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::{Arc, OnceLock};

/// An event that a component wants to record.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDraft {
    /// The object that the event is about.
    pub about: ObjectRef,
    /// Set for an event of type Warning; otherwise the type is Normal.
    pub warning: bool,
    /// The event's reason, in one word (`Scheduled`).
    pub reason: ArcStr,
    /// The event's message for people.
    pub message: ArcStr,
}

impl EventDraft {
    /// Creates an event of type Normal about an object.
    pub fn normal(about: &Object, reason: &'static str, message: impl Into<ArcStr>) -> EventDraft {
        EventDraft { about: reference(about), warning: false, reason: ArcStr::from(reason), message: message.into() }
    }
    /// Creates an event of type Warning about an object.
    pub fn warning(about: &Object, reason: &'static str, message: impl Into<ArcStr>) -> EventDraft {
        EventDraft { warning: true, ..EventDraft::normal(about, reason, message) }
    }
    /// Makes the event refer to a field of the object (`spec.containers{nginx}`).
    pub fn about_field(mut self, field_path: impl Into<ArcStr>) -> EventDraft {
        self.about.field_path = field_path.into();
        self
    }
}

/// Returns a reference to an object as events contain it.
pub fn reference(object: &Object) -> ObjectRef {
    let (kind, api_version) = names(object.kind());
    ObjectRef {
        kind,
        namespace: object.meta.namespace.clone(),
        name: object.meta.name.clone(),
        uid: RefUid::Uid(object.meta.uid),
        api_version,
        resource_version: object.meta.resource_version,
        field_path: ArcStr::default(),
    }
}

/// Returns the name and the API version of a kind. Those of built-in kinds are made once and shared.
fn names(kind: Kind) -> (ArcStr, ArcStr) {
    static NAMES: OnceLock<Vec<(ArcStr, ArcStr)>> = OnceLock::new();
    let make = |kind: Kind| (ArcStr::from(kind.row().name), ArcStr::from(kind.row().api_version));
    let known = NAMES.get_or_init(|| Kind::built_in().map(make).collect());
    kind.built_in_index().and_then(|index| known.get(index)).cloned().unwrap_or_else(|| make(kind))
}

/// The number of different messages with one reason about one object that are written one by one; later ones are combined.
const SIMILAR: usize = 9;
/// The number of combined events from which on no earlier message counts as known any more. See [`Recorder::is_fresh`].
const FORGOTTEN: u32 = 7;
/// The time after which a message no longer counts as similar to a later one with the same reason about the same object.
const SIMILAR_WINDOW: Span = Span::secs(600);
/// The time after which a repetition begins a new event instead of continuing a series (newer API).
const SERIES_WINDOW: Span = Span::secs(360);
/// The microseconds between two allowed events about an object once the burst is used up.
const SPAM_INTERVAL: i64 = 300_000_000;
/// The number of events of one type about an object that may be written at once.
const SPAM_BURST: i64 = 25;
/// The number of recorded events about an object from which on a token bucket limits further ones; fewer cannot use up the burst.
const SPAM_SUSPECT: u32 = 12;
/// The time after which the recorder forgets an event that was not repeated.
const IDLE: Span = Span::secs(3600);
/// The time between two removals of events that are to be forgotten.
const SWEEP: Span = Span::secs(300);
/// The number of events from which on the recorder also forgets the oldest ones.
const CAPACITY: usize = 4096;

/// The hashes of an event's object and type, of its reason, and of its message. The last is 0 for combined events, and the hash of the object's version in the
/// newer API.
type EventKey = (u32, u32, u32);

/// The recorder's knowledge of an event that it has recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Recorded {
    /// The time from which the Event's name was made.
    named: Time,
    /// The time at which the event first happened, in seconds since 1970.
    first: u32,
    /// The time at which the event last happened, in seconds since 1970.
    last: u32,
    /// The number of times that the event has happened.
    count: u32,
}

/// The event recorder of one component on one machine.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    component: ArcStr,
    /// The name of the component's node, or of the reporting instance in the newer API.
    host: ArcStr,
    newer: bool,
    events: OrdMap<EventKey, Recorded>,
    /// Hashes of objects (and event types) with many events, each with the time at which its token bucket is full again.
    suspects: OrdMap<u32, Time>,
    swept: Time,
}

impl Recorder {
    /// Creates a recorder for a component (`kubelet`) on a host (`node-1`, or `""`).
    pub fn new(component: &str, host: &str) -> Recorder {
        Recorder { component: component.into(), host: host.into(), ..Recorder::default() }
    }
    /// Creates a recorder that writes events of the newer API, as the scheduler does: without a count, with an action.
    pub fn newer(component: &str, instance: &str) -> Recorder {
        Recorder { newer: true, ..Recorder::new(component, instance) }
    }
    /// Returns the request that records an event: it creates a new Event, or patches the count of an earlier one. Returns `None` if the event is dropped as
    /// spam.
    pub fn record(&mut self, draft: EventDraft, now: Time) -> Option<Request> {
        self.sweep(now);
        if self.newer { self.record_newer(draft, now) } else { self.record_counted(draft, now) }
    }
    /// Handles the answer to a request of [`Recorder::record`]. Does nothing, because the recorder chooses the names itself.
    pub fn recorded(&mut self, _event: &Arc<Object>) {}
    /// Returns the request to send if a patch of [`Recorder::record`] found no Event: it creates the Event again, with its name and count. `None` if the
    /// request was no patch.
    pub fn missing(&self, patch: Request) -> Option<Request> {
        let Payload::Object(event) = patch.payload else { return None };
        (patch.verb == Verb::Patch).then(|| Request::create(Arc::unwrap_or_clone(event)))
    }

    fn record_counted(&mut self, draft: EventDraft, now: Time) -> Option<Request> {
        let key = event_key(&draft);
        let seconds = now.unix() as u32;
        let combined = !self.is_fresh(key, seconds) && self.similar(key, seconds) >= SIMILAR;
        let key = if combined { (key.0, key.1, 0) } else { key };
        let old = self.events.get(&key).copied();
        let seen = Recorded {
            named: old.map_or(now, |o| o.named),
            first: old.map_or(seconds, |o| o.first),
            last: seconds,
            count: old.map_or(1, |o| o.count.saturating_add(1)),
        };
        self.events.insert(key, seen);
        if self.is_spam(key.0, now) {
            return None;
        }
        let mut event = self.event(draft);
        event.count = seen.count;
        event.first_timestamp = Some(Time(i64::from(seen.first) * 1_000_000));
        event.last_timestamp = Some(now.whole_second());
        if combined {
            event.message = ArcStr::from(format!("(combined from similar events): {}", event.message));
            event.reporting_component = ArcStr::default();
            event.reporting_instance = ArcStr::default();
        }
        Some(request(event, seen.named, key, old.is_some()))
    }

    fn record_newer(&mut self, draft: EventDraft, now: Time) -> Option<Request> {
        // An event repeats an earlier one with the same reason if the object has the same version, whatever the message says.
        let version = hash(&[digits(draft.about.resource_version, &mut [0; 20])]);
        let (object, reason, _) = event_key(&draft);
        let key = (object, reason, version);
        let seconds = now.unix() as u32;
        let old = self.events.get(&key).copied().filter(|o| i64::from(seconds - o.last.min(seconds)) < SERIES_WINDOW.as_secs());
        let mut seen = old.unwrap_or(Recorded { named: now, first: seconds, last: seconds, count: 0 });
        seen.count = seen.count.saturating_add(1);
        seen.last = seconds;
        self.events.insert(key, seen);
        if seen.count > 2 {
            return None;
        }
        let mut event = self.event(draft);
        event.event_time = Some(seen.named);
        event.source = EventSource::default();
        event.action = match event.reason.as_str() {
            "Scheduled" => literal!("Binding"),
            "Preempted" => literal!("Preempting"),
            _ => literal!("Scheduling"),
        };
        event.series = (seen.count > 1).then_some(EventSeries { count: seen.count, last_observed_time: now });
        Some(request(event, seen.named, key, old.is_some()))
    }

    fn event(&self, draft: EventDraft) -> Event {
        Event {
            reason: draft.reason,
            message: draft.message,
            type_: if draft.warning { literal!("Warning") } else { literal!("Normal") },
            source: EventSource { component: self.component.clone(), host: self.host.clone() },
            reporting_component: self.component.clone(),
            reporting_instance: self.host.clone(),
            involved_object: draft.about,
            ..Event::default()
        }
    }
    /// Returns whether exactly this message was written lately and still counts as known. The real recorder forgets one random message of ten whenever it
    /// combines one; here all of them count as forgotten after seven, when each has been forgotten with a probability of about one half.
    fn is_fresh(&self, key: EventKey, now: u32) -> bool {
        let recent = |e: &&Recorded| i64::from(now.saturating_sub(e.last)) <= SIMILAR_WINDOW.as_secs();
        let combined = self.events.get(&(key.0, key.1, 0)).filter(recent).map_or(0, |e| e.count);
        combined < FORGOTTEN && self.events.get(&key).filter(recent).is_some()
    }
    /// Counts the different messages with this reason about this object that were written lately. Combined events count as [`SIMILAR`], which is enough to
    /// combine more.
    fn similar(&self, key: EventKey, now: u32) -> usize {
        let recent = |e: &Recorded| i64::from(now.saturating_sub(e.last)) <= SIMILAR_WINDOW.as_secs();
        let all = self.events.range((key.0, key.1, 0)..=(key.0, key.1, u32::MAX));
        all.filter(|(_, e)| recent(e)).map(|(k, _)| if k.2 == 0 { SIMILAR } else { 1 }).sum()
    }
    /// Returns whether an event about an object is to be dropped as spam. Each object with many events has a token bucket for this.
    fn is_spam(&mut self, object: u32, now: Time) -> bool {
        let full_at = match self.suspects.get(&object) {
            Some(full_at) => *full_at,
            None => {
                let recorded: u32 = self.events.range((object, 0, 0)..=(object, u32::MAX, u32::MAX)).map(|(_, e)| e.count).sum();
                if recorded < SPAM_SUSPECT {
                    return false;
                }
                // The bucket starts as if the events recorded so far had all just happened; the current event takes one more token below.
                now + Span(i64::from(recorded - 1) * SPAM_INTERVAL)
            }
        };
        let next = full_at.max(now) + Span(SPAM_INTERVAL);
        let spam = next - now > Span(SPAM_INTERVAL * SPAM_BURST);
        self.suspects.insert(object, if spam { full_at } else { next });
        spam
    }
    /// Forgets events that were not repeated for long. [`Recorder::record`] calls this, too; only recorders without new events need an explicit call.
    pub fn sweep(&mut self, now: Time) {
        if now - self.swept < SWEEP && self.events.len() < CAPACITY {
            return;
        }
        self.swept = now;
        let mut oldest_kept = (now.unix() - IDLE.as_secs()).max(0) as u32;
        if self.events.len() >= CAPACITY {
            let mut ages: Vec<u32> = self.events.values().map(|e| e.last).collect();
            ages.order();
            oldest_kept = oldest_kept.max(ages[ages.len() / 8].saturating_add(1));
        }
        self.events = self.events.iter().filter(|(_, e)| e.last >= oldest_kept).map(|(k, e)| (*k, *e)).collect();
        self.suspects = self.suspects.iter().filter(|(_, full_at)| **full_at > now).map(|(k, t)| (*k, *t)).collect();
    }
}

/// Returns the request that writes an event. The Event's name is the object's name and the time in hexadecimal nanoseconds. The simulator counts time in
/// microseconds, so the last three decimal digits come from hashes of reason and message.
fn request(event: Event, named: Time, key: EventKey, repeated: bool) -> Request {
    let below = (key.1 ^ key.2.rotate_left(16)) % 1000;
    let name = ArcStr::from(format!("{}.{:x}", event.involved_object.name, i128::from(named.0) * 1000 + i128::from(below)));
    let namespace = match event.involved_object.namespace.as_str() {
        "" => literal!("default"),
        _ => event.involved_object.namespace.clone(),
    };
    let meta = Meta { name: name.clone(), namespace: namespace.clone(), ..Meta::default() };
    let object = Object { meta, body: Body::Event(event.into()) };
    if !repeated {
        return Request::create(object);
    }
    let mut patch = Request::new(Verb::Patch, Kind::EVENT, namespace, name);
    patch.payload = Payload::Object(Arc::new(object));
    patch
}

fn event_key(draft: &EventDraft) -> EventKey {
    let about = &draft.about;
    let mut room = [0; 20];
    let uid = match &about.uid {
        RefUid::Absent => &[],
        RefUid::Text(text) => text.as_bytes(),
        RefUid::Uid(uid) => digits(uid.0, &mut room),
    };
    let type_: &[u8] = if draft.warning { b"Warning" } else { b"Normal" };
    let object = hash(&[about.kind.as_bytes(), about.namespace.as_bytes(), about.name.as_bytes(), uid, type_]);
    let message = hash(&[draft.message.as_bytes(), about.field_path.as_bytes()]);
    (object, hash(&[draft.reason.as_bytes()]), message.max(1))
}

/// Writes a number in decimal digits to the end of `room` and returns them, without allocating a string.
fn digits(mut n: u64, room: &mut [u8; 20]) -> &[u8] {
    let mut at = room.len();
    loop {
        at -= 1;
        room[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            return &room[at..];
        }
    }
}

fn hash(parts: &[&[u8]]) -> u32 {
    let h = parts.iter().fold(fnv::EMPTY, |h, part| fnv::add(fnv::add(h, part), &[0xff]));
    (h ^ h >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time(1_794_794_700_000_000);

    fn draft(object: &str, reason: &'static str, message: &str) -> EventDraft {
        let about = ObjectRef { kind: "Pod".into(), namespace: "default".into(), name: object.into(), ..ObjectRef::default() };
        EventDraft { about, warning: false, reason: reason.into(), message: message.into() }
    }

    /// Records an event and describes the request: `+` for a new Event, `*` for a patch, with count and message.
    fn write(recorder: &mut Recorder, draft: EventDraft, now: Time) -> String {
        let Some(request) = recorder.record(draft, now) else { return "spam".into() };
        let Payload::Object(object) = &request.payload else { return "?".into() };
        let Some(event) = object.event() else { return "?".into() };
        let sign = if request.verb == Verb::Create { '+' } else { '*' };
        let series = event.series.map_or(String::new(), |s| format!(" series {}", s.count));
        format!("{sign}{} {}{series}", event.count, event.message)
    }

    #[test]
    fn digits_are_those_of_the_number() {
        for n in [0, 7, 10, 1_000_000, u64::MAX] {
            assert_eq!(digits(n, &mut [0; 20]), n.to_string().as_bytes());
        }
    }

    #[test]
    fn the_same_event_again_counts_up() {
        let mut r = Recorder::new("kubelet", "node-1");
        assert_eq!(write(&mut r, draft("a", "BackOff", "wait"), START), "+1 wait");
        assert_eq!(write(&mut r, draft("a", "BackOff", "wait"), START + Span::secs(9)), "*2 wait");
        assert_eq!(write(&mut r, draft("b", "BackOff", "wait"), START), "+1 wait");
        assert_eq!(write(&mut r, draft("a", "BackOff", "wait"), START + Span::secs(3500)), "*3 wait");
        assert_eq!(write(&mut r, draft("a", "BackOff", "wait"), START + Span::secs(9000)), "+1 wait");
    }

    #[test]
    fn the_tenth_similar_event_is_combined() {
        let mut r = Recorder::new("deployment-controller", "");
        for i in 0..9 {
            assert_eq!(write(&mut r, draft("web", "ScalingReplicaSet", &format!("m{i}")), START), format!("+1 m{i}"));
        }
        assert_eq!(write(&mut r, draft("web", "ScalingReplicaSet", "m9"), START), "+1 (combined from similar events): m9");
        assert_eq!(write(&mut r, draft("web", "ScalingReplicaSet", "m10"), START), "*2 (combined from similar events): m10");
        assert_eq!(write(&mut r, draft("web", "Other", "m10"), START), "+1 m10");
        assert_eq!(write(&mut r, draft("web", "ScalingReplicaSet", "late"), START + Span::secs(1300)), "+1 late");
    }

    #[test]
    fn more_than_a_burst_about_one_object_is_spam() {
        let mut r = Recorder::new("kubelet", "node-1");
        let written = (0..40).filter(|_| write(&mut r, draft("a", "Unhealthy", "no"), START) != "spam").count();
        assert_eq!(written, 25);
        assert_eq!(write(&mut r, draft("b", "Unhealthy", "no"), START), "+1 no");
        assert_eq!(write(&mut r, draft("a", "Unhealthy", "no"), START + Span::secs(301)), "*41 no");
        assert_eq!(write(&mut r, draft("a", "Unhealthy", "no"), START + Span::secs(302)), "spam");
    }

    #[test]
    fn the_scheduler_writes_a_series_instead_of_a_count() {
        let mut r = Recorder::newer("default-scheduler", "default-scheduler-vm");
        let failed = |version| {
            let mut d = draft("a", "FailedScheduling", "0/3");
            d.about.resource_version = version;
            d
        };
        assert_eq!(write(&mut r, failed(7), START), "+0 0/3");
        assert_eq!(write(&mut r, failed(7), START + Span::secs(1)), "*0 0/3 series 2");
        assert_eq!(write(&mut r, failed(7), START + Span::secs(2)), "spam");
        assert_eq!(write(&mut r, failed(8), START + Span::secs(3)), "+0 0/3");
        assert_eq!(write(&mut r, failed(8), START + Span::secs(500)), "+0 0/3");
    }

    #[test]
    fn memory_stays_small() {
        let mut r = Recorder::new("kubelet", "node-1");
        for i in 0..20_000 {
            write(&mut r, draft(&format!("p{i}"), "Started", "x"), START + Span::secs(i / 10));
        }
        assert!(r.events.len() <= CAPACITY, "{}", r.events.len());
        assert!(size_of::<(EventKey, Recorded)>() <= 48);
    }
}
