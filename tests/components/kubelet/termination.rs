//! The termination of pods.

use crate::world::World;
use loopscope::kubelet::RunState;

#[test]
fn containers_that_heed_sigterm_end_well_and_others_are_killed() {
    let mut world = World::node();
    world.have(&["nginx:1.25", "busybox:1.36"]);
    world.nginx("quick");
    world.pod(
        "stubborn",
        r#"{"terminationGracePeriodSeconds":8,"containers":[{"name":"c","image":"busybox:1.36","command":["sh","-c","sleep 3600"]}]}"#,
    );
    world.run(5.0);
    world.delete_pod("quick", 30);
    world.delete_pod("stubborn", 8);
    world.run(15.0);
    assert_eq!(
        world.life("quick")[2..],
        [
            "Running ready c:running/0",
            "Running ready c:running/0 deleting(30)",
            "Succeeded c:Completed(0)/0 deleting(30)",
            "Succeeded c:Completed(0)/0 deleting(0)",
            "DELETED Succeeded c:Completed(0)/0 deleting(0)",
        ]
    );
    assert_eq!(
        world.life("stubborn")[3..],
        [
            "Running ready c:running/0 deleting(8)",
            "Failed c:Error(137)/0 deleting(8)",
            "Failed c:Error(137)/0 deleting(0)",
            "DELETED Failed c:Error(137)/0 deleting(0)",
        ]
    );
    let writes = world.writes.iter().filter(|(_, n, text)| n == "quick" && text.contains("deleting"));
    assert_eq!(writes.count(), 5, "deletion, generation observed, end, grace 0, gone");
    assert!(world.told("stubborn").contains(&"Normal Killing: Stopping container c"));
    assert_eq!(world.kubelet.pods().count(), 0);
}

#[test]
fn a_pod_that_is_force_deleted_is_killed_all_the_same() {
    let mut world = World::node();
    world.have(&["busybox:1.36"]);
    let uid = world.script("forced", "Always", "sleep 3600");
    world.run(3.0);
    world.delete_pod("forced", 0);
    world.run(1.0);
    assert!(world.told("forced").contains(&"Normal Killing: Stopping container c"));
    assert_eq!(world.kubelet.containers(uid)[0].state, RunState::Running);
    world.run(2.0);
    assert!(world.kubelet.containers(uid).is_empty());
    assert!(world.writes.last().is_some_and(|(.., text)| text.starts_with("DELETED Running ready")));
}

#[test]
fn a_pod_deleted_before_it_has_a_sandbox_fails() {
    let mut world = World::node();
    world.nginx("early");
    world.run(0.1);
    world.delete_pod("early", 30);
    world.run(4.0);
    assert_eq!(
        world.life("early")[1..],
        [
            "Pending c:ContainerCreating/0",
            "Pending c:ContainerCreating/0 deleting(30)",
            "Failed c:ContainerStatusUnknown(137)/0 deleting(30)",
            "Failed c:ContainerStatusUnknown(137)/0 deleting(0)",
            "DELETED Failed c:ContainerStatusUnknown(137)/0 deleting(0)",
        ]
    );
}

#[test]
fn a_pod_deleted_while_its_sandbox_is_made_runs_for_a_moment() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    world.nginx("late");
    world.run(0.21);
    world.delete_pod("late", 30);
    world.run(4.0);
    assert_eq!(
        world.life("late")[1..5],
        [
            "Pending c:ContainerCreating/0",
            "Pending c:ContainerCreating/0 deleting(30)",
            "Running ready c:running/0 deleting(30)",
            "Succeeded c:Completed(0)/0 deleting(30)",
        ]
    );
    assert_eq!(world.kubelet.pods().count(), 0);
}

#[test]
fn a_pod_that_is_done_is_first_terminated_and_a_second_later_succeeded() {
    let mut world = World::node();
    world.have(&["busybox:1.36"]);
    world.script("good", "Never", "sleep 2");
    world.script("bad", "OnFailure", "exit 4");
    world.script("ends", "Never", "exit 4");
    world.run(8.0);
    assert_eq!(world.life("good")[2..], ["Running ready c:running/0", "Running c:Completed(0)/0", "Succeeded c:Completed(0)/0"]);
    assert_eq!(world.life("ends")[2..], ["Running ready c:running/0", "Running c:Error(4)/0", "Failed c:Error(4)/0"]);
    assert_eq!(world.life("bad")[3..5], ["Running c:Error(4)/0", "Running ready c:running/1"]);
    let status = world.status("good");
    let reasons: Vec<_> = status.conditions.iter().map(|c| c.reason()).collect();
    assert_eq!(reasons, ["", "PodCompleted", "PodCompleted", "PodCompleted", ""]);
}

#[test]
fn a_pod_past_its_deadline_fails() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    world.pod("late", r#"{"activeDeadlineSeconds":5,"containers":[{"name":"c","image":"nginx:1.25"}]}"#);
    world.run(12.0);
    assert_eq!(world.life("late")[2..], ["Running ready c:running/0", "Running c:running/0", "Failed c:Completed(0)/0"]);
    assert_eq!(world.status("late").reason(), "DeadlineExceeded");
}

#[test]
fn a_hook_before_the_stop_takes_its_time() {
    let mut world = World::node();
    world.have(&["nginx:1.25"]);
    world.pod("web", r#"{"containers":[{"name":"c","image":"nginx:1.25","lifecycle":{"preStop":{"sleep":{"seconds":5}}}}]}"#);
    world.run(3.0);
    world.delete_pod("web", 30);
    world.run(4.9);
    assert!(world.status("web").is_ready());
    world.run(2.0);
    assert_eq!(world.kubelet.pods().count(), 0);
}
