//! The controllers of kube-controller-manager, in the order in which it starts them.

use super::Controller;
use super::deployment::Deployments;
use super::endpointslice::EndpointSliceController;
use super::garbage_collector::GarbageCollector;
use super::namespace::NamespaceController;
use super::node_lifecycle::NodeLifecycleController;
use super::pod_gc::PodGc;
use super::replicaset::ReplicaSets;
use super::serviceaccount::{RootCaPublisher, ServiceAccountController};
use super::taint_eviction::TaintEvictionController;

/// All controllers. A controller's place in the list is its index everywhere else.
pub fn all() -> &'static [&'static dyn Controller] {
    &[
        &EndpointSliceController,
        &PodGc,
        &NamespaceController,
        &ServiceAccountController,
        &GarbageCollector,
        &Deployments,
        &ReplicaSets,
        &NodeLifecycleController,
        &TaintEvictionController,
        &RootCaPublisher,
    ]
}

/// The index of the controller with a name.
pub fn index_of(name: &str) -> Option<usize> {
    all().iter().position(|c| c.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_controller_is_found_by_its_name() {
        for (i, controller) in all().iter().enumerate() {
            assert_eq!(index_of(controller.name()), Some(i), "{}", controller.name());
        }
    }
}
