//! Desired against actual over time: whether the cluster has converged and since when, and how many pods are wanted and ready.

use super::Happening;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::persistent::Vector;

/// How many points of the drift chart are kept.
const SAMPLES_KEPT: usize = 4_096;
/// A cluster that only hums is looked at again after so much time.
const LOOK_AGAIN: Span = Span::secs(1);

/// What has been noted of desired and actual.
#[derive(Clone, Debug)]
pub struct Balance {
    /// Whether they agree and nothing is under way.
    pub converged: bool,
    /// Since when.
    pub since: Time,
    /// Pods that all ReplicaSets want.
    pub desired: i64,
    /// Pods of them that are ready.
    pub ready: i64,
    /// The same over time, whenever it changed.
    pub samples: Vector<Sample>,
    looked: Time,
}

/// Desired and ready pods at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When.
    pub at: Time,
    /// Pods wanted.
    pub desired: i64,
    /// Pods ready.
    pub ready: i64,
}

impl Balance {
    /// Nothing noted yet.
    pub fn new(start: Time) -> Balance {
        Balance { converged: false, since: start, desired: 0, ready: 0, samples: Vector::new(), looked: start }
    }
    /// Notes what a step did.
    pub fn note(&mut self, happening: &Happening) {
        let cluster = happening.cluster;
        for change in happening.changes.iter().filter(|c| c.object.kind() == Kind::REPLICA_SET) {
            let is_there = change.type_ != crate::api::watch::WatchType::Deleted;
            self.count(change.old.as_deref(), -1);
            self.count(Some(&change.object).filter(|_| is_there).map(|o| &**o), 1);
            self.sample(cluster.now);
        }
        // Asking whether a cluster has converged means looking at all its nodes, so a step of the hum that told nothing new is passed over.
        let quiet = cluster.hum && happening.changes.iter().all(|c| c.object.kind() == Kind::LEASE);
        if quiet && cluster.now - self.looked < LOOK_AGAIN {
            return;
        }
        self.looked = cluster.now;
        let converged = cluster.is_converged();
        if converged != self.converged {
            self.converged = converged;
            self.since = cluster.now;
        }
    }
    fn count(&mut self, object: Option<&Object>, sign: i64) {
        if let Some(set) = object.and_then(|o| o.replica_set()) {
            self.desired += sign * i64::from(set.replicas);
            self.ready += sign * i64::from(set.status.ready);
        }
    }
    fn sample(&mut self, at: Time) {
        if self.samples.last().is_some_and(|s| (s.desired, s.ready) == (self.desired, self.ready)) {
            return;
        }
        if self.samples.len() >= SAMPLES_KEPT {
            self.samples.drop_front(SAMPLES_KEPT / 4);
        }
        self.samples.push_back(Sample { at, desired: self.desired, ready: self.ready });
    }
}
