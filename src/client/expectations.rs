//! What a controller has asked for and not yet seen in its cache. Counterpart: `pkg/controller.UIDTrackingControllerExpectations`.

use super::workqueue::WorkKey;
use crate::api::meta::Uid;
use crate::api::time::{Span, Time};
use imbl::{OrdMap, OrdSet};

/// Expectations of all owners of one controller.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    of: OrdMap<WorkKey, Expected>,
}

#[derive(Clone, Debug, Default)]
struct Expected {
    creations: i64,
    deletions: OrdSet<Uid>,
    since: Time,
}

/// After this time a sync goes ahead anyway.
const TIMEOUT: Span = Span::secs(300);

impl Expectations {
    /// Expects so many creations; older expectations are forgotten.
    pub fn expect_creations(&mut self, owner: &WorkKey, count: usize, now: Time) {
        self.of.insert(owner.clone(), Expected { creations: count as i64, deletions: OrdSet::new(), since: now });
    }
    /// Expects these deletions; older expectations are forgotten.
    pub fn expect_deletions(&mut self, owner: &WorkKey, uids: impl IntoIterator<Item = Uid>, now: Time) {
        self.of.insert(owner.clone(), Expected { creations: 0, deletions: uids.into_iter().collect(), since: now });
    }
    /// A creation was seen, or will not come.
    pub fn creation_observed(&mut self, owner: &WorkKey) {
        if let Some(e) = self.of.get_mut(owner) {
            e.creations -= 1;
        }
    }
    /// A deletion was seen, or will not come. Each counts once, however often it is seen.
    pub fn deletion_observed(&mut self, owner: &WorkKey, uid: Uid) {
        if let Some(e) = self.of.get_mut(owner) {
            e.deletions.remove(&uid);
        }
    }
    /// Whether all that was asked for has been seen, or waiting has become pointless.
    pub fn satisfied(&self, owner: &WorkKey, now: Time) -> bool {
        self.of.get(owner).is_none_or(|e| (e.creations <= 0 && e.deletions.is_empty()) || now - e.since > TIMEOUT)
    }
    /// The owner is gone.
    pub fn forget(&mut self, owner: &WorkKey) {
        self.of.remove(owner);
    }
    /// How many creations and deletions are still awaited.
    pub fn pending(&self, owner: &WorkKey) -> (i64, usize) {
        self.of.get(owner).map_or((0, 0), |e| (e.creations.max(0), e.deletions.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::kind::Kind;
    use crate::api::meta::Key;

    #[test]
    fn a_deletion_counts_once_however_often_it_is_seen() {
        let (mut e, owner) = (Expectations::default(), WorkKey::new(Kind::REPLICA_SET, Key::new("default", "web")));
        e.expect_deletions(&owner, [Uid(1), Uid(2)], Time(0));
        e.deletion_observed(&owner, Uid(1));
        e.deletion_observed(&owner, Uid(1));
        assert!(!e.satisfied(&owner, Time(0)));
        e.deletion_observed(&owner, Uid(2));
        assert!(e.satisfied(&owner, Time(0)));
    }

    #[test]
    fn after_five_minutes_a_sync_goes_ahead_anyway() {
        let (mut e, owner) = (Expectations::default(), WorkKey::new(Kind::REPLICA_SET, Key::new("default", "web")));
        e.expect_creations(&owner, 3, Time(0));
        assert!(!e.satisfied(&owner, Time(0) + Span::secs(300)));
        assert!(e.satisfied(&owner, Time(0) + Span::secs(301)));
    }
}
