//! The scheduler over time: who is next, who waits, who is woken, and what late or repeated news does.

use loopscope::api::meta::{Deletion, Uid};
use loopscope::api::random::Rng;
use loopscope::api::time::Time;
use loopscope::api::value::Value;
use loopscope::api::{Kind, Object};
use loopscope::map;
use loopscope::scheduler::{Decision, Outcome, Scheduler, nodes_to_find};
use std::sync::Arc;

fn at(millis: i64) -> Time {
    Time(1_790_000_000_000_000 + millis * 1000)
}

fn node(name: &str, cpu: &str) -> Object {
    let tree = map! {
        "metadata" => map! { "name" => name, "labels" => map! { "kubernetes.io/hostname" => name } },
        "status" => map! { "allocatable" => map! { "cpu" => cpu, "memory" => "8Gi", "pods" => "110" } },
    };
    Object::from_map(Kind::NODE, &tree).expect("an object of its kind")
}

fn pod(uid: u64, cpu: &str, priority: i64) -> Arc<Object> {
    let container = map! { "name" => "c", "image" => "nginx", "resources" => map! { "requests" => map! { "cpu" => cpu } } };
    let tree = map! {
        "metadata" => map! { "name" => format!("p{uid}"), "namespace" => "default" },
        "spec" => map! { "containers" => vec![Value::from(container)], "priority" => priority, "schedulerName" => "default-scheduler" },
    };
    let mut object = Object::from_map(Kind::POD, &tree).expect("an object of its kind");
    object.meta.uid = Uid(uid);
    Arc::new(object)
}

fn on(pod: &Arc<Object>, node: &str) -> Arc<Object> {
    let mut object = (**pod).clone();
    object.pod_mut().expect("a pod").node = node.into();
    Arc::new(object)
}

/// A scheduler with nodes of one size.
fn scheduler(nodes: &[&str], cpu: &str) -> Scheduler {
    let mut scheduler = Scheduler::default();
    nodes.iter().for_each(|n| scheduler.node_changed(None, Some(&node(n, cpu)), at(0)));
    scheduler
}

/// Pops a pod and schedules it.
fn turn(scheduler: &mut Scheduler, millis: i64) -> Option<(u64, Decision)> {
    let pod = scheduler.pop(at(millis))?;
    let decision = scheduler.schedule_one(&pod, at(millis), &mut Rng::new(1, 1));
    Some((pod.meta.uid.0, decision))
}

fn placed(turn: &Option<(u64, Decision)>) -> Option<(u64, &str)> {
    match turn {
        Some((uid, Decision { outcome: Outcome::Placed { node }, .. })) => Some((*uid, node)),
        _ => None,
    }
}

#[test]
fn higher_priority_goes_first_then_the_older() {
    let mut s = scheduler(&["a"], "100");
    for (uid, priority, millis) in [(1, 0, 0), (2, 5, 1), (3, 0, 2), (4, 5, 3)] {
        s.pod_changed(None, Some(&pod(uid, "1", priority)), at(millis));
    }
    let order: Vec<u64> = std::iter::from_fn(|| s.pop(at(9)).map(|p| p.meta.uid.0)).collect();
    assert_eq!(order, [2, 4, 1, 3]);
}

#[test]
fn an_assumed_pod_takes_its_room_until_the_binding_fails() {
    let mut s = scheduler(&["a"], "1");
    let (first, second) = (pod(1, "1", 0), pod(2, "1", 0));
    s.pod_changed(None, Some(&first), at(0));
    s.pod_changed(None, Some(&second), at(1));
    assert_eq!(placed(&turn(&mut s, 2)), Some((1, "a")));
    // The informer still shows the pod without a node, twice.
    s.pod_changed(Some(&first), Some(&first), at(3));
    s.pod_changed(Some(&first), Some(&first), at(3));
    assert_eq!(placed(&turn(&mut s, 4)), None, "the second does not fit");
    assert_eq!(s.pop(at(5)).map(|p| p.meta.uid.0), None);
    s.bind_failed(&first, at(6));
    assert_eq!(placed(&turn(&mut s, 7)), Some((2, "a")), "the failure woke the second");
    assert_eq!(s.next_wake(), Some(at(1006)), "the first backs off for a second");
    assert!(s.pop(at(1005)).is_none());
    assert_eq!(s.pop(at(1006)).map(|p| p.meta.uid.0), Some(1));
}

#[test]
fn news_that_changes_nothing_leaves_the_view_alone() {
    let mut s = scheduler(&["a"], "4");
    let bound = on(&pod(1, "1", 0), "a");
    s.pod_changed(None, Some(&bound), at(0));
    let before = s.snapshot().node(0).expect("the node").generation;
    s.pod_changed(Some(&bound), Some(&bound), at(1));
    s.pod_changed(Some(&bound), Some(&pod(1, "1", 0)), at(2));
    s.node_changed(None, Some(&node("a", "4")), at(3));
    let info = s.snapshot().node(0).expect("the node");
    assert_eq!((info.generation, info.requested.cpu_milli, info.pods.len()), (before, 1000, 1));
    s.pod_changed(Some(&bound), None, at(4));
    s.pod_changed(Some(&bound), None, at(5));
    assert_eq!(s.snapshot().node(0).expect("the node").requested.cpu_milli, 0);
}

