//! The garbage collector, and the controller that collects ended pods.

use crate::world::World;
use crate::world::objects::{bare, node, owned, running_pod};
use loopscope::api::Kind;
use loopscope::api::request::{Options, Propagation};
use loopscope::controller::garbage_collector::GarbageCollectorController;
use loopscope::controller::pod_gc::PodGarbageCollectorController;

/// Creates a Deployment with a ReplicaSet with two pods.
fn family() -> World {
    let mut w = World::new(&[&GarbageCollectorController]);
    let deployment = w.put(bare(Kind::DEPLOYMENT, "demo"));
    let set = w.put(owned(bare(Kind::REPLICA_SET, "demo-1"), &deployment));
    for name in ["a", "b"] {
        w.put(owned(running_pod(name, "n1", 1, true, w.now), &set));
    }
    w.settle();
    assert_eq!(w.take_log(), [""; 0]);
    w
}

fn delete(w: &mut World, kind: Kind, name: &str, propagation: Propagation) {
    let object = w.get(kind, name);
    w.delete(&object, &Options { propagation: Some(propagation), ..Options::default() }).expect("a deletion");
    w.settle();
}

#[test]
fn in_the_background_the_owner_goes_first_and_the_rest_follows() {
    let mut w = family();
    delete(&mut w, Kind::DEPLOYMENT, "demo", Propagation::Background);
    assert_eq!(
        w.take_log(),
        [
            "get replicaset demo-1",
            "get deployment demo -> 404",
            "delete replicaset demo-1 Background if unchanged",
            "get pod a",
            "get replicaset demo-1 -> 404",
            "delete pod a Background if unchanged",
            // The owner is known to be gone by now.
            "get pod b",
            "delete pod b Background if unchanged",
        ]
    );
}

#[test]
fn in_the_foreground_children_go_first() {
    let mut w = family();
    delete(&mut w, Kind::DEPLOYMENT, "demo", Propagation::Foreground);
    assert_eq!(
        w.take_log(),
        [
            "get replicaset demo-1",
            "get deployment demo",
            "delete replicaset demo-1 Foreground if unchanged",
            "get pod a",
            "get replicaset demo-1",
            "delete pod a Background if unchanged",
            "get pod b",
            "get replicaset demo-1",
            "delete pod b Background if unchanged",
        ]
    );
    w.remove(Kind::POD, "a");
    w.settle();
    assert!(w.find(Kind::REPLICA_SET, "demo-1").is_some(), "one pod is left");
    w.remove(Kind::POD, "b");
    w.settle();
    assert_eq!(
        w.take_log(),
        [
            "get replicaset demo-1",
            r#"patch replicaset demo-1 {"metadata":{"finalizers":[]}}"#,
            "get deployment demo",
            r#"patch deployment demo {"metadata":{"finalizers":[]}}"#,
        ]
    );
    for kind in [Kind::POD, Kind::REPLICA_SET, Kind::DEPLOYMENT] {
        assert_eq!(w.all(kind), []);
    }
}

#[test]
fn orphans_lose_their_owner_and_stay() {
    let mut w = family();
    delete(&mut w, Kind::DEPLOYMENT, "demo", Propagation::Orphan);
    assert_eq!(
        w.take_log(),
        ["patch replicaset demo-1 drop 1 owners", "get deployment demo", r#"patch deployment demo {"metadata":{"finalizers":[]}}"#]
    );
    assert!(w.find(Kind::DEPLOYMENT, "demo").is_none());
    assert!(w.find(Kind::REPLICA_SET, "demo-1").is_some_and(|r| r.meta.owners().is_empty()));
}

#[test]
fn a_child_of_nobody_is_collected() {
    let mut w = World::new(&[&GarbageCollectorController]);
    let mut never = bare(Kind::REPLICA_SET, "never");
    never.meta.uid = loopscope::api::Uid(999);
    w.put(owned(bare(Kind::CONFIG_MAP, "child"), &never));
    w.settle();
    assert_eq!(w.take_log(), ["get configmap child", "get replicaset never -> 404", "delete configmap child Background if unchanged"]);
}

#[test]
fn an_object_with_one_owner_left_only_loses_the_other() {
    let mut w = World::new(&[&GarbageCollectorController]);
    let (a, b) = (w.put(bare(Kind::REPLICA_SET, "a")), w.put(bare(Kind::REPLICA_SET, "b")));
    let mut child = owned(bare(Kind::CONFIG_MAP, "child"), &a);
    let second = owned(child.clone(), &b);
    child.meta.owners = Some(child.meta.owners().iter().chain(second.meta.owners()).cloned().collect());
    w.put(child);
    w.remove(Kind::REPLICA_SET, "a");
    w.settle();
    assert_eq!(w.take_log().last().map(String::as_str), Some("patch configmap child drop 1 owners"));
    assert_eq!(w.find(Kind::CONFIG_MAP, "child").map(|c| c.meta.owners().len()), Some(1));
}

#[test]
fn pods_of_a_node_that_is_gone_are_removed_after_a_while() {
    let mut w = World::new(&[&PodGarbageCollectorController]);
    w.put(node("n1", "4"));
    w.put(running_pod("a", "n1", 1, true, w.now));
    w.remove(Kind::NODE, "n1");
    w.run(39.0);
    assert_eq!(w.take_log(), [""; 0]);
    w.run(25.0);
    assert_eq!(w.take_log(), ["get node n1 -> 404", "patch pod/status a DisruptionTarget:DeletionByPodGC", "delete pod a grace 0"]);
}
