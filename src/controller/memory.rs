//! State that the controllers of one process keep between passes, besides their queues and expectations. It is lost when the process ends.

use super::daemonset::{FailedPodKey, FailedPods};
use super::endpointslice::ServiceRecord;
use super::job::JobRecord;
use super::node_lifecycle::{Health, Verdict};
use super::podautoscaler::AutoscalerRecord;
use super::taint_eviction::Timers;
use crate::api::meta::{Key, Uid};
use crate::api::time::Time;
use crate::persistent::{OrdMap, OrdSet};
use arcstr::ArcStr;
use std::sync::Arc;

/// The number of absent owners that the garbage collector remembers.
const ABSENT_OWNERS: usize = 500;

/// State that the controllers of one process keep between passes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The health of the nodes, as far as this process knows it.
    pub health: Health,
    /// Scheduled evictions, by node.
    pub evictions: OrdMap<ArcStr, Arc<Timers>>,
    /// The EndpointSlice controller's records, by the service's uid.
    pub services: OrdMap<Uid, Arc<ServiceRecord>>,
    /// Owners known to be gone.
    pub absent: OrdSet<Uid>,
    /// The back-off of failed pods of DaemonSets.
    pub failed_daemon_pods: FailedPods,
    /// The Job controller's records, by the Job's name.
    pub jobs: OrdMap<Key, Arc<JobRecord>>,
    /// The autoscaler controller's records, by the autoscaler's name.
    pub autoscalers: OrdMap<Key, Arc<AutoscalerRecord>>,
    /// Pods that the edge-triggered ReplicaSet controller deletes itself, and does not replace.
    pub dismissed: OrdSet<Uid>,
}

/// A change to [`Memory`] that a pass asks for.
#[derive(Clone, Debug)]
pub enum MemoryUpdate {
    /// The scheduled evictions of a node; `None` forgets them.
    Evictions(ArcStr, Option<Arc<Timers>>),
    /// The record of a service; `None` forgets it.
    Service(Uid, Option<Arc<ServiceRecord>>),
    /// The record of a Job; `None` forgets it.
    Job(Key, Option<Arc<JobRecord>>),
    /// The record of an autoscaler; `None` forgets it.
    Autoscaler(Key, Option<Arc<AutoscalerRecord>>),
    /// The uid of an owner that is gone.
    Absent(Uid),
    /// The uid of a pod that is not to be replaced.
    Dismissed(Uid),
    /// A pass has handled a node; the flag tells whether some of its pods still have to be marked as not ready.
    NodeHandled(Uid, bool),
    /// A failed pod of a DaemonSet is replaced now.
    FailedDaemonPod(FailedPodKey, Time),
}

/// The part of [`Memory`] that a pass can read.
#[derive(Clone, Debug, Default)]
pub enum RememberedState {
    /// Nothing.
    #[default]
    Nothing,
    /// The state of a node.
    Node(Verdict),
    /// The scheduled evictions of a node.
    Evictions(Arc<Timers>),
    /// The record of a service, and whether the cache is older than the last write.
    Service(Arc<ServiceRecord>, bool),
    /// Owners known to be gone.
    Absent(OrdSet<Uid>),
    /// The back-off of failed pods of DaemonSets.
    FailedDaemonPods(FailedPods),
    /// The record of a Job.
    Job(Arc<JobRecord>),
    /// The record of an autoscaler.
    Autoscaler(Arc<AutoscalerRecord>),
    /// Pods that are not to be replaced.
    Dismissed(OrdSet<Uid>),
}

impl Memory {
    /// Applies a change.
    pub fn keep(&mut self, update: MemoryUpdate) {
        match update {
            MemoryUpdate::Evictions(node, Some(timers)) => drop(self.evictions.insert(node, timers)),
            MemoryUpdate::Evictions(node, None) => drop(self.evictions.remove(&node)),
            MemoryUpdate::Service(uid, Some(record)) => drop(self.services.insert(uid, record)),
            MemoryUpdate::Service(uid, None) => drop(self.services.remove(&uid)),
            MemoryUpdate::Job(key, Some(record)) => drop(self.jobs.insert(key, record)),
            MemoryUpdate::Job(key, None) => drop(self.jobs.remove(&key)),
            MemoryUpdate::Autoscaler(key, Some(record)) => drop(self.autoscalers.insert(key, record)),
            MemoryUpdate::Autoscaler(key, None) => drop(self.autoscalers.remove(&key)),
            MemoryUpdate::Absent(uid) => {
                // The oldest go first: uids count up in order of creation.
                while self.absent.len() >= ABSENT_OWNERS {
                    let Some(oldest) = self.absent.get_min().copied() else { break };
                    self.absent.remove(&oldest);
                }
                self.absent.insert(uid);
            }
            MemoryUpdate::Dismissed(uid) => drop(self.dismissed.insert(uid)),
            MemoryUpdate::NodeHandled(node, pods_left) => self.health.handled(node, pods_left),
            MemoryUpdate::FailedDaemonPod(key, now) => self.failed_daemon_pods.replaced(key, now),
        }
    }
}
