//! The oracle: what the state of the cluster must be, derived from the desired state in the store alone and without the engine's own
//! controllers.

use loopscope::api::kind::Kind;
use loopscope::api::kind::pod::{Phase, RestartPolicy};
use loopscope::api::kind::statefulset::UpdateStrategyType;
use loopscope::api::meta::{Key, Uid};
use loopscope::api::object::Object;
use loopscope::client::WorkKey;
use loopscope::kubelet::RunState;
use loopscope::sim::Cluster;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Checks what must hold at every moment: there is at most one leader, and no key is in the hands of two workers. Returns the
/// violation.
pub fn always(cluster: &Cluster) -> Option<String> {
    if cluster.managers.iter().filter(|m| m.leads).count() > 1 {
        return Some(format!("two controller managers lead at step {}", cluster.steps));
    }
    for manager in &cluster.managers {
        let mut keys: Vec<(u32, &WorkKey)> = manager.passes.values().map(|p| (p.controller, &p.key)).collect();
        keys.sort();
        if let Some(twice) = keys.windows(2).find(|w| w[0] == w[1]) {
            return Some(format!("{:?} is in two workers' hands at step {}", twice[0], cluster.steps));
        }
    }
    None
}

/// Returns everything that is not as it should be once a cluster has converged.
pub fn state_of_the_world(cluster: &Cluster) -> Vec<String> {
    let world = World { cluster, problems: Vec::new() };
    let checks = [
        World::nodes,
        World::pods,
        World::sets,
        World::deployments,
        World::stateful_sets,
        World::daemon_sets,
        World::jobs,
        World::budgets,
        World::services,
        World::owners,
        World::caches,
        World::machines,
    ];
    checks
        .into_iter()
        .fold(world, |mut world, check| {
            check(&mut world);
            world
        })
        .problems
}

struct World<'c> {
    cluster: &'c Cluster,
    problems: Vec<String>,
}

