//! The queue of pods that wait to be scheduled. Counterpart: `pkg/scheduler/backend/queue`.
//!
//! Every pod is in exactly one part: active (by rank, then time), backing off (by the second in which the back-off ends, then rank), backing off after an
//! error, unschedulable until a change may help, or in flight. The rank comes from the QueueSort plugin. An idle scheduler takes pods from the back-off early,
//! but not those after an error.
//! Simplification: events that happen while a pod is in flight do not make it active at once.

use super::class::PodClass;
use super::framework::{ClusterEvent, PluginSet};
use super::plugins::DEFAULT_PROFILE;
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::persistent::{OrdMap, OrdSet};
use std::sync::Arc;

/// The time after which an unschedulable pod is tried again although nothing has changed.
const FLUSH_AFTER: Span = Span::secs(300);

/// The part of the queue that a pod is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Active,
    /// The pod backs off until this time.
    Backoff(Time),
    /// The pod backs off until this time, after an error.
    ErrorBackoff(Time),
    Unschedulable,
    InFlight,
}

/// A pod in the queue.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The pod as last seen.
    pub pod: Arc<Object>,
    /// The pod's class at its last attempt; `None` before the first.
    pub class: Option<Arc<PodClass>>,
    /// The plugins that refused nodes at the pod's last attempt.
    pub plugins: PluginSet,
    /// The number of attempts to schedule the pod so far.
    pub attempts: u16,
    /// The time at which the pod came into the queue, or at which its last attempt failed.
    since: Time,
    part: Part,
}

impl Entry {
    /// Returns the rank that the QueueSort plugin gives the pod.
    fn rank(&self) -> i64 {
        DEFAULT_PROFILE.iter().find_map(|enabled| enabled.plugin.queue_sort).map_or(0, |rank| rank(&self.pod))
    }
    fn backoff_ends(&self) -> Time {
        self.since + backoff(self.attempts)
    }
}

/// Returns the back-off after this number of attempts: 1, 2, 4, 8, 10, 10 … seconds.
fn backoff(attempts: u16) -> Span {
    Span::secs((1i64 << (attempts.max(1) - 1).min(4)).min(10))
}

/// Pods that wait to be scheduled.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    entries: OrdMap<Uid, Entry>,
    /// The active pods, by rank, time and uid.
    active: OrdSet<(i64, Time, Uid)>,
    /// The pods that back off, by the end of the back-off, rank, time and uid.
    backoff: OrdSet<(Time, i64, Time, Uid)>,
    /// The pods that back off after an error, by the end of the back-off.
    errors: OrdSet<(Time, Uid)>,
    /// The unschedulable pods, by the plugins that refused nodes.
    unschedulable: OrdSet<(PluginSet, Uid)>,
    /// The unschedulable pods, by the time since which they wait.
    unschedulable_since: OrdSet<(Time, Uid)>,
}

