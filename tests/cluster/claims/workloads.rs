//! The other workloads: the promises of StatefulSets, DaemonSets and ReplicationControllers, and the barrier that keeps controllers from acting on
//! stale caches.

use super::world::{World, pods, ready};
use loopscope::api::kind::Kind;
use loopscope::api::kind::pod::ContainerState;
use loopscope::api::time::Span;
use loopscope::controller::Outcome;
use loopscope::sim::{Cluster, Fault, ProcessName, Rest};
use std::collections::BTreeSet;

const DB: &str = include_str!("../../../static/content/examples/db.yaml");
const AGENT: &str = include_str!("../../../static/content/examples/agent.yaml");
const LEGACY: &str = include_str!("../../../static/content/examples/legacy.yaml");

fn with_db() -> World {
    let mut world = World::new(3);
    world.apply(DB);
    world.converge();
    world
}

fn image(world: &World, pod: &str) -> String {
    world.pod(pod).spec.containers[0].image.to_string()
}

fn waits_for_image(cluster: &Cluster, name: &str) -> bool {
    let pod = pods(cluster).find(|o| o.meta.name == name).and_then(|o| o.pod());
    let status = pod.and_then(|p| p.status.container_statuses.first());
    status.is_some_and(|s| matches!(&s.state, ContainerState::Waiting { reason, .. } if reason == "ImagePullBackOff"))
}

#[test]
fn k4_a_stateful_pod_comes_back_under_its_name_and_in_its_order() {
    let mut world = with_db();
    assert_eq!(world.names().into_iter().collect::<Vec<_>>(), ["db-0", "db-1", "db-2"]);
    let created: Vec<_> = ["db-0", "db-1", "db-2"].iter().map(|n| world.get(Kind::POD, n).expect("a pod").meta.uid).collect();
    assert!(created.is_sorted(), "one after the other");
    world.run("delete pod db-1");
    world.converge();
    assert_eq!(world.names().len(), 3);
    assert_ne!(world.get(Kind::POD, "db-1").expect("a pod").meta.uid, created[1], "another pod with the same name");
    world.run("scale sts/db --replicas=1");
    world.until(60, "the highest goes first", |c| pods(c).any(|o| o.meta.name == "db-2" && o.meta.is_deleting()));
    assert!(!world.get(Kind::POD, "db-1").expect("a pod").meta.is_deleting(), "and the next one waits for it");
    world.converge();
    assert_eq!(world.names().into_iter().collect::<Vec<_>>(), ["db-0"]);
}

#[test]
fn k4_a_rollout_of_a_broken_image_stays_stuck_after_an_undo_until_the_pod_is_deleted() {
    let mut world = with_db();
    world.run("set image sts/db db=nosuch/redis:7");
    world.until(120, "the highest pod cannot start", |c| waits_for_image(c, "db-2"));
    assert_eq!([image(&world, "db-0"), image(&world, "db-1")], ["redis:7", "redis:7"], "the others are not touched");
    world.run("rollout undo sts/db");
    world.pass(Span::secs(120));
    assert!(waits_for_image(&world.cluster, "db-2"), "the undo does not replace a pod that never was ready");
    world.run("delete pod db-2");
    world.converge();
    assert_eq!((image(&world, "db-2"), ready(&world.cluster)), ("redis:7".to_owned(), 3));
    assert!(world.run("rollout history sts/db").contains("3 "), "the old state has a new number");
}

#[test]
fn a_stateful_pod_on_a_dead_node_is_not_replaced_until_somebody_says_that_it_is_gone() {
    let mut world = with_db();
    let node = world.pod("db-1").node.to_string();
    world.fault(Fault::CrashNode { node: node.clone() });
    world.until(600, "it is to be deleted", |c| pods(c).any(|o| o.meta.name == "db-1" && o.meta.is_deleting()));
    world.pass(Span::secs(600));
    assert_eq!(world.pod("db-1").node, node, "two pods of one name must never run");
    world.run("delete pod db-1 --force --grace-period=0");
    world.until(60, "now it is replaced", |c| pods(c).any(|o| o.meta.name == "db-1" && o.pod().is_some_and(|p| p.status.is_ready())));
    assert_ne!(world.pod("db-1").node, node);
}

