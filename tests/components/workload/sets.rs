//! The ReplicaSet controller, pass by pass.

use super::workloads;
use crate::world::objects::{deployment, put_pods, rs};
use crate::world::{START, World};
use loopscope::api::kind::Kind;
use loopscope::api::kind::deployment::Strategy;
use loopscope::api::meta::{Deletion, Key, Uid};
use loopscope::api::object::Object;
use loopscope::api::status::{Cause, Status};
use loopscope::api::time::Span;
use loopscope::client::WorkKey;
use loopscope::controller::Outcome;
use loopscope::controller::replicaset::ReplicaSetController;
use std::sync::Arc;

fn key() -> WorkKey {
    WorkKey::new(Kind::REPLICA_SET, Key::new("default", "web"))
}

/// Runs one pass of the ReplicaSet controller. Returns its requests and Events in one line, without the status update.
fn one_pass(set: Object, text: &str, prepare: impl FnOnce(&mut World)) -> (World, String) {
    let mut world = workloads();
    let set = world.put(set);
    put_pods(&mut world, &set, text);
    prepare(&mut world);
    let outcome = world.pass(&ReplicaSetController, &key());
    let mut lines: Vec<String> = world.log.iter().filter(|l| !l.starts_with("update replicaset/status")).cloned().collect();
    match outcome {
        Outcome::Done => {}
        Outcome::After(span) | Outcome::Recheck(span) => lines.push(format!("again in {} ms", span.0 / 1000)),
        Outcome::Retry(why) => lines.push(format!("retry: {why}")),
    }
    (world, lines.join("; "))
}

fn check(what: &str, set: Object, text: &str, expected: &str) {
    assert_eq!(one_pass(set, text, |_| {}).1, expected, "{what}");
}

#[test]
fn a_set_makes_what_is_missing_and_deletes_what_is_too_much() {
    check("three wanted, three there", rs(3), "a ready, b ready, c ready", "");
    check("three wanted, two there", rs(3), "a ready, b ready", "create pod web-; event web SuccessfulCreate: Created pod: web-1");
    check("an ended pod does not count", rs(1), "a failed", "create pod web-; event web SuccessfulCreate: Created pod: web-1");
    check(
        "a pod being deleted does not count",
        rs(1),
        "a ready deleting",
        "create pod web-; event web SuccessfulCreate: Created pod: web-1",
    );
    check("one too many", rs(1), "a ready, b", "delete pod b; event web SuccessfulDelete: Deleted pod: b");
    check("none wanted", rs(0), "a ready", "delete pod a; event web SuccessfulDelete: Deleted pod: a");
    let mut deleting = rs(3);
    deleting.meta.deletion = Some(Deletion { at: START, grace_seconds: 0 });
    check("a set that is going makes nothing", deleting, "a ready", "");
    let (_, waits) = one_pass(rs(3), "", |w| w.expectations_met = false);
    assert_eq!(waits, "", "a pass whose expectations are open only counts");
}

#[test]
fn one_pass_makes_and_deletes_five_hundred_pods_at_most() {
    let (world, _) = one_pass(rs(1200), "", |_| {});
    assert_eq!(world.caches.of(Kind::POD).len(), 500);
    let mut world = workloads();
    let set = world.put(rs(0));
    let many: Vec<String> = (0..600).map(|n| format!("p{n} ready")).collect();
    put_pods(&mut world, &set, &many.join(", "));
    world.pass(&ReplicaSetController, &key());
    assert_eq!(world.caches.of(Kind::POD).all().filter(|o| o.meta.is_deleting()).count(), 500);
}

#[test]
fn pods_of_one_set_share_their_labels_their_spec_and_their_owner() {
    let (world, _) = one_pass(rs(2), "", |_| {});
    let made: Vec<_> = world.caches.of(Kind::POD).all().cloned().collect();
    assert!(Arc::ptr_eq(&made[0].pod().unwrap().spec, &made[1].pod().unwrap().spec));
    assert!(Arc::ptr_eq(made[0].meta.owners.as_ref().unwrap(), made[1].meta.owners.as_ref().unwrap()));
    assert_eq!(made[0].meta.labels.get("app").map(|v| v.as_str()), Some("web"));
}

