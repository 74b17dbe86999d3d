//! The controllers of a controller manager: the built-in ones and those added at run time.

use super::Controller;
use super::cronjob::CronJobController;
use super::daemonset::DaemonSetController;
use super::deployment::DeploymentController;
use super::disruption::DisruptionController;
use super::endpointslice::EndpointSliceController;
use super::garbage_collector::GarbageCollectorController;
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
use super::serviceaccount::{RootCaPublisherController, ServiceAccountController};
use super::statefulset::StatefulSetController;
use super::taint_eviction::TaintEvictionController;
use super::ttl_after_finished::TtlAfterFinishedController;
use std::ops::Deref;
use std::sync::Arc;

/// The controller whose loop the page shows first.
pub const FIRST_SHOWN: &str = "replicaset-controller";

/// The built-in controllers. Saved runs name them by their place in this list, so new ones are added at its end.
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
    ]
}

/// The controllers of a cluster. A controller's place in the list is its index everywhere else. A copy is a pointer copy.
#[derive(Clone, Debug)]
pub struct Controllers(Arc<[Arc<dyn Controller>]>);

impl Default for Controllers {
    fn default() -> Self {
        Controllers(built_in().into())
    }
}

impl Controllers {
    /// Returns the built-in controllers, with the ReplicaSet controller of a kind.
    pub fn with(trigger: Trigger) -> Controllers {
        let mut all = built_in();
        if let Some(place) = all.iter_mut().find(|c| c.name() == FIRST_SHOWN) {
            *place = trigger.controller();
        }
        Controllers(all.into())
    }
}

impl Deref for Controllers {
    type Target = [Arc<dyn Controller>];
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Controllers {
    /// Adds a controller. Returns its index.
    pub fn add(&mut self, controller: Arc<dyn Controller>) -> usize {
        let index = self.0.len();
        self.0 = self.0.iter().cloned().chain([controller]).collect();
        index
    }
    /// Returns the index of the controller with a name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.iter().position(|c| c.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_controller_is_found_by_its_name() {
        let all = Controllers::default();
        for (i, controller) in all.iter().enumerate() {
            assert_eq!(all.index_of(controller.name()), Some(i), "{}", controller.name());
        }
    }
}