#[test]
fn a_daemon_set_has_a_pod_on_every_node_also_on_new_and_on_cordoned_ones() {
    let mut world = World::new(2);
    world.apply(AGENT);
    world.converge();
    let nodes = |world: &World| pods(&world.cluster).filter_map(|o| Some(o.pod()?.node.to_string())).collect::<BTreeSet<_>>();
    assert_eq!(nodes(&world), ["node-1".to_owned(), "node-2".to_owned()].into());
    world.fault(Fault::AddNode { node: "extra".into() });
    world.until(60, "the new node gets one", |c| ready(c) == 3);
    world.run("cordon node-1");
    let there = pods(&world.cluster).find(|o| o.pod().is_some_and(|p| p.node == "node-1")).expect("a pod").meta.name.clone();
    world.run(&format!("delete pod {there}"));
    world.converge();
    assert!(nodes(&world).contains("node-1"), "a cordon is no obstacle");
    world.run("taint node node-2 dedicated=db:NoExecute");
    world.until(60, "an evicting taint drives it out", |c| pods(c).all(|o| o.pod().is_none_or(|p| p.node != "node-2")));
    world.run("taint node node-2 dedicated-");
    world.until(60, "and it comes back", |c| ready(c) == 3);
}

#[test]
fn a_daemon_set_rolls_node_by_node_and_can_go_back() {
    let mut world = World::new(3);
    world.apply(AGENT);
    world.converge();
    let least = |world: &mut World| {
        let mut least = 3;
        while world.cluster.rest() == Rest::Busy {
            least = least.min(ready(&world.cluster));
            world.cluster.step();
        }
        least
    };
    world.run("set image ds/agent agent=busybox:1.37");
    assert_eq!(least(&mut world), 2, "one node at a time");
    world.converge();
    assert!(world.names().iter().all(|name| image(&world, name) == "busybox:1.37"));
    assert!(world.run("rollout undo ds/agent").contains("rolled back"));
    world.converge();
    assert!(world.names().iter().all(|name| image(&world, name) == "busybox:1.36"));
}

#[test]
fn a_replication_controller_keeps_its_pods_like_a_replica_set() {
    let mut world = World::new(2);
    world.apply(LEGACY);
    world.converge();
    let name = world.first_pod();
    world.run(&format!("delete pod {name}"));
    world.run("scale rc/legacy --replicas=3");
    world.converge();
    assert_eq!((ready(&world.cluster), world.names().contains(&name)), (3, false));
    let described = world.run("describe rc legacy");
    assert!(described.contains("Replicas:     3 current / 3 desired"), "{described}");
    world.run("delete rc legacy");
    world.converge();
    assert_eq!(pods(&world.cluster).count(), 0);
}

/// Runs a StatefulSet whose controller misses the watch event of the set's first pod. Returns the world, and the error of each pass that failed.
fn grow_with_a_lost_event(reads_own_writes: bool) -> (World, Vec<String>) {
    let mut world = World::with(|config| config.manager.reads_own_writes = reads_own_writes);
    world.apply(DB);
    world.until(10, "the first pod is stored", |c| pods(c).next().is_some());
    world.fault(Fault::DropWatchEvent { process: ProcessName::ControllerManager(0) });
    let (until, mut last, mut failures) = (world.now() + Span::secs(60), 0, Vec::new());
    while world.now() < until {
        world.cluster.step();
        if let Some((number, _, Outcome::Retry(why))) = &world.cluster.managers[0].ended
            && *number != last
        {
            last = *number;
            failures.push(why.clone());
        }
    }
    (world, failures)
}

#[test]
fn a_controller_waits_until_its_cache_shows_its_own_writes_or_repeats_them() {
    let (world, failures) = grow_with_a_lost_event(true);
    assert!(failures.iter().any(|why| why.contains("is not as new as written version")), "{failures:?}");
    assert!(!failures.iter().any(|why| why.contains("already exists")), "{failures:?}");
    assert_eq!(ready(&world.cluster), 3);
    let (world, failures) = grow_with_a_lost_event(false);
    assert!(!failures.iter().any(|why| why.contains("is not as new as written version")), "{failures:?}");
    assert!(failures.iter().any(|why| why.contains("already exists")), "without the barrier it acts on what it saw before: {failures:?}");
    assert_eq!(ready(&world.cluster), 3, "the result is the same");
}
