//! Nodes that fail and come back, and the fate of their pods.

use crate::world::World;
use crate::world::objects::{bare, node, running_pod, taints};
use loopscope::api::{Kind, Span};
use loopscope::controller::node_lifecycle::NodeLifecycleController;
use loopscope::controller::taint_eviction::TaintEvictionController;

/// Creates nodes that the node controller knows, each with a pod `fast-…` that tolerates an unreachable node for 10 s and a
/// pod `slow-…` that tolerates it for 300 s.
fn cluster(names: &[&str]) -> World {
    let mut w = World::new(&[&NodeLifecycleController, &TaintEvictionController]);
    for name in names {
        w.put(node(name, "4"));
        w.put(running_pod(&format!("fast-{name}"), name, 1, true, w.now));
        w.put(running_pod(&format!("slow-{name}"), name, 2, true, w.now));
    }
    w.run(5.0);
    let registered: Vec<String> =
        names.iter().map(|n| format!("event {n} RegisteredNode: Node {n} event: Registered Node {n} in Controller")).collect();
    assert_eq!(w.take_log(), registered);
    w
}

fn report(w: &mut World, name: &str, ready: &str) {
    let now = w.now.whole_second();
    w.change(Kind::NODE, name, |node| {
        for c in node.node_mut().into_iter().flat_map(|n| &mut n.status.conditions) {
            c.last_heartbeat_time = Some(now);
            c.status = if c.type_ == "Ready" { ready.into() } else { "False".into() };
        }
    });
}

/// Lets time pass while only the nodes in `alive` go on to report.
fn run(w: &mut World, seconds: i64, alive: &[&str]) {
    for i in 0..seconds {
        if i % 10 == 0 {
            alive.iter().for_each(|n| report(w, n, "True"));
        }
        w.run(1.0);
    }
}

#[test]
fn nodes_that_report_need_no_passes() {
    let mut w = cluster(&["n1", "n2"]);
    for _ in 0..20 {
        run(&mut w, 10, &["n1", "n2"]);
        assert_eq!(w.monitor(), 0);
    }
    assert_eq!(w.take_log(), [""; 0]);
}

/// Checks the steps of recorded trace 11: conditions, taint, readiness of the pods, and the second taint in the round after 50
/// s; the evictions of pods 10 s and 300 s later.
#[test]
fn a_silent_node_is_marked_and_its_pods_are_driven_off_in_time() {
    let mut w = cluster(&["n1", "n2", "n3"]);
    run(&mut w, 49, &["n1", "n3"]);
    assert_eq!(w.take_log(), [""; 0]);
    run(&mut w, 1, &["n1", "n3"]);
    assert_eq!(
        w.take_log(),
        [
            "update node/status n2 MemoryPressure=Unknown DiskPressure=Unknown PIDPressure=Unknown Ready=Unknown",
            "event n2 NodeNotReady: Node n2 status is now: NodeNotReady",
            "patch node n2 taints unreachable:NoSchedule",
            "update pod/status fast-n2 Ready=False",
            "update pod/status slow-n2 Ready=False",
            "event fast-n2 NodeNotReady: Node is not ready",
            "event slow-n2 NodeNotReady: Node is not ready",
            "patch node n2 taints unreachable:NoSchedule unreachable:NoExecute",
        ]
    );
    run(&mut w, 10, &["n1", "n3"]);
    assert_eq!(
        w.take_log(),
        [
            "event fast-n2 TaintManagerEviction: Marking for deletion Pod default/fast-n2",
            "patch pod/status fast-n2 DisruptionTarget:DeletionByTaintManager",
            "delete pod fast-n2",
        ]
    );
    run(&mut w, 289, &["n1", "n3"]);
    assert_eq!(w.take_log(), [""; 0]);
    run(&mut w, 1, &["n1", "n3"]);
    assert_eq!(
        w.take_log().first().map(String::as_str),
        Some("event slow-n2 TaintManagerEviction: Marking for deletion Pod default/slow-n2")
    );
}

/// Checks the steps of recorded trace 11b: the NoSchedule taints change at once, the NoExecute taints in the next round.
#[test]
fn a_node_that_comes_back_loses_its_taints_step_by_step() {
    let mut w = cluster(&["n1", "n2", "n3"]);
    run(&mut w, 51, &["n1", "n3"]);
    w.take_log();
    report(&mut w, "n2", "False");
    w.settle();
    assert_eq!(
        w.take_log(),
        [
            "patch node n2 taints unreachable:NoSchedule unreachable:NoExecute not-ready:NoSchedule",
            "patch node n2 taints unreachable:NoExecute not-ready:NoSchedule",
        ]
    );
    run(&mut w, 5, &["n1", "n3"]);
    assert_eq!(
        w.take_log(),
        [
            "patch node n2 taints unreachable:NoExecute not-ready:NoSchedule not-ready:NoExecute",
            "patch node n2 taints not-ready:NoSchedule not-ready:NoExecute",
        ]
    );
    report(&mut w, "n2", "True");
    w.settle();
    assert_eq!(w.take_log(), ["patch node n2 taints not-ready:NoExecute"]);
    run(&mut w, 4, &["n1", "n2", "n3"]);
    assert_eq!(
        w.take_log(),
        [
            "patch node n2 taints",
            "event fast-n2 TaintManagerEviction: Cancelling deletion of Pod default/fast-n2",
            "event slow-n2 TaintManagerEviction: Cancelling deletion of Pod default/slow-n2",
        ]
    );
}

