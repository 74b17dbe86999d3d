//! Pods that wait to be scheduled. Counterpart: `pkg/scheduler/backend/queue`.
//!
//! Every pod is in exactly one place: active (by priority, then time), backing off (by the second in which that ends, then priority), backing off after an
//! error, waiting for a change that may help, or in flight. An idle scheduler takes pods from the back-off early, but not those after an error.
//! Simplification: what happens while a pod is in flight does not send it round again at once.

use super::class::PodClass;
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::persistent::{OrdMap, OrdSet};
use std::sync::Arc;

/// A pod that no change has helped is tried again after this long.
const FLUSH_AFTER: Span = Span::secs(300);

/// Where a pod is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Active,
    Backoff(Time),
    ErrorBackoff(Time),
    Waiting,
    InFlight,
}

/// What is known of a pod in the queue.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The pod.
    pub pod: Arc<Object>,
    /// Its class at its last try.
    pub class: Option<Arc<PodClass>>,
    /// Which plugins refused nodes at its last try, as bits.
    pub plugins: u16,
    /// How often it was tried.
    pub attempts: u16,
    since: Time,
    place: Place,
}

impl Entry {
    fn order(&self) -> i64 {
        -i64::from(self.pod.pod().map_or(0, |p| p.spec.priority))
    }
    fn backoff_ends(&self) -> Time {
        self.since + backoff(self.attempts)
    }
}

/// 1, 2, 4, 8, 10, 10 … seconds.
fn backoff(attempts: u16) -> Span {
    Span::secs((1i64 << (attempts.max(1) - 1).min(4)).min(10))
}

/// Pods that wait to be scheduled.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    entries: OrdMap<Uid, Entry>,
    /// Those that back off come in the order of its end; for those that are active that is the same moment for all.
    active: OrdSet<(Time, i64, Time, Uid)>,
    backoff: OrdSet<(Time, i64, Time, Uid)>,
    errors: OrdSet<(Time, Uid)>,
    waiting: OrdSet<(u16, Uid)>,
    waiting_since: OrdSet<(Time, Uid)>,
}

impl Queue {
    /// How many pods are active, backing off, and waiting for a change.
    pub fn lengths(&self) -> (usize, usize, usize) {
        (self.active.len(), self.backoff.len() + self.errors.len(), self.waiting.len())
    }
    /// What is known of a pod.
    pub fn entry(&self, uid: Uid) -> Option<&Entry> {
        self.entries.get(&uid)
    }
    /// Takes in a pod that needs a node, or a new version of it. `changed` says that the difference may matter for its placement.
    pub fn offer(&mut self, pod: &Arc<Object>, changed: bool, now: Time) {
        let uid = pod.meta.uid;
        let Some(mut entry) = self.unlink(uid) else {
            let entry = Entry { pod: pod.clone(), class: None, plugins: 0, attempts: 0, since: now, place: Place::Active };
            return self.link(uid, entry);
        };
        entry.pod = pod.clone();
        if changed && entry.place == Place::Waiting {
            entry.place = self.after_waiting(&entry, now);
        }
        self.link(uid, entry);
    }
    /// Forgets a pod.
    pub fn remove(&mut self, uid: Uid) {
        self.unlink(uid);
    }
    /// The next pod to schedule; it is in flight from now on.
    pub fn pop(&mut self, now: Time) -> Option<Arc<Object>> {
        self.flush(now);
        let active = self.active.get_min().map(|k| k.3);
        let uid = active.or_else(|| self.backoff.get_min().map(|k| k.3))?;
        let mut entry = self.unlink(uid)?;
        entry.attempts = entry.attempts.saturating_add(1);
        entry.place = Place::InFlight;
        let pod = entry.pod.clone();
        self.link(uid, entry);
        Some(pod)
    }
    /// Puts a pod that no node took aside until something changes.
    pub fn reject(&mut self, uid: Uid, class: &Arc<PodClass>, plugins: u16, now: Time) {
        if let Some(mut entry) = self.unlink(uid) {
            (entry.class, entry.plugins, entry.since, entry.place) = (Some(class.clone()), plugins, now, Place::Waiting);
            self.link(uid, entry);
        }
    }
    /// Puts a pod aside after an error; it is tried again when the back-off ends.
    pub fn fail(&mut self, uid: Uid, now: Time) {
        if let Some(mut entry) = self.unlink(uid) {
            entry.since = now;
            entry.place = Place::ErrorBackoff(entry.backoff_ends());
            self.link(uid, entry);
        }
    }
    /// Moves pods that wait, were refused by one of these plugins, and pass the test.
    pub fn wake(&mut self, plugins: u16, now: Time, mut test: impl FnMut(&Entry) -> bool) {
        let (mut from, mut moved) = ((0, Uid(0)), Vec::new());
        while let Some(&(set, _)) = self.waiting.range(from..).next() {
            if set & plugins != 0 {
                let same = self.waiting.range((set, Uid(0))..=(set, Uid(u64::MAX)));
                moved.extend(same.map(|(_, uid)| *uid).filter(|uid| self.entries.get(uid).is_some_and(&mut test)));
            }
            let Some(next) = set.checked_add(1) else { break };
            from = (next, Uid(0));
        }
        for uid in moved {
            self.activate(uid, now);
        }
    }
    /// When there is something to pop; a time that has passed means at once.
    pub fn next_wake(&self) -> Option<Time> {
        let at_once = self.active.get_min().map(|k| k.2).or_else(|| self.backoff.get_min().map(|k| k.2));
        let errors = self.errors.get_min().map(|k| k.0);
        let flush = self.waiting_since.get_min().map(|k| k.0 + FLUSH_AFTER);
        [at_once, errors, flush].into_iter().flatten().min()
    }

