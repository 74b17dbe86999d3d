//! The workload controllers: those of Deployments and ReplicaSets alone and together, of StatefulSets, of DaemonSets, and of
//! ReplicationControllers.

mod daemons;
mod rollouts;
mod sets;
mod stateful;

use crate::world::World;
use loopscope::api::kind::deployment::Deployment;
use loopscope::api::{Kind, Object};
use loopscope::controller::deployment::DeploymentController;
use loopscope::controller::replicaset::ReplicaSetController;
use std::sync::Arc;

/// Creates a world with the Deployment controller and the ReplicaSet controller.
fn workloads() -> World {
    World::new(&[&DeploymentController, &ReplicaSetController])
}

impl World {
    /// Returns the messages of the Deployment's Events with a reason since the log was last taken.
    fn said(&mut self, reason: &str) -> Vec<String> {
        let prefix = format!("event web {reason}: ");
        self.take_log().iter().filter_map(|l| l.strip_prefix(&prefix)).map(str::to_owned).collect()
    }
    fn deployment(&self) -> Arc<Object> {
        self.get(Kind::DEPLOYMENT, "web")
    }
    /// Changes the Deployment as a person would.
    fn edit(&mut self, change: impl FnOnce(&mut Deployment)) {
        self.change(Kind::DEPLOYMENT, "web", |object| {
            change(object.deployment_mut().expect("a Deployment"));
            object.meta.generation += 1;
        });
    }
    /// Returns the Deployment's conditions as `Available=True:MinimumReplicasAvailable Progressing=…`.
    fn conditions(&self) -> String {
        let object = self.deployment();
        let list = &object.deployment().expect("a Deployment").status.conditions;
        list.iter().map(|c| format!("{}={}:{}", c.type_, c.status, c.reason)).collect::<Vec<_>>().join(" ")
    }
    /// Returns `revision:size` of all ReplicaSets, oldest first.
    fn sets(&self) -> String {
        let line = |o: &Arc<Object>| {
            let revision = o.meta.annotations.get("deployment.kubernetes.io/revision").expect("a revision");
            format!("{revision}:{}", o.replica_set().expect("a ReplicaSet").spec.replicas)
        };
        self.caches.of(Kind::REPLICA_SET).all().map(line).collect::<Vec<_>>().join(" ")
    }
}
