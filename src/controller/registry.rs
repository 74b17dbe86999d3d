//! The controllers of kube-controller-manager, in the order in which it starts them.

use super::Controller;
use super::deployment::Deployments;
use super::replicaset::ReplicaSets;

/// All controllers. A controller's place in the list is its index everywhere else.
pub fn all() -> &'static [&'static dyn Controller] {
    &[&Deployments, &ReplicaSets]
}

/// The index of the controller with a name.
pub fn index_of(name: &str) -> Option<usize> {
    all().iter().position(|c| c.name() == name)
}