    fn flush(&mut self, now: Time) {
        while let Some(&(_, _, _, uid)) = self.backoff.get_min().filter(|k| k.0 <= now) {
            self.move_to(uid, Place::Active);
        }
        while let Some(&(_, uid)) = self.errors.get_min().filter(|k| k.0 <= now) {
            self.move_to(uid, Place::Active);
        }
        while let Some(&(_, uid)) = self.waiting_since.get_min().filter(|k| k.0 + FLUSH_AFTER <= now) {
            self.activate(uid, now);
        }
    }
    fn activate(&mut self, uid: Uid, now: Time) {
        if let Some(mut entry) = self.unlink(uid) {
            entry.place = self.after_waiting(&entry, now);
            self.link(uid, entry);
        }
    }
    fn after_waiting(&self, entry: &Entry, now: Time) -> Place {
        let ends = entry.backoff_ends();
        if ends <= now { Place::Active } else { Place::Backoff(ends.whole_second()) }
    }
    fn move_to(&mut self, uid: Uid, place: Place) {
        if let Some(mut entry) = self.unlink(uid) {
            entry.place = place;
            self.link(uid, entry);
        }
    }
    fn unlink(&mut self, uid: Uid) -> Option<Entry> {
        let entry = self.entries.remove(&uid)?;
        match entry.place {
            Place::Active => self.active.remove(&(Time(0), entry.order(), entry.since, uid)),
            Place::Backoff(ends) => self.backoff.remove(&(ends, entry.order(), entry.since, uid)),
            Place::ErrorBackoff(ends) => self.errors.remove(&(ends, uid)),
            Place::Waiting => {
                self.waiting_since.remove(&(entry.since, uid));
                self.waiting.remove(&(entry.plugins, uid))
            }
            Place::InFlight => true,
        };
        Some(entry)
    }
    fn link(&mut self, uid: Uid, entry: Entry) {
        match entry.place {
            Place::Active => self.active.insert((Time(0), entry.order(), entry.since, uid)),
            Place::Backoff(ends) => self.backoff.insert((ends, entry.order(), entry.since, uid)),
            Place::ErrorBackoff(ends) => self.errors.insert((ends, uid)),
            Place::Waiting => {
                self.waiting_since.insert((entry.since, uid));
                self.waiting.insert((entry.plugins, uid))
            }
            Place::InFlight => true,
        };
        self.entries.insert(uid, entry);
    }
}
