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

/// The largest number of absent owners that [`Memory::absent`] holds.
const ABSENT_OWNERS: usize = 500;

/// State that the controllers of one process keep between passes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The node lifecycle controller's records of the nodes' health.
    pub health: Health,
    /// The taint eviction controller's scheduled evictions, by the name of the node.
    pub evictions: OrdMap<ArcStr, Arc<Timers>>,
    /// The EndpointSlice controller's records, by the uid of the Service.
    pub services: OrdMap<Uid, Arc<ServiceRecord>>,
    /// The uids of owners of which the garbage collector knows that they no longer exist.
    pub absent: OrdSet<Uid>,
    /// The DaemonSet controller's back-offs for replacing failed pods.
    pub failed_daemon_pods: FailedPods,
    /// The Job controller's records, by the Job's name.
    pub jobs: OrdMap<Key, Arc<JobRecord>>,
    /// The autoscaler controller's records, by the autoscaler's name.
    pub autoscalers: OrdMap<Key, Arc<AutoscalerRecord>>,
    /// The uids of pods that the edge-triggered ReplicaSet controller has deleted itself and must not replace.
    pub dismissed: OrdSet<Uid>,
}

/// A change to [`Memory`] that a pass asks for.
#[derive(Clone, Debug)]
pub enum MemoryUpdate {
    /// Sets the scheduled evictions of the node with this name; `None` forgets them.
    Evictions(ArcStr, Option<Arc<Timers>>),
    /// Sets the record of the Service with this uid; `None` forgets it.
    Service(Uid, Option<Arc<ServiceRecord>>),
    /// Sets the record of the Job with this name; `None` forgets it.
    Job(Key, Option<Arc<JobRecord>>),
    /// Sets the record of the autoscaler with this name; `None` forgets it.
    Autoscaler(Key, Option<Arc<AutoscalerRecord>>),
    /// Records that the owner with this uid no longer exists.
    Absent(Uid),
    /// Records that the pod with this uid is not to be replaced after its deletion.
    Dismissed(Uid),
    /// Records that a pass has handled the node with this uid; the flag is set if some of its pods still have to be marked as not ready.
    NodeHandled(Uid, bool),
    /// Records that a DaemonSet replaces a failed pod at this time.
    FailedDaemonPod(FailedPodKey, Time),
}

/// The part of [`Memory`] that a pass of one controller gets to read.
#[derive(Clone, Debug, Default)]
pub enum RememberedState {
    /// No part: the pass needs no state of earlier ones.
    #[default]
    Nothing,
    /// For the node lifecycle controller: the decision about the node that the pass handles.
    Node(Verdict),
    /// For the taint eviction controller: the scheduled evictions of the node that the pass handles.
    Evictions(Arc<Timers>),
    /// For the EndpointSlice controller: the record of the Service that the pass handles, and whether the cache is older than the controller's last write.
    Service(Arc<ServiceRecord>, bool),
    /// For the garbage collector: the uids of owners that no longer exist.
    Absent(OrdSet<Uid>),
    /// For the DaemonSet controller: the back-offs for replacing failed pods.
    FailedDaemonPods(FailedPods),
    /// For the Job controller: the record of the Job that the pass handles.
    Job(Arc<JobRecord>),
    /// For the autoscaler controller: the record of the HorizontalPodAutoscaler that the pass handles.
    Autoscaler(Arc<AutoscalerRecord>),
    /// For the edge-triggered ReplicaSet controller: the uids of pods that are not to be replaced.
    Dismissed(OrdSet<Uid>),
}

impl Memory {
    /// Applies a change that a pass asked for.
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
                // The oldest owners go first: uids count up in order of creation.
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
