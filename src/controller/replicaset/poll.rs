//! A ReplicaSet controller as somebody might write it with `cron` or `sleep 30`: it makes the same comparison as the real one, but only every 30 seconds. It
//! has no counterpart in Kubernetes.

use super::{ReplicaSetController, observe, reconcile};
use crate::api::kind::Kind;
use crate::api::time::{Span, Time};
use crate::client::{Change, WorkKey};
use crate::controller::{Controller, Observation, Outcome, Pending, Pseudocode, Turn, View};

/// A ReplicaSet controller that compares desired and actual every 30 seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct PollController;

const PERIOD: Span = Span::secs(30);

fn next_look(now: Time) -> Span {
    Span(PERIOD.0 - now.0.rem_euclid(PERIOD.0))
}

impl Controller for PollController {
    fn name(&self) -> &str {
        ReplicaSetController.name()
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::REPLICA_SET, Kind::POD]
    }
    fn pseudocode(&self) -> &'static Pseudocode {
        Pseudocode::of("replicaset-controller, polling")
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        // Only a new ReplicaSet is queued, for the next round; any other change waits until the round comes.
        if let (None, Some(new)) = (&change.old, &change.new)
            && new.kind() == Kind::REPLICA_SET
        {
            queue(WorkKey::new(Kind::REPLICA_SET, new.key()), next_look(view.now));
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        observe(Kind::REPLICA_SET, view, key)
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        reconcile(seen, turn)?;
        Ok(if seen.primary.is_some() { Outcome::Recheck(next_look(seen.now)) } else { Outcome::Done })
    }
    fn expects(&self) -> bool {
        true
    }
}
