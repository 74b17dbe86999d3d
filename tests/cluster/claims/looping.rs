//! The loop itself, and the state it works on.

use super::world::{MY_APP, World, pods, ready, uids};
use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::sim::{Fault, ProcessName};

#[test]
fn l2_the_set_goes_from_nothing_to_three_running_pods() {
    let mut world = World::new(3);
    assert_eq!(pods(&world.cluster).count(), 0);
    world.apply(MY_APP);
    world.until(10, "three pods are ready", |c| ready(c) == 3);
    for o in pods(&world.cluster) {
        assert!(o.meta.name.starts_with("my-app-") && o.meta.controller().is_some_and(|c| c.name == "my-app"));
        assert_eq!(o.pod().expect("a pod").spec.containers[0].image, "nginx:1.25");
    }
    assert_eq!(world.events("SuccessfulCreate").len(), 3);
}

#[test]
fn l3_when_nothing_is_to_be_done_nothing_is_done_and_the_loop_goes_on() {
    let mut world = World::with(|c| c.manager.resync_seconds = 60);
    world.apply(MY_APP);
    world.converge();
    let (before, reconciles) = (uids(&world.cluster), world.cluster.stats.reconciles);
    let set = world.get(Kind::REPLICA_SET, "my-app").expect("the set").meta.resource_version;
    world.pass(Span::secs(600));
    assert!(world.cluster.stats.reconciles > reconciles, "the loop never ends");
    assert_eq!(uids(&world.cluster), before);
    assert_eq!(world.get(Kind::REPLICA_SET, "my-app").expect("the set").meta.resource_version, set, "nothing was written");
}

#[test]
fn l8_calls_that_fail_are_made_good_by_a_later_pass() {
    for after_write in [false, true] {
        let mut world = World::new(3);
        world.apply(MY_APP);
        let process = Some(ProcessName::ControllerManager(0));
        world.fault(Fault::FailCalls { count: 6, process, after_write });
        world.until(600, "three pods are ready", |c| ready(c) == 3);
        world.converge();
        assert_eq!((pods(&world.cluster).count(), ready(&world.cluster)), (3, 3), "and not one more");
    }
}

#[test]
fn s2_a_persons_status_is_dropped() {
    let mut world = World::with_my_app(3);
    let (text, code) = world.kubectl("patch rs my-app --type=merge -p '{\"status\":{\"replicas\":42}}'", "");
    assert_eq!(code, 0, "{text}");
    let set = world.get(Kind::REPLICA_SET, "my-app").expect("the set");
    assert_eq!(set.replica_set().expect("a set").status.replicas, 3);
    assert_eq!(set.meta.generation, 1);
}

#[test]
fn s3_the_observed_generation_follows_the_generation() {
    let mut world = World::with_my_app(3);
    let both = |w: &World| {
        let o = w.get(Kind::REPLICA_SET, "my-app").expect("the set");
        (o.meta.generation, o.replica_set().expect("a set").status.observed_generation)
    };
    assert_eq!(both(&world), (1, 1));
    world.fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) });
    world.run("scale rs my-app --replicas=5");
    assert_eq!(both(&world), (2, 1), "in progress, for as long as no controller runs");
    world.fault(Fault::RestartProcess { process: ProcessName::ControllerManager(0) });
    world.until(60, "reconciled", |c| ready(c) == 5);
    world.converge();
    assert_eq!(both(&world), (2, 2));
}

#[test]
fn s6_there_is_a_window_in_which_things_are_inconsistent() {
    let mut world = World::with_my_app(3);
    let name = world.first_pod();
    world.run(&format!("delete pod {name} --wait=false"));
    let opens = world.now();
    assert!(ready(&world.cluster) < 3, "the window is open");
    world.until(30, "three pods are ready", |c| ready(c) == 3);
    let window = world.now() - opens;
    assert!(window > Span(0) && window < Span::secs(5), "it lasted {window:?}");
}

#[test]
fn s7_the_same_manifest_again_changes_nothing() {
    let mut world = World::with_my_app(3);
    let (before, set) = (uids(&world.cluster), world.get(Kind::REPLICA_SET, "my-app"));
    let text = world.apply(MY_APP);
    assert_eq!(text, "replicaset.apps/my-app unchanged\n");
    world.converge();
    assert_eq!(uids(&world.cluster), before);
    assert_eq!(world.get(Kind::REPLICA_SET, "my-app"), set, "not even a new version");
}
