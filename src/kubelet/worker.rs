//! The kubelet's state for one pod. Counterpart: `pod_workers.podSyncStatus` with the caches around it.
//!
//! There may be 150,000 of them, so a running pod of one container takes about 150 bytes here beside the shared object.

use super::backoff::Backoff;
use super::guests::Running;
use super::probe::ProbeWorker;
use super::runtime::{Instance, RunState};
use crate::api::kind::Shared;
use crate::api::kind::pod::{Container, PodSpec, PodStatus};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::container::files::Tree;
use crate::container::guest::Log;
use arcstr::ArcStr;
use std::sync::Arc;

/// The stage of a pod's worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Keeps the pod's containers as the spec says.
    Syncing,
    /// Stops the containers.
    Terminating,
    /// All containers have stopped, and the last status is being written.
    Terminated,
    /// Nothing is left to do.
    Finished,
}

/// What a worker waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busy {
    /// Nothing.
    No,
    /// The sandbox.
    Sandbox,
    /// The image of a container.
    Pull(u8),
    /// A ConfigMap or Secret to which a container's environment refers: the container's index, the reference's index.
    Config(u8, u8),
    /// A ConfigMap or Secret that a volume shows: the reference's index.
    Volumes(u8),
    /// The postStart hook of a container.
    Hook(u8),
    /// The end of containers that are to be restarted.
    Restart,
}

/// The kubelet's state for one pod.
#[derive(Clone, Debug)]
pub struct PodWorker {
    /// The newest known version of the pod.
    pub object: Arc<Object>,
    /// The status as this kubelet wants it; `None` if the object's status is the same.
    pub pending: Option<Shared<PodStatus>>,
    /// The newest instance of each container of the spec, init containers first.
    pub containers: Box<[Instance]>,
    /// Rarely used state, boxed to keep `PodWorker` small.
    pub extra: Option<Box<Extra>>,
    /// The pod's start time.
    pub start: Time,
    /// When the last sync began or ended.
    pub last_sync: Time,
    /// The time of the planned wake-up.
    pub wake: Option<Time>,
    /// The number of the planned wake-up; wake-ups with other numbers are outdated.
    pub wake_seq: u32,
    /// The number of the thing waited for; wake-ups and answers with other numbers are outdated.
    pub step_seq: u32,
    /// Bit i: this sync has already tried to start container i.
    pub tried: u64,
    /// Bit i: this sync has stopped container i in order to restart it.
    pub killed: u64,
    /// The pod's IP address, 0 for none.
    pub ip: u32,
    /// The stage.
    pub stage: Stage,
    /// What the worker waits for.
    pub busy: Busy,
    /// Set if the sandbox exists.
    pub sandbox: bool,
    /// Set if this sync has created the sandbox.
    pub fresh_sandbox: bool,
    /// Set while a status is on its way to the API server.
    pub writing: bool,
    /// Set if a newer status is to follow it.
    pub dirty: bool,
    /// Set once the containers have been told to stop.
    pub killing: bool,
    /// Set if the object is to be removed once the status is written.
    pub delete: bool,
    /// Set once the pod is gone from the API.
    pub gone: bool,
}

/// Returns container i's bit in a set of containers. Containers beyond the 64th have none.
pub fn bit(i: usize) -> u64 {
    1u64.checked_shl(i as u32).unwrap_or(0)
}

/// Rarely used state, boxed to keep [`PodWorker`] small.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// The reasons why containers are not running: container, reason, message. Counterpart: `reasonCache`.
    pub reasons: Vec<(u8, ArcStr, ArcStr)>,
    /// Delays between restarts, by container.
    pub crashes: Vec<(u8, Backoff)>,
    /// Failed pulls: image, delay, time and error of the last failure.
    pub pulls: Vec<(ArcStr, Backoff, Time, ArcStr)>,
    /// The probes of all containers.
    pub probes: Vec<ProbeWorker>,
    /// Results that people set for exec probes: the file that the probe reads, and `true` if it succeeds.
    pub exec: Vec<(ArcStr, bool)>,
    /// The reason and message with which the whole pod failed.
    pub failed: Option<(ArcStr, ArcStr)>,
    /// Bit i: the spec of container i was changed while it ran.
    pub changed: u64,
    /// When the current pull was requested.
    pub pull_began: Time,
    /// The ConfigMaps and Secrets that volumes and environments refer to, as they were last read.
    pub references: Vec<Arc<Object>>,
    /// The files of the pod's volumes, in their order.
    pub volumes: Vec<Tree>,
    /// The delay before the next try to mount the volumes.
    pub mount_delay: Span,
    /// The number of the planned look at what the volumes show.
    pub refresh_seq: u32,
    /// Containers with processes.
    pub running: Vec<Running>,
    /// The logs of the instances before the newest, by container.
    pub old_logs: Vec<(u8, Log)>,
    /// Why the postStart hook that is waited for failed.
    pub hook_error: Option<ArcStr>,
    /// The spec before the resources in it were changed.
    pub had: Option<Arc<PodSpec>>,
    /// The resize that is under way.
    pub resize: Option<Box<super::resize::Resize>>,
    /// Termination messages, by the number of the container.
    pub messages: Vec<(u32, ArcStr)>,
}

