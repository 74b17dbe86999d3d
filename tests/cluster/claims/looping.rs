//! The reconciliation loop itself, and the state it works on.

use super::world::{MY_APP, World, pods, ready, uids};
use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::controller::Trigger;
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

/// Returns the time until a deleted pod is replaced and its replacement is ready, with a controller that
/// is triggered in the given way (by watch events or by polling).
fn healing_time(trigger: Trigger) -> Span {
    let mut world = World::with(|config| config.manager.set_trigger = trigger);
    world.apply(MY_APP);
    world.until(60, "three pods are ready", |c| ready(c) == 3);
    // Some seconds after a look.
    world.pass(Span(35_000_000 - world.now().0.rem_euclid(30_000_000)));
    let name = world.first_pod();
    world.run(&format!("delete pod {name} --grace-period=0 --force"));
    world.until(60, "three pods are ready again", |c| ready(c) == 3)
}

#[test]
fn l6_a_script_with_sleep_30_is_a_controller_and_a_slow_one() {
    let (watched, polled) = (healing_time(Trigger::Level), healing_time(Trigger::Poll));
    assert!(watched < Span::secs(3), "the watch wakes the controller: {watched:?}");
    assert!(polled > Span::secs(10) && polled < Span::secs(33), "the script waits for its next look: {polled:?}");
    // What it does when it looks is the same: it also mends what it never heard of.
    let mut world = World::with(|config| config.manager.set_trigger = Trigger::Poll);
    world.apply(MY_APP);
    world.until(60, "three pods are ready", |c| ready(c) == 3);
    let manager = ProcessName::ControllerManager(0);
    world.fault(Fault::CrashProcess { process: manager.clone() });
    let name = world.first_pod();
    world.run(&format!("delete pod {name}"));
    world.run("scale rs my-app --replicas=4");
    world.fault(Fault::RestartProcess { process: manager });
    world.until(90, "four pods are ready", |c| ready(c) == 4);
    assert_eq!(pods(&world.cluster).count(), 4);
}

#[test]
fn l7_bare_pods_stay_dead_after_the_fault_that_a_set_heals() {
    let mut world = World::with_my_app(2);
    for n in 1..=3 {
        world.run(&format!("run bare-{n} --image=nginx:1.25"));
    }
    world.until(30, "all run", |c| ready(c) == 6);
    world.fault(Fault::CrashNode { node: "node-1".into() });
    let bare = pods(&world.cluster).filter(|o| o.meta.name.starts_with("bare-") && o.pod().is_some_and(|p| p.node == "node-1")).count();
    assert!(bare > 0, "some of them were there");
    let ready_of = |world: &World, prefix: &str| {
        let up = |o: &&std::sync::Arc<loopscope::api::Object>| o.pod().is_some_and(|p| p.status.is_ready() && p.node == "node-2");
        pods(&world.cluster).filter(|o| o.meta.name.starts_with(prefix)).filter(up).count()
    };
    world.pass(Span::secs(3600));
    assert_eq!((ready_of(&world, "my-app-"), ready_of(&world, "bare-")), (3, 3 - bare), "a command runs once, a declaration holds");
    // The same with a plain deletion.
    let names: Vec<String> = world.names().into_iter().filter(|n| n.starts_with("bare-")).collect();
    world.run(&format!("delete pod {} --force --grace-period=0", names.join(" ")));
    world.pass(Span::secs(600));
    assert_eq!(world.names().iter().filter(|n| n.starts_with("bare-")).count(), 0);
}
