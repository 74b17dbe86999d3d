//! Watching: lists, streams, caches, and what happens when a watcher was disconnected.

use super::world::{MY_APP, World, pods, ready, uids};
use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::controller::Trigger;
use loopscope::sim::{Cluster, Fault, ProcessName, Step};
use std::collections::BTreeMap;

const MANAGER: ProcessName = ProcessName::ControllerManager(0);

fn versions<'a>(all: impl Iterator<Item = &'a std::sync::Arc<loopscope::api::Object>>) -> BTreeMap<u64, u64> {
    all.map(|o| (o.meta.uid.0, o.meta.resource_version)).collect()
}

fn cache_is_current(cluster: &Cluster, kind: Kind) -> bool {
    let leader = cluster.managers.iter().find(|m| m.leads).expect("a leader");
    versions(leader.caches.of(kind).all()) == versions(cluster.api.store.range(kind, "", None))
}

#[test]
fn w1_changes_are_pushed_in_order_from_the_revision_of_the_list_on() {
    let mut world = World::new(3);
    world.apply(MY_APP);
    let (mut heard, mut last) = (0, 0);
    let until = world.now() + Span::secs(10);
    while world.now() < until {
        let record = world.cluster.step().expect("a step");
        if let Step::Deliver { to: loopscope::sim::Process::Manager(0), revision, object, .. } = &*record.step
            && object.kind() == Kind::POD
        {
            assert!(*revision > last, "in order");
            (heard, last) = (heard + 1, *revision);
        }
    }
    assert!(heard >= 9, "three pods are added, bound and reported: {heard}");
    assert!(cache_is_current(&world.cluster, Kind::POD));
}

#[test]
fn w1_bookmarks_keep_a_quiet_watch_up_to_date() {
    let mut world = World::with_my_app(3);
    let lag = |cluster: &Cluster| cluster.api.store.revision() - cluster.managers[0].caches.of(Kind::CONFIG_MAP).revision;
    let until = world.now() + Span::secs(600);
    let mut most = 0;
    while world.now() < until {
        let record = world.cluster.step().expect("a step");
        if matches!(&*record.step, Step::Bookmark { to: loopscope::sim::Process::Manager(0), kind: Kind::CONFIG_MAP, .. }) {
            most = most.max(lag(&world.cluster));
        }
    }
    // No ConfigMap has changed, but leases have: without bookmarks the watch would be hundreds of revisions behind.
    assert!(most < 10 && lag(&world.cluster) < 100, "{most}, {}", lag(&world.cluster));
    assert!(world.cluster.api.store.revision() > 500);
}

#[test]
fn w2_the_cache_is_kept_by_the_watch_and_lags_behind_the_store() {
    let mut world = World::with_my_app(3);
    assert!(cache_is_current(&world.cluster, Kind::POD));
    world.fault(Fault::SlowLink { process: MANAGER, extra_ms: 3_000 });
    let name = world.first_pod();
    world.run(&format!("delete pod {name} --wait=false --grace-period=0 --force"));
    assert!(!cache_is_current(&world.cluster, Kind::POD), "the cache is stale");
    world.fault(Fault::SlowLink { process: MANAGER, extra_ms: 0 });
    world.converge();
    assert!(cache_is_current(&world.cluster, Kind::POD));
    assert_eq!(ready(&world.cluster), 3);
}

#[test]
fn w4_a_manager_that_crashed_lists_again_and_converges() {
    let mut world = World::with_my_app(3);
    world.fault(Fault::CrashProcess { process: MANAGER });
    let name = world.first_pod();
    world.run(&format!("delete pod {name}"));
    world.run("scale rs my-app --replicas=4");
    world.pass(Span::secs(60));
    assert_eq!(pods(&world.cluster).count(), 2, "nobody acts");
    world.fault(Fault::RestartProcess { process: MANAGER });
    world.until(60, "four pods are ready", |c| ready(c) == 4);
}

#[test]
fn w4_a_crash_between_any_two_actions_of_a_pass_does_no_harm() {
    for after in 0..6 {
        let mut world = World::new(3);
        world.fault(Fault::CrashBeforeAction { process: MANAGER, after });
        world.apply(&MY_APP.replace("replicas: 3", "replicas: 5"));
        world.until(60, "the manager has crashed", |c| !c.managers[0].alive);
        assert!(ready(&world.cluster) < 5, "in the middle of it");
        world.fault(Fault::RestartProcess { process: MANAGER });
        world.until(120, "five pods are ready", |c| ready(c) == 5);
        world.converge();
        assert_eq!(pods(&world.cluster).count(), 5, "crash before action {after}");
    }
}

