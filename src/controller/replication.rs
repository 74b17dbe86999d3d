//! The controller of ReplicationControllers: the ReplicaSet controller, for the older form of a ReplicaSet. Counterpart: `pkg/controller/replication`.

use super::replicaset::{self, ReplicaSetController};
use super::{Controller, Observation, Outcome, Pending, Pseudocode, Turn, View};
use crate::api::kind::Kind;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};

/// The controller of ReplicationControllers.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplicationManager;

impl Controller for ReplicationManager {
    fn name(&self) -> &str {
        "replication-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::REPLICATION_CONTROLLER, Kind::POD]
    }
    fn pseudocode(&self) -> &'static Pseudocode {
        ReplicaSetController.pseudocode()
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        replicaset::notify(Kind::REPLICATION_CONTROLLER, view, change, queue);
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        replicaset::observe(Kind::REPLICATION_CONTROLLER, view, key)
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        replicaset::reconcile(seen, turn)
    }
    fn expects(&self) -> bool {
        true
    }
    fn own_writes(&self, kind: Kind) -> bool {
        matches!(kind, Kind::REPLICATION_CONTROLLER | Kind::POD)
    }
}
