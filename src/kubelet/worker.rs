//! What a kubelet keeps for one pod. Counterpart: `pod_workers.podSyncStatus` with the caches around it.
//! A running pod of one container takes about 150 bytes here beside the shared object.

use super::backoff::Backoff;
use super::probe::ProbeWorker;
use super::runtime::{Instance, RunState};
use crate::api::kind::pod::{Container, PodSpec, PodStatus};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::text::Str;
use std::sync::Arc;

/// Where a pod's worker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It keeps the pod's containers as they should be.
    Syncing,
    /// It stops them.
    Terminating,
    /// They have stopped, and the last status is told.
    Terminated,
    /// Nothing is left to do.
    Finished,
}

/// What a worker is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busy {
    /// Nothing.
    No,
    /// It waits for the sandbox.
    Sandbox,
    /// It waits for the image of a container.
    Pull(u8),
    /// It waits for what the environment of a container refers to: which container, which reference.
    Config(u8, u8),
    /// It waits for containers that it stops in order to start them again.
    Restart,
}

/// What a kubelet keeps for one pod.
#[derive(Clone, Debug)]
pub struct PodWorker {
    /// The newest known version.
    pub object: Arc<Object>,
    /// The status as this kubelet has it, where the object's is not known to be the same.
    pub pending: Option<Arc<PodStatus>>,
    /// The newest container of each entry of the spec, init containers first.
    pub containers: Box<[Instance]>,
    /// What few pods have.
    pub extra: Option<Box<Extra>>,
    /// When the kubelet took the pod up.
    pub start: Time,
    /// When the last step of the worker was begun, or was over.
    pub last_sync: Time,
    /// When it will be woken.
    pub wake: Option<Time>,
    /// Tells wake-ups apart.
    pub wake_seq: u32,
    /// Tells steps apart.
    pub step_seq: u32,
    /// Bit i: container i has been seen to in this step.
    pub tried: u64,
    /// Bit i: container i was stopped in this step, to be started again.
    pub killed: u64,
    /// The pod's address, 0 is none.
    pub ip: u32,
    /// Where it stands.
    pub stage: Stage,
    /// What it is in the middle of.
    pub busy: Busy,
    /// Whether the sandbox is there.
    pub sandbox: bool,
    /// Whether the sandbox was made in the present step.
    pub fresh_sandbox: bool,
    /// Whether a status is on its way.
    pub writing: bool,
    /// Whether a newer status is to follow it.
    pub dirty: bool,
    /// Whether the containers have been told to stop.
    pub killing: bool,
    /// Whether the object is to be removed once the status is written.
    pub delete: bool,
    /// Whether the pod is gone from the API.
    pub gone: bool,
}

/// Container i's bit in a set of containers. Containers beyond the 64th are in none.
pub fn bit(i: usize) -> u64 {
    1u64.checked_shl(i as u32).unwrap_or(0)
}

/// What few pods have.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// Why containers are not running: container, reason, message. Counterpart: `reasonCache`.
    pub reasons: Vec<(u8, Str, Str)>,
    /// Delays between restarts.
    pub crashes: Vec<(u8, Backoff)>,
    /// Delays between pulls, with when the last one failed and why.
    pub pulls: Vec<(Str, Backoff, Time, Str)>,
    /// Probes.
    pub probes: Vec<ProbeWorker>,
    /// Files that people wrote or removed (no text) in containers; lost with the container.
    pub files: Vec<(u8, Str, Option<Str>)>,
    /// Whether exec probes that read a file succeed, whatever the container.
    pub exec: Vec<(Str, bool)>,
    /// Why the whole pod failed: reason, message.
    pub failed: Option<(Str, Str)>,
    /// Bit i: the spec of container i was changed while it ran.
    pub changed: u64,
    /// When the pull that is under way was asked for.
    pub pull_began: Time,
}

