//! The event recorder: counts repeats, combines similar events, drops spam. Counterpart: `client-go/tools/record`, and `tools/events` for the
//! scheduler.
//!
//! There may be thousands of recorders, so what they remember is small: no texts, only hashes and times. An event's name is made from the time it
//! was first written, so that time is all that is needed to find it again. Simplified: of the messages that were combined none is remembered,
//! and a series of the newer API is written when it begins, not again when it ends.

use crate::api::Body;
use crate::api::kind::Kind;
use crate::api::kind::event::{Event, ObjectRef, RefUid};
use crate::api::meta::Meta;
use crate::api::object::Object;
use crate::api::request::{Payload, Request, Verb};
use crate::api::time::{Span, Time};
use crate::order;
use crate::persistent::OrdMap;
use crate::text;
use crate::text::Str;
use std::sync::Arc;

/// Something a component wants to say about an object.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDraft {
    /// About what.
    pub about: ObjectRef,
    /// Whether it is a warning.
    pub warning: bool,
    /// In one word.
    pub reason: Str,
    /// In a sentence.
    pub message: Str,
}

impl EventDraft {
    /// A normal event about an object.
    pub fn normal(about: &Object, reason: &'static str, message: impl Into<Str>) -> EventDraft {
        EventDraft { about: reference(about), warning: false, reason: Str::new(reason), message: message.into() }
    }
    /// A warning about an object.
    pub fn warning(about: &Object, reason: &'static str, message: impl Into<Str>) -> EventDraft {
        EventDraft { warning: true, ..EventDraft::normal(about, reason, message) }
    }
    /// The same about a part of the object (`spec.containers{nginx}`).
    pub fn part(mut self, field_path: impl Into<Str>) -> EventDraft {
        self.about.field_path = field_path.into();
        self
    }
}

/// A reference to an object as events make it.
pub fn reference(object: &Object) -> ObjectRef {
    let row = object.kind().row();
    ObjectRef {
        kind: Str::new(row.name),
        namespace: object.meta.namespace.clone(),
        name: object.meta.name.clone(),
        uid: RefUid::Uid(object.meta.uid),
        api_version: Str::new(row.api_version),
        resource_version: object.meta.resource_version,
        field_path: Str::default(),
    }
}

/// So many different messages about one object with one reason are written one by one; the next are combined.
const SIMILAR: usize = 9;
/// After so many combined messages the earlier ones are no longer told apart.
const FORGOTTEN: u32 = 7;
/// Messages further apart than this are not similar.
const SIMILAR_WINDOW: Span = Span::secs(600);
/// A repetition after this time begins a new event (newer API).
const SERIES_WINDOW: Span = Span::secs(360);
/// One event about an object is let through in this time, once the burst is used up.
const SPAM_INTERVAL: i64 = 300_000_000;
/// So many events of one type about an object may come at once.
const SPAM_BURST: i64 = 25;
/// An object's events are counted for spam only from here on: fewer cannot use up the burst.
const SPAM_SUSPECT: u32 = 12;
/// What has been quiet for so long is forgotten.
const IDLE: Span = Span::secs(3600);
/// How often a recorder looks for what has been quiet for long.
const SWEEP: Span = Span::secs(300);
/// At most so many events are remembered.
const CAPACITY: usize = 4096;

/// Object and type, reason, message: hashes of what an event is about. The message of combined events is 0.
type EventKey = (u32, u32, u32);

/// What is remembered of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Recorded {
    /// The time in its name.
    named: Time,
    /// Seconds since 1970 of the first time.
    first: u32,
    /// Seconds since 1970 of the last time.
    last: u32,
    /// How often.
    count: u32,
}

/// The recorder of one component on one machine.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    component: Str,
    /// The node, or the instance in the newer API.
    host: Str,
    newer: bool,
    events: OrdMap<EventKey, Recorded>,
    /// Objects that many events are about, with the time at which their bucket is full again.
    suspects: OrdMap<u32, Time>,
    swept: Time,
}