impl Queue {
    /// Returns the numbers of pods that are active, that back off, and that are unschedulable.
    pub fn lengths(&self) -> (usize, usize, usize) {
        (self.active.len(), self.backoff.len() + self.errors.len(), self.unschedulable.len())
    }
    /// Returns the entry of a pod, if it is in the queue.
    pub fn entry(&self, uid: Uid) -> Option<&Entry> {
        self.entries.get(&uid)
    }
    /// Adds a pod that needs a node, or updates it. `changed` is set if the difference to its last version may make it schedulable.
    pub fn offer(&mut self, pod: &Arc<Object>, changed: bool, now: Time) {
        let uid = pod.meta.uid;
        let Some(mut entry) = self.unlink(uid) else {
            let entry = Entry { pod: pod.clone(), class: None, plugins: PluginSet::default(), attempts: 0, since: now, part: Part::Active };
            return self.link(uid, entry);
        };
        entry.pod = pod.clone();
        if changed && entry.part == Part::Unschedulable {
            entry.part = self.after_waiting(&entry, now);
        }
        self.link(uid, entry);
    }
    /// Removes a pod from the queue.
    pub fn remove(&mut self, uid: Uid) {
        self.unlink(uid);
    }
    /// Returns the next pod to schedule, which is in flight from now on.
    pub fn pop(&mut self, now: Time) -> Option<Arc<Object>> {
        self.flush(now);
        let active = self.active.get_min().map(|k| k.2);
        let uid = active.or_else(|| self.backoff.get_min().map(|k| k.3))?;
        let mut entry = self.unlink(uid)?;
        entry.attempts = entry.attempts.saturating_add(1);
        entry.part = Part::InFlight;
        let pod = entry.pod.clone();
        self.link(uid, entry);
        Some(pod)
    }
    /// Marks a pod that fits on no node as unschedulable, until something changes.
    pub fn reject(&mut self, uid: Uid, class: &Arc<PodClass>, plugins: PluginSet, now: Time) {
        if let Some(mut entry) = self.unlink(uid) {
            (entry.class, entry.plugins, entry.since, entry.part) = (Some(class.clone()), plugins, now, Part::Unschedulable);
            self.link(uid, entry);
        }
    }
    /// Makes a pod back off after an error; then it is tried again.
    pub fn fail(&mut self, uid: Uid, now: Time) {
        if let Some(mut entry) = self.unlink(uid) {
            entry.since = now;
            entry.part = Part::ErrorBackoff(entry.backoff_ends());
            self.link(uid, entry);
        }
    }
    /// Makes those unschedulable pods active (or lets them back off) that pass the test and were refused by a plugin that registered for this event.
    /// Counterpart: `MoveAllToActiveOrBackoffQueue`.
    pub fn wake(&mut self, event: ClusterEvent, now: Time, mut test: impl FnMut(&Entry) -> bool) {
        if self.unschedulable.is_empty() {
            return;
        }
        let plugins = PluginSet::registered_for(event);
        let (mut from, mut moved) = ((PluginSet::default(), Uid(0)), Vec::new());
        while let Some(&(set, _)) = self.unschedulable.range(from..).next() {
            if set.intersects(plugins) {
                let same = self.unschedulable.range((set, Uid(0))..=(set, Uid(u64::MAX)));
                moved.extend(same.map(|(_, uid)| *uid).filter(|uid| self.entries.get(uid).is_some_and(&mut test)));
            }
            let Some(next) = set.successor() else { break };
            from = (next, Uid(0));
        }
        for uid in moved {
            self.activate(uid, now);
        }
    }
    /// Returns the time from which on there is a pod to pop; a time in the past means now, `None` that no pod waits.
    pub fn next_wake(&self) -> Option<Time> {
        let at_once = self.active.get_min().map(|k| k.1).or_else(|| self.backoff.get_min().map(|k| k.2));
        let errors = self.errors.get_min().map(|k| k.0);
        let flush = self.unschedulable_since.get_min().map(|k| k.0 + FLUSH_AFTER);
        [at_once, errors, flush].into_iter().flatten().min()
    }

    fn flush(&mut self, now: Time) {
        while let Some(&(_, _, _, uid)) = self.backoff.get_min().filter(|k| k.0 <= now) {
            self.move_to(uid, Part::Active);
        }
        while let Some(&(_, uid)) = self.errors.get_min().filter(|k| k.0 <= now) {
            self.move_to(uid, Part::Active);
        }
        while let Some(&(_, uid)) = self.unschedulable_since.get_min().filter(|k| k.0 + FLUSH_AFTER <= now) {
            self.activate(uid, now);
        }
    }
    fn activate(&mut self, uid: Uid, now: Time) {
        if let Some(mut entry) = self.unlink(uid) {
            entry.part = self.after_waiting(&entry, now);
            self.link(uid, entry);
        }
    }
    fn after_waiting(&self, entry: &Entry, now: Time) -> Part {
        let ends = entry.backoff_ends();
        if ends <= now { Part::Active } else { Part::Backoff(ends.whole_second()) }
    }
    fn move_to(&mut self, uid: Uid, part: Part) {
        if let Some(mut entry) = self.unlink(uid) {
            entry.part = part;
            self.link(uid, entry);
        }
    }
    fn unlink(&mut self, uid: Uid) -> Option<Entry> {
        let entry = self.entries.remove(&uid)?;
        match entry.part {
            Part::Active => self.active.remove(&(entry.rank(), entry.since, uid)),
            Part::Backoff(ends) => self.backoff.remove(&(ends, entry.rank(), entry.since, uid)),
            Part::ErrorBackoff(ends) => self.errors.remove(&(ends, uid)),
            Part::Unschedulable => {
                self.unschedulable_since.remove(&(entry.since, uid));
                self.unschedulable.remove(&(entry.plugins, uid))
            }
            Part::InFlight => true,
        };
        Some(entry)
    }
    fn link(&mut self, uid: Uid, entry: Entry) {
        match entry.part {
            Part::Active => self.active.insert((entry.rank(), entry.since, uid)),
            Part::Backoff(ends) => self.backoff.insert((ends, entry.rank(), entry.since, uid)),
            Part::ErrorBackoff(ends) => self.errors.insert((ends, uid)),
            Part::Unschedulable => {
                self.unschedulable_since.insert((entry.since, uid));
                self.unschedulable.insert((entry.plugins, uid))
            }
            Part::InFlight => true,
        };
        self.entries.insert(uid, entry);
    }
}