#[test]
fn a_pod_that_does_not_fit_waits_for_a_change_that_may_help() {
    let mut s = scheduler(&["a"], "1");
    let bound = on(&pod(1, "1", 0), "a");
    s.pod_changed(None, Some(&bound), at(0));
    s.pod_changed(None, Some(&pod(2, "1", 0)), at(0));
    assert_eq!(placed(&turn(&mut s, 0)), None);
    assert_eq!(s.queue_lengths(), (0, 0, 1));
    let mut labelled = node("a", "1");
    labelled.meta.labels = labelled.meta.labels.with("disk", "ssd");
    s.node_changed(None, Some(&labelled), at(10));
    s.node_changed(None, Some(&node("small", "500m")), at(11));
    assert_eq!(s.queue_lengths(), (0, 0, 1), "neither a label nor a node that is too small helps");
    s.node_changed(None, Some(&node("b", "2")), at(12));
    assert_eq!(placed(&turn(&mut s, 13)), Some((2, "b")), "an idle scheduler does not wait for the back-off");
}

#[test]
fn a_pod_that_nothing_helps_is_tried_again_after_five_minutes() {
    let mut s = scheduler(&["a"], "1");
    s.pod_changed(None, Some(&pod(1, "2", 0)), at(0));
    turn(&mut s, 0);
    assert_eq!(s.next_wake(), Some(at(300_000)));
    assert!(s.pop(at(299_999)).is_none());
    assert!(s.pop(at(300_000)).is_some());
}

#[test]
fn without_nodes_the_pod_is_tried_again_after_its_backoff() {
    let mut s = Scheduler::default();
    s.pod_changed(None, Some(&pod(1, "1", 0)), at(0));
    let mut now = 0;
    for wait in [1000, 2000, 4000, 8000, 10_000, 10_000] {
        let (_, decision) = turn(&mut s, now).expect("the pod is due");
        let Outcome::Unschedulable { message, .. } = decision.outcome else { panic!("no node can take it") };
        assert_eq!(message, "no nodes available to schedule pods");
        assert_eq!(s.next_wake(), Some(at(now + wait)));
        now += wait;
    }
}

#[test]
fn a_preemptor_waits_for_its_victims_and_keeps_the_room() {
    let mut s = scheduler(&["a", "b"], "2");
    let (low_a, low_b) = (on(&pod(1, "2", 0), "a"), on(&pod(2, "2", 3), "b"));
    s.pod_changed(None, Some(&low_a), at(0));
    s.pod_changed(None, Some(&low_b), at(0));
    let high = pod(3, "2", 9);
    s.pod_changed(None, Some(&high), at(1));
    let (_, decision) = turn(&mut s, 1).expect("the pod is due");
    let Outcome::Nominated { node: nominated, victims, message } = decision.outcome else { panic!("room can be made") };
    assert_eq!((nominated.as_str(), victims), ("a", vec![Uid(1)]));
    assert_eq!(message, "0/2 nodes are available: 2 Insufficient cpu.");
    let mut dying = (*low_a).clone();
    dying.meta.deletion = Some(Deletion { at: at(30_000), grace_seconds: 30 });
    s.pod_changed(Some(&low_a), Some(&Arc::new(dying)), at(2));
    // Tried again too early, it says that it waits, and keeps its nomination.
    s.node_changed(None, Some(&node("c", "1")), at(3));
    let early = s.schedule_one(&high, at(3), &mut Rng::new(1, 1));
    let Outcome::Unschedulable { message, clear_nomination } = early.outcome else { panic!("the victim is still there") };
    assert!(message.ends_with("preemption: not eligible due to a terminating pod on the nominated node."), "{message}");
    assert!(!clear_nomination);
    s.pod_changed(Some(&low_a), None, at(4));
    // A smaller pod of lower priority does not slip in.
    s.pod_changed(None, Some(&pod(4, "2", 0)), at(4));
    let thief = s.schedule_one(&pod(4, "2", 0), at(4), &mut Rng::new(1, 1));
    assert!(matches!(thief.outcome, Outcome::Unschedulable { .. }), "{thief:?}");
    let again = std::iter::from_fn(|| turn(&mut s, 5)).find(|(uid, _)| *uid == 3);
    assert_eq!(placed(&again), Some((3, "a")));
}

#[test]
fn big_clusters_are_searched_in_part_and_in_turn() {
    assert_eq!([3, 99, 100, 200, 1000, 5000, 15_000].map(nodes_to_find), [3, 99, 100, 100, 420, 500, 750]);
    let names: Vec<String> = (0..250).map(|i| format!("n{i}")).collect();
    let mut s = scheduler(&names.iter().map(String::as_str).collect::<Vec<_>>(), "4");
    for (uid, first) in [(1, "n0"), (2, "n120"), (3, "n240"), (4, "n110")] {
        s.pod_changed(None, Some(&pod(uid, "1", 0)), at(0));
        assert_eq!(placed(&turn(&mut s, 0)), Some((uid, first)), "48 percent of 250 are 120");
    }
}

#[test]
fn nodes_are_tried_zone_by_zone_in_turn() {
    let mut s = Scheduler::default();
    for (name, zone) in [("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b"), ("c1", "c"), ("c2", "c")] {
        let mut n = node(name, "4");
        n.meta.labels = n.meta.labels.with("topology.kubernetes.io/zone", zone);
        s.node_changed(None, Some(&n), at(0));
    }
    s.node_changed(Some(&node("b1", "4")), None, at(1));
    let order: Vec<_> = s.explain(&pod(1, "1", 0)).nodes.iter().map(|r| r.node.to_string()).collect();
    assert_eq!(order, ["a1", "c1", "a2", "c2", "a3"]);
}