impl Recorder {
    /// A recorder for a component (`kubelet`) on a host (`node-1`, or `""`).
    pub fn new(component: &str, host: &str) -> Recorder {
        Recorder { component: component.into(), host: host.into(), ..Recorder::default() }
    }
    /// A recorder that writes events of the newer API, as the scheduler does: without a count, with an action.
    pub fn newer(component: &str, instance: &str) -> Recorder {
        Recorder { newer: true, ..Recorder::new(component, instance) }
    }
    /// The request that records a draft: a new Event, or a patch that counts an old one up. `None` if it is spam.
    pub fn record(&mut self, draft: EventDraft, now: Time) -> Option<Request> {
        self.sweep(now);
        if self.newer { self.record_newer(draft, now) } else { self.record_counted(draft, now) }
    }
    /// The server's answer to such a request. Names are the recorder's own choice, so there is nothing to learn from it.
    pub fn recorded(&mut self, _event: &Arc<Object>) {}
    /// What to send when a patch found no event: the same event once more, its count and its name kept.
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
        event.first = Some(Time(i64::from(seen.first) * 1_000_000));
        event.last = Some(now.whole_second());
        if combined {
            event.message = Str::from(format!("(combined from similar events): {}", event.message));
            event.reporter = Str::default();
            event.reporter_instance = Str::default();
        }
        Some(request(event, seen.named, key, old.is_some()))
    }

    fn record_newer(&mut self, draft: EventDraft, now: Time) -> Option<Request> {
        // A repetition is one of the same version of the object, whatever the message says.
        let version = hash(&[&draft.about.resource_version.to_string()]);
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
        event.source = Str::default();
        event.source_host = Str::default();
        event.action = Str::new(match event.reason.as_str() {
            "Scheduled" => "Binding",
            "Preempted" => "Preempting",
            _ => "Scheduling",
        });
        event.series = (seen.count > 1).then_some((seen.count, now));
        Some(request(event, seen.named, key, old.is_some()))
    }

    fn event(&self, draft: EventDraft) -> Event {
        Event {
            reason: draft.reason,
            message: draft.message,
            type_: Str::new(if draft.warning { "Warning" } else { "Normal" }),
            source: self.component.clone(),
            source_host: self.host.clone(),
            reporter: self.component.clone(),
            reporter_instance: self.host.clone(),
            involved: draft.about,
            ..Event::default()
        }
    }
    /// Whether this very message was written a short while ago and is still remembered as such. The real recorder forgets any one of ten messages
    /// with each that it combines; after seven, each is as likely forgotten as not.
    fn is_fresh(&self, key: EventKey, now: u32) -> bool {
        let recent = |e: &&Recorded| i64::from(now.saturating_sub(e.last)) <= SIMILAR_WINDOW.as_secs();
        let combined = self.events.get(&(key.0, key.1, 0)).filter(recent).map_or(0, |e| e.count);
        combined < FORGOTTEN && self.events.get(&key).filter(recent).is_some()
    }
    /// How many different messages there were a short while ago.
    fn similar(&self, key: EventKey, now: u32) -> usize {
        let recent = |e: &Recorded| i64::from(now.saturating_sub(e.last)) <= SIMILAR_WINDOW.as_secs();
        let all = self.events.range((key.0, key.1, 0)..=(key.0, key.1, u32::MAX));
        all.filter(|(_, e)| recent(e)).map(|(k, _)| if k.2 == 0 { SIMILAR } else { 1 }).sum()
    }
    /// A token bucket for each object of which there is much to say.
    fn is_spam(&mut self, object: u32, now: Time) -> bool {
        let full_at = match self.suspects.get(&object) {
            Some(full_at) => *full_at,
            None => {
                let said: u32 = self.events.range((object, 0, 0)..=(object, u32::MAX, u32::MAX)).map(|(_, e)| e.count).sum();
                if said < SPAM_SUSPECT {
                    return false;
                }
                // What was said before is taken as said just now; the event in hand comes on top.
                now + Span(i64::from(said - 1) * SPAM_INTERVAL)
            }
        };
        let next = full_at.max(now) + Span(SPAM_INTERVAL);
        let spam = next - now > Span(SPAM_INTERVAL * SPAM_BURST);
        self.suspects.insert(object, if spam { full_at } else { next });
        spam
    }
    /// Forgets what has been quiet for long. Recording does it now and then; a recorder that has nothing to say needs the call.
    pub fn sweep(&mut self, now: Time) {
        if now - self.swept < SWEEP && self.events.len() < CAPACITY {
            return;
        }
        self.swept = now;
        let mut oldest_kept = (now.unix() - IDLE.as_secs()).max(0) as u32;
        if self.events.len() >= CAPACITY {
            let mut ages: Vec<u32> = self.events.values().map(|e| e.last).collect();
            order::sort(&mut ages);
            oldest_kept = oldest_kept.max(ages[ages.len() / 8].saturating_add(1));
        }
        self.events = self.events.iter().filter(|(_, e)| e.last >= oldest_kept).map(|(k, e)| (*k, *e)).collect();
        self.suspects = self.suspects.iter().filter(|(_, full_at)| **full_at > now).map(|(k, t)| (*k, *t)).collect();
    }
}

/// The name of an event: the object's, and the time in hexadecimal nanoseconds. Time goes by microseconds here, so events of one moment are told apart by
/// what they say.
fn request(event: Event, named: Time, key: EventKey, repeated: bool) -> Request {
    let below = (key.1 ^ key.2.rotate_left(16)) % 1000;
    let name = Str::from(format!("{}.{:x}", event.involved.name, i128::from(named.0) * 1000 + i128::from(below)));
    let namespace = match event.involved.namespace.as_str() {
        "" => text!("default"),
        _ => event.involved.namespace.clone(),
    };
    let meta = Meta { name: name.clone(), namespace: namespace.clone(), ..Meta::default() };
    let object = Object { meta, body: Body::Event(Box::new(event)) };
    if !repeated {
        return Request::create(object);
    }
    let mut patch = Request::new(Verb::Patch, Kind::EVENT, namespace, name);
    patch.payload = Payload::Object(Arc::new(object));
    patch
}

fn event_key(draft: &EventDraft) -> EventKey {
    let about = &draft.about;
    let number;
    let uid = match &about.uid {
        RefUid::Absent => "",
        RefUid::Text(text) => text,
        RefUid::Uid(uid) => {
            number = crate::api::meta::decimal(uid.0);
            &number
        }
    };
    let type_ = if draft.warning { "Warning" } else { "Normal" };
    let object = hash(&[&about.kind, &about.namespace, &about.name, uid, type_]);
    (object, hash(&[&draft.reason]), hash(&[&draft.message, &about.field_path]).max(1))
}

fn hash(parts: &[&str]) -> u32 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    for part in parts {
        for b in part.bytes().chain([0xff]) {
            h = (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        }
    }
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

    /// `+` for a new event, `*` for a patch, with count and message.
    fn write(recorder: &mut Recorder, draft: EventDraft, now: Time) -> String {
        let Some(request) = recorder.record(draft, now) else { return "spam".into() };
        let Payload::Object(object) = &request.payload else { return "?".into() };
        let Some(event) = object.event() else { return "?".into() };
        let sign = if request.verb == Verb::Create { '+' } else { '*' };
        let series = event.series.map_or(String::new(), |(n, _)| format!(" series {n}"));
        format!("{sign}{} {}{series}", event.count, event.message)
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
