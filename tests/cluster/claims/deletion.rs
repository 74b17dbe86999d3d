//! Deletion: cascades, orphans, finalizers, and scaling down.

use super::world::{MY_APP, World, pods, ready, uids};
use loopscope::api::kind::Kind;
use loopscope::api::meta::Key;
use loopscope::api::time::Span;
use loopscope::sim::{Fault, ProcessName};

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

const STORED: &str = "
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: \"nginx:1.25\"}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
";
const MANAGER: ProcessName = ProcessName::ControllerManager(0);

#[test]
fn g1_what_a_set_left_behind_is_collected_though_nobody_saw_it_go_and_another_has_its_name() {
    let mut world = World::new(2);
    world.apply(STORED);
    world.converge();
    let old = world.get(Kind::STATEFUL_SET, "web").expect("the set").meta.uid;
    world.fault(Fault::CrashProcess { process: MANAGER });
    world.run("delete sts web --wait=false");
    world.apply(STORED);
    world.fault(Fault::RestartProcess { process: MANAGER });
    world.pass(Span::secs(60));
    world.converge();
    let of_old = |kind: Kind| {
        let all = world.cluster.api.store.range(kind, "default", None);
        all.filter(|o| o.meta.owners().iter().any(|owner| owner.uid == old)).count()
    };
    assert_eq!((of_old(Kind::POD), of_old(Kind::CONTROLLER_REVISION)), (0, 0));
    assert_eq!(pods(&world.cluster).count(), 2, "the new set has its own");
}

#[test]
fn g1_the_claim_of_a_pod_that_was_scaled_away_goes_with_it_though_the_collector_was_down() {
    let mut world = World::new(2);
    world.apply(STORED);
    world.converge();
    world.run("scale sts web --replicas=1");
    world.until(30, "the pod is to go", |c| pods(c).any(|o| o.meta.name == "web-1" && o.meta.is_deleting()));
    world.fault(Fault::CrashProcess { process: MANAGER });
    world.pass(Span::secs(60));
    assert_eq!((world.names().len(), world.get(Kind::PERSISTENT_VOLUME_CLAIM, "data-web-1").is_some()), (1, true));
    world.fault(Fault::RestartProcess { process: MANAGER });
    world.pass(Span::secs(60));
    assert!(world.get(Kind::PERSISTENT_VOLUME_CLAIM, "data-web-1").is_none(), "its owner is gone");
    assert!(world.get(Kind::PERSISTENT_VOLUME_CLAIM, "data-web-0").is_some());
}
