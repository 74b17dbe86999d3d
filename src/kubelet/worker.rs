//! The kubelet's state for one pod, called its worker. Counterpart: `pod_workers.podSyncStatus` with the caches around it.
//!
//! There may be 150,000 workers, so a running pod of one container takes about 150 bytes here beside the shared object.

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
    /// The worker keeps the pod's containers as the spec says.
    Syncing,
    /// The worker stops the containers.
    Terminating,
    /// All containers have stopped, and the last status is being written.
    Terminated,
    /// The worker has nothing left to do, except for requesting the removal of a deleted pod's object.
    Finished,
}

/// The thing that a pod's worker waits for before it continues its sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busy {
    /// The worker waits for nothing.
    No,
    /// The worker waits until the runtime has created the pod's sandbox.
    Sandbox,
    /// The worker waits for the image pull of the container with this index.
    Pull(u8),
    /// The worker waits for a ConfigMap or Secret to which a container's environment refers: the index of the container, and the index of the reference.
    Config(u8, u8),
    /// The worker waits for a ConfigMap or Secret to which a volume refers: the index of the reference.
    Volumes(u8),
    /// The worker waits for the postStart hook of the container with this index.
    Hook(u8),
    /// The worker waits for the end of containers that it is going to restart.
    Restart,
    /// The worker waits for the end of all containers, because the pod is done.
    KillPod,
    /// The worker waits for the end of a container, because it is going to restart all.
    Reset,
}

/// The kubelet's state for one pod, called its worker.
#[derive(Clone, Debug)]
pub struct PodWorker {
    /// The newest known version of the pod's object.
    pub object: Arc<Object>,
    /// The status that this kubelet wants to write; `None` if the object's status is the same.
    pub pending: Option<Shared<PodStatus>>,
    /// The newest instance of each container of the spec, init containers first.
    pub containers: Box<[Instance]>,
    /// Rarely used state, boxed to keep `PodWorker` small.
    pub extra: Option<Box<Extra>>,
    /// The time that the pod's status shows as its start time.
    pub start: Time,
    /// The time at which a sync of the pod last began or ended, whichever was later; 0 if this kubelet process has not synced the pod yet.
    pub last_sync: Time,
    /// The time of the planned wake-up (`Timer::Sync`); `None` if none is planned.
    pub wake: Option<Time>,
    /// The sequence number of the planned wake-up; wake-ups with other numbers are outdated.
    pub wake_seq: u32,
    /// The sequence number of the step that the worker waits for (`busy`); wake-ups and answers with other numbers are outdated.
    pub step_seq: u32,
    /// The containers that the current or last sync has tried to start: bit i stands for container i.
    pub tried: u64,
    /// The containers that the current or last sync has stopped in order to restart them: bit i stands for container i.
    pub killed: u64,
    /// The IP address of the pod; 0 if it has none.
    pub ip: u32,
    /// The stage of the worker.
    pub stage: Stage,
    /// The thing that the worker waits for.
    pub busy: Busy,
    /// Set if the pod's sandbox exists.
    pub sandbox: bool,
    /// Set if the current or last sync has created the pod's sandbox.
    pub fresh_sandbox: bool,
    /// Set while a write of the pod's status is on its way to the API server.
    pub writing: bool,
    /// Set if a newer status must be written once the current write is answered.
    pub dirty: bool,
    /// Set once the kubelet has begun to stop the containers of a terminating pod.
    pub killing: bool,
    /// Set if the removal of the pod's object is to be requested once its last status is written.
    pub delete: bool,
    /// Set once the pod's object no longer exists in the API server.
    pub gone: bool,
}

/// Returns the bit that stands for container i in a set of containers. Containers beyond the 64th have none.
pub fn bit(i: usize) -> u64 {
    1u64.checked_shl(i as u32).unwrap_or(0)
}

/// Rarely used state, boxed to keep [`PodWorker`] small.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// The reasons why containers are not running: the index of the container, the reason and the message. Counterpart: `reasonCache`.
    pub reasons: Vec<(u8, ArcStr, ArcStr)>,
    /// The back-off between restarts, by the index of the container.
    pub crashes: Vec<(u8, Backoff)>,
    /// The images whose pull failed: the image, the back-off, and the time and error of the last failure.
    pub pulls: Vec<(ArcStr, Backoff, Time, ArcStr)>,
    /// The probes of all containers.
    pub probes: Vec<ProbeWorker>,
    /// Results that people set for exec probes: the file that the probe reads, and `true` if it succeeds.
    pub exec: Vec<(ArcStr, bool)>,
    /// The reason and message with which the kubelet has failed the whole pod (eviction, deadline).
    pub failed: Option<(ArcStr, ArcStr)>,
    /// The running containers that must be restarted because their spec was changed: bit i stands for container i.
    pub changed: u64,
    /// The time at which the current image pull was requested.
    pub pull_began: Time,
    /// The ConfigMaps and Secrets to which the pod's volumes and environments refer, as the kubelet last read them.
    pub references: Vec<Arc<Object>>,
    /// The files of each of the pod's volumes, in the order of the spec.
    pub volumes: Vec<Tree>,
    /// The delay before the next try to mount the volumes; 0 before the first failure.
    pub mount_delay: Span,
    /// The sequence number of the planned `Timer::Volumes`, which reads the ConfigMaps and Secrets in volumes again; wake-ups with other numbers are outdated.
    pub refresh_seq: u32,
    /// The running containers that have processes.
    pub running: Vec<Running>,
    /// The log of the previous instance of each container, by the container's index.
    pub old_logs: Vec<(u8, Log)>,
    /// The error of the postStart hook that has just failed; `None` if it succeeded.
    pub hook_error: Option<ArcStr>,
    /// The pod's spec before its resources were changed, until the resize begins.
    pub had: Option<Arc<PodSpec>>,
    /// The resize of the pod that is under way.
    pub resize: Option<Box<super::resize::Resize>>,
    /// The termination messages of ended containers, by the number of the instance.
    pub messages: Vec<(u32, ArcStr)>,
}