impl<'c> World<'c> {
    fn all(&self, kind: Kind) -> Vec<&'c Arc<Object>> {
        self.cluster.api.store.range(kind, "", None).collect()
    }
    fn demand(&mut self, good: bool, problem: impl FnOnce() -> String) {
        if !good {
            self.problems.push(problem());
        }
    }
    fn owned(&self, kind: Kind, owner: Uid) -> Vec<&'c Arc<Object>> {
        self.all(kind).into_iter().filter(|o| o.meta.controller().is_some_and(|c| c.uid == owner)).collect()
    }
    fn nodes(&mut self) {
        for o in self.all(Kind::NODE) {
            let Some(node) = o.node() else { continue };
            self.demand(node.is_ready(), || format!("node {} is not ready", o.meta.name));
            self.demand(node.spec.taints.is_empty(), || format!("node {} has taints {:?}", o.meta.name, node.spec.taints));
        }
        let (there, wanted) = (self.all(Kind::NODE).len(), self.cluster.nodes.len());
        self.demand(there == wanted, || format!("{there} nodes are registered, {wanted} run"));
    }
    fn pods(&mut self) {
        let mut used: BTreeMap<&str, (i64, i64, i64)> = BTreeMap::new();
        for o in self.all(Kind::POD) {
            let Some(pod) = o.pod() else { continue };
            let name = o.key();
            self.demand(!o.meta.is_deleting(), || format!("pod {name} is terminating"));
            if pod.status.phase.is_terminal() {
                let never = pod.spec.restart_policy != RestartPolicy::Always || !pod.status.reason().is_empty();
                self.demand(never, || format!("pod {name} has ended as {:?} though it is to run for ever", pod.status.phase));
                continue;
            }
            let node = self.cluster.stored_node(&pod.node);
            self.demand(node.is_some(), || format!("pod {name} is on no node ({:?})", pod.node));
            let up = pod.status.phase == Phase::Running && pod.status.is_ready();
            self.demand(up, || format!("pod {name} is {:?}, ready {}", pod.status.phase, pod.status.is_ready()));
            let sum = used.entry(pod.node.as_str()).or_default();
            *sum = (sum.0 + pod.spec.requests.cpu_milli, sum.1 + pod.spec.requests.memory, sum.2 + 1);
        }
        for (name, (cpu, memory, pods)) in used {
            let Some(node) = self.cluster.stored_node(name).and_then(|o| o.node()) else { continue };
            let room = &node.status.allocatable.amounts;
            let fits = cpu <= room.cpu_milli && memory <= room.memory && pods <= node.status.allocatable.pods;
            self.demand(fits, || format!("node {name} is over-full: {cpu}m, {memory} bytes, {pods} pods"));
        }
    }
    fn sets(&mut self) {
        for o in self.all(Kind::REPLICA_SET).into_iter().chain(self.all(Kind::REPLICATION_CONTROLLER)) {
            let Some(set) = loopscope::controller::replicaset::as_set(o) else { continue };
            let pods = self.owned(Kind::POD, o.meta.uid);
            let active = pods.iter().filter(|p| p.pod().is_some_and(|p2| p2.is_active(p.meta.is_deleting()))).count() as i32;
            let name = o.key();
            self.demand(active == set.spec.replicas, || format!("set {name} has {active} pods of {}", set.spec.replicas));
            let labelled =
                |p: &&Arc<Object>| set.spec.template.metadata.labels.entries().iter().all(|(k, v)| p.meta.labels.get(k) == Some(v));
            // Adopted pods may lack labels of the template.
            let labelled = pods.iter().copied().filter(|p| p.pod().is_some_and(|x| x.is_active(false))).filter(labelled).count() as i32;
            let s = &set.status;
            let told = (s.replicas, s.ready_replicas, s.available_replicas, s.fully_labeled_replicas, s.observed_generation);
            let true_ = (set.spec.replicas, set.spec.replicas, set.spec.replicas, labelled, o.meta.generation);
            self.demand(told == true_, || format!("set {name} says {told:?}, true is {true_:?}"));
            self.demand(s.terminating_replicas.unwrap_or(0) == 0, || format!("set {name} says that pods are terminating"));
        }
    }
    fn deployments(&mut self) {
        for o in self.all(Kind::DEPLOYMENT) {
            let Some(d) = o.deployment() else { continue };
            let name = o.key();
            let sets = self.owned(Kind::REPLICA_SET, o.meta.uid);
            let images = |spec: &loopscope::api::kind::pod::PodSpec| spec.containers.iter().map(|c| c.image.clone()).collect::<Vec<_>>();
            let wanted = images(&d.spec.template.spec);
            let pods = sets.iter().flat_map(|s| self.owned(Kind::POD, s.meta.uid));
            let active: Vec<_> = pods.filter(|p| p.pod().is_some_and(|x| x.is_active(p.meta.is_deleting()))).collect();
            let newest = active.iter().filter(|p| p.pod().is_some_and(|x| images(&x.spec) == wanted && x.status.is_ready())).count() as i32;
            self.demand(newest == d.spec.replicas && active.len() as i32 == d.spec.replicas, || {
                format!(
                    "deployment {name} has {newest} ready pods of its newest template and {} in all, wanted are {}",
                    active.len(),
                    d.spec.replicas
                )
            });
            let s = &d.status;
            let told =
                (s.replicas, s.updated_replicas, s.ready_replicas, s.available_replicas, s.unavailable_replicas, s.observed_generation);
            let true_ = (d.spec.replicas, d.spec.replicas, d.spec.replicas, d.spec.replicas, 0, o.meta.generation);
            self.demand(told == true_, || format!("deployment {name} says {told:?}, true is {true_:?}"));
            for condition in &s.conditions {
                let good = match condition.type_.as_str() {
                    "Available" | "Progressing" => condition.status == "True",
                    _ => condition.status == "False",
                };
                self.demand(good, || format!("deployment {name} has the condition {condition:?}"));
            }
            let kept = d.spec.revision_history_limit.unwrap_or(10) as usize;
            self.demand(sets.len() <= kept + 1, || format!("deployment {name} keeps {} sets, {kept} old ones are allowed", sets.len()));
        }
    }
    /// Checks that each StatefulSet has one pod for each of its ordinals, and that the pods from the partition on have the newest
    /// template.
    fn stateful_sets(&mut self) {
        for o in self.all(Kind::STATEFUL_SET) {
            let Some(set) = o.stateful_set() else { continue };
            let (name, wanted) = (o.key(), set.spec.replicas);
            let mut pods = self.owned(Kind::POD, o.meta.uid);
            pods.sort_by_key(|p| p.meta.name.rsplit('-').next().and_then(|n| n.parse::<i64>().ok()));
            let names: Vec<&str> = pods.iter().map(|p| p.meta.name.as_str()).collect();
            let due: Vec<String> = (0..wanted).map(|n| format!("{}-{}", o.meta.name, set.spec.start() + i64::from(n))).collect();
            self.demand(names == due, || format!("StatefulSet {name} has {names:?}, wanted are {due:?}"));
            let image = |spec: &loopscope::api::kind::pod::PodSpec| spec.containers.first().map(|c| c.image.clone());
            if set.spec.update_strategy.type_ == UpdateStrategyType::RollingUpdate {
                let rolled = pods.iter().skip(set.spec.partition() as usize);
                let old = rolled.filter(|p| p.pod().is_some_and(|x| image(&x.spec) != image(&set.spec.template.spec))).count();
                self.demand(old == 0, || format!("StatefulSet {name} has {old} pods of an old template"));
            }
            let s = &set.status;
            let told = (s.replicas, s.ready_replicas, s.available_replicas, s.observed_generation);
            let true_ = (wanted, wanted, wanted, o.meta.generation);
            self.demand(told == true_, || format!("StatefulSet {name} says {told:?}, true is {true_:?}"));
        }
    }
    /// Checks that every node has one pod of each DaemonSet, with the newest template.
    fn daemon_sets(&mut self) {
        let nodes: BTreeSet<&str> = self.all(Kind::NODE).iter().map(|n| n.meta.name.as_str()).collect();
        for o in self.all(Kind::DAEMON_SET) {
            let Some(set) = o.daemon_set() else { continue };
            let name = o.key();
            let pods = self.owned(Kind::POD, o.meta.uid);
            let on: BTreeSet<&str> = pods.iter().filter_map(|p| Some(p.pod()?.node.as_str())).collect();
            self.demand(on == nodes && pods.len() == nodes.len(), || format!("DaemonSet {name} has {} pods on {on:?}", pods.len()));
            let image = |spec: &loopscope::api::kind::pod::PodSpec| spec.containers.first().map(|c| c.image.clone());
            let old = pods.iter().filter(|p| p.pod().is_some_and(|x| image(&x.spec) != image(&set.spec.template.spec))).count();
            self.demand(old == 0, || format!("DaemonSet {name} has {old} pods of an old template"));
            let (s, wanted) = (&set.status, nodes.len() as i32);
            let told = (s.desired_number_scheduled, s.current_number_scheduled, s.number_ready, s.updated_number_scheduled);
            self.demand(told == (wanted, wanted, wanted, wanted), || format!("DaemonSet {name} says {told:?}, true is {wanted} nodes"));
            let rest = (s.number_available, s.number_unavailable, s.number_misscheduled, s.observed_generation);
            self.demand(rest == (wanted, 0, 0, o.meta.generation), || format!("DaemonSet {name} says {rest:?}"));
        }
    }
    /// Checks that every Job has ended, and that each of its pods is counted.
    fn jobs(&mut self) {
        for o in self.all(Kind::JOB) {
            let Some(job) = o.job() else { continue };
            let name = o.key();
            self.demand(job.is_finished(), || format!("job {name} has not ended: {:?}", job.status));
            let s = &job.status;
            let uncounted = s.uncounted_terminated_pods.clone().unwrap_or_default();
            let rest = (s.active, s.ready.unwrap_or(0), s.terminating.unwrap_or(0), uncounted.succeeded.len() + uncounted.failed.len());
            self.demand(rest == (0, 0, 0, 0), || format!("job {name} has ended with {rest:?} left"));
            let wanted = job.spec.completions.unwrap_or(1);
            self.demand(!job.has("Complete") || s.succeeded == wanted, || {
                format!("job {name} is complete with {} of {wanted}", s.succeeded)
            });
            for pod in self.owned(Kind::POD, o.meta.uid) {
                self.demand(pod.meta.finalizers().is_empty(), || format!("pod {} of job {name} is still tracked", pod.key()));
            }
        }
    }
    /// Checks that every PodDisruptionBudget has the right number of healthy pods in its status.
    fn budgets(&mut self) {
        for o in self.all(Kind::POD_DISRUPTION_BUDGET) {
            let Some(budget) = o.pod_disruption_budget() else { continue };
            let counts = |p: &&&Arc<Object>| p.meta.namespace == o.meta.namespace && budget.selects(&p.meta.labels);
            let pods = self.all(Kind::POD);
            let healthy = pods.iter().filter(counts).filter(|p| p.pod().is_some_and(|x| x.status.is_ready())).count() as i32;
            let told = (budget.status.current_healthy, budget.status.observed_generation);
            self.demand(told == (healthy, o.meta.generation), || format!("budget {} says {told:?}, healthy are {healthy}", o.key()));
        }
    }
    fn services(&mut self) {
        for o in self.all(Kind::SERVICE) {
            let Some(service) = o.service().filter(|s| !s.spec.selector.is_empty()) else { continue };
            let matches = |p: &Object| {
                p.meta.namespace == o.meta.namespace && service.spec.selector.entries().iter().all(|(k, v)| p.meta.labels.get(k) == Some(v))
            };
            let ready = |p: &&&Arc<Object>| matches(p) && p.pod().is_some_and(|x| x.is_active(false) && x.status.is_ready());
            let pods = self.all(Kind::POD);
            let wanted: BTreeSet<(Uid, u32)> =
                pods.iter().filter(ready).map(|p| (p.meta.uid, p.pod().map_or(0, |x| x.status.pod_ip))).collect();
            let mut told = Vec::new();
            for slice in self.all(Kind::ENDPOINT_SLICE) {
                if slice.meta.namespace == o.meta.namespace && slice.meta.labels.get("kubernetes.io/service-name") == Some(&o.meta.name) {
                    let endpoints = slice.endpoint_slice().map(|s| s.endpoints.as_slice()).unwrap_or_default();
                    let all_ready = endpoints.iter().all(|e| e.ready && !e.terminating);
                    self.demand(all_ready, || format!("slice {} lists pods that are not ready", slice.key()));
                    told.extend(endpoints.iter().filter_map(|e| Some((e.target.as_ref()?.2, e.ip))));
                }
            }
            let set: BTreeSet<(Uid, u32)> = told.iter().copied().collect();
            self.demand(set == wanted && told.len() == set.len(), || format!("service {} lists {told:?}, ready are {wanted:?}", o.key()));
        }
    }
    /// Checks that owners exist, that no object waits for a finalizer, and that the namespace of each object exists.
    fn owners(&mut self) {
        let mut alive: BTreeSet<Uid> = BTreeSet::new();
        for kind in Kind::built_in() {
            alive.extend(self.all(kind).iter().map(|o| o.meta.uid));
        }
        for kind in Kind::built_in().filter(|k| *k != Kind::EVENT) {
            for o in self.all(kind) {
                let name = format!("{} {}", kind.row().name, o.key());
                self.demand(!o.meta.is_deleting(), || format!("{name} waits to be deleted"));
                let lost = o.meta.owners().iter().find(|owner| !alive.contains(&owner.uid));
                self.demand(lost.is_none(), || format!("{name} has an owner that is gone: {lost:?}"));
                let namespace = Key::new("", o.meta.namespace.clone());
                let there = !kind.row().namespaced || self.cluster.api.store.get(Kind::NAMESPACE, &namespace).is_some();
                self.demand(there, || format!("{name} is in a namespace that is gone"));
            }
        }
    }
    /// Checks that the leader's caches have the same objects as the store.
    fn caches(&mut self) {
        let leader = self.cluster.managers.iter().find(|m| m.leads);
        self.demand(leader.is_some_and(|m| m.is_synced()), || "no controller manager leads".to_owned());
        let Some(leader) = leader else { return };
        // Signs of life are always under way.
        for kind in Kind::built_in().filter(|k| ![Kind::EVENT, Kind::LEASE, Kind::NODE].contains(k)) {
            let versions = |all: Vec<&Arc<Object>>| all.iter().map(|o| (o.meta.uid, o.meta.resource_version)).collect::<BTreeMap<_, _>>();
            let (cached, stored) = (versions(leader.caches.of(kind).all().collect()), versions(self.all(kind)));
            self.demand(cached == stored, || {
                format!("the leader's cache of {} is stale: {cached:?}, stored {stored:?}", kind.row().plural)
            });
        }
    }
    /// Checks that the nodes run exactly the containers that the store says.
    fn machines(&mut self) {
        let pods = self.all(Kind::POD);
        for process in self.cluster.nodes.iter() {
            for uid in process.kubelet.pods() {
                let stored = pods.iter().find(|o| o.meta.uid == uid);
                let here = stored.is_some_and(|o| o.pod().is_some_and(|p| p.node == process.name));
                self.demand(here, || format!("{} looks after a pod that is not its own: {stored:?}", process.name));
            }
        }
        for o in &pods {
            let Some(pod) = o.pod().filter(|p| p.is_active(false)) else { continue };
            let Some(n) = self.cluster.node_number(&pod.node) else { continue };
            let running = self.cluster.nodes[n as usize].kubelet.containers(o.meta.uid);
            let up = running.iter().filter(|c| !c.init && c.state == RunState::Running).count();
            self.demand(up == pod.spec.containers.len(), || format!("{up} containers of pod {} run on {}", o.key(), pod.node));
        }
    }
}
