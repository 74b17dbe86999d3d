//! The view of a kubelet's workers for the page: the stage of each and what it will do next. No counterpart.

use super::Kubelet;
use super::pod_actions::PodActions;
use super::sync::actions;
use super::worker::{Busy, PodWorker, Stage};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::Time;
use std::sync::Arc;

/// A pod's worker as the page shows it.
#[derive(Clone, Debug)]
pub struct WorkerView {
    /// The pod as the worker knows it.
    pub object: Arc<Object>,
    /// The worker's stage: `syncing`, `terminating`, `terminated` or `finished`.
    pub stage: &'static str,
    /// What it is doing, in words; `""` for nothing.
    pub doing: String,
    /// Set while a status is on its way to the API server.
    pub writing_status: bool,
    /// The actions that remain for the pod, in the stage `syncing`.
    pub todo: PodActions,
    /// The names of its containers; the numbers in `todo` are indexes into it.
    pub names: Vec<arcstr::ArcStr>,
    /// The time at which the worker runs next by itself.
    pub wake: Option<Time>,
}

impl Kubelet {
    /// The worker of a pod.
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
    /// Tells whether any worker waits for something or writes a status.
    pub fn is_busy(&self) -> bool {
        self.pods.values().any(|w| w.busy != Busy::No || w.writing || w.stage == Stage::Terminating)
    }
}

fn doing(w: &PodWorker) -> String {
    let image = |i: u8| w.container(i as usize).map_or("", |c| c.image.as_str());
    match w.busy {
        Busy::Sandbox => "makes the sandbox".to_owned(),
        Busy::Pull(i) => format!("pulls {}", image(i)),
        Busy::Config(..) => "looks up what the environment refers to".to_owned(),
        Busy::Restart => "stops containers to start them again".to_owned(),
        Busy::No if w.stage == Stage::Terminating => "stops its containers".to_owned(),
        Busy::No => String::new(),
    }
}
