//! What people can see of a kubelet's workers: where each stands and what it would do next.

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
pub struct Work {
    /// The pod as the worker knows it.
    pub object: Arc<Object>,
    /// Where the worker stands: `syncing`, `terminating`, `terminated` or `finished`.
    pub stage: &'static str,
    /// What it is in the middle of; `""` for nothing.
    pub doing: String,
    /// Whether a status of it is on its way to the API server.
    pub telling: bool,
    /// What is still to be done for the pod, where the worker keeps its containers as they should be.
    pub todo: PodActions,
    /// The names of its containers, to which the numbers in `todo` refer.
    pub names: Vec<crate::text::Str>,
    /// When it looks again by itself.
    pub wake: Option<Time>,
}

impl Kubelet {
    /// A pod's worker.
    pub fn work(&self, pod: Uid) -> Option<Work> {
        let w = self.pods.get(&pod)?;
        let todo = if w.stage == Stage::Syncing { actions(w) } else { PodActions::default() };
        Some(Work {
            object: w.object.clone(),
            stage: match w.stage {
                Stage::Syncing => "syncing",
                Stage::Terminating => "terminating",
                Stage::Terminated => "terminated",
                Stage::Finished => "finished",
            },
            doing: doing(w),
            telling: w.writing,
            todo,
            names: (0..w.containers.len()).filter_map(|i| w.container(i)).map(|c| c.name.clone()).collect(),
            wake: w.wake,
        })
    }
    /// Whether any worker is in the middle of something.
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
