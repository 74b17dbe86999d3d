//! The scheduler over time: which pod is next, which pods wait, which are moved back to the active queue, and the effect of
//! late or repeated watch events.

use crate::world::objects::{node, pending_pod};
use crate::world::{START, World};
use loopscope::api::kind::pod::{ConditionType, PodCondition};
use loopscope::api::meta::{Deletion, Uid};
use loopscope::api::random::Rng;
use loopscope::api::{Kind, Object, Span, Time};
use loopscope::map;
use loopscope::scheduler::{Decision, Outcome, nodes_to_find};
use std::sync::Arc;

fn at(millis: i64) -> Time {
    START + Span::millis(millis)
}

/// Creates nodes of one size.
fn nodes(names: &[&str], cpu: &str) -> World {
    let mut w = World::new(&[]);
    for name in names {
        w.put(node(name, cpu));
    }
    w
}

/// Writes an object at a time; the scheduler receives the change at once.
fn put(w: &mut World, millis: i64, object: Object) -> Arc<Object> {
    w.now = at(millis);
    w.put(object)
}

fn on(mut pod: Object, node: &str) -> Object {
    pod.pod_mut().expect("a pod").node = node.into();
    pod
}

/// Pops a pod from the scheduling queue and schedules it.
fn turn(w: &mut World, millis: i64) -> Option<(u64, Decision)> {
    let pod = w.scheduler.pop(at(millis))?;
    let decision = w.scheduler.schedule_one(&pod, at(millis), &mut Rng::new(1, 1));
    Some((pod.meta.uid.0, decision))
}

fn placed(turn: &Option<(u64, Decision)>) -> Option<(u64, &str)> {
    match turn {
        Some((uid, Decision { outcome: Outcome::Placed { node, .. }, .. })) => Some((*uid, node)),
        _ => None,
    }
}

#[test]
fn higher_priority_goes_first_then_the_older() {
    let mut w = nodes(&["a"], "100");
    for (uid, priority, millis) in [(1, 0, 0), (2, 5, 1), (3, 0, 2), (4, 5, 3)] {
        put(&mut w, millis, pending_pod(uid, "1", priority));
    }
    let order: Vec<u64> = std::iter::from_fn(|| w.scheduler.pop(at(9)).map(|p| p.meta.uid.0)).collect();
    assert_eq!(order, [2, 4, 1, 3]);
}

#[test]
fn an_assumed_pod_takes_its_room_until_the_binding_fails() {
    let mut w = nodes(&["a"], "1");
    let first = put(&mut w, 0, pending_pod(1, "1", 0));
    put(&mut w, 1, pending_pod(2, "1", 0));
    assert_eq!(placed(&turn(&mut w, 2)), Some((1, "a")));
    // The informer still shows the pod without a node, twice.
    w.scheduler.pod_changed(Some(&first), Some(&first), at(3));
    w.scheduler.pod_changed(Some(&first), Some(&first), at(3));
    assert_eq!(placed(&turn(&mut w, 4)), None, "the second does not fit");
    assert_eq!(w.scheduler.pop(at(5)).map(|p| p.meta.uid.0), None);
    w.scheduler.bind_failed(&first, at(6));
    assert_eq!(placed(&turn(&mut w, 7)), Some((2, "a")), "the failure woke the second");
    assert_eq!(w.scheduler.next_wake(), Some(at(1006)), "the first backs off for a second");
    assert!(w.scheduler.pop(at(1005)).is_none());
    assert_eq!(w.scheduler.pop(at(1006)).map(|p| p.meta.uid.0), Some(1));
}

#[test]
fn news_that_changes_nothing_leaves_the_view_alone() {
    let mut w = nodes(&["a"], "4");
    let bound = put(&mut w, 0, on(pending_pod(1, "1", 0), "a"));
    let s = &mut w.scheduler;
    let before = s.snapshot().node(0).expect("the node").generation;
    s.pod_changed(Some(&bound), Some(&bound), at(1));
    s.pod_changed(Some(&bound), Some(&Arc::new(pending_pod(1, "1", 0))), at(2));
    s.node_changed(None, Some(&node("a", "4")), at(3));
    let info = s.snapshot().node(0).expect("the node");
    assert_eq!((info.generation, info.requested.cpu_milli, info.pods.len()), (before, 1000, 1));
    s.pod_changed(Some(&bound), None, at(4));
    s.pod_changed(Some(&bound), None, at(5));
    assert_eq!(s.snapshot().node(0).expect("the node").requested.cpu_milli, 0);
}

#[test]
fn a_pod_that_does_not_fit_waits_for_a_change_that_may_help() {
    let mut w = nodes(&["a"], "1");
    put(&mut w, 0, on(pending_pod(1, "1", 0), "a"));
    put(&mut w, 0, pending_pod(2, "1", 0));
    assert_eq!(placed(&turn(&mut w, 0)), None);
    assert_eq!(w.scheduler.queue_lengths(), (0, 0, 1));
    w.now = at(10);
    w.change(Kind::NODE, "a", |node| node.meta.labels = node.meta.labels.with("disk", "ssd"));
    put(&mut w, 11, node("small", "500m"));
    assert_eq!(w.scheduler.queue_lengths(), (0, 0, 1), "neither a label nor a node that is too small helps");
    put(&mut w, 12, node("b", "2"));
    assert_eq!(placed(&turn(&mut w, 13)), Some((2, "b")), "an idle scheduler does not wait for the back-off");
}

