//! The controllers of a controller manager: the built-in ones and those added at run time.
//!
//! **To add a controller**: its file or folder beside this one, with a type that implements [`Controller`]; its module in `mod.rs`; a line at the end of
//! `built_in` here; its loop in `static/content/pseudocode.txt` (8 to 14 lines of at most 60 characters; `pseudocode.rs` explains the words that stand
//! before each line: the stages of a pass at which the line is highlighted). What it remembers from one pass to the next goes into `memory.rs`; what it does
//! from time to time, without a change, is a timer in `sim/manager.rs`. Its passes change the hashes of old runs (`tests/page/old_runs.rs`).

use super::Controller;
use super::cronjob::CronJobController;
use super::daemonset::DaemonSetController;
use super::deployment::DeploymentController;
use super::disruption::DisruptionController;
use super::endpointslice::EndpointSliceController;
use super::garbage_collector::GarbageCollectorController;
use super::ingress::IngressController;
use super::job::JobController;
use super::namespace::NamespaceController;
use super::node_lifecycle::NodeLifecycleController;
use super::persistentvolume::{
    ClaimProtectionController, EphemeralVolumeController, PersistentVolumeController, ProvisionerController, VolumeProtectionController,
};
use super::pod_gc::PodGarbageCollectorController;
use super::podautoscaler::PodAutoscalerController;
use super::replicaset::{ReplicaSetController, Trigger};
use super::replication::ReplicationManager;
use super::resource_quota::ResourceQuotaController;
use super::serviceaccount::{RootCaPublisherController, ServiceAccountController, TokensController};
use super::statefulset::StatefulSetController;
use super::taint_eviction::TaintEvictionController;
use super::ttl_after_finished::TtlAfterFinishedController;
use crate::api::kind::Kind;
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// The name of the controller whose loop the page shows first.
pub const FIRST_SHOWN: &str = "replicaset-controller";

/// Returns the built-in controllers. The hash of a run's trace contains their places in this list, so new ones are added at its end.
fn built_in() -> Vec<Arc<dyn Controller>> {
    vec![
        Arc::new(EndpointSliceController),
        Arc::new(PodGarbageCollectorController),
        Arc::new(NamespaceController),
        Arc::new(ServiceAccountController),
        Arc::new(GarbageCollectorController),
        Arc::new(DeploymentController),
        Arc::new(ReplicaSetController),
        Arc::new(NodeLifecycleController),
        Arc::new(TaintEvictionController),
        Arc::new(RootCaPublisherController),
        Arc::new(JobController),
        Arc::new(DaemonSetController),
        Arc::new(StatefulSetController),
        Arc::new(CronJobController),
        Arc::new(TtlAfterFinishedController),
        Arc::new(DisruptionController),
        Arc::new(PodAutoscalerController),
        Arc::new(PersistentVolumeController),
        Arc::new(ClaimProtectionController),
        Arc::new(VolumeProtectionController),
        Arc::new(EphemeralVolumeController),
        Arc::new(ProvisionerController),
        Arc::new(ReplicationManager),
        Arc::new(ResourceQuotaController),
        Arc::new(TokensController),
        Arc::new(IngressController),
    ]
}

/// The controllers of a cluster. A controller's place in this list is the index by which the rest of the code names it. Cloning copies two pointers.
#[derive(Clone, Debug)]
pub struct Controllers {
    all: Arc<[Arc<dyn Controller>]>,
    /// The indexes of the controllers that are notified of changes of each built-in kind, computed once because they are needed with every change.
    hearing: Arc<[Vec<u32>]>,
}

impl Default for Controllers {
    fn default() -> Self {
        Controllers::of(built_in())
    }
}

impl Controllers {
    /// Returns the built-in controllers, among them the ReplicaSet controller in the variant that `trigger` chooses.
    pub fn with(trigger: Trigger) -> Controllers {
        let mut all = built_in();
        if let Some(place) = all.iter_mut().find(|c| c.name() == FIRST_SHOWN) {
            *place = trigger.controller();
        }
        Controllers::of(all)
    }
    fn of(all: Vec<Arc<dyn Controller>>) -> Controllers {
        let hearing = Kind::built_in().map(|kind| hearing_of(&all, kind)).collect();
        Controllers { all: all.into(), hearing }
    }
}

fn hearing_of(all: &[Arc<dyn Controller>], kind: Kind) -> Vec<u32> {
    (0..).zip(all).filter(|(_, controller)| controller.hears_of(kind)).map(|(index, _)| index).collect()
}

impl Deref for Controllers {
    type Target = [Arc<dyn Controller>];
    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

impl Controllers {
    /// Adds a controller to the list. Returns its index.
    pub fn add(&mut self, controller: Arc<dyn Controller>) -> usize {
        let index = self.all.len();
        *self = Controllers::of(self.all.iter().cloned().chain([controller]).collect());
        index
    }
    /// Returns the indexes of the controllers that are notified of changes of a kind, in ascending order.
    pub fn hearing_of(&self, kind: Kind) -> Cow<'_, [u32]> {
        match kind.built_in_index().and_then(|index| self.hearing.get(index)) {
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(hearing_of(&self.all, kind)),
        }
    }
    /// Returns the index of the controller with this name; `None` if there is none.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.iter().position(|c| c.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_controllers_that_hear_of_a_kind_are_those_that_say_so() {
        let mut all = Controllers::default();
        all.add(Arc::new(JobController));
        for kind in Kind::built_in() {
            assert_eq!(*all.hearing_of(kind), *hearing_of(&all, kind), "{}", kind.row().name);
        }
    }

    #[test]
    fn every_controller_is_found_by_its_name() {
        let all = Controllers::default();
        for (i, controller) in all.iter().enumerate() {
            assert_eq!(all.index_of(controller.name()), Some(i), "{}", controller.name());
        }
    }
}
