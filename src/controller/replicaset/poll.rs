//! A ReplicaSet controller as somebody writes it with `cron` or `sleep 30`: it makes the same comparison as the real one, but only every 30 seconds. It has
//! no counterpart in Kubernetes.

use super::{ReplicaSetController, observe, reconcile};
use crate::api::kind::Kind;
use crate::api::time::{Span, Time};
use crate::client::{Change, WorkKey};
use crate::controller::{Controller, Observation, Outcome, Pending, Pseudocode, Turn, View};

/// A ReplicaSet controller that looks every 30 seconds.
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
    fn pseudocode(&self) -> &Pseudocode {
        &PSEUDOCODE
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        // Only a set that is new to it is put on the round; whatever else happens waits for the next look.
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

const PSEUDOCODE: Pseudocode = Pseudocode {
    lines: &[
        "while true:",
        "  for set in all replicasets:",
        "    if set is gone: continue",
        "    pods = pods(owned by set, still active)",
        "    missing = set.replicas - len(pods)",
        "    if missing > 0:",
        "      api.create(missing × set.template)",
        "    if missing < 0:",
        "      api.delete(the least wanted pods)",
        "    if the counts in set.status are old:",
        "      api.update(set.status)",
        "  # a refused request waits for the next round",
        "  sleep 30",
    ],
    observe: 1,
    gone: 2,
    diff: 4,
    nothing: 12,
    create: 6,
    change: 8,
    write_status: 10,
    answered: 4,
    refused: 11,
    done: 12,
};