#[test]
fn w5_of_two_managers_one_acts_and_the_other_takes_over() {
    let mut world = World::with(|c| c.controller_managers = 2);
    world.apply(MY_APP);
    world.converge();
    assert_eq!(pods(&world.cluster).count(), 3, "nothing is done twice");
    let leader = world.cluster.managers.iter().position(|m| m.leads).expect("a leader");
    let lease = |c: &Cluster| {
        let key = loopscope::api::Key::new("kube-system", "kube-controller-manager");
        let o = c.api.store.get(Kind::LEASE, &key).cloned().expect("the lease");
        o.lease().expect("a lease").clone()
    };
    let before = lease(&world.cluster);
    let pods_before = uids(&world.cluster);
    world.fault(Fault::CrashProcess { process: ProcessName::ControllerManager(leader as u32) });
    let took = world.until(60, "the other leads", |c| c.managers[1 - leader].leads);
    assert!(took >= Span::secs(10) && took <= Span::secs(20), "not before the lease has run out: {took:?}");
    let after = lease(&world.cluster);
    assert_ne!(after.spec.holder(), before.spec.holder());
    assert_eq!(after.spec.lease_transitions.unwrap_or(0), before.spec.lease_transitions.unwrap_or(0) + 1);
    world.converge();
    assert_eq!(uids(&world.cluster), pods_before, "a new leader finds all well");
    let name = world.first_pod();
    world.run(&format!("delete pod {name}"));
    world.until(30, "the new leader acts", |c| ready(c) == 3);
}

/// Creates a cluster with the ReplicaSet of the first explainer, whose controller is triggered in the
/// given way (by watch events or by polling).
fn triggered(trigger: Trigger) -> World {
    let mut world = World::with(|config| config.manager.set_trigger = trigger);
    world.apply(MY_APP);
    world.until(60, "three pods are ready", |c| ready(c) == 3);
    world.pass(Span::secs(60));
    world
}

#[test]
fn w3_an_edge_triggered_twin_acts_on_events_as_long_as_it_hears_them_all() {
    let mut world = triggered(Trigger::Edge);
    let name = world.first_pod();
    world.run(&format!("delete pod {name}"));
    world.until(10, "it replaces a pod whose end it heard of", |c| ready(c) == 3);
    world.run("scale rs my-app --replicas=5");
    world.until(10, "it answers a change of the number", |c| ready(c) == 5);
    world.run("scale rs my-app --replicas=2");
    world.until(60, "downwards, too", |c| pods(c).count() == 2);
    world.pass(Span::secs(600));
    assert_eq!((pods(&world.cluster).count(), ready(&world.cluster)), (2, 2), "what it deleted itself is not replaced");
    let status = world.get(Kind::REPLICA_SET, "my-app").and_then(|o| o.replica_set().map(|s| s.status.clone())).expect("the set");
    assert_eq!((status.replicas, status.ready_replicas), (2, 2));
}

#[test]
fn w3_missed_events_do_the_level_triggered_controller_no_lasting_harm_and_its_edge_triggered_twin_stays_broken() {
    // Three ways to miss something: the process is down, a request is refused, the change happens while nobody listens.
    type Harm = fn(&mut World);
    let harms: [(&str, Harm); 3] = [
        ("a pod is deleted while the manager is down", |world| {
            world.fault(Fault::CrashProcess { process: MANAGER });
            let name = world.first_pod();
            world.run(&format!("delete pod {name}"));
            world.fault(Fault::RestartProcess { process: MANAGER });
        }),
        ("the replacement is refused", |world| {
            world.fault(Fault::FailCalls { count: 3, process: Some(MANAGER), after_write: false });
            let name = world.first_pod();
            world.run(&format!("delete pod {name} --wait=false"));
        }),
        ("the number is changed while the manager is down", |world| {
            world.run("scale rs my-app --replicas=2");
            world.pass(Span::secs(60));
            world.fault(Fault::CrashProcess { process: MANAGER });
            world.run("scale rs my-app --replicas=3");
            world.fault(Fault::RestartProcess { process: MANAGER });
        }),
    ];
    for (what, harm) in harms {
        let pods_after = |trigger| {
            let mut world = triggered(trigger);
            harm(&mut world);
            world.pass(Span::secs(3600));
            ready(&world.cluster)
        };
        assert_eq!((pods_after(Trigger::Level), pods_after(Trigger::Edge)), (3, 2), "{what}");
    }
}