impl PodWorker {
    /// A worker for a pod that is new to the kubelet.
    pub fn new(object: Arc<Object>, now: Time) -> PodWorker {
        let all =
            |p: &crate::api::kind::pod::Pod| p.spec.init_containers.len() + p.spec.containers.len() + p.spec.ephemeral_containers.len();
        let count = object.pod().map_or(0, all);
        let start = object.pod().and_then(|p| p.status.start_time).unwrap_or(now.whole_second());
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
    /// The pod's uid.
    pub fn uid(&self) -> Uid {
        self.object.meta.uid
    }
    /// The pod's spec.
    pub fn spec(&self) -> Option<&Arc<PodSpec>> {
        self.object.pod().map(|p| &p.spec)
    }
    /// The status as this kubelet wants it.
    pub fn status(&self) -> Option<&PodStatus> {
        self.pending.as_deref().or_else(|| self.object.pod().map(|p| &*p.status))
    }
    /// A container of the spec, init containers first.
    pub fn container(&self, i: usize) -> Option<&Container> {
        let spec = self.spec()?;
        let inits = spec.init_containers.len();
        match i.checked_sub(inits) {
            None => spec.init_containers.get(i),
            Some(i) => spec.containers.get(i).or_else(|| spec.ephemeral_containers.get(i - spec.containers.len())),
        }
    }
    /// The index of the first ephemeral container, which is the number of all others.
    pub fn first_ephemeral(&self) -> usize {
        self.spec().map_or(0, |s| s.init_containers.len() + s.containers.len())
    }
    /// Makes room for ephemeral containers that were added to the spec.
    pub fn take_ephemeral(&mut self) {
        let count = self.spec().map_or(0, |s| s.init_containers.len() + s.containers.len() + s.ephemeral_containers.len());
        if count > self.containers.len() {
            let mut containers = self.containers.to_vec();
            containers.resize(count, Instance::default());
            self.containers = containers.into();
        }
    }
    /// The number of init containers.
    pub fn init_count(&self) -> usize {
        self.spec().map_or(0, |s| s.init_containers.len())
    }
    /// The path by which events name a container: `spec.containers{web}`.
    pub fn field_path(&self, i: usize) -> ArcStr {
        let list = match i {
            i if i < self.init_count() => "initContainers",
            i if i < self.first_ephemeral() => "containers",
            _ => "ephemeralContainers",
        };
        let name = self.container(i).map_or("", |c| c.name.as_str());
        format!("spec.{list}{{{name}}}").into()
    }
    /// Returns whether any container runs.
    pub fn any_running(&self) -> bool {
        self.containers.iter().any(Instance::is_running)
    }
    /// Returns whether any container exists, running or exited.
    pub fn any_made(&self) -> bool {
        self.containers.iter().any(|c| c.state != RunState::Absent)
    }
    /// The rarely used state, created if there is none.
    pub fn extra(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }
    /// Returns whether a wake-up is the planned one, and clears the plan if it is.
    pub fn take_wake(&mut self, seq: u32) -> bool {
        let current = self.wake.is_some() && self.wake_seq == seq;
        if current {
            self.wake = None;
        }
        current
    }
    /// Returns why container `i` is not running, if that is known: its index, the reason and the message.
    pub fn reason(&self, i: usize) -> Option<&(u8, ArcStr, ArcStr)> {
        self.extra.as_ref()?.reasons.iter().find(|(c, ..)| *c as usize == i)
    }
    /// Sets or clears the reason and message why container `i` is not running.
    pub fn set_reason(&mut self, i: usize, why: Option<(ArcStr, ArcStr)>) {
        if why.is_none() && self.reason(i).is_none() {
            return;
        }
        let reasons = &mut self.extra().reasons;
        reasons.retain(|(c, ..)| *c as usize != i);
        if let Some((reason, message)) = why {
            reasons.push((i as u8, reason, message));
        }
    }
    /// Returns the restart delay of container `i` (CrashLoopBackOff).
    pub fn crash(&self, i: usize) -> Option<Backoff> {
        self.extra.as_ref()?.crashes.iter().find(|(c, _)| *c as usize == i).map(|(_, b)| *b)
    }
    /// Sets the restart delay of a container.
    pub fn set_crash(&mut self, i: usize, backoff: Backoff) {
        let crashes = &mut self.extra().crashes;
        crashes.retain(|(c, _)| *c as usize != i);
        crashes.push((i as u8, backoff));
    }
    /// Returns name, namespace and uid as back-off messages write them.
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