impl PodWorker {
    /// A worker for a pod that has just been seen.
    pub fn new(object: Arc<Object>, now: Time) -> PodWorker {
        let count = object.pod().map_or(0, |p| p.spec.init_containers.len() + p.spec.containers.len());
        let start = object.pod().and_then(|p| p.status.start).unwrap_or(now.whole_second());
        PodWorker {
            object,
            pending: None,
            containers: vec![Instance::default(); count].into(),
            extra: None,
            start,
            last_sync: Time(0),
            wake: None,
            wake_seq: 0,
            step_seq: 0,
            tried: 0,
            killed: 0,
            ip: 0,
            stage: Stage::Syncing,
            busy: Busy::No,
            sandbox: false,
            fresh_sandbox: false,
            writing: false,
            dirty: false,
            killing: false,
            delete: false,
            gone: false,
        }
    }
    /// The pod's identity.
    pub fn uid(&self) -> Uid {
        self.object.meta.uid
    }
    /// The pod's spec.
    pub fn spec(&self) -> Option<&Arc<PodSpec>> {
        self.object.pod().map(|p| &p.spec)
    }
    /// The status as this kubelet has it.
    pub fn status(&self) -> Option<&PodStatus> {
        self.pending.as_deref().or_else(|| self.object.pod().map(|p| &p.status))
    }
    /// An entry of the spec, init containers first.
    pub fn container(&self, i: usize) -> Option<&Container> {
        let spec = self.spec()?;
        let inits = spec.init_containers.len();
        if i < inits { spec.init_containers.get(i) } else { spec.containers.get(i - inits) }
    }
    /// How many init containers there are.
    pub fn init_count(&self) -> usize {
        self.spec().map_or(0, |s| s.init_containers.len())
    }
    /// How events name a container.
    pub fn field_path(&self, i: usize) -> Str {
        let list = if i < self.init_count() { "initContainers" } else { "containers" };
        let name = self.container(i).map_or("", |c| c.name.as_str());
        format!("spec.{list}{{{name}}}").into()
    }
    /// Whether any container runs.
    pub fn any_running(&self) -> bool {
        self.containers.iter().any(Instance::is_running)
    }
    /// Whether any container of the pod was ever made.
    pub fn any_made(&self) -> bool {
        self.containers.iter().any(|c| c.state != RunState::Absent)
    }
    /// What few pods have, for writing.
    pub fn extra(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }
    /// Whether this is the wake-up that was asked for last; it is then used up.
    pub fn take_wake(&mut self, seq: u32) -> bool {
        let current = self.wake.is_some() && self.wake_seq == seq;
        if current {
            self.wake = None;
        }
        current
    }
    /// Why a container is not running, if there is something to say.
    pub fn reason(&self, i: usize) -> Option<&(u8, Str, Str)> {
        self.extra.as_ref()?.reasons.iter().find(|(c, ..)| *c as usize == i)
    }
    /// Sets or clears why a container is not running.
    pub fn set_reason(&mut self, i: usize, why: Option<(Str, Str)>) {
        if why.is_none() && self.reason(i).is_none() {
            return;
        }
        let reasons = &mut self.extra().reasons;
        reasons.retain(|(c, ..)| *c as usize != i);
        if let Some((reason, message)) = why {
            reasons.push((i as u8, reason, message));
        }
    }
    /// The delay between restarts of a container.
    pub fn crash(&self, i: usize) -> Option<Backoff> {
        self.extra.as_ref()?.crashes.iter().find(|(c, _)| *c as usize == i).map(|(_, b)| *b)
    }
    /// Sets it.
    pub fn set_crash(&mut self, i: usize, backoff: Backoff) {
        let crashes = &mut self.extra().crashes;
        crashes.retain(|(c, _)| *c as usize != i);
        crashes.push((i as u8, backoff));
    }
    /// Name, namespace and uid as back-off messages write them.
    pub fn full_name(&self) -> String {
        let meta = &self.object.meta;
        format!("{}_{}({})", meta.name, meta.namespace, meta.uid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_pod_takes_little_room() {
        let bytes = std::mem::size_of::<PodWorker>() + std::mem::size_of::<Instance>();
        assert!(bytes <= 152, "{bytes}");
    }
}