#[test]
fn a_pod_that_nothing_helps_is_tried_again_after_five_minutes() {
    let mut w = nodes(&["a"], "1");
    put(&mut w, 0, pending_pod(1, "2", 0));
    turn(&mut w, 0);
    assert_eq!(w.scheduler.next_wake(), Some(at(300_000)));
    assert!(w.scheduler.pop(at(299_999)).is_none());
    assert!(w.scheduler.pop(at(300_000)).is_some());
}

#[test]
fn without_nodes_the_pod_is_tried_again_after_its_backoff() {
    let mut w = World::new(&[]);
    put(&mut w, 0, pending_pod(1, "1", 0));
    let mut now = 0;
    for wait in [1000, 2000, 4000, 8000, 10_000, 10_000] {
        let (_, decision) = turn(&mut w, now).expect("the pod is due");
        let Outcome::Unschedulable { message, .. } = decision.outcome else { panic!("no node can take it") };
        assert_eq!(message, "no nodes available to schedule pods");
        assert_eq!(w.scheduler.next_wake(), Some(at(now + wait)));
        now += wait;
    }
}

#[test]
fn a_preemptor_waits_for_its_victims_and_keeps_the_room() {
    let mut w = nodes(&["a", "b"], "2");
    put(&mut w, 0, on(pending_pod(1, "2", 0), "a"));
    put(&mut w, 0, on(pending_pod(2, "2", 3), "b"));
    let high = put(&mut w, 1, pending_pod(3, "2", 9));
    let (_, decision) = turn(&mut w, 1).expect("the pod is due");
    let Outcome::Nominated { node: nominated, victims, message, .. } = decision.outcome else { panic!("room can be made") };
    assert_eq!((nominated.as_str(), victims), ("a", vec![Uid(1)]));
    assert_eq!(message, "0/2 nodes are available: 2 Insufficient cpu.");
    w.now = at(2);
    w.change(Kind::POD, "p1", |object| {
        object.meta.deletion = Some(Deletion { at: at(30_000), grace_seconds: 30 });
        let condition = PodCondition::new(ConditionType::DisruptionTarget, true, at(2));
        if let Some(pod) = object.pod_mut() {
            pod.status.conditions.push(condition.with_reason("PreemptionByScheduler", ""));
        }
    });
    // Tried again too early, it says that it waits, and keeps its nomination.
    put(&mut w, 3, node("c", "1"));
    let early = w.scheduler.schedule_one(&high, at(3), &mut Rng::new(1, 1));
    let Outcome::Unschedulable { message, clear_nomination } = early.outcome else { panic!("the victim is still there") };
    assert!(message.ends_with("preemption: not eligible due to a terminating pod on the nominated node."), "{message}");
    assert!(!clear_nomination);
    w.now = at(4);
    w.remove(Kind::POD, "p1");
    // A smaller pod of lower priority does not slip in.
    let small = put(&mut w, 4, pending_pod(4, "2", 0));
    let thief = w.scheduler.schedule_one(&small, at(4), &mut Rng::new(1, 1));
    assert!(matches!(thief.outcome, Outcome::Unschedulable { .. }), "{thief:?}");
    let again = std::iter::from_fn(|| turn(&mut w, 5)).find(|(uid, _)| *uid == 3);
    assert_eq!(placed(&again), Some((3, "a")));
}

#[test]
fn big_clusters_are_searched_in_part_and_in_turn() {
    assert_eq!([3, 99, 100, 200, 1000, 5000, 15_000].map(nodes_to_find), [3, 99, 100, 100, 420, 500, 750]);
    let names: Vec<String> = (0..250).map(|i| format!("n{i}")).collect();
    let mut w = nodes(&names.iter().map(String::as_str).collect::<Vec<_>>(), "4");
    for (uid, first) in [(1, "n0"), (2, "n120"), (3, "n240"), (4, "n110")] {
        put(&mut w, 0, pending_pod(uid, "1", 0));
        assert_eq!(placed(&turn(&mut w, 0)), Some((uid, first)), "48 percent of 250 are 120");
    }
}

#[test]
fn nodes_are_tried_zone_by_zone_in_turn() {
    let mut w = World::new(&[]);
    for (name, zone) in [("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b"), ("c1", "c"), ("c2", "c")] {
        let mut n = node(name, "4");
        n.meta.labels = n.meta.labels.with("topology.kubernetes.io/zone", zone);
        w.put(n);
    }
    w.remove(Kind::NODE, "b1");
    let order: Vec<_> = w.scheduler.explain(&pending_pod(1, "1", 0)).nodes.iter().map(|r| r.node.to_string()).collect();
    assert_eq!(order, ["a1", "c1", "a2", "c2", "a3"]);
}

#[test]
fn what_a_pod_asks_for_as_a_whole_counts_instead_of_its_containers() {
    let mut w = nodes(&["a"], "4");
    let mut pod = pending_pod(1, "1", 0);
    let mut raw = pod.pod().expect("a pod").spec.raw.clone();
    raw.insert("resources", map! { "requests" => map! { "cpu" => "5" } });
    pod.pod_mut().expect("a pod").spec = Arc::new(raw.into());
    put(&mut w, 0, pod);
    let Some((1, Decision { outcome: Outcome::Unschedulable { message, .. }, .. })) = turn(&mut w, 1) else { panic!("it fits") };
    assert!(message.starts_with("0/1 nodes are available: 1 Insufficient cpu."), "{message}");
}
