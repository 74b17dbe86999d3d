//! The back-off between two replacements of a DaemonSet's failed pod on one node. Counterpart: `failedPodsBackoff`, a `flowcontrol.Backoff`.

use crate::api::meta::Uid;
use crate::api::time::{Span, Time};
use crate::persistent::OrdMap;
use arcstr::ArcStr;

const FIRST: Span = Span::secs(1);
const LONGEST: Span = Span::secs(15 * 60);

/// The uid of the DaemonSet, the observed generation in its status, and the name of the node.
pub type FailedPodKey = (Uid, i64, ArcStr);

/// For each DaemonSet and node, the time at which a failed pod was last replaced, and the time that must pass before the next replacement.
#[derive(Clone, Debug, Default)]
pub struct FailedPods(OrdMap<FailedPodKey, (Time, Span)>);

impl FailedPods {
    /// Returns the whole back-off if the last replacement is more recent than that; `None` if a failed pod may be replaced now. Counterpart:
    /// `IsInBackOffSinceUpdate`.
    pub fn waits(&self, key: &FailedPodKey, now: Time) -> Option<Span> {
        let (last, delay) = self.0.get(key)?;
        (now - *last < *delay).then_some(*delay)
    }
    /// Records a replacement; the next one waits twice as long. Counterpart: `Backoff.Next`.
    pub fn replaced(&mut self, key: FailedPodKey, now: Time) {
        let expired = |last: Time| (now - last).0 > 2 * LONGEST.0;
        let delay = match self.0.get(&key) {
            Some((last, delay)) if !expired(*last) => Span((delay.0 * 2).min(LONGEST.0)),
            _ => FIRST,
        };
        self.0.insert(key, (now, delay));
        let old: Vec<FailedPodKey> = self.0.iter().filter(|(_, (last, _))| expired(*last)).map(|(key, _)| key.clone()).collect();
        for key in old {
            self.0.remove(&key);
        }
    }
}
