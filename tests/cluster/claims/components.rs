//! The components of a cluster, each with its own task.

use super::world::{MY_APP, World, pods, ready};
use loopscope::api::kind::Kind;
use loopscope::api::kind::pod::Phase;
use loopscope::api::time::Span;
use loopscope::sim::{Fault, ProcessName};
use std::collections::BTreeSet;

#[test]
fn k1_the_scheduler_picks_the_nodes_and_nobody_else_does() {
    let mut world = World::new(3);
    world.fault(Fault::CrashProcess { process: ProcessName::Scheduler });
    world.apply(MY_APP);
    world.pass(Span::secs(120));
    assert_eq!(pods(&world.cluster).count(), 3);
    assert!(pods(&world.cluster).all(|o| o.pod().is_some_and(|p| p.node.is_empty() && p.status.phase == Phase::Pending)));
    world.fault(Fault::RestartProcess { process: ProcessName::Scheduler });
    world.until(60, "all are placed and run", |c| ready(c) == 3);
    let nodes: BTreeSet<_> = pods(&world.cluster).map(|o| o.pod().expect("a pod").node.clone()).collect();
    assert_eq!(nodes.len(), 3, "spread over the nodes");
    let made = world.cluster.scheduler.decisions.last().expect("a decision can be looked at");
    assert!(made.pod.meta.name.starts_with("my-app-"));
}

#[test]
fn k2_a_kubelet_runs_the_pods_of_its_node() {
    let mut world = World::with_my_app(3);
    for o in pods(&world.cluster) {
        let pod = o.pod().expect("a pod");
        for (n, node) in world.cluster.nodes.iter().enumerate() {
            let here = world.cluster.node_number(&pod.node) == Some(n as u32);
            assert_eq!(node.kubelet.containers(o.meta.uid).len(), usize::from(here), "{} on {}", o.meta.name, node.name);
        }
    }
    let name = world.first_pod();
    let node = world.pod(&name).node.to_string();
    world.fault(Fault::CrashProcess { process: ProcessName::Kubelet(node.clone()) });
    world.run(&format!("delete pod {name} --wait=false"));
    world.pass(Span::secs(35));
    assert!(world.get(Kind::POD, &name).is_some_and(|o| o.meta.is_deleting()), "without its kubelet nobody ends it");
    world.fault(Fault::RestartProcess { process: ProcessName::Kubelet(node) });
    world.converge();
    assert!(world.get(Kind::POD, &name).is_none());
    assert_eq!((pods(&world.cluster).count(), ready(&world.cluster)), (3, 3));
}

#[test]
fn k3_a_service_lists_the_pods_that_are_ready() {
    let mut world = World::with_my_app(3);
    world.run("expose rs my-app --port=80");
    world.converge();
    let listed = |w: &World| -> BTreeSet<u64> {
        let slices = w.cluster.api.store.range(Kind::ENDPOINT_SLICE, "default", None);
        let endpoints = slices.filter_map(|o| o.endpoint_slice()).flat_map(|s| s.endpoints.iter());
        endpoints.filter(|e| e.ready).filter_map(|e| Some(e.target.as_ref()?.2.0)).collect()
    };
    let there = |w: &World| -> BTreeSet<u64> { pods(&w.cluster).map(|o| o.meta.uid.0).collect() };
    assert_eq!(listed(&world), there(&world));
    let name = world.first_pod();
    world.run(&format!("delete pod {name}"));
    world.converge();
    assert_eq!(listed(&world), there(&world));
    assert_eq!(listed(&world).len(), 3);
}
