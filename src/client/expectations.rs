//! The creations and deletions that a controller has requested and not yet seen in its cache. Counterpart: `pkg/controller.UIDTrackingControllerExpectations`.

use super::workqueue::WorkKey;
use crate::api::kind::Kind;
use crate::api::meta::Uid;
use crate::api::time::{Span, Time};
use crate::persistent::{OrdMap, OrdSet};

/// The expectations of one controller, by the key of the object that owns the expected ones (such as a ReplicaSet, for its pods).
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    by_owner: OrdMap<WorkKey, Expected>,
}

#[derive(Clone, Debug, Default)]
struct Expected {
    creations: i64,
    deletions: OrdSet<Uid>,
    since: Time,
}

/// The newest revision that a controller has written, by the owner whose pass wrote it and the kind of object. A sync must not read a cache that is older than
/// its controller's own writes. Counterpart: `pkg/controller/util/consistency`.
#[derive(Clone, Debug, Default)]
pub struct WrittenRevisions {
    by_owner: OrdMap<(WorkKey, Kind), u64>,
}

impl WrittenRevisions {
    /// Records that a pass over `owner` has written an object of this kind, at this revision.
    pub fn record(&mut self, owner: &WorkKey, kind: Kind, revision: u64) {
        let newest = self.by_owner.entry((owner.clone(), kind)).or_insert(0);
        *newest = revision.max(*newest);
    }
    /// Returns the reason why a pass over `owner` must not read the caches yet, in the real controller's words; `None` if it may. `read` returns the revision
    /// of a kind's cache. Forgets the writes that the caches already show.
    pub fn lag(&mut self, owner: &WorkKey, read: impl Fn(Kind) -> u64) -> Option<String> {
        let from = (owner.clone(), Kind::FIRST);
        let recorded: Vec<(Kind, u64)> =
            self.by_owner.range(from..).take_while(|((o, _), _)| o == owner).map(|((_, k), r)| (*k, *r)).collect();
        let mut why = None;
        for (kind, written) in recorded {
            if read(kind) >= written {
                self.by_owner.remove(&(owner.clone(), kind));
            } else if why.is_none() {
                let (read, resource) = (read(kind), crate::api::status::qualified_resource(kind));
                why = Some(format!("read version {read} is not as new as written version {written} for group resource {resource}"));
            }
        }
        why
    }
}

/// The time after which a sync goes ahead although an expectation is not met.
const TIMEOUT: Span = Span::secs(300);

impl Expectations {
    /// Expects a number of creations and the deletions of these uids. With `fresh` they replace older expectations, otherwise they are added to them.
    pub fn expect(&mut self, owner: &WorkKey, creations: usize, deletions: impl IntoIterator<Item = Uid>, fresh: bool, now: Time) {
        let mut expected = if fresh { Expected::default() } else { self.by_owner.get(owner).cloned().unwrap_or_default() };
        expected.creations = expected.creations.max(0) + creations as i64;
        for uid in deletions {
            expected.deletions.insert(uid);
        }
        expected.since = now;
        self.by_owner.insert(owner.clone(), expected);
    }
    /// Lowers the number of expected creations by one, because the cache showed a creation or a creation failed.
    pub fn creation_observed(&mut self, owner: &WorkKey) {
        if let Some(e) = self.by_owner.get_mut(owner) {
            e.creations -= 1;
        }
    }
    /// No longer expects the deletion of this uid, because the cache showed it or it failed. Further calls for the same uid change nothing.
    pub fn deletion_observed(&mut self, owner: &WorkKey, uid: Uid) {
        if let Some(e) = self.by_owner.get_mut(owner) {
            e.deletions.remove(&uid);
        }
    }
    /// Returns whether the cache has shown everything that is expected for an owner, or five minutes have passed.
    pub fn satisfied(&self, owner: &WorkKey, now: Time) -> bool {
        self.by_owner.get(owner).is_none_or(|e| (e.creations <= 0 && e.deletions.is_empty()) || now - e.since > TIMEOUT)
    }
    /// Forgets the expectations for an owner that no longer exists.
    pub fn forget(&mut self, owner: &WorkKey) {
        self.by_owner.remove(owner);
    }
    /// Returns the numbers of creations and deletions that are still expected for an owner.
    pub fn pending(&self, owner: &WorkKey) -> (i64, usize) {
        self.by_owner.get(owner).map_or((0, 0), |e| (e.creations.max(0), e.deletions.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::meta::Key;

    #[test]
    fn a_deletion_counts_once_however_often_it_is_seen() {
        let (mut e, owner) = (Expectations::default(), WorkKey::new(Kind::REPLICA_SET, Key::new("default", "web")));
        e.expect(&owner, 0, [Uid(1), Uid(2)], true, Time(0));
        e.deletion_observed(&owner, Uid(1));
        e.deletion_observed(&owner, Uid(1));
        assert!(!e.satisfied(&owner, Time(0)));
        e.deletion_observed(&owner, Uid(2));
        assert!(e.satisfied(&owner, Time(0)));
    }

    #[test]
    fn a_cache_older_than_the_own_writes_is_not_read() {
        let (mut written, owner) = (WrittenRevisions::default(), WorkKey::new(Kind::REPLICA_SET, Key::new("default", "web")));
        written.record(&owner, Kind::POD, 7);
        written.record(&owner, Kind::POD, 5);
        let why = written.lag(&owner, |_| 6);
        assert_eq!(why.as_deref(), Some("read version 6 is not as new as written version 7 for group resource pods"));
        assert_eq!(written.lag(&owner, |_| 7), None);
        assert_eq!(written.lag(&owner, |_| 0), None, "caught up once is enough");
    }

    #[test]
    fn after_five_minutes_a_sync_goes_ahead_anyway() {
        let (mut e, owner) = (Expectations::default(), WorkKey::new(Kind::REPLICA_SET, Key::new("default", "web")));
        e.expect(&owner, 3, [], true, Time(0));
        assert!(!e.satisfied(&owner, Time(0) + Span::secs(300)));
        assert!(e.satisfied(&owner, Time(0) + Span::secs(301)));
    }
}