impl PodWorker {
    /// Creates the worker of a pod that is new to the kubelet.
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
    /// Returns the uid of the pod.
    pub fn uid(&self) -> Uid {
        self.object.meta.uid
    }
    /// Returns the spec of the pod.
    pub fn spec(&self) -> Option<&Arc<PodSpec>> {
        self.object.pod().map(|p| &p.spec)
    }
    /// Returns the status that this kubelet wants the pod to have: the pending one, or else the status in the pod's object.
    pub fn status(&self) -> Option<&PodStatus> {
        self.pending.as_deref().or_else(|| self.object.pod().map(|p| &*p.status))
    }
    /// Returns the spec of container `i`, init containers first.
    pub fn container(&self, i: usize) -> Option<&Container> {
        let spec = self.spec()?;
        let inits = spec.init_containers.len();
        match i.checked_sub(inits) {
            None => spec.init_containers.get(i),
            Some(i) => spec.containers.get(i).or_else(|| spec.ephemeral_containers.get(i - spec.containers.len())),
        }
    }
    /// Returns the index of the first ephemeral container, which is the number of all other containers.
    pub fn first_ephemeral(&self) -> usize {
        self.spec().map_or(0, |s| s.init_containers.len() + s.containers.len())
    }
    /// Adds entries for ephemeral containers that were added to the pod's spec.
    pub fn take_ephemeral(&mut self) {
        let count = self.spec().map_or(0, |s| s.init_containers.len() + s.containers.len() + s.ephemeral_containers.len());
        if count > self.containers.len() {
            let mut containers = self.containers.to_vec();
            containers.resize(count, Instance::default());
            self.containers = containers.into();
        }
    }
    /// Returns the number of init containers.
    pub fn init_count(&self) -> usize {
        self.spec().map_or(0, |s| s.init_containers.len())
    }
    /// Returns the path by which events refer to container `i`: `spec.containers{web}`.
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
    /// Returns whether the end of a container makes the kubelet restart all of them. Counterpart: `ShouldAllContainersRestart`.
    pub fn restarts_all(&self) -> bool {
        let ended = self.containers.iter().enumerate().filter(|(_, c)| c.state == RunState::Exited);
        { ended }.any(|(i, c)| self.container(i).is_some_and(|spec| spec.restarts_all(c.exit_code)))
    }
    /// Returns whether any container exists, running or exited.
    pub fn any_made(&self) -> bool {
        self.containers.iter().any(|c| c.state != RunState::Absent)
    }
    /// Returns the rarely used state, creating it if there is none.
    pub fn extra(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }
    /// Returns whether this is the planned wake-up, by its sequence number, and clears the plan if it is.
    pub fn take_wake(&mut self, seq: u32) -> bool {
        let current = self.wake.is_some() && self.wake_seq == seq;
        if current {
            self.wake = None;
        }
        current
    }
    /// Returns the reason why container `i` is not running, if it is known: the container's index, the reason and the message.
    pub fn reason(&self, i: usize) -> Option<&(u8, ArcStr, ArcStr)> {
        self.extra.as_ref()?.reasons.iter().find(|(c, ..)| *c as usize == i)
    }
    /// Sets the reason and the message why container `i` is not running; `None` clears them.
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
    /// Returns the back-off between restarts of container `i` (CrashLoopBackOff), if it has one.
    pub fn crash(&self, i: usize) -> Option<Backoff> {
        self.extra.as_ref()?.crashes.iter().find(|(c, _)| *c as usize == i).map(|(_, b)| *b)
    }
    /// Sets the back-off between restarts of container `i`.
    pub fn set_crash(&mut self, i: usize, backoff: Backoff) {
        let crashes = &mut self.extra().crashes;
        crashes.retain(|(c, _)| *c as usize != i);
        crashes.push((i as u8, backoff));
    }
    /// Returns the pod's name, namespace and uid in the form that back-off messages use.
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