/// Checks the steps of recorded trace 11: pods that are gone after the change of taints are reported as cancelled deletions,
/// pods that are gone before it are not.
#[test]
fn an_evicted_pod_that_goes_after_a_change_of_taints_is_reported_as_cancelled() {
    let mut w = cluster(&["n1", "n2", "n3"]);
    run(&mut w, 61, &["n1", "n3"]);
    w.take_log();
    w.remove(Kind::POD, "fast-n2");
    w.settle();
    assert_eq!(w.take_log(), [""; 0]);
    let mut w = cluster(&["n1", "n2", "n3"]);
    run(&mut w, 61, &["n1", "n3"]);
    report(&mut w, "n2", "False");
    run(&mut w, 5, &["n1", "n3"]);
    w.take_log();
    w.remove(Kind::POD, "fast-n2");
    w.settle();
    assert_eq!(w.take_log(), ["event fast-n2 TaintManagerEviction: Cancelling deletion of Pod default/fast-n2"]);
}

/// Checks the steps of recorded trace 11d: when all nodes fall silent at the same time, no pod is evicted.
#[test]
fn when_all_nodes_are_silent_nobody_is_driven_off() {
    let mut w = cluster(&["n1", "n2", "n3"]);
    run(&mut w, 400, &[]);
    assert!(w.take_log().iter().all(|l| !l.contains("NoExecute") && !l.contains("TaintManager")));
    for name in ["n1", "n2", "n3"] {
        assert_eq!(taints(&w.get(Kind::NODE, name)), ["unreachable:NoSchedule"]);
    }
    for name in ["n1", "n2", "n3"] {
        report(&mut w, name, "True");
    }
    w.settle();
    assert_eq!(w.take_log().len(), 3);
    run(&mut w, 100, &["n1", "n2", "n3"]);
    assert_eq!(w.take_log(), [""; 0]);
}

/// Checks the steps of the third recording of trace 11d: a node that falls silent one round before the others gets the
/// NoExecute taint, and loses it again.
#[test]
fn a_taint_is_taken_back_when_the_last_node_falls_silent() {
    let mut w = cluster(&["n1", "n2", "n3"]);
    run(&mut w, 5, &["n3"]);
    run(&mut w, 45, &[]);
    let taken: Vec<String> = w.take_log().into_iter().filter(|l| l.contains("NoExecute")).collect();
    assert_eq!(taken, ["patch node n1 taints unreachable:NoSchedule unreachable:NoExecute"]);
    run(&mut w, 5, &[]);
    let log = w.take_log();
    assert!(log.contains(&"patch node n1 taints unreachable:NoSchedule".to_owned()), "{log:#?}");
    assert!(log.contains(&"event fast-n1 TaintManagerEviction: Cancelling deletion of Pod default/fast-n1".to_owned()));
}

#[test]
fn nodes_are_driven_off_one_in_ten_seconds() {
    let names = ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"];
    let mut w = cluster(&names);
    let alive = &names[3..];
    run(&mut w, 50, alive);
    let tainted = |w: &World| names.iter().filter(|n| taints(&w.get(Kind::NODE, n)).len() == 2).count();
    assert_eq!(tainted(&w), 1);
    run(&mut w, 10, alive);
    assert_eq!(tainted(&w), 2);
    run(&mut w, 10, alive);
    assert_eq!(tainted(&w), 3);
}

#[test]
fn where_most_nodes_of_a_small_zone_are_silent_nobody_is_driven_off() {
    let names = ["n1", "n2", "n3", "n4", "n5"];
    let mut w = cluster(&names);
    run(&mut w, 200, &names[3..]);
    let log = w.take_log();
    assert_eq!(log.iter().filter(|l| l.ends_with("unreachable:NoSchedule")).count(), 3);
    assert!(log.iter().all(|l| !l.contains("NoExecute")), "{log:#?}");
}

#[test]
fn two_of_three_silent_nodes_are_driven_off() {
    let mut w = cluster(&["n1", "n2", "n3"]);
    run(&mut w, 60, &["n3"]);
    for name in ["n1", "n2"] {
        assert_eq!(taints(&w.get(Kind::NODE, name)), ["unreachable:NoSchedule", "unreachable:NoExecute"]);
    }
}

#[test]
fn cordoning_is_a_taint_too_and_leases_count_as_reports() {
    let mut w = cluster(&["n1"]);
    w.change(Kind::NODE, "n1", |node| node.node_mut().expect("a node").spec.unschedulable = true);
    w.settle();
    assert_eq!(w.take_log(), ["patch node n1 taints unschedulable:NoSchedule"]);
    for _ in 0..20 {
        let mut lease = w.find(Kind::LEASE, "n1").map_or_else(|| bare(Kind::LEASE, "n1"), |l| (*l).clone());
        lease.meta.namespace = "kube-node-lease".into();
        w.put(lease);
        w.run(10.0);
    }
    assert_eq!(w.take_log(), [""; 0]);
    let start = w.now;
    w.remove(Kind::NODE, "n1");
    w.run(5.0);
    assert_eq!(w.take_log(), ["event n1 RemovingNode: Node n1 event: Removing Node n1 from Controller"]);
    assert_eq!(w.now - start, Span::secs(5));
}
