//! The ReplicaSet and Deployment controllers against a small cluster.

#[path = "workload/manifests.rs"]
mod manifests;
#[path = "workload/rollouts.rs"]
mod rollouts;
#[path = "workload/sets.rs"]
mod sets;
#[path = "workload/world.rs"]
mod world;
