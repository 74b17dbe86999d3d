//! Deletion: cascades, orphans, finalizers, and scaling down.

use super::world::{MY_APP, World, pods, ready, uids};
use loopscope::api::kind::Kind;
use loopscope::api::meta::Key;

#[test]
fn g1_in_the_background_the_set_goes_first_and_its_pods_follow() {
    let mut world = World::with_my_app(3);
    world.run("delete rs my-app --wait=false");
    assert!(world.get(Kind::REPLICA_SET, "my-app").is_none(), "gone at once");
    assert_eq!(pods(&world.cluster).count(), 3, "its pods are still there");
    world.until(60, "they follow", |c| pods(c).count() == 0);
}

#[test]
fn g1_in_the_foreground_the_set_waits_for_its_pods() {
    let mut world = World::with_my_app(3);
    world.run("delete rs my-app --cascade=foreground --wait=false");
    let set = world.get(Kind::REPLICA_SET, "my-app").expect("still there");
    assert!(set.meta.is_deleting() && set.meta.finalizers().iter().any(|f| f == "foregroundDeletion"));
    world.until(60, "the set is gone", |c| c.api.store.get(Kind::REPLICA_SET, &Key::new("default", "my-app")).is_none());
    assert_eq!(pods(&world.cluster).count(), 0, "and it went last");
}

#[test]
fn g2_orphans_stay_and_are_adopted_by_a_new_set() {
    let mut world = World::with_my_app(3);
    let before = uids(&world.cluster);
    world.run("delete rs my-app --cascade=orphan");
    world.converge();
    assert!(world.get(Kind::REPLICA_SET, "my-app").is_none());
    assert_eq!((uids(&world.cluster), ready(&world.cluster)), (before.clone(), 3));
    assert!(pods(&world.cluster).all(|o| o.meta.owners().is_empty()), "nobody owns them");
    world.apply(MY_APP);
    world.converge();
    let set = world.get(Kind::REPLICA_SET, "my-app").expect("the new set").meta.uid;
    assert_eq!(uids(&world.cluster), before, "none is made, none is removed");
    assert!(pods(&world.cluster).all(|o| o.meta.controller().is_some_and(|c| c.uid == set)), "all are adopted");
}

#[test]
fn g3_a_finalizer_holds_a_deletion_until_it_is_taken_away() {
    let mut world = World::with_my_app(3);
    world.run("patch rs my-app --type=merge -p '{\"metadata\":{\"finalizers\":[\"example.com/clean-up\"]}}'");
    world.run("delete rs my-app --wait=false");
    world.converge();
    let set = world.get(Kind::REPLICA_SET, "my-app").expect("held");
    assert!(set.meta.is_deleting());
    assert_eq!(pods(&world.cluster).count(), 3, "its pods wait with it");
    world.run("patch rs my-app --type=merge -p '{\"metadata\":{\"finalizers\":null}}'");
    world.converge();
    assert!(world.get(Kind::REPLICA_SET, "my-app").is_none());
    assert_eq!(pods(&world.cluster).count(), 0);
}

#[test]
fn g4_scaling_down_removes_pods_that_are_not_ready_first() {
    let mut world = World::with_my_app(3);
    let good = uids(&world.cluster);
    world.run("cordon node-1");
    world.run("cordon node-2");
    world.run("cordon node-3");
    world.run("scale rs my-app --replicas=5");
    world.until(30, "two more", |c| pods(c).count() == 5);
    world.pass(loopscope::api::time::Span::secs(5));
    assert_eq!(ready(&world.cluster), 3, "they have nowhere to go");
    world.run("scale rs my-app --replicas=3");
    world.converge();
    assert_eq!(uids(&world.cluster), good, "those that served are spared");
    world.run("scale rs my-app --replicas=1");
    world.converge();
    assert_eq!(pods(&world.cluster).count(), 1);
    world.run("scale rs my-app --replicas=0");
    world.converge();
    assert_eq!(pods(&world.cluster).count(), 0);
}