/// Returns the names of the pods that a ReplicaSet of size one deletes, in the order of their deletion.
fn order(text: &str, owned: bool) -> String {
    let mut set = rs(1);
    if owned {
        set.meta.owners = Some([deployment(1, Strategy::Recreate).controller_ref()].into());
    }
    let (_, log) = one_pass(set, text, |_| {});
    log.split("; ").filter_map(|l| l.strip_prefix("delete pod ")).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_pods_that_matter_least_go_first() {
    let check = |what: &str, text: &str, owned: bool, expected: &str| assert_eq!(order(text, owned), expected, "{what}");
    check("not scheduled before scheduled", "a node-1, b", false, "b");
    check("pending before running", "a running node-1, b node-1", false, "b");
    check("not ready before ready", "a ready, b running node-1", false, "b");
    check("cheaper before dearer", "a ready cost=5, b ready cost=-1, c ready", false, "b c");
    check("the fuller node first", "a ready node-1, b ready node-2, c ready node-2", true, "b c");
    check("a set without owner ignores nodes", "a ready node-1 age=10, b ready node-2 age=40, c ready node-2 age=95", false, "a b");
    check("the younger first", "a ready age=100, b ready age=10, c ready age=3", false, "c b");
    check("more restarts first", "a ready, b ready restarts=2, c ready restarts=1", false, "b c");
    check("not ready: newer first", "a running node-1 age=90, b running node-1 age=9, c running node-1 age=3", false, "c b");
}

#[test]
fn ages_of_one_power_of_two_fall_to_the_smaller_uid() {
    // 20 s and 30 s lie between 17.2 s and 34.4 s; so the uid decides, whichever is older.
    let smaller = |a: u64, b: u64| Uid(a).text() < Uid(b).text();
    assert_eq!(order("a ready age=20, b ready age=30", false), if smaller(2, 3) { "a" } else { "b" });
    assert_eq!(order("a ready age=30, b ready age=20", false), if smaller(2, 3) { "a" } else { "b" });
}

#[test]
fn pods_of_sibling_sets_count_for_the_fullness_of_a_node() {
    let mut world = workloads();
    let owner = world.put(deployment(1, Strategy::Recreate));
    let mut set = rs(1);
    set.meta.owners = Some([owner.controller_ref()].into());
    let set = world.put(set);
    let mut sibling = rs(2);
    sibling.meta.name = "sibling".into();
    sibling.meta.owners = Some([owner.controller_ref()].into());
    let sibling = world.put(sibling);
    put_pods(&mut world, &set, "a ready node-1, b ready node-2");
    put_pods(&mut world, &sibling, "c ready node-2, d ready node-2");
    world.pass(&ReplicaSetController, &key());
    assert_eq!(world.log[0], "delete pod b");
}

#[test]
fn slow_start_stops_after_the_first_batch_that_fails() {
    let quota = || Status::forbidden(Kind::POD, "web-x", "exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2");
    let (world, log) = one_pass(rs(10), "a ready", |w| w.refuse.push(("create pod", 99, quota())));
    let message = quota().message.clone();
    assert_eq!(log, format!("create pod web- -> 403; event web FailedCreate: Error creating: {message}; retry: {message}"));
    let set = world.get(Kind::REPLICA_SET, "web");
    let condition = &set.replica_set().unwrap().status.conditions[0];
    assert_eq!(
        (condition.type_.as_str(), condition.status.as_str(), condition.reason.as_str(), condition.message.as_str()),
        ("ReplicaFailure", "True", "FailedCreate", message.as_str())
    );

    let mut world = world;
    world.refuse.clear();
    world.pass(&ReplicaSetController, &key());
    assert_eq!(world.get(Kind::REPLICA_SET, "web").replica_set().unwrap().status.conditions, []);
    assert_eq!(world.caches.of(Kind::POD).len(), 10);
}

#[test]
fn orphans_are_adopted_after_a_check_and_strangers_released() {
    check("an orphan that matches", rs(1), "a ready orphan", "get replicaset web; patch pod a adopt");
    check("two orphans, one check", rs(2), "a ready orphan, b orphan", "get replicaset web; patch pod a adopt; patch pod b adopt");
    check("an orphan being deleted", rs(0), "a orphan deleting", "");
    check("a pod of another set", rs(0), "a ready other", "");
    check(
        "a pod that no longer matches",
        rs(1),
        "a ready stranger",
        "patch pod a drop 1 owners; create pod web-; event web SuccessfulCreate: Created pod: web-1",
    );
    check(
        "a surplus orphan",
        rs(0),
        "a ready orphan",
        "get replicaset web; patch pod a adopt; delete pod a; event web SuccessfulDelete: Deleted pod: a",
    );
    let (_, gone) = one_pass(rs(1), "a ready orphan", |w| w.refuse.push(("get", 1, Status::not_found(Kind::REPLICA_SET, "web"))));
    let uid = Uid(2).text();
    let why = format!("can't adopt Pod default/a ({uid}): replicasets.apps \"web\" not found");
    assert_eq!(gone, format!("get replicaset web -> 404; retry: {why}"));
}

#[test]
fn the_status_counts_what_the_pass_saw() {
    let (world, _) = one_pass(rs(2), "a ready, b running node-1, c ready deleting, d failed, e failed deleting", |_| {});
    let set = world.get(Kind::REPLICA_SET, "web");
    let s = &set.replica_set().unwrap().status;
    assert_eq!(
        (s.replicas, s.fully_labeled_replicas, s.ready_replicas, s.available_replicas, s.terminating_replicas, s.observed_generation),
        (2, 2, 1, 1, Some(1), 1)
    );
    let revision = set.meta.resource_version;
    let mut world = world;
    world.pass(&ReplicaSetController, &key());
    assert_eq!(world.get(Kind::REPLICA_SET, "web").meta.resource_version, revision, "nothing new, nothing written");
}

#[test]
fn a_refused_status_write_is_tried_once_on_a_fresh_copy() {
    let refuse = |n| move |w: &mut World| w.refuse.push(("update replicaset/status", n, Status::modified(Kind::REPLICA_SET, "web")));
    let (world, log) = one_pass(rs(1), "a ready", refuse(1));
    assert_eq!(log, "get replicaset web");
    assert_eq!(world.get(Kind::REPLICA_SET, "web").replica_set().unwrap().status.ready_replicas, 1);
    let (_, log) = one_pass(rs(1), "a ready", refuse(2));
    assert!(log.starts_with("get replicaset web; retry: Operation cannot be fulfilled"), "{log}");
}

#[test]
fn a_ready_pod_becomes_available_after_min_ready_seconds() {
    let mut set = rs(1);
    set.replica_set_mut().unwrap().spec.min_ready_seconds = 5;
    let (mut world, log) = one_pass(set, "a ready age=2", |_| {});
    assert_eq!(log, "again in 3000 ms");
    let counts = |w: &World| {
        let set = w.get(Kind::REPLICA_SET, "web");
        let s = &set.replica_set().unwrap().status;
        (s.ready_replicas, s.available_replicas)
    };
    assert_eq!(counts(&world), (1, 0));
    world.now = START + Span::secs(3);
    assert_eq!(world.pass(&ReplicaSetController, &key()), Outcome::Done);
    assert_eq!(counts(&world), (1, 1));
}

#[test]
fn a_namespace_that_is_going_is_no_failure() {
    let mut refusal =
        Status::forbidden(Kind::POD, "web-x", "unable to create new content in namespace default because it is being terminated");
    refusal.causes.push(Cause { reason: "NamespaceTerminating".into(), message: String::new(), field: String::new() });
    let (world, log) = one_pass(rs(2), "", |w| w.refuse.push(("create pod", 9, refusal)));
    assert!(!log.contains("retry"), "{log}");
    assert_eq!(world.get(Kind::REPLICA_SET, "web").replica_set().unwrap().status.conditions, []);
}

#[test]
fn a_relabelled_pod_is_released_and_taken_back() {
    let mut world = workloads();
    let set = world.put(rs(2));
    put_pods(&mut world, &set, "a ready, b ready");
    world.settle();
    let a = world.get(Kind::POD, "a");
    let mut away = Object::clone(&a);
    away.meta.labels = away.meta.labels.with("app", "debug");
    world.put(away);
    world.roll();
    assert_eq!(world.get(Kind::POD, "a").meta.controller(), None);
    assert_eq!(world.caches.of(Kind::POD).len(), 3);
    let mut back = Object::clone(&world.get(Kind::POD, "a"));
    back.meta.labels = a.meta.labels.clone();
    world.run(5.0);
    world.take_log();
    world.put(back);
    world.roll();
    assert_eq!(world.get(Kind::POD, "a").meta.controller().map(|o| o.uid), Some(set.meta.uid));
    assert_eq!(world.said("SuccessfulDelete").len(), 1, "one is now too many");
}
