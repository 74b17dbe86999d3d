//! The work queue: each key once, one worker per key, delays and back-off. Counterpart: `client-go/util/workqueue`.

use super::limiter::TokenBucket;
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::time::{Span, Time};
use crate::persistent::{OrdMap, OrdSet, Vector};
use std::fmt;

/// The kind, namespace and name of an object that a controller works on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkKey {
    /// The kind of the object.
    pub kind: Kind,
    /// The namespace and name of the object.
    pub key: Key,
}

impl WorkKey {
    /// Creates the key of an object from its kind and its namespace and name.
    pub fn new(kind: Kind, key: Key) -> WorkKey {
        WorkKey { kind, key }
    }
}

impl fmt::Display for WorkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(f)
    }
}

/// The number of failures in a row after which a key is still tried again within about a second.
const SOON_AGAIN: u32 = 8;

/// The queue of one controller.
///
/// However often a key is added, only one worker has it at a time. A key that is added meanwhile, even repeatedly, is handed out once more when the worker is
/// done:
///
/// ```
/// use loopscope::api::{Key, Kind};
/// use loopscope::client::{WorkKey, WorkQueue};
///
/// let (mut queue, web) = (WorkQueue::default(), WorkKey::new(Kind::DEPLOYMENT, Key::new("default", "web")));
/// queue.add(web.clone());
/// queue.add(web.clone());
/// assert_eq!(queue.take(), Some(web.clone()));
///
/// queue.add(web.clone());
/// assert_eq!(queue.take(), None, "a worker has it in hand");
/// queue.done(&web);
/// assert_eq!(queue.take(), Some(web));
/// ```
#[derive(Clone, Debug)]
pub struct WorkQueue {
    /// Keys in the order in which they will be handed out. Every one of them is in `dirty` and not in `processing`.
    queue: Vector<WorkKey>,
    /// Keys that need work.
    dirty: OrdSet<WorkKey>,
    /// Keys that a worker has taken and not yet finished. A key that becomes dirty meanwhile is queued when the worker is done with it.
    processing: OrdSet<WorkKey>,
    /// Keys to be added later, each with the time at which this happens. A key that is added with two delays keeps the earlier time.
    waiting: OrdMap<WorkKey, Time>,
    /// The keys of `waiting`, ordered by time.
    due: OrdSet<(Time, WorkKey)>,
    /// Those keys of `waiting` that have no known work and are only to be checked again.
    rechecks: OrdSet<WorkKey>,
    /// The number of failures in a row of each key that has failed.
    failures: OrdMap<WorkKey, u32>,
    bucket: TokenBucket,
    base: Span,
    cap: Span,
}

impl Default for WorkQueue {
    fn default() -> Self {
        WorkQueue::new(Span::millis(5), Span::secs(1000))
    }
}

