//! The page's view of a kubelet: its pods and images, the stage of each pod worker and its next actions, and the containers. No counterpart.

use super::pod_actions::PodActions;
use super::runtime::RunState;
use super::sync::actions;
use super::worker::{Busy, PodWorker, Stage};
use super::{Core, Kubelet};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::Time;
use arcstr::ArcStr;
use std::sync::Arc;

/// A pod's worker as the page shows it.
#[derive(Clone, Debug)]
pub struct WorkerView {
    /// The pod as the worker knows it.
    pub object: Arc<Object>,
    /// The worker's stage: `syncing`, `terminating`, `terminated` or `finished`.
    pub stage: &'static str,
    /// A description of what the worker is doing (`pulls nginx`); `""` if it is idle.
    pub doing: String,
    /// Set while a write of the pod's status is on its way to the API server.
    pub writing_status: bool,
    /// The actions that remain to be done for the pod; empty in other stages than `syncing`.
    pub todo: PodActions,
    /// The names of the pod's containers; the numbers in `todo` are indexes into this list.
    pub names: Vec<ArcStr>,
    /// The time at which the worker runs next by itself; `None` if no wake-up is planned.
    pub wake: Option<Time>,
}

/// A container as the page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerView {
    /// The name of the container.
    pub name: ArcStr,
    /// The image of the container.
    pub image: ArcStr,
    /// Set for an init container.
    pub init: bool,
    /// The container's state in the container runtime.
    pub state: RunState,
    /// The exit code; `None` if the container has not ended.
    pub exit_code: Option<i32>,
    /// The time of the container's last start; `None` if it was never started.
    pub started: Option<Time>,
    /// The number of restarts of the container.
    pub restarts: u32,
    /// The reason why the container does not run; `""` if none is known.
    pub reason: ArcStr,
    /// The end of the back-off before the next restart or image pull; `None` if the container does not wait for one.
    pub next_try: Option<Time>,
    /// The results of the container's startup, liveness and readiness probes; `None` without a probe or a result.
    pub probes: [Option<bool>; 3],
}

impl Kubelet {
    /// Returns the images that are present on the node.
    pub fn images(&self) -> impl Iterator<Item = &ArcStr> {
        self.core.images.iter()
    }
    /// Returns the uids of the pods that this kubelet manages.
    pub fn pods(&self) -> impl Iterator<Item = Uid> {
        self.pods.keys().copied()
    }
    /// Returns the runtime's view of a pod's containers, init containers first; empty if the kubelet does not know the pod.
    pub fn containers(&self, pod: Uid) -> Vec<ContainerView> {
        let Some(w) = self.pods.get(&pod) else { return Vec::new() };
        w.containers.iter().enumerate().filter_map(|(i, _)| self.core.view(w, i)).collect()
    }
    /// Returns the page's view of a pod's worker; `None` if the kubelet does not know the pod.
    pub fn worker_view(&self, pod: Uid) -> Option<WorkerView> {
        let w = self.pods.get(&pod)?;
        let todo = if w.stage == Stage::Syncing { actions(w) } else { PodActions::default() };
        Some(WorkerView {
            object: w.object.clone(),
            stage: match w.stage {
                Stage::Syncing => "syncing",
                Stage::Terminating => "terminating",
                Stage::Terminated => "terminated",
                Stage::Finished => "finished",
            },
            doing: doing(w),
            writing_status: w.writing,
            todo,
            names: (0..w.containers.len()).filter_map(|i| w.container(i)).map(|c| c.name.clone()).collect(),
            wake: w.wake,
        })
    }
    /// Returns whether any pod worker waits for something, writes a status or stops containers.
    pub fn is_busy(&self) -> bool {
        self.pods.values().any(|w| w.busy != Busy::No || w.writing || w.stage == Stage::Terminating)
    }
}

impl Core {
    fn view(&self, w: &PodWorker, i: usize) -> Option<ContainerView> {
        let (spec, instance) = (w.container(i)?, w.containers.get(i)?);
        let reason = w.reason(i).map(|(_, reason, _)| reason.clone()).unwrap_or_default();
        let next_try = match reason.as_str() {
            "CrashLoopBackOff" => w.crash(i).map(|b| instance.finished + b.delay),
            "ErrImagePull" | "ImagePullBackOff" => self.next_pull(w, &spec.image),
            _ => None,
        };
        Some(ContainerView {
            name: spec.name.clone(),
            image: spec.image.clone(),
            init: i < w.init_count(),
            state: instance.state,
            exit_code: (instance.state == RunState::Exited).then_some(instance.exit_code),
            started: (instance.number != 0).then_some(instance.started),
            restarts: instance.restarts,
            reason,
            next_try,
            probes: self.probe_results(w, i),
        })
    }
}

fn doing(w: &PodWorker) -> String {
    let image = |i: u8| w.container(i as usize).map_or("", |c| c.image.as_str());
    match w.busy {
        Busy::Sandbox => "makes the sandbox".to_owned(),
        Busy::Pull(i) => format!("pulls {}", image(i)),
        Busy::Config(..) => "looks up what the environment refers to".to_owned(),
        Busy::Volumes(_) => "looks up what the volumes show".to_owned(),
        Busy::Hook(_) => "waits for the postStart hook".to_owned(),
        Busy::Restart | Busy::Reset => "stops containers to start them again".to_owned(),
        Busy::KillPod => "stops its containers".to_owned(),
        Busy::No if w.stage == Stage::Terminating => "stops its containers".to_owned(),
        Busy::No => String::new(),
    }
}
