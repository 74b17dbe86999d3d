//! What controllers of one process remember between passes, besides their queues and expectations. It is lost when the process ends.

use super::endpointslice::ServiceRecord;
use super::node_lifecycle::{Health, Verdict};
use super::taint_eviction::Timers;
use crate::api::meta::Uid;
use crate::persistent::{OrdMap, OrdSet};
use arcstr::ArcStr;
use std::sync::Arc;

/// How many owners that are gone the garbage collector keeps in mind.
const ABSENT_OWNERS: usize = 500;

/// What controllers of one process remember between passes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// How nodes are doing, as far as heard of.
    pub health: Health,
    /// Evictions to come, by node.
    pub evictions: OrdMap<ArcStr, Arc<Timers>>,
    /// What was seen and written for each service.
    pub services: OrdMap<Uid, Arc<ServiceRecord>>,
    /// Owners known to be gone.
    pub absent: OrdSet<Uid>,
}

/// Something to remember.
#[derive(Clone, Debug)]
pub enum Note {
    /// The evictions to come on a node.
    Evictions(ArcStr, Option<Arc<Timers>>),
    /// What was seen and written for a service.
    Service(Uid, Option<Arc<ServiceRecord>>),
    /// An owner is gone.
    Absent(Uid),
    /// A node was dealt with; whether pods are left to be marked as not ready.
    NodeHandled(Uid, bool),
}

/// What a pass gets to know of earlier ones.
#[derive(Clone, Debug, Default)]
pub enum Recalled {
    /// Nothing.
    #[default]
    Nothing,
    /// How a node is doing.
    Node(Verdict),
    /// The evictions to come on a node.
    Evictions(Arc<Timers>),
    /// What was seen and written for a service, and whether the cache has not heard of all that was written.
    Service(Arc<ServiceRecord>, bool),
    /// Owners known to be gone.
    Absent(OrdSet<Uid>),
}

impl Memory {
    /// Takes a note in.
    pub fn keep(&mut self, note: Note) {
        match note {
            Note::Evictions(node, Some(timers)) => drop(self.evictions.insert(node, timers)),
            Note::Evictions(node, None) => drop(self.evictions.remove(&node)),
            Note::Service(uid, Some(record)) => drop(self.services.insert(uid, record)),
            Note::Service(uid, None) => drop(self.services.remove(&uid)),
            Note::Absent(uid) => {
                // The oldest go first: uids count up in order of creation.
                while self.absent.len() >= ABSENT_OWNERS {
                    let Some(oldest) = self.absent.get_min().copied() else { break };
                    self.absent.remove(&oldest);
                }
                self.absent.insert(uid);
            }
            Note::NodeHandled(node, pods_left) => self.health.handled(node, pods_left),
        }
    }
}