impl WorkQueue {
    /// Creates an empty queue. Retries of a key wait `base`, doubling up to `cap`; all keys together are limited to 10 retries a second after a burst of 100.
    pub fn new(base: Span, cap: Span) -> WorkQueue {
        WorkQueue {
            queue: Vector::new(),
            dirty: OrdSet::new(),
            processing: OrdSet::new(),
            waiting: OrdMap::new(),
            due: OrdSet::new(),
            rechecks: OrdSet::new(),
            failures: OrdMap::new(),
            bucket: TokenBucket::new(10, 100),
            base,
            cap,
        }
    }
    /// Adds a key; a key that is in the queue already keeps its place.
    pub fn add(&mut self, key: WorkKey) {
        if self.dirty.insert(key.clone()) && !self.processing.contains(&key) {
            self.queue.push_back(key);
        }
    }
    /// Adds a key after a delay; a key that waits already keeps the earlier time.
    pub fn add_after(&mut self, key: WorkKey, delay: Span, now: Time) {
        if delay.0 <= 0 {
            return self.add(key);
        }
        let at = now + delay;
        self.rechecks.remove(&key);
        match self.waiting.get(&key) {
            Some(old) if *old <= at => return,
            Some(old) => _ = self.due.remove(&(*old, key.clone())),
            None => {}
        }
        self.waiting.insert(key.clone(), at);
        self.due.insert((at, key));
    }
    /// Adds a key after a delay, only for it to be checked again: no work is known for it.
    pub fn recheck_after(&mut self, key: WorkKey, delay: Span, now: Time) {
        let waits = self.waiting.contains_key(&key) && !self.rechecks.contains(&key);
        self.add_after(key.clone(), delay, now);
        if !waits && self.waiting.contains_key(&key) {
            self.rechecks.insert(key);
        }
    }
    /// Returns whether any key with known work waits for its delay to end, apart from long retries.
    pub fn has_delayed_work(&self) -> bool {
        self.waiting.len() > self.rechecks.len() + self.long_retries().count()
    }
    /// Returns the times of the next tries of the keys that have failed so often in a row that these are far off.
    pub fn long_retries(&self) -> impl Iterator<Item = Time> {
        let often = self.failures.iter().filter(|(key, failures)| **failures > SOON_AGAIN && !self.rechecks.contains(key));
        often.filter_map(|(key, _)| self.waiting.get(key).copied())
    }
    /// Adds a key whose pass failed once its back-off is over. Returns the delay.
    pub fn add_rate_limited(&mut self, key: WorkKey, now: Time) -> Span {
        let failures = self.failures.get(&key).copied().unwrap_or(0);
        self.failures.insert(key.clone(), failures.saturating_add(1));
        let own = self.base.0.checked_shl(failures).filter(|d| failures < 40 && *d > 0 && *d < self.cap.0).unwrap_or(self.cap.0);
        let shared = self.bucket.reserve(now) - now;
        let delay = Span(own.max(shared.0));
        self.add_after(key, delay, now);
        delay
    }
    /// Forgets a key's failures, so that its next back-off is the shortest again.
    pub fn forget(&mut self, key: &WorkKey) {
        self.failures.remove(key);
    }
    /// Returns the number of times that a key has failed in a row.
    pub fn failures(&self, key: &WorkKey) -> u32 {
        self.failures.get(key).copied().unwrap_or(0)
    }
    /// Moves the keys whose delay is over into the queue.
    pub fn advance(&mut self, now: Time) {
        while let Some((at, key)) = self.due.get_min().filter(|(at, _)| *at <= now).cloned() {
            self.due.remove(&(at, key.clone()));
            self.waiting.remove(&key);
            self.rechecks.remove(&key);
            self.add(key);
        }
    }
    /// Returns the time at which the next delay is over; `None` if no key waits.
    pub fn next_due(&self) -> Option<Time> {
        self.due.get_min().map(|(at, _)| *at)
    }
    /// Hands out the next key to a worker; `None` if no key is ready.
    pub fn take(&mut self) -> Option<WorkKey> {
        let key = self.queue.pop_front()?;
        self.dirty.remove(&key);
        self.processing.insert(key.clone());
        Some(key)
    }
    /// Marks a key that a worker took as finished, and queues it again if it was added meanwhile.
    pub fn done(&mut self, key: &WorkKey) {
        self.processing.remove(key);
        if self.dirty.contains(key) {
            self.queue.push_back(key.clone());
        }
    }
    /// Returns the keys that are ready to be handed to a worker, in the order in which workers get them.
    pub fn ready(&self) -> impl Iterator<Item = &WorkKey> {
        self.queue.iter()
    }
    /// Returns the keys that wait for a delay, each with the time at which it is added to the queue.
    pub fn waiting(&self) -> impl Iterator<Item = (&WorkKey, Time)> {
        self.due.iter().map(|(at, key)| (key, *at))
    }
    /// Returns the keys that workers have taken and not yet finished.
    pub fn processing(&self) -> impl Iterator<Item = &WorkKey> {
        self.processing.iter()
    }
    /// Returns the numbers of keys that are ready, that wait for a delay, and that workers have taken.
    pub fn lengths(&self) -> (usize, usize, usize) {
        (self.queue.len(), self.due.len(), self.processing.len())
    }
    /// Returns whether no key is ready to be handed out.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> WorkKey {
        WorkKey::new(Kind::POD, Key::new("default", name))
    }

    #[test]
    fn a_key_added_twice_is_handed_out_once() {
        let mut q = WorkQueue::default();
        q.add(key("a"));
        q.add(key("a"));
        assert_eq!(q.take(), Some(key("a")));
        assert_eq!(q.take(), None);
    }

    #[test]
    fn a_key_in_hand_waits_until_its_worker_is_done() {
        let mut q = WorkQueue::default();
        q.add(key("a"));
        let a = q.take().unwrap();
        q.add(key("a"));
        assert_eq!(q.take(), None);
        q.done(&a);
        assert_eq!(q.take(), Some(key("a")));
    }

    #[test]
    fn failures_double_the_delay_up_to_the_cap() {
        let mut q = WorkQueue::default();
        let delays: Vec<i64> = (0..20).map(|_| q.add_rate_limited(key("a"), Time(0)).0 / 1000).collect();
        assert_eq!(delays[..6], [5, 10, 20, 40, 80, 160]);
        assert_eq!(delays[19], 1_000_000);
        q.forget(&key("a"));
        assert_eq!(q.add_rate_limited(key("a"), Time(0)), Span::millis(5));
    }

    #[test]
    fn the_earlier_of_two_delays_counts() {
        let mut q = WorkQueue::default();
        q.add_after(key("a"), Span::secs(5), Time(0));
        q.add_after(key("a"), Span::secs(2), Time(0));
        q.add_after(key("a"), Span::secs(9), Time(0));
        assert_eq!(q.next_due(), Some(Time(2_000_000)));
        q.advance(Time(2_000_000));
        assert_eq!(q.take(), Some(key("a")));
        assert_eq!(q.next_due(), None);
    }
}
